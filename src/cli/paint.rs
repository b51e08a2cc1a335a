use std::io::Write;

use anstyle::{AnsiColor, Style};

/// Style of added lines.
pub(crate) const ADDED: Style = AnsiColor::Green.on_default();
/// Style of removed lines.
pub(crate) const REMOVED: Style = AnsiColor::Red.on_default();
/// Style of identifiers and locations.
pub(crate) const PLACE: Style = AnsiColor::Cyan.on_default();
const NAME: Style = Style::new().bold();
/// Style of secondary text.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// Style of errors.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// Style of hints.
pub(crate) const HINT: Style = AnsiColor::Cyan.on_default().bold();
/// Style of success.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();

/// Writes a unified diff, in colours if the stream accepts them.
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

/// Writes the lines of a diff without its header, in the same colours.
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

/// Returns the text with control characters made visible, so that a file cannot control the terminal.
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

/// Makes control characters visible in a text, and keeps its line breaks.
pub(crate) fn lines(text: &str) -> String {
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

/// Returns a value as JSON that cannot control a terminal. Escapes the control characters that JSON allows.
pub(crate) fn json(value: &serde_json::Value) -> String {
    let escape = |c: char| match c {
        c if c.is_control() || is_bidi(c) => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    };
    value.to_string().chars().map(escape).collect()
}

/// Returns the message of a system error without its number.
pub(crate) fn io_message(error: &std::io::Error) -> String {
    let message = error.to_string();
    message.split_once(" (os error").map_or(message.clone(), |(words, _)| words.to_owned())
}

/// Returns a path that is safe to show on a terminal.
pub(crate) fn path(path: &std::path::Path) -> String {
    visible(&path.to_string_lossy())
}

/// Returns `true` for characters that reorder the displayed text, so that it reads differently from its
/// content.
fn is_bidi(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_cannot_control_the_terminal() {
        assert_eq!(visible("a\u{1b}[2Jb\r\u{7f}\u{202e}\t"), "a␛[2Jb␍␡<U+202E>\t");
    }

    #[test]
    fn json_cannot_control_the_terminal_and_keeps_its_value() {
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
