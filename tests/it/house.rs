//! Tests of the rules for code and documents.

mod documents;
mod layers;

use std::fs;
use std::path::{Path, PathBuf};

/// A file of the repository, with its path from the top.
struct Source {
    path: String,
    text: String,
}

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(top().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Reads all files below a folder whose names have this ending, sorted by path.
fn sources(folder: &str, ending: &str) -> Vec<Source> {
    let mut paths = Vec::new();
    walk(&top().join(folder), &mut paths);
    paths.sort();
    let named = paths.iter().filter_map(|path| path.strip_prefix(top()).ok()?.to_str());
    named
        .filter(|path| path.ends_with(ending))
        .map(|path| Source { path: path.to_owned(), text: read(path) })
        .collect()
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { walk(&path, found) } else { found.push(path) }
    }
}

/// Asserts that there are no violations of a rule. Lists all of them, so that they can be fixed at once.
fn assert_none(rule: &str, wrong: &[String]) {
    assert!(wrong.is_empty(), "{rule}, but:\n  {}", wrong.join("\n  "));
}
