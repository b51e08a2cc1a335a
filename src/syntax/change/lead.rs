//! Comments and attributes at the start of a new text.

use super::super::grammar::Grammar;

/// The part of a new text before its declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Lead {
    /// Number of lines of comments at the start.
    pub(super) comments: usize,
    /// `true` if there are comments before the declaration.
    pub(super) has_comments: bool,
    /// `true` if there are attributes before the declaration.
    pub(super) has_attributes: bool,
}

/// Finds the comments and attributes at the start of a new text.
pub(super) fn lead<'a>(lines: impl IntoIterator<Item = &'a str>, grammar: &Grammar) -> Lead {
    let mut found = Lead::default();
    // The end of an open block comment, and the number of open brackets of an attribute.
    let (mut comment_end, mut open) = (None, 0_i64);
    for line in lines {
        let line = line.trim();
        if let Some(end) = comment_end {
            comment_end = Some(end).filter(|end| !line.contains(end));
            found.comments += usize::from(!found.has_attributes);
            continue;
        }
        if open > 0 {
            open += brackets(line);
            continue;
        }
        if line.is_empty() {
            found.comments += usize::from(found.has_comments && !found.has_attributes);
        } else if starts_attribute(line, grammar) {
            found.has_attributes = true;
            open = brackets(line);
        } else if let Some(mark) = grammar.comment_marks.iter().find(|mark| line.starts_with(**mark)) {
            let end = match *mark {
                "/*" => Some("*/"),
                "<!--" => Some("-->"),
                "--" if line.starts_with("--[[") => Some("]]"),
                _ => None,
            };
            if end.is_some_and(|end| line.find(end).is_some_and(|at| at + end.len() < line.len())) {
                // Code follows the comment in its line.
                found.has_comments = true;
                break;
            }
            comment_end = end.filter(|end| !line.contains(end));
            found.has_comments = true;
            found.comments += usize::from(!found.has_attributes);
        } else {
            break;
        }
    }
    found
}

fn starts_attribute(line: &str, grammar: &Grammar) -> bool {
    grammar.attribute_marks.iter().any(|mark| line.starts_with(mark)) && !line.starts_with("@interface")
}

/// Returns the number of brackets that a line leaves open.
fn brackets(line: &str) -> i64 {
    line.bytes()
        .map(|byte| match byte {
            b'(' | b'[' => 1,
            b')' | b']' => -1,
            _ => 0,
        })
        .sum()
}

/// Returns `true` if there is a comment at the end of a line.
pub(super) fn ends_with_comment(line: &str, grammar: &Grammar) -> bool {
    grammar.comment_marks.iter().any(|mark| {
        line.match_indices(mark)
            .any(|(at, _)| line[..at].ends_with([' ', '\t']) && !line[..at].trim().is_empty())
    })
}
