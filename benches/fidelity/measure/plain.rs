//! An independent search for texts: simple, slow, and without code in common with the matcher.

/// Typographic characters with their ASCII forms, as far as the corpus uses them.
pub(crate) const SIGNS: &[(char, &str)] = &[
    ('‘', "'"),
    ('’', "'"),
    ('“', "\""),
    ('”', "\""),
    ('–', "-"),
    ('—', "-"),
    ('‑', "-"),
    ('\u{A0}', " "),
    ('…', "..."),
    ('０', "0"),
    ('ﬁ', "fi"),
];

/// Returns `true` for invisible characters: zero-width characters, directional marks, soft hyphens.
pub(crate) fn is_unseen(character: char) -> bool {
    matches!(character, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}')
        || matches!(character, '\u{2060}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

/// Returns a text without invisible characters.
pub(crate) fn seen(text: &str) -> String {
    text.chars().filter(|c| !is_unseen(*c)).collect()
}

/// Returns the indentation of a line in columns, with tab stops every eight columns.
pub(crate) fn column(line: &str) -> usize {
    indent(line).bytes().fold(0, |at, byte| if byte == b'\t' { at / 8 * 8 + 8 } else { at + 1 })
}

/// Returns a text with ASCII forms of typographic characters.
pub(crate) fn folded(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.replace("e\u{301}", "é").chars() {
        match SIGNS.iter().find(|(sign, _)| *sign == character) {
            Some((_, form)) => plain.push_str(form),
            None => plain.push(character),
        }
    }
    plain
}

/// Returns a text without whitespace and with ASCII forms. Texts that are equal in this form are equal under
/// every tolerance.
pub(crate) fn bare(text: &str) -> String {
    folded(text).chars().filter(|c| !c.is_whitespace() && !is_unseen(*c)).collect()
}

/// Returns a text normalized for comparison: LF line endings, no byte order mark.
pub(crate) fn lf(text: &str) -> String {
    text.trim_start_matches('\u{FEFF}').replace("\r\n", "\n").replace('\r', "\n")
}

/// Counts the occurrences of `needle` in `text`, including overlapping ones.
pub(crate) fn count(text: &str, needle: &str) -> usize {
    if needle.is_empty() {
        return 0;
    }
    let starts = (0..text.len()).filter(|&at| text.is_char_boundary(at));
    starts.filter(|&at| text[at..].starts_with(needle)).count()
}

/// Returns the lengths of the common prefix of two texts and of the common suffix of the rest, in bytes.
/// Splits no characters.
pub(crate) fn common_ends(one: &str, other: &str) -> (usize, usize) {
    let same = |(a, b): &(char, char)| a == b;
    let head: usize = one.chars().zip(other.chars()).take_while(same).map(|(a, _)| a.len_utf8()).sum();
    let (one, other) = (one[head..].chars().rev(), other[head..].chars().rev());
    (head, one.zip(other).take_while(same).map(|(a, _)| a.len_utf8()).sum())
}

/// Returns the words of a line (letters, digits and underscores) with their offsets.
pub(crate) fn words(line: &str) -> Vec<(usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut start = None;
    for (at, character) in line.char_indices().chain([(line.len(), ' ')]) {
        match (is_part(character), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                found.push((from, &line[from..at]));
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Returns the leading spaces and tabs of a line.
pub(crate) fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Returns `line` with every whole word `from` replaced with `to`.
pub(crate) fn renamed(line: &str, from: &str, to: &str) -> String {
    let mut result = String::with_capacity(line.len());
    let mut copied = 0;
    for (at, _) in words(line).into_iter().filter(|(_, word)| *word == from) {
        result.push_str(&line[copied..at]);
        result.push_str(to);
        copied = at + from.len();
    }
    result + &line[copied..]
}
