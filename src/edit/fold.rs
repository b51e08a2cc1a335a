//! Folded views of texts, in which some differences disappear, and the patterns to search for in them.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memchr2_iter};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

use super::Edit;
use editd_text::{LineEnding, lines};

/// The texts of an edit with LF line endings and without a byte order mark.
#[derive(Debug, Clone)]
pub(super) struct Needle<'a> {
    pub(super) old: Cow<'a, str>,
    pub(super) new: Cow<'a, str>,
    /// `true` if the old text is only whitespace: it matches exactly or not at all.
    pub(super) blank: bool,
    /// `true` if a match must start at the start of a line.
    pub(super) whole_lines: bool,
}

/// The search pattern for the old text at one level of tolerance.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pattern<'n> {
    /// Text to search for in the folded view of the level.
    pub(super) text: Cow<'n, str>,
    /// `true` if the first line is only whitespace, which the view omits: the match includes the whitespace
    /// of the file there.
    pub(super) leading_blank_line: bool,
    /// `true` if the last line has no line ending but had trailing whitespace: the match must end its line.
    pub(super) ends_line: bool,
}

impl<'a> Needle<'a> {
    pub(super) fn new(edit: &'a Edit) -> Self {
        let old = with_lf_endings(&edit.old);
        let blank = old.chars().all(|c| c == '\n' || is_blank(c) || is_space(c));
        Self { old, new: with_lf_endings(&edit.new), blank, whole_lines: edit.anchor.whole_lines }
    }

    /// Returns the search pattern of a level.
    pub(super) fn at(&self, level: Level) -> Pattern<'_> {
        if level == Level::LineEndings {
            return Pattern { text: Cow::Borrowed(&self.old), leading_blank_line: false, ends_line: false };
        }
        let typographic = level == Level::Typography;
        let loses_whitespace = |line: &str| trim_end(line, typographic).len() < line.len();
        let first = self.old.split_once('\n').map_or("", |(first, _)| first);
        let last = self.old.rsplit('\n').next().unwrap_or_default();
        Pattern {
            leading_blank_line: !first.is_empty() && trim_end(first, typographic).is_empty(),
            ends_line: loses_whitespace(last),
            text: Cow::Owned(Fold::new(&self.old, level).text.into_owned()),
        }
    }
}

/// Returns `text` without a byte order mark and with LF line endings.
pub(super) fn with_lf_endings(text: &str) -> Cow<'_, str> {
    lf_endings(text.strip_prefix('\u{FEFF}').unwrap_or(text))
}

/// Returns `text` with LF line endings.
pub(super) fn lf_endings(text: &str) -> Cow<'_, str> {
    if memchr(b'\r', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(Fold::new(text, Level::LineEndings).text.into_owned())
}

/// The differences that a view folds; each level includes the previous ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// Line endings: every one becomes LF.
    LineEndings,
    /// Trailing whitespace: removed at the ends of lines and of the text.
    TrailingBlanks,
    /// Typography: quotes, dashes, spaces and compatibility forms become plain.
    Typography,
}

/// A folded text. Borrows the text if folding changes nothing, which is the common case.
#[derive(Debug)]
pub(super) struct Fold<'a> {
    pub(super) text: Cow<'a, str>,
    pieces: Vec<FoldedRange>,
}

/// A range whose folded form has another length.
#[derive(Debug, Clone, Copy)]
struct FoldedRange {
    folded: usize,
    folded_len: usize,
    raw: usize,
    raw_len: usize,
}

impl<'a> Fold<'a> {
    /// Folds `raw` at `level`.
    pub(super) fn new(raw: &'a str, level: Level) -> Self {
        let mut builder = Builder { raw, text: String::new(), pieces: Vec::new(), copied: 0 };
        let typographic = level == Level::Typography && !raw.is_ascii();
        if typographic || level > Level::LineEndings && builder.has_trailing_blanks() {
            builder.lines(typographic);
        } else {
            builder.line_endings();
        }
        builder.finish()
    }

    /// Maps the start of a line of the original text to the view.
    pub(super) fn view_offset_of_line(&self, raw: usize) -> usize {
        let after = self.pieces.partition_point(|piece| piece.raw < raw);
        match after.checked_sub(1).map(|before| self.pieces[before]) {
            None => raw,
            Some(piece) => piece.folded + piece.folded_len + (raw - piece.raw - piece.raw_len),
        }
    }

