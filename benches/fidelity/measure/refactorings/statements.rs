//! Whole statements in the bodies of functions, as far as the layout shows them.

use std::ops::Range;

use editd_syntax::Language;

use super::super::plain::indent;
use super::super::rng::Rng;
use super::super::symbols::layout::Function;
use super::certain::{is_clean, is_plain, text};
use super::scan::Scanned;
use super::texts::Text;

/// A body whose lines are all known as statements.
pub(crate) struct Body {
    pub(crate) text: &'static Text,
    pub(crate) scanned: &'static Scanned,
    pub(crate) function: Function,
    /// Statements that follow each other, maybe with blank lines between.
    pub(crate) statements: Vec<Range<usize>>,
}

impl Body {
    /// Returns consecutive statements as one range of lines.
    pub(crate) fn run(&self, rng: &mut Rng, most: usize) -> Option<Range<usize>> {
        let first = rng.below(self.statements.len());
        let last = (first + rng.below(most)).min(self.statements.len() - 1);
        let lines = self.statements[first].start..self.statements[last].end;
        let whole = self.statements[first..last]
            .iter()
            .zip(&self.statements[first + 1..])
            .all(|(one, next)| (one.end..next.start).all(|line| self.text.lines[line].is_empty()));
        (whole && is_clean(&self.text.lines[lines.clone()])).then_some(lines)
    }
}

/// Draws a body with at least one certain statement.
pub(crate) fn body(rng: &mut Rng) -> Option<Body> {
    let text = text(rng)?;
    let function = rng.any(text.functions())?.clone();
    let scanned = text.scanned()?;
    if !is_plain(scanned, &function) {
        return None;
    }
    let statements = statements(text, scanned, &function.body);
    (!statements.is_empty()).then_some(Body { text, scanned, function, statements })
}

/// Returns the certain statements of a body.
fn statements(text: &Text, scanned: &Scanned, body: &Range<usize>) -> Vec<Range<usize>> {
    let depth = text.depth(body.start);
    let is_own = |line: usize| !text.is_blank(line) && text.depth(line) == depth;
    let mut found = Vec::new();
    let mut at = body.start;
    while at < body.end {
        if !is_own(at) || scanned.begins_in_string(at) {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        while end < body.end && !is_own(end) {
            end += 1;
        }
        let closes = |line: usize| {
            text.lines[line].trim_start().starts_with(['}', ')', ']'])
                || is_word(text, line, &["end", "fi", "done", "esac"])
        };
        if end < body.end && end > at + 1 && closes(end) {
            end += 1;
        }
        while end > at && text.is_blank(end - 1) {
            end -= 1;
        }
        let lines = at..end;
        at = end;
        if is_statement(text, scanned, &lines, body) {
            found.push(lines);
        }
    }
    found
}

fn is_word(text: &Text, line: usize, words: &[&str]) -> bool {
    let content = text.lines[line].trim();
    words.contains(&content)
}

/// Returns `true` if lines are one whole statement, and nothing before or after them belongs to it.
fn is_statement(text: &Text, scanned: &Scanned, lines: &Range<usize>, body: &Range<usize>) -> bool {
    let content = |line: usize| scanned.code_of(line..line + 1).trim().to_owned();
    let (first, last) = (content(lines.start), content(lines.end - 1));
    let next = (lines.end..body.end).find(|line| !text.is_blank(*line));
    let previous = (body.start..lines.start).rev().find(|line| !text.is_blank(*line));
    let continues = |code: &str| {
        let word = code.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        let words = [
            "else", "elif", "elseif", "except", "finally", "catch", "case", "default", "end", "fi", "done",
            "then", "do", "until", "while", "esac", "in", "of", "as", "and", "or", "where",
        ];
        words.contains(&word)
            || code.starts_with([
                '.', '?', ':', '+', '*', '/', '&', '|', '=', ')', ']', '}', '{', ',', ';', '<', '>', '%',
                '#', '@',
            ])
    };
    // A comment may belong to the lines before or after it.
    let is_firm =
        |line: Option<usize>| line.is_none_or(|line| !content(line).is_empty() && !continues(&content(line)));
    let depth = text.depth(lines.start);
    let deeper =
        lines.clone().all(|line| text.is_blank(line) || indent(&text.lines[line]).starts_with(depth));
    let open_end = |code: &str| {
        code.ends_with(['\\', ',', '=', '+', '|', '&', '(', '[', '{', ':', '.', '?', '-', '<', '>'])
    };
    // `while` ends a `do` in braces.
    let word = first.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default().to_owned();
    let declares = [
        "function",
        "class",
        "def",
        "fn",
        "struct",
        "enum",
        "impl",
        "type",
        "interface",
        "use",
        "import",
        "case",
        "default",
        "super",
        "this",
        "global",
        "nonlocal",
        "static",
        "public",
        "private",
        "let_",
        "extern",
        "macro_rules",
        "break",
        "continue",
        "goto",
    ];
    if first.is_empty()
        || continues(&first)
        || declares.contains(&word.as_str())
        || !is_firm(next)
        || !deeper
        || previous.is_some_and(|line| content(line).is_empty() || open_end(&content(line)))
        || !scanned.is_balanced(lines.clone())
        || first.ends_with(':')
        || first.contains('#')
        || lines.clone().any(|line| {
            scanned.begins_in_string(line)
                || text.lines[line].trim_start().starts_with('#')
                || text.lines[line].ends_with('\\')
        })
        || scanned.begins_in_string(lines.end)
    {
        return false;
    }
    let one_line = lines.len() == 1;
    match text.language {
        Language::Python => {
            one_line && !open_end(&last) && !word.is_empty()
                || lines.len() > 1 && last.starts_with(')') && last.len() == 1
        }
        Language::Lua => {
            let opens = ["then", "do", "repeat", "else"].iter().any(|end| last.ends_with(end))
                || first.contains("function");
            one_line && !open_end(&last) && !opens && word != "return"
                || lines.len() > 1 && last == "end" && (first.ends_with("then") || first.ends_with("do"))
        }
        Language::Bash => {
            let plain = !first.contains(['|', '&', ';', '(', ')', '{', '}', '=', '[']) && !first.is_empty();
            one_line
                && plain
                && word.chars().next().is_some_and(char::is_alphabetic)
                && !["if", "for", "while", "until", "select"].contains(&word.as_str())
                || lines.len() > 1
                    && (last == "fi" && first.ends_with("; then")
                        || last == "done" && first.ends_with("; do"))
        }
        Language::Go => {
            one_line && !open_end(&last) && !matches!(word.as_str(), "func" | "fallthrough")
                || lines.len() > 1
                    && (last == "}" || last == ")")
                    && (first.ends_with('{') || first.ends_with('('))
        }
        _ => {
            let simple = last.ends_with(';')
                && (one_line || first.ends_with(['(', '{', '[']) && text.depth(lines.end - 1) == depth);
            let block = lines.len() > 1
                && last == "}"
                && first.ends_with('{')
                && ["if", "for", "while", "loop", "match", "switch"].contains(&word.as_str());
            simple && !first.contains('#') && word != "do" || block
        }
    }
}
