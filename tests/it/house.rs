//! What the architecture and the documents promise about the code itself.

mod documents;
mod layers;

use std::fs;
use std::path::{Path, PathBuf};

/// A file of the repository, by its path from the top.
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

/// All files below a folder whose names end like this, in order.
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

/// Lists everything that is wrong at once: who breaks a rule in ten places wants to know all ten.
fn nothing_of(rule: &str, wrong: &[String]) {
    assert!(wrong.is_empty(), "{rule}, but:\n  {}", wrong.join("\n  "));
}
