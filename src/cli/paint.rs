//! Text for terminals: styles, safe characters, rows and line wrapping.

use std::io::{IsTerminal, Write};
use std::os::fd::AsFd;

use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use editd_edit::LinePart;
use editd_text::is_hidden;

/// Style of added lines.
pub(crate) const ADDED: Style = AnsiColor::Green.on_default();
/// Style of removed lines.
pub(crate) const REMOVED: Style = AnsiColor::Red.on_default();
/// Style of identifiers and locations.
pub(crate) const PLACE: Style = AnsiColor::Cyan.on_default();
/// Style of names and headings.
pub(crate) const NAME: Style = Style::new().bold();
/// Style of secondary text.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// Style of errors.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// Style of hints.
pub(crate) const HINT: Style = AnsiColor::Cyan.on_default().bold();
/// Style of success.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();

/// Number of columns that are too few to wrap a sentence in.
const ROOM: usize = 15;
/// Marks truncated text.
const CUT: &str = "…";

/// Maximum width of an author's name, in columns.
pub(super) const AUTHOR: usize = 12;

/// Writes a unified diff, in colours if the stream accepts them.
pub(crate) fn diff(out: &mut impl Write, diff: &str) -> std::io::Result<()> {
    let mut in_header = true;
    for line in diff.split_inclusive('\n') {
        in_header &= !line.starts_with('@');
        let style = if in_header { NAME } else { diff_style(line) };
        let (text, end) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
        write!(out, "{style}{}{style:#}{end}", visible(text))?;
    }
    Ok(())
}

/// Writes the lines of a diff without its header, in the same colours.
pub(crate) fn diff_body(out: &mut impl Write, body: &str) -> std::io::Result<()> {
    body.split_terminator('\n').try_for_each(|line| {
        let style = diff_style(line);
        writeln!(out, "{style}{}{style:#}", visible(line))
    })
}

