//! Files as people keep them: a small corpus, or the texts of a folder that was asked for.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::plain::{column, indent};
use super::rng::Rng;
use super::sources::{File, LANGUAGES, Language, Line};

/// The indentation of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fashion {
    /// With whole levels of one unit, mostly.
    Levels,
    /// With tabs and blanks that stand for columns.
    Columns,
    /// With numbers of their own.
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

/// Sizes of files worth changing, in bytes and lines, and how many of a folder are read.
const LARGEST: u64 = 60_000;
const FEWEST_LINES: usize = 15;
const MOST_FILES: usize = 2000;

/// Units that a file may have.
const UNITS: [&str; 5] = [" ", "  ", "   ", "    ", "        "];

/// A file of the folder that was asked for, if one was: of one language, or any that has levels.
pub(crate) fn asked_for(rng: &mut Rng, language: Option<&Language>) -> Option<File> {
    let fits = |stored: &&Stored| {
        let named = language.is_none_or(|language| language.name == stored.file.language.name);
        named && stored.fashion == Fashion::Levels
    };
    let files: Vec<_> = folder().iter().filter(fits).collect();
    rng.any(&files).map(|stored| stored.file.clone())
}

/// Returns whether a folder was asked for that has files with levels.
pub(crate) fn is_asked_for() -> bool {
    folder().iter().any(|stored| stored.fashion == Fashion::Levels)
}

/// A file of this fashion: of the folder that was asked for if it has any, else of the corpus.
pub(crate) fn file(rng: &mut Rng, fashion: Fashion) -> File {
    file_of(rng, fashion, |_| true)
}

/// [`file`] of a language.
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

/// The name of the folder that was asked for.
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
        let every = paths.len().div_ceil(MOST_FILES).max(1);
        let read = |path: &PathBuf| stored(path, &fs::read_to_string(path).ok()?);
        paths.iter().step_by(every).filter_map(read).collect()
    })
}

/// Files that may be changed, in this folder and those in it; hidden ones and links are left alone.
fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        let (path, kind) = (entry.path(), entry.metadata());
        match kind {
            Ok(kind) if kind.is_dir() && !hidden => walk(&path, found),
            Ok(kind) if kind.is_file() && kind.len() <= LARGEST && language(&path).is_some() => {
                found.push(path);
            }
            _ => {}
        }
    }
}

/// The language that a name stands for, or the one whose comments and groups are most alike.
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
    (file.lines.len() >= FEWEST_LINES).then_some(Stored { file, fashion })
}

fn lines(text: &str) -> Vec<Line> {
    let line = |line: &str| match (line.strip_suffix("\r\n"), line.strip_suffix('\n')) {
        (Some(text), _) => Line { text: text.to_owned(), ending: "\r\n" },
        (None, Some(text)) => Line { text: text.to_owned(), ending: "\n" },
        (None, None) => Line { text: line.to_owned(), ending: "" },
    };
    text.split_inclusive('\n').map(line).collect()
}

/// Lines that say something.
fn told(lines: &[Line]) -> Vec<&str> {
    lines.iter().map(|line| line.text.as_str()).filter(|text| !text.trim().is_empty()).collect()
}

fn fashion(lines: &[Line]) -> Fashion {
    let told = told(lines);
    let count = |wanted: &dyn Fn(&str) -> bool| told.iter().filter(|line| wanted(line)).count();
    let numbered = count(&|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    if numbered * 10 > told.len() * 7 {
        return Fashion::Numbers;
    }
    let (tabs, blanks) = (count(&|line| line.starts_with('\t')), count(&|line| line.starts_with("  ")));
    // A line of a comment or two is no fashion.
    if tabs * 20 > tabs + blanks && blanks * 20 > tabs + blanks { Fashion::Columns } else { Fashion::Levels }
}

/// Returns whether tabs behind blanks go on where eight columns end: where a line with tabs lies deeper than the
/// one with blanks before it, it does so by half a tab at most.
fn is_of_eight(lines: &[Line]) -> bool {
    let told = told(lines);
    let turns = told.windows(2).filter(|two| two[0].starts_with(' ') && two[1].starts_with('\t'));
    let steps = turns.map(|two| column(two[1]).saturating_sub(column(two[0])));
    let steps: Vec<_> = steps.filter(|step| *step > 0).collect();
    let half = steps.iter().filter(|step| **step <= 4).count();
    half > 0 && half * 10 >= steps.len() * 8
}

/// The blanks by which a line most often lies deeper than the line before.
fn unit(lines: &[Line]) -> &'static str {
    let told = told(lines);
    let tabs = told.iter().filter(|line| line.starts_with('\t')).count();
    let blanks = told.iter().filter(|line| line.starts_with(' ')).count();
    if tabs > blanks {
        return "\t";
    }
    let deeper = |unit: &str| {
        let steps = told.windows(2).filter(|two| column(two[1]) == column(two[0]) + unit.len());
        steps.filter(|two| !indent(two[1]).contains('\t')).count()
    };
    let most = UNITS.into_iter().rev().max_by_key(|unit| deeper(unit));
    most.filter(|unit| deeper(unit) > 0).unwrap_or("    ")
}
