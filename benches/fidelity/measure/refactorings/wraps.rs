//! Lines that are put into new blocks.

use std::ops::Range;

use editd_syntax::Language;
use serde_json::{Value, json};

use super::super::rng::Rng;
use super::certain::{after_move, is_clean, is_plain, reference, stays, text};
use super::data;
use super::scan::Scanned;
use super::statements::body;
use super::texts::Text;
use super::{Case, spelled};

/// Lines of a block with their levels.
type Lines = &'static [(usize, &'static str)];

/// New lines before and after others.
struct Around {
    before: Lines,
    after: Lines,
}

fn around(rng: &mut Rng, language: Language) -> Option<Around> {
    let of = |before, after| Around { before, after };
    let choices = match language {
        Language::Rust => vec![
            of(&[(0, "unsafe {")], &[(0, "}")]),
            of(&[(0, "if ready {")], &[(0, "}")]),
            of(&[(0, "if ready {"), (1, "loop {")], &[(1, "}"), (0, "}")]),
        ],
        Language::Python => vec![
            of(&[(0, "with lock:")], &[]),
            of(&[(0, "try:")], &[(0, "finally:"), (1, "done()")]),
            of(&[(0, "if ready:"), (1, "with lock:")], &[]),
        ],
        Language::JavaScript | Language::TypeScript | Language::Tsx => vec![
            of(&[(0, "try {")], &[(0, "} finally {"), (1, "done();"), (0, "}")]),
            of(&[(0, "if (ready) {")], &[(0, "}")]),
            of(&[(0, "{")], &[(0, "}")]),
        ],
        Language::Go => vec![
            of(&[(0, "if ready {")], &[(0, "}")]),
            of(&[(0, "func() {")], &[(0, "}()")]),
            of(&[(0, "for range items {"), (1, "if ready {")], &[(1, "}"), (0, "}")]),
        ],
        Language::Java | Language::C => vec![
            of(&[(0, "if (ready) {")], &[(0, "}")]),
            of(&[(0, "do {")], &[(0, "} while (again);")]),
            of(&[(0, "for (;;) {"), (1, "if (ready) {")], &[(1, "}"), (1, "break;"), (0, "}")]),
        ],
        Language::Lua => vec![of(&[(0, "if ready then")], &[(0, "end")]), of(&[(0, "do")], &[(0, "end")])],
        Language::Bash => {
            vec![of(&[(0, "if ready; then")], &[(0, "fi")]), of(&[(0, "for one in 1 2; do")], &[(0, "done")])]
        }
        Language::Css => vec![of(&[(0, "@media print {")], &[(0, "}")])],
        Language::Yaml => vec![of(&[(0, "group_of_all:")], &[])],
        Language::Json => vec![of(&[(0, "\"group_of_all\": {")], &[(0, "}")])],
        _ => return None,
    };
    choices.into_iter().nth(rng.below(3))
}

/// Returns lines as a request writes them: with levels of any unit, and with any indentation before them.
fn sent(rng: &mut Rng, lines: Lines, unit: &str, lead: &str) -> Option<Value> {
    if lines.is_empty() {
        return None;
    }
    let text: Vec<String> =
        lines.iter().map(|(level, text)| format!("{lead}{}{text}", unit.repeat(*level))).collect();
    let end = if rng.percent(40) { "\n" } else { "" };
    Some(json!(text.join("\n") + end))
}

/// Returns the lines with others around them.
fn wrapped(
    text: &Text,
    scanned: Option<&Scanned>,
    lines: &Range<usize>,
    around: &Around,
) -> Option<Vec<String>> {
    let unit = text.unit.as_deref()?;
    let depth = text.depth(lines.start);
    let at = |(level, line): &(usize, &str)| format!("{depth}{}{line}", unit.repeat(*level));
    let deeper = around.before.last()?.0 + 1;
    let inner = lines.clone().map(|line| {
        let content = &text.lines[line];
        Some(if stays(text, scanned, line)? { content.clone() } else { unit.repeat(deeper) + content })
    });
    let inner: Option<Vec<String>> = inner.collect();
    let mut new: Vec<String> = around.before.iter().map(at).collect();
    new.extend(inner?);
    new.extend(around.after.iter().map(at));
    after_move(&text.lines, &[vec![lines.clone()]], lines.end, &new).pop()
}