/// Writes a line of a diff in parts. Says how many unchanged characters are left out.
pub(crate) fn diff_line(out: &mut impl Write, sign: char, parts: &[LinePart<'_>]) -> std::io::Result<()> {
    let style = diff_style(sign.encode_utf8(&mut [0; 4]));
    write!(out, "{style}{sign}")?;
    let mut ends = false;
    for part in parts {
        match part {
            LinePart::Shown(text) => {
                ends = text.ends_with('\n');
                write!(out, "{}", visible(text.strip_suffix('\n').unwrap_or(text)))?;
            }
            LinePart::Omitted(count) => {
                let noun = if *count == 1 { "character" } else { "characters" };
                write!(out, "{style:#}{FAINT}{CUT}{count} {noun}{CUT}{FAINT:#}{style}")?;
            }
        }
    }
    writeln!(out, "{style:#}")?;
    if ends { Ok(()) } else { writeln!(out, "{FAINT}\\ No newline at end of file{FAINT:#}") }
}

/// Returns the style of a line below the header of a diff.
fn diff_style(line: &str) -> Style {
    match line.as_bytes().first() {
        Some(b'+') => ADDED,
        Some(b'-') => REMOVED,
        Some(b'@') => PLACE,
        Some(b'\\') => FAINT,
        _ => Style::new(),
    }
}

/// Returns the text with control characters made visible, so that a file cannot control the terminal.
pub(crate) fn visible(text: &str) -> String {
    let show = |c: char| match c {
        '\t' => c.to_string(),
        '\r' => "␍".to_owned(),
        '\u{7f}' => "␡".to_owned(),
        c if c < ' ' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(c).to_string(),
        c if c.is_control() || is_hidden(c) => format!("<U+{:04X}>", u32::from(c)),
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
        c if c.is_control() || is_hidden(c) => format!("\\u{:04x}", u32::from(c)),
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

/// A line with several styles, truncated to the width of the terminal.
#[derive(Default)]
pub(super) struct Row(Vec<(Style, String)>);

impl Row {
    pub(super) fn add(&mut self, style: Style, text: String) {
        self.0.push((style, text));
    }

    /// Adds the numbers of added and removed lines.
    pub(super) fn add_counts(&mut self, added: usize, removed: usize) {
        self.add(ADDED, format!(" +{added}"));
        self.add(REMOVED, format!(" -{removed}"));
    }

    pub(super) fn print(&self, out: &mut impl Write, width: Option<usize>) -> std::io::Result<()> {
        let whole: usize = self.0.iter().map(|(_, text)| text.width()).sum();
        let mut room = match width {
            Some(width) if whole > width => width.saturating_sub(1),
            _ => whole,
        };
        let is_truncated = room < whole;
        for (style, text) in &self.0 {
            let part = beginning(text, room);
            // Nothing is shown after a truncated part, even if it would fit.
            room = if part.len() < text.len() { 0 } else { room - part.width().min(room) };
            if !part.is_empty() {
                write!(out, "{style}{part}{style:#}")?;
            }
        }
        writeln!(out, "{}", if is_truncated { CUT } else { "" })
    }
}

/// Returns the longest prefix that fits. Adds up the widths of characters, which is never less than the width
/// of the whole text.
fn beginning(text: &str, room: usize) -> &str {
    if text.width() <= room {
        return text;
    }
    let mut taken = 0;
    let end = text.char_indices().find(|(_, c)| {
        taken += c.width().unwrap_or(0);
        taken > room
    });
    end.map_or(text, |(at, _)| &text[..at])
}

/// Returns the width of the widest name, but at most `most`.
pub(super) fn widest<'a>(names: impl Iterator<Item = &'a str>, most: usize) -> usize {
    names.map(|name| visible(name).width()).max().unwrap_or_default().min(most)
}

/// Returns the text for a row, in which tabs are spaces.
pub(super) fn cell(text: &str) -> String {
    visible(text).replace('\t', " ")
}

/// Returns the first line of a text for a row, with a mark if there are more.
pub(super) fn one_line(text: &str) -> String {
    let mut lines = text.trim().lines();
    let first = cell(lines.next().unwrap_or_default().trim_end());
    if lines.next().is_some() { format!("{first} {CUT}") } else { first }
}

/// Pads or truncates a name to exactly `columns`.
pub(super) fn fitted(name: &str, columns: usize) -> String {
    let name = cell(name);
    let mut fitted = if name.width() > columns {
        format!("{}{CUT}", beginning(&name, columns.saturating_sub(1)))
    } else {
        name
    };
    fitted.extend(std::iter::repeat_n(' ', columns.saturating_sub(fitted.width())));
    fitted
}

/// Wraps a text that begins at the given column, and indents further lines to the same column. Does not break
/// long words, such as paths.
pub(super) fn hanging(columns: usize, text: &str, width: Option<usize>) -> String {
    wrapped((columns, columns), text, width)
}

/// Wraps a text with separate indentations for the first line and the others.
pub(super) fn wrapped((first, others): (usize, usize), text: &str, width: Option<usize>) -> String {
    let Some(width) = width.filter(|width| *width > first.max(others) + ROOM) else {
        return text.to_owned();
    };
    let (indent, others) = (" ".repeat(first), " ".repeat(others));
    let options = textwrap::Options::new(width)
        .initial_indent(&indent)
        .subsequent_indent(&others)
        .break_words(false)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit);
    let filled = textwrap::fill(text, options);
    // The caller has already printed the first indentation. An empty text has none.
    filled.strip_prefix(&indent).unwrap_or(&filled).to_owned()
}

/// Returns the width of the terminal on standard output. Returns `None` if standard output is not a terminal.
pub(super) fn width() -> Option<usize> {
    width_of(&std::io::stdout())
}

/// Returns the width of the terminal on a stream. Returns `None` if it is not a terminal.
pub(super) fn width_of(stream: &(impl IsTerminal + AsFd)) -> Option<usize> {
    let size = stream.is_terminal().then(|| rustix::termios::tcgetwinsize(stream).ok())??;
    Some(if size.ws_col == 0 { 80 } else { usize::from(size.ws_col) })
}

/// Formats the time since a moment, in at most six columns.
pub(super) fn ago(at: &str) -> String {
    let Ok(then) = at.parse::<jiff::Timestamp>() else { return String::new() };
    short_time(jiff::Timestamp::now().as_second() - then.as_second())
}

fn short_time(seconds: i64) -> String {
    match seconds.max(0) {
        s @ 0..60 => format!("{s} s"),
        s @ 60..3600 => format!("{} min", s / 60),
        s @ 3600..86_400 => format!("{} h", s / 3600),
        s => format!("{} d", s / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_cannot_control_the_terminal() {
        assert_eq!(visible("a\u{1b}[2Jb\r\u{7f}\u{202e}\u{200b}\t"), "a␛[2Jb␍␡<U+202E><U+200B>\t");
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

    #[test]
    fn times_are_short() {
        let table =
            [(-5, "0 s"), (59, "59 s"), (60, "1 min"), (3599, "59 min"), (7200, "2 h"), (200_000, "2 d")];
        for (seconds, text) in table {
            assert_eq!(short_time(seconds), text);
        }
    }

    #[test]
    fn a_row_is_cut_to_the_terminal() {
        let mut row = Row::default();
        row.add(Style::new(), "héllo".to_owned());
        row.add(PLACE, " world".to_owned());
        let shown = |row: &Row, width| {
            let mut out = Vec::new();
            row.print(&mut out, width).unwrap();
            anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string()
        };
        let hello = |width| shown(&row, width);
        assert_eq!((hello(None).as_str(), hello(Some(11)).as_str()), ("héllo world\n", "héllo world\n"));
        assert_eq!((hello(Some(8)).as_str(), hello(Some(3)).as_str()), ("héllo w…\n", "hé…\n"));
        let mut wide = Row::default();
        wide.add(Style::new(), "日本語".to_owned());
        wide.add(PLACE, " x".to_owned());
        let wide = |width| shown(&wide, Some(width));
        assert_eq!((wide(8).as_str(), wide(7).as_str()), ("日本語 x\n", "日本語…\n"));
        assert_eq!((wide(6).as_str(), wide(4).as_str()), ("日本…\n", "日…\n"));
    }

    #[test]
    fn names_take_exactly_their_columns() {
        let table = [
            ("ada", "ada  "),
            ("adalovelace", "adal…"),
            ("日本語", "日本…"),
            ("日本", "日本 "),
            ("a\u{7}b", "a␇b  "),
        ];
        for (name, shown) in table {
            assert_eq!((fitted(name, 5).as_str(), fitted(name, 5).width()), (shown, 5));
        }
        assert_eq!(widest(["a", "日本"].into_iter(), 12), 4);
    }

    #[test]
    fn long_text_is_wrapped_and_indented() {
        assert_eq!(hanging(4, "one two three", None), "one two three");
        assert_eq!(hanging(4, "", Some(40)), "");
        assert_eq!(
            hanging(4, "the quick brown fox jumps over it", Some(25)),
            "the quick brown fox\n    jumps over it"
        );
    }
}
