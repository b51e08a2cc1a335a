//! On-disk cache of base texts that sessions have received and that are no longer in memory.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// File name of a text while it is written. No name of a text may begin with it.
const PART: &str = ".part";

/// Maximum length of a name, in bytes: several times the length of a hash in text form.
const MAX_NAME: usize = 200;

/// A folder of texts by name, limited in total size and accessible only to its owner.
///
/// The store is a cache: nothing is flushed, a text may disappear at any time, and a power cut may leave a
/// text torn. A caller must compare a text with the hash that names it.
#[derive(Debug)]
pub struct BaseStore {
    folder: PathBuf,
    cap: u64,
    index: Mutex<Index>,
}

/// The stored texts, oldest first.
#[derive(Debug, Default)]
struct Index {
    texts: VecDeque<(String, u64)>,
    total: u64,
}

impl Index {
    fn add(&mut self, name: &str, size: u64) {
        self.texts.push_back((name.to_owned(), size));
        self.total += size;
    }

    fn remove(&mut self, name: &str) {
        if let Some(at) = self.texts.iter().position(|(known, _)| known == name) {
            let size = self.texts.remove(at).map_or(0, |(_, size)| size);
            self.total -= size;
        }
    }
}

impl BaseStore {
    /// Opens or creates the store in its own folder, limited to `cap` bytes of text.
    pub fn open(folder: &Path, cap: u64) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        fs::set_permissions(folder, Permissions::from_mode(0o700))?;
        let store = Self { folder: folder.to_owned(), cap, index: Mutex::new(load(folder)?) };
        store.shrink(&mut store.index.lock());
        Ok(store)
    }

    /// Stores a text under a name, replaces any earlier text of that name, and evicts the oldest texts if
    /// needed. Returns `false` if the text alone exceeds the limit; it is then not stored.
    ///
    /// A name has at most 200 bytes, contains no `/` or NUL, and does not begin with a dot; any other name is
    /// an [`ErrorKind::InvalidInput`] error.
    pub fn put(&self, name: &str, bytes: &[u8]) -> io::Result<bool> {
        let path = self.path(name)?;
        if bytes.len() as u64 > self.cap {
            return Ok(false);
        }
        // Only one write at a time, so that the partial file needs no random name and index and folder agree.
        let mut index = self.index.lock();
        write_atomically(&self.folder.join(PART), &path, bytes)?;
        index.remove(name);
        index.add(name, bytes.len() as u64);
        self.shrink(&mut index);
        Ok(true)
    }

    /// Returns the text stored under a name, or `None` if it is gone.
    pub fn get(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        match fs::read(self.path(name)?) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Removes the text stored under a name, if it still exists.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        let path = self.path(name)?;
        let mut index = self.index.lock();
        index.remove(name);
        remove_if_there(&path)
    }

    /// Total size of the stored texts, in bytes.
    pub fn size(&self) -> u64 {
        self.index.lock().total
    }

    fn path(&self, name: &str) -> io::Result<PathBuf> {
        let usable = !name.is_empty() && name.len() <= MAX_NAME && !name.starts_with('.');
        if usable && !name.contains(['/', '\0']) {
            return Ok(self.folder.join(name));
        }
        Err(io::Error::new(ErrorKind::InvalidInput, "invalid name for a base text"))
    }

    /// Removes the oldest texts until the rest fits. A text that cannot be removed is no longer counted, so
    /// that it does not displace all the others.
    fn shrink(&self, index: &mut Index) {
        while index.total > self.cap {
            let Some((name, size)) = index.texts.pop_front() else { return };
            index.total -= size;
            fs::remove_file(self.folder.join(name)).ok();
        }
    }
}

fn write_atomically(part: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    remove_if_there(part)?;
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(part)?;
    file.write_all(bytes).and_then(|()| fs::rename(part, path)).inspect_err(|_| {
        fs::remove_file(part).ok();
    })
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Loads the texts of a folder in the order of their timestamps, which is roughly the order in which they
/// were stored.
fn load(folder: &Path) -> io::Result<Index> {
    let mut found: Vec<(SystemTime, String, u64)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (Ok(name), stat) = (entry.file_name().into_string(), entry.metadata()?) else { continue };
        if stat.is_file() && name != PART {
            found.push((stat.modified()?, name, stat.len()));
        }
    }
    found.sort();
    let mut index = Index::default();
    for (_, name, size) in found {
        index.add(&name, size);
    }
    Ok(index)
}
