//! Slip: new lines without the indentation of the place.
//!
//! The indentation is added only if the new lines cannot be meant for the outermost level: the text goes on
//! within the same block after them, and they do not close it.

use super::border::{Around, closes_outer};
use crate::whole_lines::{closes_block, depth, split_indent};

/// Returns the indentation that all of the new lines lack; `None` if they lack none, or if that is not
/// certain.
pub(super) fn missing<'a>(new: &[&str], around: &Around<'a>) -> Option<&'a str> {
    let first = first_code(new)?;
    let is_outermost = depth(first) == 0;
    // A directive, label or comment may stand at the start of a line at any depth.
    let may_stand_there = first.starts_with(['#', '*', '/', '-', '<', '`']) || first.ends_with(':');
    if !is_outermost || may_stand_there && new.len() == 1 || closes_outer(new) || closes_block(first) {
        return None;
    }
    // An item of a list may be meant to end the nested list around the place.
    if ["- ", "* ", "+ "].iter().any(|mark| first.starts_with(mark)) {
        return None;
    }
    let next = first_code(around.after)?;
    let indent = if let Some(replaced) = first_code(around.replaced) {
        let indent = split_indent(replaced).0;
        let mut code = around.replaced.iter().filter(|line| !line.trim().is_empty());
        code.all(|line| line.starts_with(indent)).then_some(indent)?
    } else {
        // An insertion within a block, between lines of equal depth.
        let before = around.before.iter().rev().copied().find(|line| !line.trim().is_empty())?;
        let indent = split_indent(before).0;
        (split_indent(next).0 == indent).then_some(indent)?
    };
    let goes_on = depth(next) >= indent.chars().count() || closes_block(next);
    (goes_on && !indent.is_empty() && !is_only_outdented(new, indent)).then_some(indent)
}

/// Returns `true` if the code has the indentation already, and only lines that have none on purpose lack it:
/// directives of a preprocessor, or a label before a statement.
fn is_only_outdented(new: &[&str], indent: &str) -> bool {
    let mut lines = new.iter().copied().filter(|line| !line.trim().is_empty()).peekable();
    let (mut deep, mut others) = (false, false);
    while let Some(line) = lines.next() {
        let is_label = is_label(line) && lines.peek().is_some_and(|next| next.trim_end().ends_with(';'));
        if line.starts_with(indent) {
            deep = true;
        } else if !line.starts_with('#') && !is_label {
            others = true;
        }
    }
    deep && !others
}

fn is_label(line: &str) -> bool {
    let is_part = |sign: char| sign.is_alphanumeric() || sign == '_';
    line.trim_end().strip_suffix(':').is_some_and(|name| !name.is_empty() && name.chars().all(is_part))
}

fn first_code<'a>(lines: &[&'a str]) -> Option<&'a str> {
    lines.iter().copied().find(|line| !line.trim().is_empty())
}

/// Returns the lines with an indentation before each that is not blank.
pub(super) fn indented(new: &[&str], indent: &str) -> Vec<String> {
    let line =
        |line: &&str| if line.trim().is_empty() { (*line).to_owned() } else { format!("{indent}{line}") };
    new.iter().map(line).collect()
}
