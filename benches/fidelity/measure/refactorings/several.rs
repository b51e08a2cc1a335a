//! Changes of several files in one call.

use serde_json::{Value, json};

use super::super::plain::renamed;
use super::super::rng::Rng;
use super::moves::source;
use super::renames;
use super::replacements::{count, is_plain_word, matched, pattern};
use super::texts::{self, ALL, Text};
use super::{Case, Tree, fresh, joined};

/// Draws different files.
fn files(rng: &mut Rng, number: usize) -> Option<Vec<&'static Text>> {
    let mut found: Vec<&'static Text> = Vec::new();
    for _ in 0..number {
        let text = texts::text(rng, &ALL)?;
        if found.iter().any(|other| std::ptr::eq(*other, text)) {
            return None;
        }
        found.push(text);
    }
    Some(found)
}

/// Returns an edit of one line with the changed lines: by its text, or by its number.
fn simple(rng: &mut Rng, text: &Text) -> Option<(Value, Vec<String>)> {
    let line = rng.below(text.lines.len());
    let old = &text.lines[line];
    let is_unique = text.lines.iter().filter(|other| other.contains(old.trim())).count() == 1;
    let new = fresh(rng, &[text.lines.as_slice()]);
    let word = *rng.any(
        &super::super::plain::words(old)
            .into_iter()
            .map(|(_, word)| word)
            .filter(is_plain_word)
            .collect::<Vec<_>>(),
    )?;
    let mut lines = text.lines.clone();
    lines[line] = renamed(old, word, &new);
    let edit = if rng.percent(50) {
        json!({ "oldText": old.trim(), "newText": lines[line].trim() })
    } else {
        json!({ "lines": (line + 1).to_string(), "newText": lines[line] })
    };
    is_unique.then_some((edit, lines))
}

/// Edits a line in each of several files.
pub(super) fn edits_of_several_files(rng: &mut Rng) -> Option<Case> {
    let number = 2 + rng.below(3);
    let files = files(rng, number)?;
    let (mut before, mut after, mut edits) = (Tree::new(), Tree::new(), Vec::new());
    for (number, text) in files.iter().enumerate() {
        let folder = ["", "part/", "part/deep/"][number % 3];
        let name = format!("{folder}{}", text.name(&format!("file{number}")));
        before.insert(name.clone(), joined(&text.lines));
        let (mut edit, lines) = simple(rng, text)?;
        edit["path"] = json!(name);
        edits.push(edit);
        after.insert(name, joined(&lines));
    }
    // One more file, which nothing names.
    let other = texts::text(rng, &ALL)?;
    for tree in [&mut before, &mut after] {
        tree.insert(other.name("other"), joined(&other.lines));
    }
    Case::of(before, json!({ "edits": edits }), vec![after]).map(|case| case.in_any_ending(rng))
}

/// Renames a function in one file and its name as a word in another.
pub(super) fn rename_and_others(rng: &mut Rng) -> Option<Case> {
    let rename = renames::renamed(rng, false, false)?;
    let name = rename.reference.split('@').next()?;
    let notes = format!("The function {name} is described here.\n{name}s are others, {name} is not.\n");
    let other = texts::text(rng, &ALL)?;
    let (edit, lines) = simple(rng, other)?;
    let mut edit = edit;
    edit["path"] = json!(other.name("two"));
    let first = rename.text.name("one");
    let before = Tree::from([
        (first.clone(), joined(&rename.text.lines)),
        ("notes.txt".to_owned(), notes.clone()),
        (other.name("two"), joined(&other.lines)),
    ]);
    let notes: Vec<String> = notes.lines().map(|line| renamed(line, name, &rename.new)).collect();
    let after = Tree::from([
        (first.clone(), joined(&rename.result)),
        ("notes.txt".to_owned(), joined(&notes)),
        (other.name("two"), joined(&lines)),
    ]);
    let request = json!({ "edits": [
        { "path": first, "symbol": rename.reference, "op": "rename", "newText": rename.new },
        { "path": "notes.txt", "oldText": name, "newText": rename.new, "word": true, "expect": 2 },
        edit,
    ]});
    Case::of(before, request, vec![after])
}

/// A folder with files, some of which a glob names.
struct Folder {
    before: Tree,
    glob: String,
    path: Option<&'static str>,
    chosen: Vec<String>,
}

fn folder(rng: &mut Rng) -> Option<Folder> {
    let files = files(rng, 4)?;
    let ending = files[0].ending;
    let mut before = Tree::new();
    for (number, text) in files.iter().enumerate() {
        let stem = format!("{}file{number}", rng.pick(&["", "part/", "part/deep/", "other/"]));
        before.insert(text.name(&stem), joined(&text.lines));
        // Another file with the same text.
        if rng.percent(40) {
            before.insert(text.name(&format!("other/copy{number}")), joined(&text.lines));
        }
    }
    let is_of =
        |name: &String, folder: &str| name.starts_with(folder) && name.ends_with(&format!(".{ending}"));
    let (glob, path, folder) = match rng.below(4) {
        0 => (format!("*.{ending}"), None, ""),
        1 => (format!("part/**/*.{ending}"), None, "part/"),
        2 => (format!("*.{ending}"), Some("other"), "other/"),
        _ => (format!("**/*.{{{ending},nothing}}"), None, ""),
    };
    let chosen: Vec<String> = before.keys().filter(|name| is_of(name, folder)).cloned().collect();
    (!chosen.is_empty()).then_some(Folder { before, glob, path, chosen })
}

