//! Realistic files: a small corpus, or the texts of a requested folder.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::plain::{column, indent};
use super::rng::Rng;
use super::sources::{File, LANGUAGES, Language, Line};

/// Indentation style of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fashion {
    /// Mostly whole levels of one unit.
    Levels,
    /// Tabs and spaces that represent columns.
    Columns,
    /// Lines that begin with their own numbers.
    Numbers,
}

struct Stored {
    file: File,
    fashion: Fashion,
}

macro_rules! corpus {
    ($($name:literal)*) => { [$(($name, include_str!(concat!("corpus/", $name)))),*] };
}

const CORPUS: [(&str, &str); 14] = corpus! {
    "gnu.c" "legacy.py" "nested.go" "onecolumn.conf" "Continuation.java" "aligned.py" "aligned.c"
    "lists.yaml" "guide.md" "counts.tsv" "contributors.txt" "ports.yaml" "steps.txt" "verses.txt"
};

/// Maximum size of a file in bytes, minimum number of lines, and maximum number of files read from a folder.
const MAX_BYTES: u64 = 60_000;
const MIN_LINES: usize = 15;
const MAX_FILES: usize = 2000;

/// Possible indentation units.
const UNITS: [&str; 5] = [" ", "  ", "   ", "    ", "        "];

/// Returns a file with levels from the requested folder, if there is one, optionally of one language.
pub(crate) fn asked_for(rng: &mut Rng, language: Option<&Language>) -> Option<File> {
    let fits = |stored: &&Stored| {
        let named = language.is_none_or(|language| language.name == stored.file.language.name);
        named && stored.fashion == Fashion::Levels
    };
    let files: Vec<_> = folder().iter().filter(fits).collect();
    rng.any(&files).map(|stored| stored.file.clone())
}

/// Returns `true` if the requested folder contains files with levels.
pub(crate) fn is_asked_for() -> bool {
    folder().iter().any(|stored| stored.fashion == Fashion::Levels)
}

/// Returns a file of this style: from the requested folder if it has any, else from the corpus.
pub(crate) fn file(rng: &mut Rng, fashion: Fashion) -> File {
    file_of(rng, fashion, |_| true)
}

/// Like [`file`], for selected languages.
pub(crate) fn file_of(rng: &mut Rng, fashion: Fashion, language: fn(&str) -> bool) -> File {
    static FILES: OnceLock<Vec<Stored>> = OnceLock::new();
    let own = || CORPUS.iter().filter_map(|(name, text)| stored(Path::new(name), text)).collect();
    let wanted = |stored: &&Stored| stored.fashion == fashion && language(stored.file.language.name);
    let mut files: Vec<_> = folder().iter().filter(wanted).collect();
    if files.is_empty() {
        files = FILES.get_or_init(own).iter().filter(wanted).collect();
    }
    rng.pick(&files).file.clone()
}

/// Returns the name of the requested folder.
fn folder_name() -> Option<OsString> {
    let mut arguments = std::env::args_os();
    let argument = arguments.find(|argument| argument == "--files").and_then(|_| arguments.next());
    argument.or_else(|| std::env::var_os("FIDELITY_FILES"))
}

fn folder() -> &'static [Stored] {
    static FILES: OnceLock<Vec<Stored>> = OnceLock::new();
    FILES.get_or_init(|| {
        let Some(name) = folder_name() else { return Vec::new() };
        let mut paths = Vec::new();
        walk(Path::new(&name), &mut paths);
        paths.sort();
        let every = paths.len().div_ceil(MAX_FILES).max(1);
        let read = |path: &PathBuf| stored(path, &fs::read_to_string(path).ok()?);
        paths.iter().step_by(every).filter_map(read).collect()
    })
}

/// Collects usable files in a folder and its subfolders, except hidden ones and symlinks.
fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        let (path, kind) = (entry.path(), entry.metadata());
        match kind {
            Ok(kind) if kind.is_dir() && !hidden => walk(&path, found),
            Ok(kind) if kind.is_file() && kind.len() <= MAX_BYTES && language(&path).is_some() => {
                found.push(path);
            }
            _ => {}
        }
    }
}