    /// Maps offset `at` of the view to the original text. Returns a range of several offsets if text was
    /// removed there, and `None` if `at` is inside the folded form of one original character.
    pub(super) fn raw_offsets(&self, at: usize) -> Option<Range<usize>> {
        let after = self.pieces.partition_point(|piece| piece.folded < at);
        let first = match after.checked_sub(1).map(|before| self.pieces[before]) {
            None => at,
            Some(piece) if piece.folded + piece.folded_len > at => return None,
            Some(piece) => piece.raw + piece.raw_len + (at - piece.folded - piece.folded_len),
        };
        let removed =
            self.pieces[after..].iter().take_while(|piece| piece.folded == at && piece.folded_len == 0);
        Some(first..removed.last().map_or(first, |piece| piece.raw + piece.raw_len))
    }
}

/// Returns a line as the loosest view has it, but with its trailing whitespace.
pub(super) fn plain(content: &str) -> Cow<'_, str> {
    if content.is_ascii() {
        return Cow::Borrowed(content);
    }
    let mut text = String::with_capacity(content.len());
    let mut copied = 0;
    each_folded(content, |range, folded| {
        text.push_str(&content[copied..range.start]);
        text.push_str(folded);
        copied = range.end;
    });
    text.push_str(&content[copied..]);
    Cow::Owned(text)
}

struct Builder<'a> {
    raw: &'a str,
    text: String,
    pieces: Vec<FoldedRange>,
    copied: usize,
}

impl<'a> Builder<'a> {
    fn line_endings(&mut self) {
        let bytes = self.raw.as_bytes();
        let Some(first) = memchr(b'\r', bytes) else { return };
        for at in memchr_iter(b'\r', &bytes[first..]).map(|at| at + first) {
            let length = if bytes.get(at + 1) == Some(&b'\n') { 2 } else { 1 };
            self.replace(at..at + length, "\n");
        }
    }

    fn lines(&mut self, typographic: bool) {
        for line in lines(self.raw) {
            let content = trim_end(line.content, typographic);
            if typographic {
                each_folded(content, |range, folded| {
                    self.replace(line.start + range.start..line.start + range.end, folded);
                });
            }
            if content.len() < line.content.len() {
                self.replace(line.start + content.len()..line.content_end(), "");
            }
            if !matches!(line.ending, LineEnding::None | LineEnding::Lf) {
                self.replace(line.content_end()..line.end(), "\n");
            }
        }
    }

    fn has_trailing_blanks(&self) -> bool {
        let bytes = self.raw.as_bytes();
        let blank = |at: usize| at > 0 && matches!(bytes[at - 1], b' ' | b'\t');
        blank(bytes.len()) || memchr2_iter(b'\n', b'\r', bytes).any(blank)
    }

    fn replace(&mut self, range: Range<usize>, folded: &str) {
        self.text.push_str(&self.raw[self.copied..range.start]);
        if folded.len() != range.len() || folded.len() > 1 {
            let (folded_len, raw_len) = (folded.len(), range.len());
            self.pieces.push(FoldedRange { folded: self.text.len(), folded_len, raw: range.start, raw_len });
        }
        self.text.push_str(folded);
        self.copied = range.end;
    }

    fn finish(mut self) -> Fold<'a> {
        if self.copied == 0 {
            return Fold { text: Cow::Borrowed(self.raw), pieces: Vec::new() };
        }
        self.text.push_str(&self.raw[self.copied..]);
        Fold { text: Cow::Owned(self.text), pieces: self.pieces }
    }
}

/// Trims whitespace at the end of `content`.
pub(super) fn trim_end(content: &str, typographic: bool) -> &str {
    content.trim_end_matches(|c| is_blank(c) || typographic && is_space(c))
}

/// Returns `true` for a space or tab. Form feeds and vertical tabs count as content.
pub(super) fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t')
}

/// Calls `found` for every range of `content` whose plain form differs from it, in order, with the range and
/// that form. A range is one character with its combining marks: never less than what a reader sees as one
/// character.
pub(super) fn each_folded(content: &str, mut found: impl FnMut(Range<usize>, &str)) {
    let mut at = 0;
    let mut folded = String::new();
    while let Some(range) = next_cluster(content, at) {
        folded.clear();
        fold_cluster(&content[range.clone()], &mut folded);
        at = range.end;
        if folded != content[range.clone()] {
            found(range, &folded);
        }
    }
}

