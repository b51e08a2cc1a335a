//! Requests that must be refused, without any change.

use editd_syntax::Language;
use serde_json::{Value, json};

use super::super::plain::words;
use super::super::rng::Rng;
use super::certain::{is_plain, reference, text};
use super::replacements::{count, is_plain_word, scope};
use super::statements::body;
use super::texts::{self, ALL, CODE, Text};
use super::{Case, Tree, fresh, joined, spelled};

fn tree(text: &Text) -> Tree {
    Tree::from([(text.name("one"), joined(&text.lines))])
}

fn refused(text: &Text, edit: &Value, kinds: &'static [&'static str]) -> Case {
    Case::refused(tree(text), json!({ "path": text.name("one"), "edits": [edit] }), kinds)
}

/// Returns a word of a text.
fn word(rng: &mut Rng, text: &'static Text) -> Option<&'static str> {
    let line = rng.pick(&text.lines);
    let words: Vec<&str> = words(line).into_iter().map(|(_, word)| word).filter(is_plain_word).collect();
    rng.any(&words).copied()
}

pub(super) fn wrong_count(rng: &mut Rng) -> Option<Case> {
    let by_symbol = rng.percent(50);
    let scope = scope(rng, by_symbol)?;
    let name = *rng.any(&scope.words())?;
    let found = count(&scope.text.lines[scope.lines.clone()], name);
    let expected = if rng.percent(50) {
        found + 1 + rng.below(3)
    } else {
        found.checked_sub(1).filter(|count| *count > 0)?
    };
    let new = fresh(rng, &[scope.text.lines.as_slice()]);
    let mut edit = json!({ "oldText": name, "newText": new, "word": true, "expect": expected });
    edit["lines"] = spelled(&scope.lines);
    Some(refused(scope.text, &edit, &["count_mismatch"]))
}

/// Returns a function of the top level of a file whose functions can be renamed.
fn to_rename(rng: &mut Rng) -> Option<(&'static Text, String, String)> {
    let text = text(rng)?;
    let one = rng.any(text.functions())?;
    let scanned = text.scanned()?;
    let is_top = text.depth(one.head).is_empty() && !one.name.contains('.') && is_plain(scanned, one);
    if !is_top || !text.is_right() {
        return None;
    }
    Some((text, one.name.clone(), reference(rng, text, one)))
}

/// Another function of the top level has the name.
pub(super) fn name_is_taken(rng: &mut Rng) -> Option<Case> {
    let (text, name, reference) = to_rename(rng)?;
    let others: Vec<_> = text
        .functions()
        .iter()
        .filter(|other| text.depth(other.head).is_empty() && other.name != name && !other.name.contains('.'))
        .collect();
    let other = rng.any(&others)?;
    // Another version for another platform is no second function.
    let conditional =
        text.lines.iter().any(|line| line.contains("#[cfg") || line.trim_start().starts_with("#if"));
    let is_special = matches!(name.as_str(), "main" | "init") || name.starts_with("__");
    if conditional || is_special || text.functions().iter().filter(|one| one.name == name).count() > 1 {
        return None;
    }
    let edit = json!({ "symbol": reference, "op": "rename", "newText": other.name });
    Some(refused(text, &edit, &["exists", "ambiguous"]))
}

pub(super) fn name_is_keyword(rng: &mut Rng) -> Option<Case> {
    let (text, _, reference) = to_rename(rng)?;
    let keywords: &[&str] = match text.language {
        Language::Rust => &["match", "loop", "impl", "fn"],
        Language::Python => &["lambda", "class", "None", "return"],
        Language::Go => &["range", "func", "defer", "select"],
        Language::C | Language::Java => &["while", "return", "switch", "case"],
        Language::Lua => &["end", "then", "local", "nil"],
        Language::Bash => &["then", "fi", "done", "esac"],
        _ => &["class", "return", "new", "typeof"],
    };
    let edit = json!({ "symbol": reference, "op": "rename", "newText": rng.pick(keywords) });
    Some(refused(text, &edit, &["syntax", "ambiguous"]))
}

pub(super) fn unknown_symbol(rng: &mut Rng) -> Option<Case> {
    let text = text(rng)?;
    let name = fresh(rng, &[text.lines.as_slice()]);
    let edit = match rng.below(5) {
        0 => json!({ "symbol": name, "op": "rename", "newText": format!("{name}_new") }),
        1 => json!({ "symbol": name, "op": "delete" }),
        2 => json!({ "symbol": name, "indent": 1 }),
        3 => json!({ "symbol": name, "wrap": { "before": "if ready {", "after": "}" } }),
        _ => json!({ "symbol": name, "oldText": word(rng, text)?, "newText": "other", "replaceAll": true }),
    };
    Some(refused(text, &edit, &["not_found"]))
}

/// Renames with their uses are not offered for data.
pub(super) fn rename_of_data(rng: &mut Rng) -> Option<Case> {
    let languages = [Language::Css, Language::Toml, Language::Yaml, Language::Markdown];
    let entries = super::data::entries(rng, &languages)?;
    let entry = rng.any(&entries.all)?;
    let new = fresh(rng, &[entries.text.lines.as_slice()]);
    let edit = json!({ "symbol": format!("{}@{}", entry.name, entry.whole.start + 1), "op": "rename", "newText": new });
    Some(refused(entries.text, &edit, &["syntax"]))
}

/// The lines begin or end in the middle of a statement.
pub(super) fn wrap_cuts_statement(rng: &mut Rng) -> Option<Case> {
    let body = body(rng)?;
    let long: Vec<_> = body.statements.iter().filter(|one| one.len() > 2).collect();
    let statement = *rng.any(&long)?;
    let lines = match rng.below(2) {
        0 => statement.start..statement.end - 1,
        _ => statement.start + 1..statement.end,
    };
    let around = match body.text.language {
        Language::Python => json!({ "before": "with lock:" }),
        Language::Lua => json!({ "before": "do", "after": "end" }),
        Language::Bash => json!({ "before": "if ready; then", "after": "fi" }),
        _ => json!({ "before": "if (ready) {", "after": "}" }),
    };
    let edit = json!({ "lines": spelled(&lines), "wrap": around });
    Some(refused(body.text, &edit, &["syntax"]))
}

/// A line has too little indentation to remove.
pub(super) fn outdented_too_far(rng: &mut Rng) -> Option<Case> {
    let text = texts::text(rng, CODE)?;
    let unit = text.unit.as_deref()?;
    let size = 1 + rng.below(6);
    let start = rng.below(text.lines.len().checked_sub(size)?);
    let lines = start..start + size;
    let scanned = text.scanned()?;
    let content = &text.lines[start];
    let is_short = !content.trim().is_empty()
        && !content.starts_with(unit)
        && lines.clone().all(|line| !scanned.begins_in_string(line));
    let edit = json!({ "lines": spelled(&lines), "indent": -1 });
    is_short.then(|| refused(text, &edit, &["syntax"]))
}

/// The text stands only outside of the lines.
pub(super) fn text_outside_of_scope(rng: &mut Rng) -> Option<Case> {
    let by_symbol = rng.percent(40);
    let scope = scope(rng, by_symbol)?;
    let name = word(rng, scope.text)?;
    let lower = |line: &String| line.to_lowercase();
    let is_inside =
        scope.text.lines[scope.lines.clone()].iter().any(|line| lower(line).contains(&name.to_lowercase()));
    let mut edit = json!({ "oldText": name, "newText": fresh(rng, &[scope.text.lines.as_slice()]), "lines": spelled(&scope.lines) });
    match rng.below(3) {
        0 => edit["word"] = json!(true),
        1 => edit["replaceAll"] = json!(true),
        _ => {}
    }
    (!is_inside).then(|| refused(scope.text, &edit, &["not_found"]))
}

/// The new text names a group that the pattern does not have.
pub(super) fn group_is_missing(rng: &mut Rng) -> Option<Case> {
    let text = texts::text(rng, &ALL)?;
    let name = word(rng, text)?;
    let new = *rng.pick(&["$2", "${other}", "$other", "a${3}b"]);
    let edit = json!({ "oldText": format!("({name})"), "newText": new, "regex": true, "replaceAll": true });
    Some(refused(text, &edit, &["invalid_params"]))
}

pub(super) fn pattern_matches_nothing(rng: &mut Rng) -> Option<Case> {
    let text = texts::text(rng, &ALL)?;
    let name = word(rng, text)?;
    let pattern = match rng.below(4) {
        0 => format!("({name})*"),
        1 => "^".to_owned(),
        2 => r"\b".to_owned(),
        _ => format!("({name}"),
    };
    let edit = json!({ "oldText": pattern, "newText": "other", "regex": true, "replaceAll": true });
    Some(refused(text, &edit, &["invalid_params"]))
}

/// Two files of one language.
fn two(rng: &mut Rng) -> Option<(&'static Text, &'static Text, Tree)> {
    let one = texts::text(rng, &ALL)?;
    let two = texts::text(rng, &[one.language])?;
    let before =
        Tree::from([(one.name("one"), joined(&one.lines)), (two.name("part/two"), joined(&two.lines))]);
    Some((one, two, before))
}

/// No file matches.
pub(super) fn glob_without_files(rng: &mut Rng) -> Option<Case> {
    let (one, _, before) = two(rng)?;
    let glob = *rng.pick(&["*.nothing", "absent/**", "*.{a,b}"]);
    let mut edit = json!({ "glob": glob, "oldText": word(rng, one)?, "newText": "other" });
    edit[if rng.percent(50) { "replaceAll" } else { "expect" }] = json!(true);
    if edit["expect"].is_boolean() {
        edit["expect"] = json!(1);
    }
    Some(Case::refused(before, json!({ "edits": [edit] }), &["not_found", "count_mismatch"]))
}

/// No file has the text.
pub(super) fn glob_without_matches(rng: &mut Rng) -> Option<Case> {
    let (one, two, before) = two(rng)?;
    let absent = fresh(rng, &[one.lines.as_slice(), two.lines.as_slice()]);
    let edit = json!({ "glob": format!("**/*.{}", one.ending), "oldText": absent, "newText": "other", "replaceAll": true });
    Some(Case::refused(before, json!({ "edits": [edit] }), &["not_found"]))
}

/// Files that were not read, and no number of places.
pub(super) fn glob_unread(rng: &mut Rng) -> Option<Case> {
    let (one, _, before) = two(rng)?;
    let name = word(rng, one)?;
    let edit = json!({ "glob": format!("**/*.{}", one.ending), "oldText": name, "newText": "other_name", "replaceAll": true });
    let mut case = Case::refused(before, json!({ "edits": [edit] }), &["unread"]);
    case.shown.insert(one.name("one"), (0, 0));
    Some(case)
}

pub(super) fn glob_with_wrong_count(rng: &mut Rng) -> Option<Case> {
    let (one, two, before) = two(rng)?;
    let name = word(rng, one)?;
    let total = count(&one.lines, name) + if one.ending == two.ending { count(&two.lines, name) } else { 0 };
    let edit = json!({ "glob": format!("**/*.{}", one.ending), "oldText": name, "newText": "other_name", "word": true, "expect": total + 1 });
    Some(Case::refused(before, json!({ "edits": [edit] }), &["count_mismatch"]))
}

/// One of the edits cannot be made, so no file changes.
pub(super) fn one_of_several_fails(rng: &mut Rng) -> Option<Case> {
    let (one, two, before) = two(rng)?;
    let (name, absent) = (word(rng, one)?, fresh(rng, &[two.lines.as_slice()]));
    let second = two.name("part/two");
    let bad = match rng.below(4) {
        0 => json!({ "path": second, "oldText": absent, "newText": "other" }),
        1 => json!({ "path": second, "symbol": absent, "op": "delete" }),
        2 => json!({ "path": second, "lines": (two.lines.len() + 5).to_string(), "newText": "other" }),
        _ => json!({ "path": "absent.txt", "oldText": "a", "newText": "b" }),
    };
    let good = json!({ "path": one.name("one"), "oldText": name, "newText": format!("{name}_new"), "replaceAll": true });
    let edits = if rng.percent(50) { json!([good, bad]) } else { json!([bad, good]) };
    Some(Case::refused(before, json!({ "edits": edits }), &["not_found", "missing", "syntax"]))
}

/// The edit changes lines that were not shown.
pub(super) fn unread_lines(rng: &mut Rng) -> Option<Case> {
    let text = texts::text(rng, &ALL)?;
    let total = text.lines.len();
    let shown = 1 + rng.below(total / 2);
    let line = shown + 1 + rng.below(total - shown);
    let edit = match rng.below(4) {
        0 => json!({ "lines": line.to_string(), "newText": "other" }),
        1 => json!({ "lines": line.to_string(), "indent": 1 }),
        2 => json!({ "move": { "lines": line.to_string() }, "to": { "before": 1 } }),
        _ => {
            json!({ "lines": line.to_string(), "oldText": r"\w", "newText": "other", "regex": true, "replaceAll": true })
        }
    };
    let has_word = text.lines[line - 1].contains(|c: char| c.is_alphanumeric());
    let mut case = refused(text, &edit, &["unread"]);
    case.shown.insert(text.name("one"), (1, shown));
    has_word.then_some(case)
}

/// Another program has changed the file since it was read.
pub(super) fn changed_by_others(rng: &mut Rng) -> Option<Case> {
    let text = text(rng)?;
    let function = rng.any(text.functions())?;
    let reference = format!("{}@{}", function.name, function.head + 1);
    let mut lines = text.lines.clone();
    let at = rng.below(lines.len());
    lines[at].push_str(" changed");
    let edit = match rng.below(5) {
        0 => json!({ "symbol": reference, "op": "rename", "newText": "other_name" }),
        1 => json!({ "move": { "symbol": reference }, "to": { "path": "new.txt", "create": "" } }),
        2 => json!({ "lines": spelled(&function.body), "indent": 1 }),
        3 => {
            json!({ "symbol": reference, "oldText": function.name, "newText": "other_name", "replaceAll": true })
        }
        _ => json!({ "copy": { "lines": spelled(&function.body) }, "to": { "after": 0 } }),
    };
    let mut case = refused(text, &edit, &["stale"]);
    case.others.insert(text.name("one"), joined(&lines));
    Some(case)
}

/// Two edits of a call change the same lines.
pub(super) fn overlapping_edits(rng: &mut Rng) -> Option<Case> {
    let text = text(rng)?;
    let function = rng.any(text.functions())?;
    let scanned = text.scanned()?;
    let reference = format!("{}@{}", function.name, function.head + 1);
    let line = function.body.start + 1;
    let second = match rng.below(3) {
        0 => json!({ "lines": line.to_string(), "newText": "other" }),
        1 => json!({ "symbol": reference, "op": "replace", "newText": "other" }),
        _ => json!({ "lines": spelled(&function.body), "delete": true }),
    };
    let edits = json!([{ "symbol": reference, "op": "delete" }, second]);
    let case = Case::refused(
        tree(text),
        json!({ "path": text.name("one"), "edits": edits }),
        &["overlap", "contradiction"],
    );
    is_plain(scanned, function).then_some(case)
}
