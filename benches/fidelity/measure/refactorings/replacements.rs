//! Texts that are replaced within a scope, and patterns.

use std::ops::Range;

use serde_json::{Value, json};

use super::super::plain::{renamed, words};
use super::super::rng::Rng;
use super::certain::{is_plain, reference, text};
use super::texts::{self, ALL, Text};
use super::{Case, fresh, spelled};

/// Lines of a text, with the members of a request that name them.
pub(super) struct Scope {
    pub(super) text: &'static Text,
    pub(super) lines: Range<usize>,
    members: Value,
}

pub(super) fn scope(rng: &mut Rng, by_symbol: bool) -> Option<Scope> {
    if by_symbol {
        let text = text(rng)?;
        let function = rng.any(text.functions())?.clone();
        let is_certain = is_plain(text.scanned()?, &function);
        let members = json!({ "symbol": reference(rng, text, &function) });
        return is_certain.then_some(Scope { text, lines: function.whole, members });
    }
    let text = texts::text(rng, &ALL)?;
    let size = 1 + rng.below(30.min(text.lines.len() - 1));
    let start = rng.below(text.lines.len() - size);
    let lines = start..start + size;
    Some(Scope { text, members: json!({ "lines": spelled(&lines) }), lines })
}

impl Scope {
    /// Returns a request with the members of an edit.
    fn request(&self, edit: Value) -> Value {
        let mut members = self.members.clone();
        if let (Value::Object(members), Value::Object(edit)) = (&mut members, edit) {
            members.extend(edit);
        }
        json!({ "path": self.text.name("one"), "edits": [members] })
    }

    pub(super) fn words(&self) -> Vec<&'static str> {
        self.text.lines[self.lines.clone()]
            .iter()
            .flat_map(|line| words(line))
            .map(|(_, word)| word)
            .filter(is_plain_word)
            .collect()
    }

    /// Returns the text with changed lines of the scope.
    fn changed(&self, change: impl Fn(&str) -> String) -> Vec<String> {
        let mut lines = self.text.lines.clone();
        for line in &mut lines[self.lines.clone()] {
            *line = change(line);
        }
        lines
    }
}