/// Returns `true` for a Unicode space that counts as a plain space.
pub(super) fn is_space(character: char) -> bool {
    matches!(
        character,
        '\u{A0}' | '\u{1680}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}'
    )
}

/// Returns `true` for an invisible character: it has no width, sets the direction of text, or selects a
/// variant of the character before it.
pub(super) fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}'
        | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// Returns the plain form of a punctuation character or space, if it has one.
fn plain_punctuation(character: char) -> Option<char> {
    Some(match character {
        '\u{2018}'..='\u{201B}' | '\u{2032}' | '\u{2BC}' => '\'',
        '\u{201C}'..='\u{201F}' | '\u{2033}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        space if is_space(space) => ' ',
        _ => return None,
    })
}

/// Returns `true` if a character looks the same as its compatibility form: widths, ligatures, presentation
/// forms. Other compatibility forms have another meaning: `10⁵` is not `105`, nor is `x²` the name `x2`.
fn looks_alike(character: char) -> bool {
    matches!(character,
        '\u{B5}' | '\u{132}'..='\u{133}' | '\u{13F}'..='\u{140}' | '\u{149}' | '\u{17F}'
        | '\u{1C4}'..='\u{1CC}' | '\u{1F1}'..='\u{1F3}'
        | '\u{2024}'..='\u{2026}' | '\u{2034}' | '\u{203C}' | '\u{2047}'..='\u{2049}' | '\u{2057}'
        | '\u{3131}'..='\u{318E}'
        | '\u{FB00}'..='\u{FDFB}' | '\u{FE10}'..='\u{FE6B}' | '\u{FE70}'..='\u{FEFC}'
        | '\u{FF01}'..='\u{FFEE}')
}

fn fold_cluster(cluster: &str, folded: &mut String) {
    if cluster.chars().all(is_invisible) {
        return;
    }
    let mut characters = cluster.chars();
    if let (Some(only), None) = (characters.next(), characters.next())
        && let Some(plain) = plain_punctuation(only)
    {
        return folded.push(plain);
    }
    if cluster.starts_with(looks_alike) {
        // Compatibility forms can contain punctuation in turn, such as the small hyphen.
        folded.extend(cluster.nfkc().map(|character| plain_punctuation(character).unwrap_or(character)));
    } else {
        folded.extend(cluster.nfc());
    }
}

/// Returns the next range at or after `at` that is not plain ASCII: a character and its combining marks.
fn next_cluster(content: &str, at: usize) -> Option<Range<usize>> {
    let skipped = content.as_bytes()[at..].iter().position(|byte| !byte.is_ascii())?;
    let mut start = at + skipped;
    let mut rest = content[start..].char_indices();
    let (_, first) = rest.next()?;
    if skipped > 0 && combines(first) {
        start -= 1;
    }
    let from = at + skipped;
    let end = rest.find(|&(_, next)| !combines(next)).map_or(content.len(), |(length, _)| from + length);
    Some(start..end)
}

/// Returns `true` if a character combines with the one before it.
fn combines(character: char) -> bool {
    matches!(character, '\u{1160}'..='\u{11FF}')
        || (character >= '\u{300}' && canonical_combining_class(character) != 0)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::plain;

    #[rstest]
    #[case("‘a’ “b”", "'a' \"b\"")]
    #[case("a – b — c − d", "a - b - c - d")]
    #[case("a\u{a0}b\u{3000}c", "a b c")]
    #[case("ﬁ … ﾊ １０", "fi ... ハ 10")]
    #[case("10⁵ x² H₂O ½ ① ℕ 𝐱", "10⁵ x² H₂O ½ ① ℕ 𝐱")]
    #[case("e\u{301} é", "é é")]
    #[case("\u{1112}\u{1161}\u{11ab} 한", "한 한")]
    #[case("\t😀\u{2028}", "\t😀\u{2028}")]
    #[case("⚠\u{fe0f} a\u{34f}b\u{e0061}", "⚠ ab")]
    #[case("a\u{200b}b\u{feff} \u{202e}c\u{2069}d\u{ad}", "ab cd")]
    fn typographic_characters_have_a_plain_form(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(plain(text), expected);
    }
}
