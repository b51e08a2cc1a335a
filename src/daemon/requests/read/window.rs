use crate::protocol::{Indent, Invalid, ReadParams, TextContent, json_len, json_prefix};
use crate::text::{EolStyle, Format, IndentKind, count_lines, eol_style, indent_style, lines};
use crate::workspace::Coverage;
use crate::workspace::limits::{READ_BYTES, READ_LINES};

/// Which lines are wanted; of a notebook, which cells.
#[derive(Clone, Copy)]
pub(super) struct Window {
    /// From 1.
    pub(super) offset: usize,
    pub(super) limit: usize,
    /// Bytes of an answer.
    pub(super) bytes: usize,
    pub(super) measure: Measure,
    numbered: bool,
    /// Whether a notebook is wanted as text.
    pub(super) raw: bool,
}

/// What counts as the length of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// Its bytes.
    Text,
    /// Its bytes in the answer. A client that names a limit has one for messages.
    Json,
}

impl Measure {
    pub(super) fn len(self, text: &str) -> usize {
        match self {
            Self::Text => text.len(),
            Self::Json => json_len(text),
        }
    }

    /// As much of the beginning as fits.
    pub(super) fn prefix(self, text: &str, room: usize) -> &str {
        match self {
            Self::Text => &text[..floor_char(text, room)],
            Self::Json => json_prefix(text, room),
        }
    }
}

impl Window {
    pub(super) fn of(params: &ReadParams) -> Result<Self, Invalid> {
        if params.offset == Some(0) {
            return Err(Invalid::new("offset", "lines count from 1"));
        }
        if params.limit == Some(0) {
            return Err(Invalid::new("limit", "at least one line is read"));
        }
        if params.max_bytes == Some(0) {
            return Err(Invalid::new("maxBytes", "at least one byte is read"));
        }
        let limit = params.limit.unwrap_or(READ_LINES).min(READ_LINES);
        let bytes = params.max_bytes.unwrap_or(READ_BYTES).min(READ_BYTES);
        let measure = if params.max_bytes.is_some() { Measure::Json } else { Measure::Text };
        let ReadParams { numbered, raw, .. } = *params;
        Ok(Self { offset: params.offset.unwrap_or(1), limit, bytes, measure, numbered, raw })
    }
}

/// The lines that are shown.
pub(super) struct View {
    text: String,
    start_line: usize,
    end_line: usize,
    total_lines: usize,
    /// A line was longer than what a reply may hold.
    cut: bool,
    offset: usize,
    bytes: usize,
}

impl View {
    pub(super) fn of_whole(text: &str, window: &Window) -> Self {
        let start = match window.offset {
            1 => 0,
            offset => lines(text).nth(offset - 1).map_or(text.len(), |line| line.start),
        };
        Self::of(&text[start..], count_lines(text), window)
    }

    /// Of a text from the first wanted line on, which may end within what is not shown any more.
    pub(super) fn of(from_offset: &str, total_lines: usize, window: &Window) -> Self {
        // Without numbers what is shown is one piece of the text.
        let (mut numbered, mut end) = (String::new(), 0);
        let (mut end_line, mut cut, mut left) = (window.offset - 1, false, window.bytes);
        for line in lines(from_offset).take(window.limit) {
            let prefix = if window.numbered { format!("{}\t", end_line + 1) } else { String::new() };
            let room = left.saturating_sub(window.measure.len(&prefix));
            let whole = &from_offset[line.start..line.end()];
            let len = window.measure.len(whole);
            // A reply that shows nothing would lead nowhere, so a first line is cut instead.
            cut = len > room && end == 0;
            if len > room && !cut {
                break;
            }
            let shown = if cut { window.measure.prefix(whole, room) } else { whole };
            if window.numbered {
                numbered.extend([prefix.as_str(), shown]);
            }
            (end, end_line, left) = (line.start + shown.len(), end_line + 1, room.saturating_sub(len));
            if cut {
                break;
            }
        }
        let text = if window.numbered { numbered } else { from_offset[..end].to_owned() };
        let start_line = if total_lines == 0 { 1 } else { window.offset };
        let end_line = if total_lines == 0 { 0 } else { end_line };
        Self { text, start_line, end_line, total_lines, cut, offset: window.offset, bytes: window.bytes }
    }

    fn truncated(&self) -> bool {
        self.cut || (self.end_line < self.total_lines && self.offset <= self.total_lines)
    }

    pub(super) fn coverage(&self) -> Coverage {
        if self.start_line == 1 && !self.truncated() { Coverage::Whole } else { Coverage::Part }
    }

    pub(super) fn notice(&self) -> Option<String> {
        let Self { end_line, total_lines, .. } = self;
        if *total_lines == 0 {
            return Some("The file is empty.".to_owned());
        }
        if self.offset > *total_lines {
            return Some(format!("The file has {total_lines} lines; nothing is at line {}.", self.offset));
        }
        let more = format!("continue with `offset: {}`", end_line + 1);
        if self.cut {
            let rest =
                if end_line < total_lines { format!("; {more} for the next line") } else { String::new() };
            let bytes = self.bytes;
            return Some(format!("Line {end_line} is cut: it is longer than {bytes} bytes{rest}."));
        }
        (end_line < total_lines)
            .then(|| format!("Lines {} to {end_line} of {total_lines}; {more}.", self.start_line))
    }

    /// The answer, with what can be told from a whole text.
    pub(super) fn content(self, whole: &str, format: Format) -> TextContent {
        let eol = eol_style(whole);
        self.content_with(format.encoding.name(), format.bom, eol, whole)
    }

    /// The answer; how it indents is told from `sample`.
    pub(super) fn content_with(
        self,
        encoding: String,
        bom: bool,
        eol: EolStyle,
        sample: &str,
    ) -> TextContent {
        let indent = indent_style(sample);
        TextContent {
            truncated: self.truncated(),
            text: self.text,
            encoding,
            bom,
            eol: eol_name(eol).to_owned(),
            indent: Indent { style: indent_name(indent.kind).to_owned(), width: indent.width },
            start_line: self.start_line,
            end_line: self.end_line,
            total_lines: self.total_lines,
        }
    }
}

/// The last place up to `at` that is not within a character.
fn floor_char(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn eol_name(style: EolStyle) -> &'static str {
    match style {
        EolStyle::Lf => "lf",
        EolStyle::Crlf => "crlf",
        EolStyle::Cr => "cr",
        EolStyle::Mixed => "mixed",
        EolStyle::None => "none",
    }
}

fn indent_name(kind: IndentKind) -> &'static str {
    match kind {
        IndentKind::Tabs => "tabs",
        IndentKind::Spaces => "spaces",
        IndentKind::Mixed => "mixed",
        IndentKind::None => "none",
    }
}