fn request(rng: &mut Rng, text: &Text, mut edit: Value, around: &Around) -> Value {
    let unit = *rng.pick(&["    ", "  ", "\t"]);
    // What the first of the new lines is indented by is ignored.
    let lead = if rng.percent(20) { unit } else { "" };
    let mut wrap = json!({});
    for (name, lines) in [("before", around.before), ("after", around.after)] {
        if let Some(sent) = sent(rng, lines, unit, lead) {
            wrap[name] = sent;
        }
    }
    edit["wrap"] = wrap;
    json!({ "path": text.name("one"), "edits": [edit] })
}

pub(super) fn lines_wrapped(rng: &mut Rng) -> Option<Case> {
    let body = body(rng)?;
    let lines = body.run(rng, 4)?;
    let around = around(rng, body.text.language)?;
    let result = wrapped(body.text, Some(body.scanned), &lines, &around)?;
    let request = request(rng, body.text, json!({ "lines": spelled(&lines) }), &around);
    Case::one(body.text, request, &[result]).map(|case| case.in_any_ending(rng))
}

/// Wraps the body of a function.
pub(super) fn body_wrapped(rng: &mut Rng) -> Option<Case> {
    let text = text(rng)?;
    let function = rng.any(text.functions())?.clone();
    let scanned = text.scanned()?;
    let lines = without_docstring(text, scanned, &function.body)?;
    // Preprocessor lines and labels have their own columns.
    let is_odd = |line: usize| {
        text.lines[line].trim_start().starts_with('#')
            && text.language != Language::Python
            && text.language != Language::Bash
            && text.language != Language::Rust
    };
    let odd = lines.clone().any(is_odd)
        || text.lines[lines.clone()].iter().any(|line| {
            line.ends_with('\\') || line.trim_end().ends_with(':') && text.language == Language::C
        });
    if !is_plain(scanned, &function) || !is_clean(&text.lines[lines.clone()]) || odd {
        return None;
    }
    // These are allowed only as the first statement of a body, and items only at its level.
    let first = text.lines[lines.start].trim();
    if ["super(", "this(", "'use ", "\"use "].iter().any(|start| first.starts_with(start))
        || first.starts_with(['"', '\''])
    {
        return None;
    }
    let around = around(rng, text.language)?;
    let result = wrapped(text, Some(scanned), &lines, &around)?;
    let reference = reference(rng, text, &function);
    let request = request(rng, text, json!({ "symbol": reference }), &around);
    Case::one(text, request, &[result]).map(|case| case.in_any_ending(rng))
}

/// Returns the body of a function without the string that documents it in Python.
fn without_docstring(text: &Text, scanned: &Scanned, body: &Range<usize>) -> Option<Range<usize>> {
    if text.language != Language::Python || !text.lines[body.start].trim_start().starts_with(['"', '\'']) {
        return Some(body.clone());
    }
    let end = (body.start + 1..body.end).find(|line| !scanned.begins_in_string(*line))?;
    let start = (end..body.end).find(|line| !text.is_blank(*line))?;
    Some(start..body.end)
}

/// Wraps whole entries of files that are no programs.
pub(super) fn data_wrapped(rng: &mut Rng) -> Option<Case> {
    let language = *rng.pick(&[Language::Css, Language::Yaml, Language::Json]);
    let around = around(rng, language)?;
    if language == Language::Json {
        let text = data::json(rng)?;
        let lines = 1..text.lines.len() - 1;
        let result = wrapped(text, None, &lines, &around)?;
        let request = request(rng, text, json!({ "lines": spelled(&lines) }), &around);
        return is_clean(&text.lines).then(|| Case::one(text, request, &[result]))?;
    }
    let entries = data::entries(rng, &[language])?;
    let first = rng.below(entries.all.len());
    let last = (first + rng.below(3)).min(entries.all.len() - 1);
    let lines = entries.all[first].whole.start..entries.all[last].whole.end;
    let text = entries.text;
    if !is_clean(&text.lines[lines.clone()]) || text.lines[lines.start].trim_start().starts_with(['#', '/']) {
        return None;
    }
    let result = wrapped(text, None, &lines, &around)?;
    let request = request(rng, text, json!({ "lines": spelled(&lines) }), &around);
    Case::one(text, request, &[result])
}
