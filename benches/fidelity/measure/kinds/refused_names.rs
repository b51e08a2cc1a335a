//! A kept line of code has another name than in the file. It must be refused if the name stands elsewhere in the file, so
//! that another location may be intended; else it is a slip.

use super::super::ask::{Ask, Case};
use super::super::change::is_unique;
use super::super::plain::{bare, count, lf, words};
use super::super::rng::Rng;
use super::super::sources::File;
use super::super::vocabulary::{noun, verb};
use super::blanks::has_no_doubles;
use super::drift::{has_context, is_comment, with_context};
use super::mixes::indented_otherwise;
use super::shapes::real;
use super::{Draft, LONG, draft_of};

/// Returns the unquoted names of a line of code with their offsets.
fn names<'a>(file: &File, line: &'a str) -> Vec<(usize, &'a str)> {
    let prose = ["markdown", "yaml", "html"].contains(&file.language.name);
    let code = line.contains(['(', '=', '{', ';']) && !is_comment(file, line);
    if prose || !code {
        return Vec::new();
    }
    let quotes = |at: usize| line[..at].matches(['"', '\'', '`']).count();
    let noted = line.find("//").or_else(|| line.find("# ")).or_else(|| line.find("/*")).unwrap_or(line.len());
    let is_name = |(at, word): &(usize, &str)| {
        word.len() >= 4 && word.starts_with(char::is_alphabetic) && quotes(*at) == 0 && *at < noted
    };
    words(line).into_iter().filter(is_name).collect()
}

/// Returns another name of the same form: with one part replaced, or completely different.
fn other_name(rng: &mut Rng, name: &str) -> String {
    let (part, other) = (name.rsplit('_').next().unwrap_or(name), noun(rng));
    match name.strip_suffix(part) {
        Some(head) if !head.is_empty() => format!("{head}{other}"),
        _ if rng.percent(50) => other,
        _ => format!("{name}_{}", verb(rng)),
    }
}

/// Replaces a name in a kept line of the request by a word of the file.
fn renamed(rng: &mut Rng, file: &File, ask: &mut Ask) -> Option<()> {
    let kept = ask.kept();
    let at = *rng.any(&kept)?;
    let line = ask.lines[at].old.clone();
    let (start, name) = *rng.any(&names(file, &line))?;
    let other = other_name(rng, name);
    let text = format!("{}{other}{}", &line[..start], &line[start + name.len()..]);
    let known = bare(&file.text()).contains(&bare(&text));
    if other == name || known || !stands(&file.text(), &other) {
        return None;
    }
    ask.misremember(at, &text);
    Some(())
}

/// Returns `true` if a word stands in a text.
fn stands(text: &str, word: &str) -> bool {
    text.lines().any(|line| words(line).iter().any(|(_, other)| *other == word))
}

/// Returns a name as it is misspelt: in the plural or the singular, with a letter less, or in another order.
fn misspelt(rng: &mut Rng, name: &str) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    let at = 1 + rng.below(letters.len() - 2);
    match rng.below(4) {
        0 if name.ends_with('s') => drop(letters.pop()),
        0 => letters.push('s'),
        1 => drop(letters.remove(at)),
        2 => letters.insert(at, letters[at]),
        _ => letters.swap(at, at + 1),
    }
    letters.into_iter().collect()
}

/// Misspells a name in a kept line of the request. It stands nowhere else.
fn slip(rng: &mut Rng, (file, change, mut ask): Draft) -> Option<Case> {
    let kept = ask.sheltered();
    let at = *rng.any(&kept)?;
    let line = ask.lines[at].old.clone();
    let (start, name) = *rng.any(&names(&file, &line))?;
    let other = misspelt(rng, name);
    if other == name || stands(&file.text(), &other) || stands(&ask.new_text(), &other) {
        return None;
    }
    ask.misremember(at, &format!("{}{other}{}", &line[..start], &line[start + name.len()..]));
    Case::tolerated(&file, &change, &ask)
}

/// A misspelt name in a line that the edit keeps.
pub(super) fn slip_in_a_name(rng: &mut Rng) -> Option<Case> {
    let draft = with_context(rng)?;
    slip(rng, draft)
}

/// A misspelt name in realistic files.
pub(super) fn slip_in_real_code(rng: &mut Rng) -> Option<Case> {
    let file = real(rng);
    let draft = draft_of(rng, file, &LONG)?;
    let (file, change, ask) = &draft;
    if !has_context(file, change, ask) {
        return None;
    }
    slip(rng, draft)
}

fn refused(rng: &mut Rng, (file, change, mut ask): Draft) -> Option<Case> {
    let long = ask.old_lines().len() >= 6 && is_unique(&file, &change) && has_no_doubles(&file, &change);
    renamed(rng, &file, &mut ask)?;
    let base = file.text();
    let there = count(&lf(&base), &lf(&ask.old_text())) > 0;
    (long && !there).then(|| Case::refused(base, vec![ask.edit()]).meaning(&file, &change))
}

pub(super) fn context_name_misremembered(rng: &mut Rng) -> Option<Case> {
    let draft = with_context(rng)?;
    refused(rng, draft)
}

pub(super) fn name_in_code_and_indentation(rng: &mut Rng) -> Option<Case> {
    let (file, change, ask) = indented_otherwise(rng)?;
    let fits = has_context(&file, &change, &ask);
    refused(rng, (file, change, ask)).filter(|_| fits)
}

/// Different names, in realistic files.
pub(super) fn names_of_real_code(rng: &mut Rng) -> Option<Case> {
    let file = real(rng);
    let draft = draft_of(rng, file, &LONG)?;
    refused(rng, draft)
}
