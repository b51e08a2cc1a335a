use std::fmt::Write as _;

/// Returns `true` for characters that a reader does not see: they have no width, or they change the order in which
/// others are displayed, so that a text reads differently from its content.
pub fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Returns the characters of a text in one line: control characters and whitespace become single blanks, and characters
/// that a reader does not see are dropped.
pub fn visible(text: &str) -> impl Iterator<Item = char> {
    let mut after_blank = true;
    text.chars().filter(|c| !is_hidden(*c)).filter_map(move |c| {
        let is_blank = c.is_control() || c.is_whitespace();
        let is_shown = !(is_blank && after_blank);
        after_blank = is_blank;
        is_shown.then_some(if is_blank { ' ' } else { c })
    })
}

/// Returns a text of one line in which characters that control a terminal, or that a reader does not see, are shown by
/// their codes. Tabs stay.
pub fn with_codes(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) || (c.is_control() && c != '\t') {
            // Writing to a string cannot fail.
            let _ = write!(shown, "⟨U+{:04X}⟩", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    shown
}