impl Folder {
    fn lines(&self, name: &str) -> Vec<String> {
        self.before[name].lines().map(str::to_owned).collect()
    }

    fn request(&self, mut edit: Value) -> Value {
        edit["glob"] = json!(self.glob);
        if let Some(path) = self.path {
            edit["path"] = json!(path);
        }
        json!({ "edits": [edit] })
    }

    /// Returns a word of one of the chosen files.
    fn word(&self, rng: &mut Rng) -> Option<String> {
        let lines = self.lines(rng.any(&self.chosen)?);
        let line = rng.pick(&lines);
        let words: Vec<&str> = super::super::plain::words(line)
            .into_iter()
            .map(|(_, word)| word)
            .filter(is_plain_word)
            .collect();
        rng.any(&words).map(|word| (*word).to_owned())
    }

    fn is_ascii(&self) -> bool {
        self.before.values().all(|text| text.is_ascii())
    }
}

fn words(rng: &mut Rng, unread: bool) -> Option<Case> {
    let folder = folder(rng).filter(Folder::is_ascii)?;
    let name = folder.word(rng)?;
    let new = fresh(rng, &[]);
    let (mut after, mut total) = (folder.before.clone(), 0);
    for file in &folder.chosen {
        let lines = folder.lines(file);
        total += count(&lines, &name);
        let lines: Vec<String> = lines.iter().map(|line| renamed(line, &name, &new)).collect();
        after.insert(file.clone(), joined(&lines));
    }
    let is_taken = folder.before.values().any(|text| text.contains(&new));
    let mut edit = json!({ "oldText": name, "newText": new, "word": true });
    if unread || rng.percent(50) {
        edit["expect"] = json!(total);
    } else {
        edit["replaceAll"] = json!(true);
    }
    let mut case = Case::of(folder.before.clone(), folder.request(edit), vec![after])?;
    if unread {
        let names = folder.before.keys().filter(|_| rng.percent(70));
        case.shown = names.map(|name| (name.clone(), (0, 0))).collect();
    }
    (!is_taken).then_some(case)
}

/// Replaces a word in all files that match a glob.
pub(super) fn glob_of_words(rng: &mut Rng) -> Option<Case> {
    words(rng, false)
}

/// Replaces a word in files that were not read, with the number of places.
pub(super) fn glob_counted_unread(rng: &mut Rng) -> Option<Case> {
    words(rng, true)
}

/// Replaces what matches a pattern in all files that match a glob.
pub(super) fn glob_of_regex(rng: &mut Rng) -> Option<Case> {
    let folder = folder(rng).filter(Folder::is_ascii)?;
    let name = folder.word(rng)?;
    let new = fresh(rng, &[]);
    if folder.before.values().any(|text| text.contains(&new)) {
        return None;
    }
    let pattern = pattern(rng, &name, new);
    let (mut after, mut total) = (folder.before.clone(), 0);
    for file in &folder.chosen {
        let (found, lines) = matched(&pattern, &folder.lines(file));
        total += found;
        after.insert(file.clone(), joined(&lines));
    }
    let mut edit = json!({ "oldText": pattern.old, "newText": pattern.new, "regex": true });
    if rng.percent(50) {
        edit["expect"] = json!(total);
    } else {
        edit["replaceAll"] = json!(true);
    }
    Case::of(folder.before.clone(), folder.request(edit), vec![after])
}

/// Moves a function to a new file, and changes a line of its old file and a third file in the same call.
pub(super) fn moves_in_one_call(rng: &mut Rng) -> Option<Case> {
    let source = source(rng).filter(|source| source.text.depth(source.one.head).is_empty())?;
    let other = texts::text(rng, &ALL)?;
    let (mut edit, lines) = simple(rng, other)?;
    edit["path"] = json!(other.name("two"));
    let whole = &source.one.whole;
    let line = rng.below(source.text.lines.len());
    let near = whole.start.saturating_sub(3)..whole.end + 3;
    let content = &source.text.lines[line];
    if near.contains(&line) || content.trim().is_empty() {
        return None;
    }
    let new_line = format!("{content} ");
    let mut changed = source.text.lines.clone();
    changed[line].clone_from(&new_line);
    let departures = super::certain::departures(&source.text.lines, whole);
    let left = super::certain::after_move(&changed, &[departures], changed.len() + 1, &[]);
    let (first, new) = (source.text.name("one"), source.text.name("new"));
    let before =
        Tree::from([(first.clone(), joined(&source.text.lines)), (other.name("two"), joined(&other.lines))]);
    let results = left.into_iter().map(|left| {
        Tree::from([
            (first.clone(), joined(&left)),
            (new.clone(), joined(&source.lines())),
            (other.name("two"), joined(&lines)),
        ])
    });
    let request = json!({ "path": first, "edits": [
        { "move": { "symbol": format!("{}@{}", source.one.name, source.one.head + 1) }, "to": { "path": new, "create": "" } },
        { "lines": (line + 1).to_string(), "newText": new_line },
        edit,
    ]});
    Case::of(before, request, results.collect())
}
