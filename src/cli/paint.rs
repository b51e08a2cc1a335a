use std::io::Write;

use anstyle::{AnsiColor, Style};

/// For what comes.
pub(crate) const ADDED: Style = AnsiColor::Green.on_default();
/// For what goes.
pub(crate) const REMOVED: Style = AnsiColor::Red.on_default();
/// For what things are called by.
pub(crate) const PLACE: Style = AnsiColor::Cyan.on_default();
const NAME: Style = Style::new().bold();
/// For what is said beside the matter.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// For what went wrong.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// For advice.
pub(crate) const HINT: Style = AnsiColor::Cyan.on_default().bold();
/// For what is well.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();

/// Writes a unified diff, coloured if the stream takes colours.
pub(crate) fn diff(out: &mut impl Write, diff: &str) -> std::io::Result<()> {
    let mut in_header = true;
    for line in diff.split_inclusive('\n') {
        in_header &= !line.starts_with('@');
        let style = match line.as_bytes().first() {
            _ if in_header => NAME,
            Some(b'+') => ADDED,
            Some(b'-') => REMOVED,
            Some(b'@') => PLACE,
            Some(b'\\') => FAINT,
            _ => Style::new(),
        };
        let (text, end) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
        write!(out, "{style}{}{style:#}{end}", visible(text))?;
    }
    Ok(())
}

/// Writes the lines of a diff without its header, coloured likewise.
pub(crate) fn body(out: &mut impl Write, lines: &str) -> std::io::Result<()> {
    for line in lines.split_inclusive('\n') {
        let style = match line.as_bytes().first() {
            Some(b'+') => ADDED,
            Some(b'-') => REMOVED,
            Some(b'\\') => FAINT,
            _ => Style::new(),
        };
        writeln!(out, "{style}{}{style:#}", visible(line.strip_suffix('\n').unwrap_or(line)))?;
    }
    Ok(())
}

/// The text with control characters made visible: a file must not be able to speak to the terminal.
pub(crate) fn visible(text: &str) -> String {
    let show = |c: char| match c {
        '\t' => c.to_string(),
        '\r' => "␍".to_owned(),
        '\u{7f}' => "␡".to_owned(),
        c if c < ' ' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(c).to_string(),
        c if c.is_control() || is_bidi(c) => format!("<U+{:04X}>", u32::from(c)),
        c => c.to_string(),
    };
    text.chars().map(show).collect()
}

/// The same of a text of several lines, which stay lines.
pub(crate) fn lines(text: &str) -> String {
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

/// A value as JSON in which nothing steers a terminal: what JSON leaves as it is, is escaped here.
pub(crate) fn json(value: &serde_json::Value) -> String {
    let escape = |c: char| match c {
        c if c.is_control() || is_bidi(c) => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    };
    value.to_string().chars().map(escape).collect()
}

/// An error of the system without its number.
pub(crate) fn words(error: &std::io::Error) -> String {
    let said = error.to_string();
    said.split_once(" (os error").map_or(said.clone(), |(words, _)| words.to_owned())
}

/// A path as it can be shown.
pub(crate) fn path(path: &std::path::Path) -> String {
    visible(&path.to_string_lossy())
}

/// Characters that reorder what is shown, so that it reads differently from what it is.
fn is_bidi(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_says_cannot_steer_the_terminal() {
        assert_eq!(visible("a\u{1b}[2Jb\r\u{7f}\u{202e}\t"), "a␛[2Jb␍␡<U+202E>\t");
    }

    #[test]
    fn json_cannot_either_and_says_the_same() {
        let value = serde_json::json!({ "a\u{9b}\u{7f}": "\u{1b}[2J\u{202e}\n\u{e9}" });
        let text = json(&value);
        assert_eq!(text, "{\"a\\u009b\\u007f\":\"\\u001b[2J\\u202e\\n\u{e9}\"}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }

    #[test]
    fn a_diff_is_coloured_line_by_line() {
        let mut out = Vec::new();
        diff(&mut out, "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n").unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.contains("\u{1b}[31m-old\u{1b}[0m\n") && text.contains("\u{1b}[32m+new\u{1b}[0m\n"),
            "{text:?}"
        );
        assert!(text.starts_with("\u{1b}[1m--- a/x"), "{text:?}");
    }
}
