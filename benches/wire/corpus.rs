//! Texts for the benchmarks: source of this project.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

pub(crate) const KB: usize = 1 << 10;
pub(crate) const MB: usize = 1 << 20;

/// Top-level items of the project's own source, in order. Only ASCII, so that a text can be cut anywhere.
static ITEMS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    files.sort();
    files
        .iter()
        .flat_map(|file| items(&std::fs::read_to_string(file).expect("a file of the project")))
        .collect()
});

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the project's source").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

fn items(text: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    for part in text.split("\n\n") {
        let begins_item =
            part.starts_with(|first: char| first.is_ascii_lowercase() || first == '/' || first == '#');
        if begins_item {
            items.push(String::new());
        }
        let item = items.last_mut().expect("an item");
        item.push_str(part.trim_end_matches('\n'));
        item.push_str(if part.ends_with('\n') { "\n" } else { "\n\n" });
    }
    items.retain(|item| item.is_ascii() && !item.starts_with("//!") && !item.contains("COUNTER_"));
    items
}

/// Returns Rust source of at least `size` bytes, with `const COUNTER_0: u32 = 100000;` to `const COUNTER_7: …` spread
/// over it. Counters can be edited repeatedly without a change of length.
pub(crate) fn code(size: usize) -> String {
    let mut text = String::with_capacity(size + 10 * KB);
    let mut counters = 0;
    for item in ITEMS.iter().cycle() {
        if text.len() >= size {
            break;
        }
        if counters < COUNTERS && text.len() >= size / (COUNTERS + 1) * (counters + 1) {
            text.push_str(&counter(counters, 0));
            text.push_str("\n\n");
            counters += 1;
        }
        // A small text has to have all counters, too.
        if item.len() <= size / COUNTERS {
            text.push_str(item);
        }
    }
    text
}

/// Returns a text that differs from those with other numbers.
pub(crate) fn numbered(number: usize, text: &str) -> String {
    format!("// Copy {number}.\n{text}")
}

/// Number of counters in a text.
pub(crate) const COUNTERS: usize = 8;

/// Returns the line of a counter after this many edits.
pub(crate) fn counter(which: usize, edits: usize) -> String {
    format!("const COUNTER_{which}: u32 = {};", 100_000 + edits)
}

/// Returns forty lines of `text` with every eighth one changed: similar to a region of the text, but absent.
pub(crate) fn absent_block(text: &str) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let reword = |(at, line): (usize, &&str)| {
        if at % 8 == 3 { line.replace('e', "o") + "x\n" } else { (*line).to_owned() }
    };
    lines[lines.len() / 3..][..40].iter().enumerate().map(reword).collect()
}
