//! Extracts a part of a text that is too large to be held in memory, from a stream of its bytes.

use memchr::memchr2;

use super::decode::{NotText, decode_stray, has_nul};
use super::encoding::{UTF8_BOM, UTF16BE_BOM, UTF16LE_BOM};
use super::style::EndingCounts;
use super::{Encoding, EolStyle};

/// Counts the lines of a text that arrives in pieces, and keeps the text from a given line on. Memory use
/// does not depend on the size of the text.
///
/// ```
/// use editd_text::TextStreamer;
///
/// let mut streamer = TextStreamer::new(2, 100);
/// for piece in [b"one\nt", b"wo\nth"] {
///     streamer.feed(piece).unwrap();
/// }
/// let passed = streamer.end();
/// assert_eq!((passed.text.as_str(), passed.lines), ("two\nth", 3));
/// ```
#[derive(Debug, Default)]
pub struct TextStreamer {
    /// Line endings still to skip before the kept part begins.
    skip: usize,
    /// Maximum number of bytes to keep.
    limit: usize,
    kept: Vec<u8>,
    endings: EndingCounts,
    /// `true` if the last line has no line ending yet.
    open: bool,
    begun: bool,
    bom: bool,
}

/// The result of streaming a text.
#[derive(Debug, PartialEq, Eq)]
pub struct StreamedText {
    /// The text from the requested line on, up to the byte limit.
    pub text: String,
    /// UTF-8, or UTF-8 with stray bytes if `text` has any.
    pub encoding: Encoding,
    /// `true` if the text began with a byte order mark, which is not in `text`.
    pub bom: bool,
    /// Number of lines in the whole text, as [`count_lines`](super::count_lines) counts them.
    pub lines: usize,
    /// Line endings of the whole text.
    pub eol: EolStyle,
}

impl TextStreamer {
    /// Creates a reader that keeps at most `limit` bytes from line `first` on, which counts from 1.
    pub fn new(first: usize, limit: usize) -> Self {
        Self { skip: first.saturating_sub(1), limit, ..Self::default() }
    }

    /// Processes the next piece. Fails immediately if the first piece shows that the text is binary or not in
    /// a byte-oriented encoding; the first piece should hold eight kibibytes, if the text has as many.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Result<(), NotText> {
        if !self.begun && !bytes.is_empty() {
            self.begun = true;
            bytes = self.begin(bytes)?;
        }
        let Some(last) = bytes.last() else { return Ok(()) };
        self.open = !matches!(last, b'\n' | b'\r');
        let (pending, before) = (self.endings.pending, self.endings.completed());
        self.endings.feed(bytes);
        let ends = self.endings.completed() - before;
        if self.skip > ends {
            self.skip -= ends;
        } else {
            let start = self.offset_of_line(bytes, pending);
            self.skip = 0;
            let room = self.limit - self.kept.len();
            self.kept.extend(bytes[start..].iter().take(room));
        }
        Ok(())
    }

    fn begin<'a>(&mut self, bytes: &'a [u8]) -> Result<&'a [u8], NotText> {
        if bytes.starts_with(UTF16LE_BOM) || bytes.starts_with(UTF16BE_BOM) {
            return Err(NotText::Encoding);
        }
        if has_nul(bytes) {
            return Err(NotText::Binary);
        }
        let body = bytes.strip_prefix(UTF8_BOM);
        self.bom = body.is_some();
        Ok(body.unwrap_or(bytes))
    }

    /// Returns the offset of the requested line in a piece that has enough line endings before it. A carriage
    /// return at the end of the previous piece counts as one, unless a line feed follows it.
    fn offset_of_line(&self, bytes: &[u8], pending: bool) -> usize {
        let (mut at, mut skip) = (0, self.skip);
        if skip > 0 && pending && bytes[0] != b'\n' {
            skip -= 1;
        }
        while skip > 0 {
            let Some(end) = memchr2(b'\n', b'\r', &bytes[at..]).map(|end| at + end) else { break };
            at = end + 1;
            at += usize::from(bytes[end] == b'\r' && bytes.get(at) == Some(&b'\n'));
            skip -= 1;
        }
        at
    }

    /// Returns the result.
    pub fn end(self) -> StreamedText {
        let (text, encoding) = decoded(self.kept, self.limit);
        let lines = self.endings.total() + usize::from(self.open);
        StreamedText { text, encoding, bom: self.bom, lines, eol: self.endings.style() }
    }
}

/// Decodes the kept bytes, whose end may cut a character.
fn decoded(kept: Vec<u8>, limit: usize) -> (String, Encoding) {
    match String::from_utf8(kept) {
        Ok(text) => (text, Encoding::Utf8),
        Err(error) => {
            let (at, length) = (error.utf8_error().valid_up_to(), error.utf8_error().error_len());
            let mut kept = error.into_bytes();
            if length.is_none() && kept.len() == limit {
                kept.truncate(at);
                return (decode_stray(&kept), Encoding::Utf8);
            }
            (decode_stray(&kept), Encoding::Utf8Stray)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;
    use crate::{count_lines, eol_style, lines};

    fn passed(pieces: &[&[u8]], first: usize, limit: usize) -> StreamedText {
        let mut streamer = TextStreamer::new(first, limit);
        for piece in pieces {
            streamer.feed(piece).unwrap();
        }
        streamer.end()
    }

    proptest! {
        #[test]
        fn streaming_gives_the_same_result_as_the_whole_text(
            text in "([ab]|\r|\n|\r\n|é){0,24}",
            cuts in proptest::collection::vec(0..40_usize, 0..6),
            first in 1..8_usize,
        ) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<_> = cuts.into_iter().filter(|&cut| cut <= bytes.len()).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<_> = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]).collect();
            let passed = passed(&pieces, first, 1 << 10);
            let start = lines(&text).nth(first - 1).map_or(text.len(), |line| line.start);
            prop_assert_eq!(&passed.text, &text[start..]);
            prop_assert_eq!((passed.lines, passed.eol), (count_lines(&text), eol_style(&text)));
        }
    }

    #[rstest]
    #[case::within_a_character("aé".as_bytes(), 2, "a", Encoding::Utf8)]
    #[case::stray(b"a\xe9b", 10, "a\u{10ffe9}b", Encoding::Utf8Stray)]
    #[case::stray_at_the_end(b"a\xc3", 10, "a\u{10ffc3}", Encoding::Utf8Stray)]
    #[case::marked(b"\xef\xbb\xbfa", 10, "a", Encoding::Utf8)]
    fn the_kept_part_is_decoded(
        #[case] bytes: &[u8],
        #[case] limit: usize,
        #[case] text: &str,
        #[case] encoding: Encoding,
    ) {
        let passed = passed(&[bytes], 1, limit);
        assert_eq!((passed.text.as_str(), passed.encoding), (text, encoding));
        assert_eq!(passed.bom, bytes.starts_with(UTF8_BOM));
    }

    #[rstest]
    #[case(b"a\0b", NotText::Binary)]
    #[case(b"\xff\xfea\0", NotText::Encoding)]
    fn binary_and_utf16_are_refused(#[case] bytes: &[u8], #[case] error: NotText) {
        assert_eq!(TextStreamer::new(1, 10).feed(bytes), Err(error));
    }
}
