//! Moves that must be refused, without any change.

use editd_syntax::Language;
use serde_json::{Value, json};

use super::super::rng::Rng;
use super::certain::{departures, gap, reference};
use super::moves::{self, Source};
use super::{Case, Tree, fresh, joined, spelled};

/// Draws a symbol of a file without syntax errors, which would be another reason.
fn source(rng: &mut Rng) -> Option<Source> {
    moves::source(rng).filter(|source| source.text.is_right())
}

fn refused(source: &Source, edit: &Value, kinds: &'static [&'static str]) -> Case {
    let name = source.text.name("one");
    let before = Tree::from([(name.clone(), joined(&source.text.lines))]);
    Case::refused(before, json!({ "path": name, "edits": [edit] }), kinds)
}

/// The new place is among the moved lines.
pub(super) fn moved_into_itself(rng: &mut Rng) -> Option<Case> {
    let source = source(rng)?;
    let lines = source.one.whole.clone();
    let line = lines.start + 1 + rng.below(lines.len() - 1);
    let part = if rng.percent(50) {
        json!({ "symbol": reference(rng, source.text, &source.one) })
    } else {
        json!({ "lines": spelled(&lines) })
    };
    let to = if rng.percent(50) { json!({ "after": line }) } else { json!({ "before": line + 1 }) };
    (line < lines.end).then(|| {
        refused(
            &source,
            &json!({ "move": part, "to": to }),
            &["overlap", "syntax", "no_change", "contradiction"],
        )
    })
}

pub(super) fn moved_beside_itself(rng: &mut Rng) -> Option<Case> {
    let source = source(rng)?;
    let reference = reference(rng, source.text, &source.one);
    let place = *rng.pick(&["afterSymbol", "beforeSymbol"]);
    let edit = json!({ "move": { "symbol": reference }, "to": { place: reference } });
    Some(refused(&source, &edit, &["overlap", "syntax", "no_change", "contradiction", "ambiguous"]))
}

/// The symbol is at its new place already.
pub(super) fn moved_where_it_is(rng: &mut Rng) -> Option<Case> {
    let source = source(rng)?;
    let text = source.text;
    let neighbor = source.other(rng, |other| {
        text.depth(other.head) == text.depth(source.one.head)
            && other.whole.end <= source.one.whole.start
            && (other.whole.end..source.one.whole.start).all(|line| text.is_blank(line))
    })?;
    // With other numbers of blank lines, the same order could have other bytes.
    let runs = departures(&text.lines, &source.one.whole);
    let space = gap(text, &neighbor)?;
    if runs[0].len() != runs[1].len()
        || gap(text, &source.one) != Some(space)
        || source.one.whole.start - neighbor.whole.end != space
    {
        return None;
    }
    let edit = json!({
        "move": { "symbol": reference(rng, text, &source.one) },
        "to": { "afterSymbol": reference(rng, text, &neighbor) },
    });
    Some(refused(&source, &edit, &["no_change"]))
}

pub(super) fn unknown_place(rng: &mut Rng) -> Option<Case> {
    let source = source(rng)?;
    let absent = fresh(rng, &[source.text.lines.as_slice()]);
    let total = source.text.lines.len();
    let to = match rng.below(3) {
        0 => json!({ "afterSymbol": absent }),
        1 => json!({ "after": total + 1 + rng.below(9) }),
        _ => json!({ "before": total + 2 + rng.below(9) }),
    };
    let edit = json!({ "move": { "symbol": reference(rng, source.text, &source.one) }, "to": to });
    Some(refused(&source, &edit, &["not_found"]))
}

pub(super) fn unknown_part(rng: &mut Rng) -> Option<Case> {
    let source = source(rng)?;
    let absent = fresh(rng, &[source.text.lines.as_slice()]);
    let own = reference(rng, source.text, &source.one);
    let part =
        if rng.percent(50) { json!({ "symbol": absent }) } else { json!({ "symbols": [own, absent] }) };
    let edit = json!({ "move": part, "to": { "path": source.text.name("new"), "create": "" } });
    Some(refused(&source, &edit, &["not_found"]))
}

/// `create` names a file that exists.
pub(super) fn create_existing(rng: &mut Rng) -> Option<Case> {
    let source = source(rng)?;
    let edit = json!({
        "move": { "symbol": reference(rng, source.text, &source.one) },
        "to": { "path": "two.txt", "create": "first\n" },
    });
    let mut case = refused(&source, &edit, &["exists"]);
    case.before.insert("two.txt".to_owned(), "something\n".to_owned());
    Some(case)
}

/// The target does not exist, and nothing says that it is new.
pub(super) fn file_is_missing(rng: &mut Rng) -> Option<Case> {
    let source = source(rng)?;
    let mut to = json!({ "path": source.text.name("absent") });
    if rng.percent(50) {
        to["after"] = json!(1);
    }
    let part = if rng.percent(50) {
        json!({ "lines": spelled(&source.one.whole) })
    } else {
        json!({ "symbol": reference(rng, source.text, &source.one) })
    };
    Some(refused(&source, &json!({ "move": part, "to": to }), &["missing"]))
}

/// A class of Python without statements is left.
pub(super) fn only_statement_moved(rng: &mut Rng) -> Option<Case> {
    let source = source(rng).filter(|source| source.text.language == Language::Python)?;
    if !source.text.depth(source.one.head).is_empty() {
        return None;
    }
    let mut text = vec!["class Alone:".to_owned()];
    let unit = source.text.unit.clone()?;
    text.extend(
        source.lines().into_iter().map(|line| if line.is_empty() { line } else { unit.clone() + &line }),
    );
    if (source.one.whole.start..source.one.whole.end).any(|line| source.scanned.begins_in_string(line)) {
        return None;
    }
    text.extend([String::new(), String::new(), "def beside():".to_owned(), format!("{unit}pass")]);
    let before = Tree::from([("one.py".to_owned(), joined(&text))]);
    let edit = json!({ "move": { "symbol": format!("Alone.{}", source.one.name) }, "to": { "afterSymbol": "beside" } });
    Some(Case::refused(before, json!({ "path": "one.py", "edits": [edit] }), &["syntax"]))
}

pub(super) fn lines_beyond_the_end(rng: &mut Rng) -> Option<Case> {
    let source = source(rng)?;
    let total = source.text.lines.len();
    let first = total - rng.below(3);
    let lines = format!("{first}-{}", total + 1 + rng.below(9));
    let edit = json!({ "move": { "lines": lines }, "to": { "before": 1 } });
    Some(refused(&source, &edit, &["not_found"]))
}
