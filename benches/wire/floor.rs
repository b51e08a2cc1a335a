//! The floor: a plain program that reads a file, searches it, writes a temporary file and renames it.

use std::fs::{self, File};
use std::io::{BufRead, Write};
use std::path::Path;

use memchr::memmem;

use crate::corpus::counter;

/// Command line argument that turns this program into a floor process.
pub(crate) const MODE: &str = "floor-process";

/// Performs one edit, without any checks, comparisons, hashes, flushes or reports.
pub(crate) fn edit(path: &Path, old: &str, new: &str) {
    write_temporary(path, old, new);
    fs::rename(path.with_extension("tmp"), path).expect("a rename");
}

/// Performs one edit that survives a power cut: flushes file and folder.
pub(crate) fn durable_edit(path: &Path, old: &str, new: &str) {
    write_temporary(path, old, new).sync_all().expect("a flush");
    fs::rename(path.with_extension("tmp"), path).expect("a rename");
    let folder = File::open(path.parent().expect("a folder")).expect("a folder");
    folder.sync_all().expect("a flush");
}

fn write_temporary(path: &Path, old: &str, new: &str) -> File {
    let bytes = fs::read(path).expect("a file to edit");
    let at = memmem::find(&bytes, old.as_bytes()).expect("the text is in the file");
    let mut file = File::create_new(path.with_extension("tmp")).expect("a temporary file");
    for part in [&bytes[..at], new.as_bytes(), &bytes[at + old.len()..]] {
        file.write_all(part).expect("room for it");
    }
    file
}

/// Waits for a line on standard input, then increments the first counter of `path` `count` times.
pub(crate) fn run(path: &Path, count: usize) {
    std::io::stdin().lock().read_line(&mut String::new()).expect("a start signal");
    for done in 0..count {
        edit(path, &counter(0, done), &counter(0, done + 1));
    }
}