/// Returns the language of a file name, or the one with the most similar comments and grouping.
fn language(path: &Path) -> Option<&'static Language> {
    let name = match path.extension()?.to_str()? {
        "rs" => "rust",
        "py" | "pyi" => "python",
        "ts" | "tsx" | "js" | "jsx" | "mjs" => "typescript",
        "go" => "go",
        "c" | "h" | "cc" | "cpp" | "hpp" | "cxx" => "c",
        "java" | "kt" | "cs" | "scala" => "java",
        "yaml" | "yml" => "yaml",
        "md" | "txt" | "tsv" => "markdown",
        "sql" => "sql",
        "html" | "htm" | "xml" => "html",
        "mk" => "make",
        "toml" | "conf" | "cfg" | "ini" | "sh" | "rb" | "lua" => "toml",
        _ => return None,
    };
    LANGUAGES.iter().find(|language| language.name == name)
}

fn stored(path: &Path, text: &str) -> Option<Stored> {
    let language = language(path)?;
    let bom = text.starts_with('\u{FEFF}');
    let lines = lines(text.trim_start_matches('\u{FEFF}'));
    let fashion = fashion(&lines);
    if fashion == Fashion::Columns && !is_of_eight(&lines) {
        return None;
    }
    let file = File { language, unit: unit(&lines), bom, lines, blocks: Vec::new() };
    (file.lines.len() >= MIN_LINES).then_some(Stored { file, fashion })
}

fn lines(text: &str) -> Vec<Line> {
    let line = |line: &str| match (line.strip_suffix("\r\n"), line.strip_suffix('\n')) {
        (Some(text), _) => Line { text: text.to_owned(), ending: "\r\n" },
        (None, Some(text)) => Line { text: text.to_owned(), ending: "\n" },
        (None, None) => Line { text: line.to_owned(), ending: "" },
    };
    text.split_inclusive('\n').map(line).collect()
}

/// Returns the non-blank lines.
fn non_blank(lines: &[Line]) -> Vec<&str> {
    lines.iter().map(|line| line.text.as_str()).filter(|text| !text.trim().is_empty()).collect()
}

fn fashion(lines: &[Line]) -> Fashion {
    let filled = non_blank(lines);
    let count = |wanted: &dyn Fn(&str) -> bool| filled.iter().filter(|line| wanted(line)).count();
    let numbered = count(&|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    if numbered * 10 > filled.len() * 7 {
        return Fashion::Numbers;
    }
    let (tabs, blanks) = (count(&|line| line.starts_with('\t')), count(&|line| line.starts_with("  ")));
    // A few comment lines do not make a style.
    if tabs * 20 > tabs + blanks && blanks * 20 > tabs + blanks { Fashion::Columns } else { Fashion::Levels }
}

/// Returns `true` if tabs are eight columns wide: a line indented with tabs that follows one indented with
/// spaces is mostly deeper by at most half a tab.
fn is_of_eight(lines: &[Line]) -> bool {
    let filled = non_blank(lines);
    let turns = filled.windows(2).filter(|two| two[0].starts_with(' ') && two[1].starts_with('\t'));
    let steps = turns.map(|two| column(two[1]).saturating_sub(column(two[0])));
    let steps: Vec<_> = steps.filter(|step| *step > 0).collect();
    let half = steps.iter().filter(|step| **step <= 4).count();
    half > 0 && half * 10 >= steps.len() * 8
}

/// Returns the most frequent increase of indentation between lines.
fn unit(lines: &[Line]) -> &'static str {
    let filled = non_blank(lines);
    let tabs = filled.iter().filter(|line| line.starts_with('\t')).count();
    let blanks = filled.iter().filter(|line| line.starts_with(' ')).count();
    if tabs > blanks {
        return "\t";
    }
    let deeper = |unit: &str| {
        let steps = filled.windows(2).filter(|two| column(two[1]) == column(two[0]) + unit.len());
        steps.filter(|two| !indent(two[1]).contains('\t')).count()
    };
    let most = UNITS.into_iter().rev().max_by_key(|unit| deeper(unit));
    most.filter(|unit| deeper(unit) > 0).unwrap_or("    ")
}
