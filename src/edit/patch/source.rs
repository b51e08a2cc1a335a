//! The text of a patch, split into lines.

/// The lines of a patch, with 0-based indices.
pub(super) struct Source<'a> {
    text: &'a str,
    /// Start offset of each line, plus one entry after the last. 32-bit offsets, so that a text of many short
    /// lines takes less memory.
    starts: Vec<u32>,
    /// `true` if all lines end with CRLF. The CR then belongs to the transport of the patch, not to its
    /// content.
    crlf: bool,
}

impl<'a> Source<'a> {
    /// Splits a text at LFs; a lone CR may be part of the content. Returns `None` if the text is too long.
    pub(super) fn new(text: &'a str) -> Option<Self> {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        u32::try_from(text.len() + 1).ok()?;
        let next_start = |end: usize| end as u32 + 1;
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(next_start));
        if !text.is_empty() && !text.ends_with('\n') {
            starts.push(next_start(text.len()));
        }
        let mut ends = memchr::memchr_iter(b'\n', text.as_bytes());
        let crlf = ends.all(|end| text[..end].ends_with('\r'));
        Some(Self { text, starts, crlf })
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns a line without its line ending, or an empty string past the end.
    pub(super) fn line(&self, index: usize) -> &'a str {
        self.get(index).unwrap_or_default()
    }

    /// Returns a line without its line ending, or `None` past the end.
    pub(super) fn get(&self, index: usize) -> Option<&'a str> {
        let (start, next) = (*self.starts.get(index)?, *self.starts.get(index + 1)?);
        let line = self.text.get(start as usize..next as usize - 1)?;
        Some(if self.crlf { line.strip_suffix('\r').unwrap_or(line) } else { line })
    }

    /// Index of the last line, for errors about missing input at the end.
    pub(super) fn last(&self) -> usize {
        self.len().saturating_sub(1)
    }
}

/// Returns `true` if a line is empty; whitespace counts as content.
pub(super) fn is_empty(line: &str) -> bool {
    line.is_empty() || line == "\r"
}

/// Returns the character and length of a Markdown fence, and its info string.
pub(super) fn fence(line: &str) -> Option<(char, usize, &str)> {
    let line = line.trim();
    let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let rest = line.trim_start_matches(sign);
    let length = line.len() - rest.len();
    (length >= 3 && !rest.contains('`')).then_some((sign, length, rest.trim()))
}
