//! The floor: what a plain program needs that reads a file, searches, writes a temporary file and renames it.

use std::fs::{self, File};
use std::io::{BufRead, Write};
use std::path::Path;

use memchr::memmem;

use crate::corpus::counter;

/// The argument that makes this program a floor process.
pub(crate) const MODE: &str = "floor-process";

/// One edit: nothing is checked, compared, hashed, flushed or reported.
pub(crate) fn edit(path: &Path, old: &str, new: &str) {
    write_beside(path, old, new);
    fs::rename(path.with_extension("tmp"), path).expect("the new file takes the name");
}

/// The same for a change that has to survive a power cut: file and folder are flushed.
pub(crate) fn durable_edit(path: &Path, old: &str, new: &str) {
    write_beside(path, old, new).sync_all().expect("a flush");
    fs::rename(path.with_extension("tmp"), path).expect("the new file takes the name");
    let folder = File::open(path.parent().expect("a folder")).expect("a folder");
    folder.sync_all().expect("a flush");
}

fn write_beside(path: &Path, old: &str, new: &str) -> File {
    let bytes = fs::read(path).expect("a file to edit");
    let at = memmem::find(&bytes, old.as_bytes()).expect("the text stands there");
    let mut file = File::create_new(path.with_extension("tmp")).expect("a temporary file");
    for part in [&bytes[..at], new.as_bytes(), &bytes[at + old.len()..]] {
        file.write_all(part).expect("room for it");
    }
    file
}

/// Counts the first counter of `path` up, `count` times, once a line came in.
pub(crate) fn run(path: &Path, count: usize) {
    std::io::stdin().lock().read_line(&mut String::new()).expect("a word to begin");
    for done in 0..count {
        edit(path, &counter(0, done), &counter(0, done + 1));
    }
}
