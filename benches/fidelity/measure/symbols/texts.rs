//! Texts with functions: of the corpus, the samples of the tests, the project and installed crates.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use editd_syntax::Language;

use super::super::rng::Rng;
use super::super::sources::{File, LANGUAGES, Line};
use super::layout::{Function, functions};

/// A file with functions.
pub(crate) struct Text {
    pub(crate) language: Language,
    pub(crate) file: File,
    pub(crate) functions: Vec<Function>,
}

/// Returns the names of files of the project with their texts.
macro_rules! stored {
    ($($name:literal)*) => { [$(($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $name)))),*] };
}
pub(crate) use stored;

const STORED: [(&str, &str); 12] = stored! {
    "benches/fidelity/measure/corpus/nested.go" "benches/fidelity/measure/corpus/aligned.py"
    "benches/fidelity/measure/corpus/aligned.c" "benches/fidelity/measure/corpus/Continuation.java"
    "tests/it/syntax/samples/queue.go" "tests/it/syntax/samples/shop.java"
    "tests/it/syntax/samples/store.py" "tests/it/syntax/samples/list.c" "tests/it/syntax/samples/module.lua"
    "docs/examples/agent.ts" "docs/examples/agent.py" "tests/agents/python/client.py"
};

/// Maximum number of files of a language from each folder, and maximum size of a file in bytes.
const MAX_FILES: usize = 150;
const MAX_BYTES: u64 = 40_000;

/// Returns a text of any language, of which each is equally likely, with at least one function.
pub(crate) fn text(rng: &mut Rng) -> &'static Text {
    static STORED_TEXTS: OnceLock<Vec<Vec<Text>>> = OnceLock::new();
    static ALL_TEXTS: OnceLock<Vec<Vec<Text>>> = OnceLock::new();
    let own = || STORED.iter().filter_map(|(name, text)| read(Path::new(name), text)).collect();
    let texts = if rng.shipped {
        ALL_TEXTS.get_or_init(|| by_language([own(), found()].into_iter().flatten().collect::<Vec<_>>()))
    } else {
        STORED_TEXTS.get_or_init(|| by_language(own()))
    };
    let of_language = rng.pick(texts);
    rng.pick(of_language)
}

fn by_language(texts: Vec<Text>) -> Vec<Vec<Text>> {
    let mut sorted: Vec<Vec<Text>> = Vec::new();
    for text in texts {
        match sorted.iter_mut().find(|other| other[0].language == text.language) {
            Some(texts) => texts.push(text),
            None => sorted.push(vec![text]),
        }
    }
    sorted
}

fn read(path: &Path, text: &str) -> Option<Text> {
    let language = Language::of_path(path)?;
    if text.contains('\r') || text.starts_with('\u{FEFF}') || !text.ends_with('\n') {
        return None;
    }
    let lines: Vec<&str> = text.lines().collect();
    let functions = functions(&lines, language);
    let tabs = lines.iter().filter(|line| line.starts_with('\t')).count();
    let unit = match language {
        _ if tabs > 0 => "\t",
        Language::TypeScript | Language::JavaScript | Language::Lua => "  ",
        _ => "    ",
    };
    let lines = lines.into_iter().map(|line| Line { text: line.to_owned(), ending: "\n" }).collect();
    let file = File { language: &LANGUAGES[0], unit, bom: false, lines, blocks: Vec::new() };
    (!functions.is_empty()).then_some(Text { language, file, functions })
}

/// Returns files of the project and of the crates that cargo has unpacked.
fn found() -> Vec<Text> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<PathBuf> = ["src", "editors", "tests/agents"].map(|name| top.join(name)).to_vec();
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    folders.extend(home.map(|home| home.join("registry/src")));
    let mut texts = Vec::new();
    for folder in folders {
        let mut paths = Vec::new();
        walk(&folder, MAX_BYTES, &|name| matches!(name, "node_modules" | "target"), &mut paths);
        paths.sort();
        for ending in ["rs", "ts", "lua", "py", "go", "java", "c", "js"] {
            let of_ending = |path: &&PathBuf| path.extension().is_some_and(|found| found == ending);
            let paths: Vec<_> = paths.iter().filter(of_ending).collect();
            let step = paths.len().div_ceil(MAX_FILES).max(1);
            let text = |path: &&PathBuf| read(path, &fs::read_to_string(path).ok()?);
            texts.extend(paths.iter().step_by(step).filter_map(text));
        }
    }
    texts
}

/// Collects the files up to a size in a folder and its subfolders, except those of skipped names, and symlinks.
pub(crate) fn walk(folder: &Path, most: u64, skipped: &dyn Fn(&str) -> bool, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, kind) = (entry.path(), entry.metadata());
        let is_skipped = entry.file_name().to_str().is_some_and(skipped);
        match kind {
            Ok(kind) if kind.is_dir() && !is_skipped => walk(&path, most, skipped, found),
            Ok(kind) if kind.is_file() && kind.len() <= most => found.push(path),
            _ => {}
        }
    }
}
