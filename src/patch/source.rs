//! A patch's text by lines.

/// The lines of a patch, counted from 0.
pub(super) struct Source<'a> {
    lines: Vec<&'a str>,
}

impl<'a> Source<'a> {
    /// Lines end with an LF: a lone CR may be one of the patched text. Where all lines end with CRLF, it is
    /// the patch that was written so and not the text in it.
    pub(super) fn new(text: &'a str) -> Self {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let mut lines: Vec<_> = text.split('\n').collect();
        if lines.last().is_some_and(|last| last.is_empty()) {
            lines.pop();
        }
        let ended = if text.ends_with('\n') { lines.len() } else { lines.len().saturating_sub(1) };
        if lines[..ended].iter().all(|line| line.ends_with('\r')) {
            lines = lines.into_iter().map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
        }
        Self { lines }
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// A line without its end; empty beyond the last one.
    pub(super) fn line(&self, index: usize) -> &'a str {
        self.lines.get(index).copied().unwrap_or_default()
    }

    /// The line, if there is one.
    pub(super) fn get(&self, index: usize) -> Option<&'a str> {
        self.lines.get(index).copied()
    }

    /// Where to complain of what is missing at the end.
    pub(super) fn last(&self) -> usize {
        self.len().saturating_sub(1)
    }
}

/// Whether nothing stands in a line, not even a blank.
pub(super) fn is_empty(line: &str) -> bool {
    line.is_empty() || line == "\r"
}

/// The sign and length of a Markdown fence, and what stands behind it.
pub(super) fn fence(line: &str) -> Option<(char, usize, &str)> {
    let line = line.trim();
    let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let rest = line.trim_start_matches(sign);
    let length = line.len() - rest.len();
    (length >= 3 && !rest.contains('`')).then_some((sign, length, rest.trim()))
}
