//! Typographic variants: characters that people and models substitute for one another.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

/// Calls `found` for every range of `content` whose plain form differs from it, in order, with the range and
/// that form. A range is one character with its combining marks: never less than what a reader sees as one
/// character.
pub(super) fn each_folded(content: &str, mut found: impl FnMut(Range<usize>, &str)) {
    let mut at = 0;
    let mut folded = String::new();
    while let Some(range) = next_cluster(content, at) {
        folded.clear();
        fold(&content[range.clone()], &mut folded);
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

fn fold(cluster: &str, folded: &mut String) {
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

    use crate::edit::fold::plain;

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
