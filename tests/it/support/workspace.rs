//! A folder with files that serves as an agent's root.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) struct Workspace {
    base: TempDir,
    root: PathBuf,
}

impl Workspace {
    pub(crate) fn empty() -> Self {
        let base = tempfile::tempdir().expect("a temporary folder");
        let root = base.path().canonicalize().expect("an existing folder").join("project");
        fs::create_dir(&root).expect("a root");
        Self { base, root }
    }

    /// Creates a workspace with the given root, which is created if missing and not removed.
    pub(crate) fn at(root: &Path) -> Self {
        fs::create_dir_all(root).expect("a root");
        Self { base: tempfile::tempdir().expect("a temporary folder"), root: root.to_owned() }
    }

    pub(crate) fn with<Bytes: AsRef<[u8]>>(files: &[(&str, Bytes)]) -> Self {
        let workspace = Self::empty();
        for (name, bytes) in files {
            workspace.put(name, bytes);
        }
        workspace
    }

    pub(crate) fn file(name: &str, bytes: impl AsRef<[u8]>) -> Self {
        Self::with(&[(name, bytes)])
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn absolute(&self, name: &str) -> String {
        self.path(name).to_str().expect("test paths are UTF-8").to_owned()
    }

    /// Returns a path next to the root, outside of every session's roots.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.base.path().canonicalize().expect("an existing folder").join(name)
    }

    /// Writes a file in place without the daemon.
    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders");
        fs::write(path, bytes).expect("a file");
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).expect("UTF-8")
    }

    pub(crate) fn hash(&self, name: &str) -> String {
        hash_of(self.bytes(name))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.path(name).symlink_metadata().is_ok()
    }

    /// Returns every file and folder below the root with its bytes, for comparisons.
    pub(crate) fn everything(&self) -> Vec<(PathBuf, Option<Vec<u8>>)> {
        let mut found = Vec::new();
        collect(&self.root, &mut found);
        found.sort();
        found
    }

    /// Returns `initialize` parameters with this root.
    pub(crate) fn session(&self, author: &str) -> Value {
        json!({
            "processId": null,
            "clientInfo": { "name": author },
            "workspaceFolders": [{ "uri": uri_of(&self.root), "name": "project" }],
            "capabilities": {},
        })
    }
}

fn collect(folder: &Path, found: &mut Vec<(PathBuf, Option<Vec<u8>>)>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect(&path, found);
            found.push((path, None));
        } else {
            let bytes = fs::read(&path).ok();
            found.push((path, bytes));
        }
    }
}

/// Returns the protocol's hash of a file with these bytes.
pub(crate) fn hash_of(bytes: impl AsRef<[u8]>) -> String {
    format!("b3:{}", &blake3::hash(bytes.as_ref()).to_hex()[..32])
}

/// Returns a `file:` URI, with all but unreserved characters and slashes escaped.
pub(crate) fn uri_of(path: &Path) -> String {
    let mut uri = String::from("file://");
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            write!(uri, "%{byte:02X}").expect("writing to a string succeeds");
        }
    }
    uri
}

/// Returns `line 1` to `line n`, each with a line ending.
pub(crate) fn numbered_lines(count: usize) -> String {
    let mut text = String::new();
    for number in 1..=count {
        writeln!(text, "line {number}").expect("writing to a string succeeds");
    }
    text
}

pub(crate) fn put_mtime(path: &Path, time: SystemTime) {
    let file = fs::File::options().write(true).open(path).expect("a file to date");
    file.set_modified(time).expect("a file's time can be set");
}
