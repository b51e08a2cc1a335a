//! Indentation of the file around a match.

use std::collections::BTreeMap;

use super::super::base::Base;
use super::super::index::Index;
use super::super::whole_lines::split_indent;
use super::role::{Role, roles};
use super::unit::{columns, spaces};
use crate::text::IndentStyle;

/// Numbers of lines that are read before and after a match, nearest first.
const REACHES: [usize; 3] = [10, 40, 200];
/// Minimum number of lines that establish a habit.
const HABIT: usize = 2;

/// The lines around a match.
pub(super) struct Nearby<'b> {
    text: &'b str,
    index: &'b Index,
    line: usize,
    style: IndentStyle,
}

impl<'b> Nearby<'b> {
    /// Creates the view of the lines around byte `at`.
    pub(super) fn new(base: &'b Base<'_>, at: usize) -> Self {
        let line = base.lines_between(0, at);
        Self { text: base.text, index: base.index(), line, style: base.indent_style() }
    }

    /// Returns the non-blank lines within `reach` lines of the match.
    fn lines(&self, reach: usize) -> Vec<&'b str> {
        let first = self.line.saturating_sub(reach);
        let lines = self.index.lines_from(self.text, first).take(reach * 2);
        lines.map(|line| line.content).filter(|content| !split_indent(content).1.is_empty()).collect()
    }

    fn all(&self) -> Vec<&'b str> {
        self.lines(REACHES[REACHES.len() - 1])
    }

    /// Returns whether nearby lines begin with tabs, and whether some begin with spaces that are not part of
    /// a comment.
    pub(super) fn kinds(&self) -> (bool, bool) {
        let (mut tabs, mut spaced) = (0, 0);
        for content in self.all() {
            let (indent, body) = split_indent(content);
            tabs += usize::from(indent.starts_with('\t'));
            spaced += usize::from(indent.starts_with("  ") && !body.starts_with('*'));
        }
        (tabs >= HABIT, spaced >= HABIT)
    }

    /// Returns `true` if some line is `step` spaces deeper than the line before it, as a block is.
    pub(super) fn steps_by(&self, step: usize) -> bool {
        let lines = self.all();
        let roles = roles(&lines);
        let depths: Vec<_> = lines.iter().map(|content| spaces(split_indent(content).0)).collect();
        depths.windows(2).zip(&roles[1.min(roles.len())..]).any(|(two, role)| {
            let (Some(before), Some(depth)) = (two[0], two[1]) else { return false };
            *role == Role::Code && depth.checked_sub(before) == Some(step)
        })
    }

    /// Returns the width of a level in columns, if it can be detected. Lines after brackets make the style of
    /// a file coarser than its blocks, and markup makes the blocks coarser, so the smaller one is used.
    pub(super) fn width(&self) -> Option<usize> {
        [self.step(), self.style.width.map(usize::from)].into_iter().flatten().min()
    }

    /// Returns the step that most nearby blocks have.
    fn step(&self) -> Option<usize> {
        let lines = self.all();
        let mut steps: BTreeMap<usize, usize> = BTreeMap::new();
        let mut before = None;
        for (content, role) in lines.iter().zip(roles(&lines)) {
            let depth = spaces(split_indent(content).0);
            if role == Role::Code {
                if let (Some(before), Some(depth)) = (before, depth)
                    && depth > before
                {
                    *steps.entry(depth - before).or_default() += 1;
                }
                before = depth;
            }
        }
        let most = steps.values().max().copied()?;
        // Of two equally frequent ones the smaller: the other may be two levels.
        steps.into_iter().find(|(_, count)| *count == most).map(|(step, _)| step)
    }

    /// Returns the indentation that nearby lines use for a column, if there is only one; tabs reach to
    /// multiples of eight.
    pub(super) fn indent_at_column(&self, column: usize) -> Option<String> {
        for reach in REACHES {
            let lines = self.lines(reach);
            let mut indents = lines.iter().map(|content| split_indent(content).0);
            let Some(first) = indents.by_ref().find(|indent| columns(indent) == column) else { continue };
            let same = indents.all(|indent| columns(indent) != column || indent == first);
            return same.then(|| first.to_owned());
        }
        self.tabs_then_spaces(column)
    }

    /// Returns as many tabs as fit followed by spaces, if all deep lines nearby are indented that way.
    fn tabs_then_spaces(&self, column: usize) -> Option<String> {
        let full = |column: usize| "\t".repeat(column / 8) + &" ".repeat(column % 8);
        let lines = self.all();
        let deep: Vec<_> = lines
            .iter()
            .map(|content| split_indent(content).0)
            .filter(|indent| columns(indent) >= 8)
            .collect();
        let habit = deep.len() > HABIT && deep.iter().all(|indent| *indent == full(columns(indent)));
        (column < 8 && deep.is_empty() || habit).then(|| full(column))
    }
}