pub(super) fn is_plain_word(word: &&str) -> bool {
    word.len() > 1 && word.is_ascii() && !word.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns the number of whole words in lines.
pub(super) fn count(lines: &[String], name: &str) -> usize {
    lines.iter().map(|line| words(line).into_iter().filter(|(_, word)| *word == name).count()).sum()
}

/// Returns `true` if the lines contain marks that could belong to a word, which the scanner of words does not know.
fn has_marks(lines: &[String]) -> bool {
    lines.iter().any(|line| {
        line.chars().any(|c| {
            !c.is_ascii()
                && !c.is_alphanumeric()
                && matches!(c, '\u{300}'..='\u{36F}' | '\u{203F}' | '\u{2040}')
        })
    })
}

fn word_in(rng: &mut Rng, by_symbol: bool) -> Option<Case> {
    let scope = scope(rng, by_symbol)?;
    let name = *rng.any(&scope.words())?;
    let new = fresh(rng, &[scope.text.lines.as_slice()]);
    let found = count(&scope.text.lines[scope.lines.clone()], name);
    let mut edit = json!({ "oldText": name, "newText": new, "word": true });
    match rng.below(3) {
        0 if found == 1 => {}
        1 => edit["expect"] = json!(found),
        _ => edit["replaceAll"] = json!(true),
    }
    let result = scope.changed(|line| renamed(line, name, &new));
    if has_marks(&scope.text.lines) {
        return None;
    }
    Case::one(scope.text, scope.request(edit), &[result]).map(|case| case.in_any_ending(rng))
}

pub(super) fn word_in_symbol(rng: &mut Rng) -> Option<Case> {
    word_in(rng, true)
}

pub(super) fn word_in_lines(rng: &mut Rng) -> Option<Case> {
    word_in(rng, false)
}

/// Replaces whole words in a file, with their number.
pub(super) fn words_counted(rng: &mut Rng) -> Option<Case> {
    let text = texts::text(rng, &ALL)?;
    let all = Scope { text, lines: 0..text.lines.len(), members: json!({}) };
    let name = *rng.any(&all.words())?;
    let new = fresh(rng, &[text.lines.as_slice()]);
    let found = count(&text.lines, name);
    let edit = json!({ "oldText": name, "newText": new, "word": true, "expect": found });
    if has_marks(&text.lines) || found < 2 {
        return None;
    }
    Case::one(text, all.request(edit), &[all.changed(|line| renamed(line, name, &new))])
        .map(|case| case.in_any_ending(rng))
}

/// Replaces a text that is once in the scope, and elsewhere, too.
fn text_in(rng: &mut Rng, by_symbol: bool) -> Option<Case> {
    let scope = scope(rng, by_symbol)?;
    let line = scope.lines.start + rng.below(scope.lines.len());
    let all = words(&scope.text.lines[line]);
    let first = rng.below(all.len());
    let (start, _) = *all.get(first)?;
    let (last, word) = *all.get((first + rng.below(4)).min(all.len() - 1))?;
    let old = &scope.text.lines[line][start..last + word.len()];
    let occurrences =
        |lines: &[String]| -> usize { lines.iter().map(|line| super::super::plain::count(line, old)).sum() };
    let (inside, total) =
        (occurrences(&scope.text.lines[scope.lines.clone()]), occurrences(&scope.text.lines));
    if inside != 1 || total < 2 || old.len() < 2 {
        return None;
    }
    let new = fresh(rng, &[scope.text.lines.as_slice()]);
    let result = scope.changed(|line| line.replace(old, &new));
    Case::one(scope.text, scope.request(json!({ "oldText": old, "newText": new })), &[result])
        .map(|case| case.in_any_ending(rng))
}

pub(super) fn text_in_symbol(rng: &mut Rng) -> Option<Case> {
    text_in(rng, true)
}

pub(super) fn text_in_lines(rng: &mut Rng) -> Option<Case> {
    text_in(rng, false)
}

type Change = dyn Fn(&str) -> (String, usize);

/// A pattern with what it does to a line.
pub(super) struct Pattern {
    pub(super) old: String,
    pub(super) new: String,
    /// Returns the changed line and the number of matches in it.
    pub(super) change: Box<Change>,
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns a pattern about a word. The lines must be ASCII, so that words and spaces are the same for everyone.
pub(super) fn pattern(rng: &mut Rng, name: &str, new: String) -> Pattern {
    let name = name.to_owned();
    match rng.below(6) {
        0 => Pattern {
            old: format!(r"\b({name})\b"),
            new: format!("${{1}}_{new}"),
            change: Box::new(move |line| {
                let found = words(line).into_iter().filter(|(_, word)| *word == name.as_str()).count();
                (renamed(line, &name, &format!("{name}_{new}")), found)
            }),
        },
        // The space before the bracket stays.
        1 => Pattern {
            old: format!(r"{name}([ \t]*)\("),
            new: format!("{new}$1("),
            change: Box::new(move |line| {
                each(line, &name, |rest| {
                    let space = rest.len() - rest.trim_start_matches([' ', '\t']).len();
                    rest[space..].starts_with('(').then(|| (space + 1, format!("{new}{}(", &rest[..space])))
                })
            }),
        },
        // Two names change places.
        2 => Pattern {
            old: format!(r"(?P<head>{name})\.(\w+)"),
            new: "${2}.${head}".to_owned(),
            change: Box::new(move |line| {
                each(line, &name, |rest| {
                    let rest = rest.strip_prefix('.')?;
                    let size = rest.bytes().take_while(|byte| is_word_byte(*byte)).count();
                    (size > 0).then(|| (1 + size, format!("{}.{name}", &rest[..size])))
                })
            }),
        },
        3 => Pattern {
            old: format!(r"^([ \t]*){name}"),
            new: format!("$1$$0 {new}"),
            change: Box::new(move |line| {
                let lead = line.len() - line.trim_start_matches([' ', '\t']).len();
                match line[lead..].strip_prefix(name.as_str()) {
                    Some(rest) => (format!("{}$0 {new}{rest}", &line[..lead]), 1),
                    None => (line.to_owned(), 0),
                }
            }),
        },
        4 => Pattern {
            old: format!("{name}$"),
            new: format!("$0 + {new}"),
            change: Box::new(move |line| match line.strip_suffix(name.as_str()) {
                Some(rest) => (format!("{rest}{name} + {new}"), 1),
                None => (line.to_owned(), 0),
            }),
        },
        _ => Pattern {
            old: format!(r"{name}(\d*)"),
            new: format!("<$0>{new}"),
            change: Box::new(move |line| {
                each(line, &name, |rest| {
                    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                    Some((digits, format!("<{name}{}>{new}", &rest[..digits])))
                })
            }),
        },
    }
}

/// Replaces each `name` and what a function takes of the text behind it, from left to right.
fn each(line: &str, name: &str, replace: impl Fn(&str) -> Option<(usize, String)>) -> (String, usize) {
    let (mut result, mut found, mut rest) = (String::new(), 0, line);
    while let Some(at) = rest.find(name) {
        let behind = &rest[at + name.len()..];
        if let Some((size, new)) = replace(behind) {
            result.push_str(&rest[..at]);
            result.push_str(&new);
            rest = &behind[size..];
            found += 1;
        } else {
            // The name may begin again inside itself.
            result.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
        }
    }
    (result + rest, found)
}

/// Returns the number of matches and the changed lines.
pub(super) fn matched(pattern: &Pattern, lines: &[String]) -> (usize, Vec<String>) {
    let mut total = 0;
    let changed = lines.iter().map(|line| {
        let (line, found) = (pattern.change)(line);
        total += found;
        line
    });
    let changed = changed.collect();
    (total, changed)
}

fn regex_in(rng: &mut Rng, scope: &Scope) -> Option<Case> {
    let name = *rng.any(&scope.words())?;
    let new = fresh(rng, &[scope.text.lines.as_slice()]);
    let pattern = pattern(rng, name, new);
    let lines = &scope.text.lines;
    let (found, inside) = matched(&pattern, &lines[scope.lines.clone()]);
    if found == 0 || !lines.iter().all(|line| line.is_ascii()) {
        return None;
    }
    let result = [&lines[..scope.lines.start], inside.as_slice(), &lines[scope.lines.end..]].concat();
    let mut edit = json!({ "oldText": pattern.old, "newText": pattern.new, "regex": true });
    match rng.below(3) {
        0 if found == 1 => {}
        1 => edit["expect"] = json!(found),
        _ => edit["replaceAll"] = json!(true),
    }
    Case::one(scope.text, scope.request(edit), &[result]).map(|case| case.in_any_ending(rng))
}

pub(super) fn regex_in_file(rng: &mut Rng) -> Option<Case> {
    let text = texts::text(rng, &ALL)?;
    regex_in(rng, &Scope { text, lines: 0..text.lines.len(), members: json!({}) })
}

pub(super) fn regex_in_symbol(rng: &mut Rng) -> Option<Case> {
    let by_symbol = rng.percent(70);
    let scope = scope(rng, by_symbol)?;
    regex_in(rng, &scope)
}

/// Replaces whole words that match an expression: those that begin like another.
pub(super) fn word_and_regex(rng: &mut Rng) -> Option<Case> {
    let text = texts::text(rng, &ALL)?;
    let all = Scope { text, lines: 0..text.lines.len(), members: json!({}) };
    let name = *rng.any(&all.words())?;
    let start = &name[..2];
    let new = fresh(rng, &[text.lines.as_slice()]);
    let matches = |word: &str| word.starts_with(start) && word.is_ascii();
    let found: usize =
        text.lines.iter().map(|line| words(line).iter().filter(|(_, word)| matches(word)).count()).sum();
    let result = all.changed(|line| {
        let mut result = String::new();
        let mut copied = 0;
        for (at, word) in words(line).into_iter().filter(|(_, word)| matches(word)) {
            result.push_str(&line[copied..at]);
            result.extend([new.as_str(), "_", &word[2..]]);
            copied = at + word.len();
        }
        result + &line[copied..]
    });
    if !text.lines.iter().all(|line| line.is_ascii()) {
        return None;
    }
    let edit = json!({ "oldText": format!(r"{start}(\w*)"), "newText": format!("{new}_$1"), "word": true, "regex": true, "expect": found });
    Case::one(text, all.request(edit), &[result])
}
