//! On-disk cache of base texts that sessions have received and that are no longer in memory.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::private::{make_private_folder, read_private_file, replace_private_file};

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

/// Names and sizes of the stored texts, oldest first.
type Index = VecDeque<(String, u64)>;

impl BaseStore {
    /// Opens or creates the store in its own folder, limited to `cap` bytes of text.
    pub fn open(folder: &Path, cap: u64) -> io::Result<Self> {
        make_private_folder(folder)?;
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
        replace_private_file((&self.folder.join(PART), &path), [bytes], false)?;
        index.retain(|(known, _)| known != name);
        index.push_back((name.to_owned(), bytes.len() as u64));
        self.shrink(&mut index);
        Ok(true)
    }

    /// Returns the text stored under a name, or `None` if it is gone.
    pub fn get(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        match read_private_file(&self.path(name)?) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
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
        let mut total: u64 = index.iter().map(|(_, size)| size).sum();
        while total > self.cap {
            let Some((name, size)) = index.pop_front() else { return };
            total -= size;
            fs::remove_file(self.folder.join(name)).ok();
        }
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
    Ok(found.into_iter().map(|(_, name, size)| (name, size)).collect())
}
