//! A patch's text by lines.

/// The lines of a patch, counted from 0.
pub(super) struct Source<'a> {
    text: &'a str,
    /// Where each line starts, and one more behind the last. A text of nothing but line ends must not take a
    /// multiple of its size.
    starts: Vec<u32>,
    /// All lines end with CRLF, which then is how the patch was written, not what is in the text.
    crlf: bool,
}

impl<'a> Source<'a> {
    /// Lines end with an LF: a lone CR may be one of the patched text. Nothing if the text is too long.
    pub(super) fn new(text: &'a str) -> Option<Self> {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        u32::try_from(text.len() + 1).ok()?;
        let behind = |end: usize| end as u32 + 1;
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(behind));
        if !text.is_empty() && !text.ends_with('\n') {
            starts.push(behind(text.len()));
        }
        let mut ends = memchr::memchr_iter(b'\n', text.as_bytes());
        let crlf = ends.all(|end| text[..end].ends_with('\r'));
        Some(Self { text, starts, crlf })
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// A line without its end; empty beyond the last one.
    pub(super) fn line(&self, index: usize) -> &'a str {
        self.get(index).unwrap_or_default()
    }

    /// The line, if there is one.
    pub(super) fn get(&self, index: usize) -> Option<&'a str> {
        let (start, next) = (*self.starts.get(index)?, *self.starts.get(index + 1)?);
        let line = self.text.get(start as usize..next as usize - 1)?;
        Some(if self.crlf { line.strip_suffix('\r').unwrap_or(line) } else { line })
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
