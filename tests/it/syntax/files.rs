//! Real files: of this repository and of its dependencies.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use editd_syntax::Language;

/// Number of files for each language from each source.
const PER_LANGUAGE: usize = 3;
/// Maximum size of a file, in bytes.
const MAX_SIZE: u64 = 20_000;
/// Maximum length of a line, in bytes. Longer ones are in bundles.
const MAX_LINE: usize = 2_000;

pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) language: Language,
}

/// Returns files in the languages that the repository and its dependencies contain. They are the same in each run
/// on a machine.
pub(crate) fn real_files() -> Vec<File> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in
        ["src", "tests", "benches", "editors", "scripts", "docs", "packaging", "lua", "plugin", ".ci", "fuzz"]
    {
        collect(&top.join(folder), &mut found);
    }
    collect_registry(&mut found);
    found
}

fn collect_registry(found: &mut Vec<File>) {
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let Some(cargo) = cargo.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"))) else {
        return;
    };
    let Ok(registries) = fs::read_dir(cargo.join("registry/src")) else { return };
    for registry in registries.flatten() {
        collect(&registry.path(), found);
    }
}

/// Adds the files of a folder, a few of each language, spread over the folder.
fn collect(folder: &Path, found: &mut Vec<File>) {
    let mut paths = Vec::new();
    walk(folder, &mut paths, 0);
    paths.sort();
    let mut by_language: HashMap<Language, Vec<PathBuf>> = HashMap::new();
    for path in paths {
        if let Some(language) = Language::of_path(&path) {
            by_language.entry(language).or_default().push(path);
        }
    }
    let mut by_language: Vec<_> = by_language.into_iter().collect();
    by_language.sort_by_key(|(language, _)| language.to_string());
    for (language, paths) in by_language {
        let step = paths.len().div_ceil(PER_LANGUAGE).max(1);
        for path in paths.iter().step_by(step) {
            let text = fs::read_to_string(path).ok();
            // An edit in a bundle may add the space between two declarations of a line.
            if let Some(text) = text.filter(|text| text.lines().all(|line| line.len() <= MAX_LINE)) {
                found.push(File { path: path.clone(), text, language });
            }
        }
    }
}

fn walk(folder: &Path, paths: &mut Vec<PathBuf>, depth: usize) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(meta) = entry.metadata() else { continue };
        let name = entry.file_name();
        if meta.is_dir() && depth < 5 && name != "target" && name != "node_modules" && name != "out" {
            walk(&entry.path(), paths, depth + 1);
        } else if meta.is_file() && meta.len() <= MAX_SIZE {
            paths.push(entry.path());
        }
    }
}
