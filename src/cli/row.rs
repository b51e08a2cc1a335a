//! Lists of one line each.

use std::io::{IsTerminal, Write};

use anstyle::Style;

use super::paint;

/// A line in several styles, cut to what the terminal has room for.
#[derive(Default)]
pub(super) struct Row(Vec<(Style, String)>);

impl Row {
    pub(super) fn add(&mut self, style: Style, text: String) {
        self.0.push((style, text));
    }

    pub(super) fn print(&self, out: &mut impl Write, width: Option<usize>) -> std::io::Result<()> {
        let whole: usize = self.0.iter().map(|(_, text)| text.chars().count()).sum();
        let mut room = match width {
            Some(width) if whole > width => width.saturating_sub(1),
            _ => whole,
        };
        let is_cut = room < whole;
        for (style, text) in &self.0 {
            let part: String = text.chars().take(room).collect();
            room -= part.chars().count();
            if !part.is_empty() {
                write!(out, "{style}{part}{style:#}")?;
            }
        }
        writeln!(out, "{}", if is_cut { "…" } else { "" })
    }
}

/// A name in so many columns at most.
pub(super) fn fitted(name: &str, columns: usize) -> String {
    let name = paint::visible(name);
    if name.chars().count() <= columns {
        return name;
    }
    name.chars().take(columns.saturating_sub(1)).chain(['…']).collect()
}

/// Columns of the terminal; none where the output goes elsewhere.
pub(super) fn width() -> Option<usize> {
    let out = std::io::stdout();
    let size = out.is_terminal().then(|| rustix::termios::tcgetwinsize(&out).ok())??;
    Some(if size.ws_col == 0 { 80 } else { usize::from(size.ws_col) })
}

/// How long ago a moment was, in at most six columns.
pub(super) fn ago(at: &str) -> String {
    let Ok(then) = at.parse::<jiff::Timestamp>() else { return String::new() };
    short_time(jiff::Timestamp::now().as_second() - then.as_second())
}

fn short_time(seconds: i64) -> String {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    match seconds.max(0) {
        s if s < MINUTE => format!("{s} s"),
        s if s < HOUR => format!("{} min", s / MINUTE),
        s if s < DAY => format!("{} h", s / HOUR),
        s => format!("{} d", s / DAY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::paint::PLACE;

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
        let shown = |width| {
            let mut out = Vec::new();
            row.print(&mut out, width).unwrap();
            anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string()
        };
        assert_eq!((shown(None).as_str(), shown(Some(11)).as_str()), ("héllo world\n", "héllo world\n"));
        assert_eq!((shown(Some(8)).as_str(), shown(Some(3)).as_str()), ("héllo w…\n", "hé…\n"));
    }
}
