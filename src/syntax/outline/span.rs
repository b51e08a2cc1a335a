//! Spans of symbols: attached comments, attributes, punctuation, whole lines.

use std::ops::Range;

use tree_sitter::Node;

use super::super::grammar::{Grammar, words};
use super::super::lines::Lines;
use super::super::parse::next_beside;
use super::super::symbol::{Parts, Separator, Symbol};
use super::{Found, List};

/// Maximum number of characters of a signature.
const SIGNATURE: usize = 120;

/// Returns the symbols of the declarations. `comments` are in the order of the text.
pub(super) fn symbols(
    text: &str,
    grammar: &Grammar,
    found: &[Found<'_>],
    comments: &[Range<usize>],
) -> Vec<Symbol> {
    let lines = Lines::new(text);
    let comments: Vec<Range<usize>> = comments.iter().map(|comment| trimmed(text, comment.clone())).collect();
    let spans = Spans { text, grammar, lines: &lines, comments: &comments };
    found.iter().map(|found| spans.symbol(found)).collect()
}

struct Spans<'a> {
    text: &'a str,
    grammar: &'a Grammar,
    lines: &'a Lines<'a>,
    comments: &'a [Range<usize>],
}

impl Spans<'_> {
    fn symbol(&self, found: &Found<'_>) -> Symbol {
        let declared = &found.declared;
        let node = found.node.byte_range();
        let core = trimmed(self.text, node.start..declared.end.unwrap_or(node.end).max(node.start));
        let core = self.without_comments_behind(core);
        let bare = self.bare_start(found.node);
        let head = found.attributes.unwrap_or(core.start).min(core.start);
        let (parts, separator, range) = self.parts(head, bare, core.end, found.list);
        let body = declared.body.clone().map(|body| body.start..body.end.min(core.end));
        let body = body.filter(|body| body.start <= body.end);
        let name_range = Some(declared.name_range.clone()).filter(|range| {
            !range.is_empty() && self.text.get(range.clone()) == Some(declared.name.as_str())
        });
        Symbol {
            name: declared.name.clone(),
            kind: found.kind,
            parent: found.parent,
            lines: self.lines.range(&range),
            signature: self.signature(bare, parts.end, body.as_ref()),
            range,
            body,
            parts,
            name_range,
            broken: first_error(found.node).map(|at| self.lines.of(at) + 1),
            qualifiers: declared.qualifiers.clone(),
            scope: declared.scope.clone(),
            block: found.block.clone(),
            separator,
        }
    }

    /// Returns a declaration without comments at its end that are not indented more than its start: they belong
    /// to what follows.
    fn without_comments_behind(&self, mut core: Range<usize>) -> Range<usize> {
        let indentation = self.lines.indentation(core.start).len();
        while let Ok(found) = self.comments.binary_search_by_key(&core.end, |comment| comment.end) {
            let start = self.comments[found].start;
            let is_behind = self.lines.is_first(start) && self.lines.indentation(start).len() <= indentation;
            if start <= core.start || !is_behind {
                break;
            }
            core = trimmed(self.text, core.start..start);
        }
        core
    }

    fn parts(&self, head: usize, bare: usize, end: usize, commas: List) -> (Parts, Separator, Range<usize>) {
        let after_blanks =
            |at: usize| at + (self.text[at..].len() - self.text[at..].trim_start_matches([' ', '\t']).len());
        let mut end = end;
        let semicolon = after_blanks(end);
        let separator = match commas {
            List::None => Separator::None,
            List::Commas => self.commas(head, end),
            List::Loose => match self.commas(head, end) {
                Separator::Comma { after: None, before: None } => Separator::None,
                separator => separator,
            },
        };
        if separator == Separator::None
            && self.text[semicolon..].starts_with(';')
            && !self.text[..end].ends_with(';')
        {
            end = semicolon + 1;
        }
        let mut behind = end;
        if let Separator::Comma { after: Some(after), .. } = separator
            && after == after_blanks(end)
        {
            behind = after + 1;
        }
        let trailing = self.trailing_comment(after_blanks(behind));
        let tail = trailing.as_ref().map_or(behind, |trailing| trailing.end);
        let last = self.lines.of(tail.saturating_sub(1).max(head));
        let is_first = self.lines.is_first(head);
        let whole_lines = is_first && self.text[tail..self.lines.end(last).max(tail)].trim().is_empty();
        let mut parts = Parts { comments: None, head, bare, end, trailing: None, whole_lines };
        if !whole_lines {
            return (parts, separator, head..behind);
        }
        parts.comments = self.attached_comments(head);
        parts.trailing = trailing;
        let start =
            self.lines.start(self.lines.of(parts.comments.as_ref().map_or(head, |comments| comments.start)));
        (parts, separator, start..self.lines.end(last))
    }

    /// Returns the commas around an item.
    fn commas(&self, head: usize, end: usize) -> Separator {
        let (mut after, mut before) = (end, head);
        loop {
            after += self.text[after..].len() - self.text[after..].trim_start().len();
            match self.comments.binary_search_by_key(&after, |comment| comment.start) {
                Ok(comment) => after = self.comments[comment].end,
                Err(_) => break,
            }
        }
        loop {
            before = self.text[..before].trim_end().len();
            match self.comments.binary_search_by_key(&before, |comment| comment.end) {
                Ok(comment) if !self.comments[comment].is_empty() => before = self.comments[comment].start,
                _ => break,
            }
        }
        Separator::Comma {
            after: self.text[after..].starts_with(',').then_some(after),
            before: self.text[..before].ends_with(',').then(|| before - 1),
        }
    }

    /// Returns the comment that starts at an offset and ends in its line.
    fn trailing_comment(&self, at: usize) -> Option<Range<usize>> {
        let found = self.comments.binary_search_by_key(&at, |comment| comment.start).ok()?;
        let comment = self.comments[found].clone();
        let line = self.lines.of(at);
        (self.lines.of(comment.end.saturating_sub(1)) == line).then_some(comment)
    }

    /// Returns the comments directly above a declaration, indented as it is.
    fn attached_comments(&self, head: usize) -> Option<Range<usize>> {
        let indentation = self.lines.indentation(head);
        let mut found: Option<Range<usize>> = None;
        let mut line = self.lines.of(head);
        while let Some(above) = line.checked_sub(1) {
            let end = self.lines.start(above) + self.lines.content(above).trim_end().len();
            let Ok(comment) = self.comments.binary_search_by_key(&end, |comment| comment.end) else { break };
            let comment = &self.comments[comment];
            let is_shebang = comment.start == 0 && self.text.starts_with("#!");
            let is_aligned = self.lines.indentation(comment.start) == indentation;
            if is_shebang || comment.is_empty() || !self.lines.is_first(comment.start) || !is_aligned {
                break;
            }
            line = self.lines.of(comment.start);
            let end = found.map_or(comment.end, |found| found.end);
            found = Some(comment.start..end);
        }
        found
    }

    /// Returns the start of a declaration without the attributes that its node begins with.
    fn bare_start(&self, node: Node<'_>) -> usize {
        let mut cursor = node.walk();
        let mut start = node.start_byte();
        while cursor.goto_first_child() && cursor.node().start_byte() == start {
            loop {
                let kind = cursor.node().kind();
                if !self.grammar.attributes.contains(&kind) && !self.grammar.comments.contains(&kind) {
                    break;
                }
                // The last of several: the declaration goes on after the node around them.
                if !next_beside(&mut cursor) {
                    return node.start_byte();
                }
                start = cursor.node().start_byte();
            }
        }
        start
    }

    fn signature(&self, bare: usize, end: usize, body: Option<&Range<usize>>) -> String {
        let is_value = body.is_some_and(|body| {
            let before = self.text[bare..body.start.max(bare)].trim_end();
            before.ends_with('=') && !before.ends_with("=>") || before.is_empty()
        });
        let stop = match body {
            Some(body) if !is_value && body.start > bare => body.start,
            _ => end,
        };
        let first_line = if stop == end { self.lines.end(self.lines.of(bare)).min(end) } else { stop };
        let start = self.text[..first_line].len().min(bare);
        // Long headers are cut before their words are joined.
        let cut = self.text[start..first_line]
            .char_indices()
            .nth(SIGNATURE * 4)
            .map_or(first_line, |(at, _)| start + at);
        let joined = words(&self.text[start..cut]);
        let joined = joined.trim_end_matches(['{', ' ', ';', ',']).trim_end_matches(':');
        match joined.char_indices().nth(SIGNATURE) {
            Some((at, _)) => format!("{}…", &joined[..at]),
            None => joined.to_owned(),
        }
    }
}

/// Returns the offset of the first syntax error inside a node.
fn first_error(node: Node<'_>) -> Option<usize> {
    if !node.has_error() {
        return None;
    }
    let mut cursor = node.walk();
    loop {
        let at = cursor.node();
        if at.is_error() || at.is_missing() || !cursor.goto_first_child() {
            return Some(at.start_byte());
        }
        while !cursor.node().has_error() && !cursor.node().is_missing() {
            if !cursor.goto_next_sibling() {
                return Some(at.start_byte());
            }
        }
    }
}

/// Returns a range without whitespace at the end of its text.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let length = text.get(range.clone()).map_or(range.len(), |text| text.trim_end().len());
    range.start..range.start + length
}
