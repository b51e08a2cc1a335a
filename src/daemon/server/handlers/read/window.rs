//! The requested part of a file.

use editd_edit::LineRange;
use editd_protocol::{Indent, Invalid, ReadParams, TextContent, json_len, json_prefix};
use editd_text::{
    EolStyle, Format, IndentKind, Line, count_lines, eol_style, floor_char_boundary, indent_style, lines,
};
use editd_workspace::limits::{READ_BYTES, READ_LINES};
use editd_workspace::{Audience, Reading, ShownLines};

/// The requested lines of a text or cells of a notebook.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    /// First requested line or cell, from 1.
    pub(crate) offset: usize,
    pub(crate) limit: usize,
    /// `true` if the reader has asked for the last line, by a limit or a symbol.
    pub(crate) is_limited: bool,
    /// Maximum size of the answer, in bytes.
    pub(crate) bytes: usize,
    pub(crate) measure: Measure,
    pub(crate) columns: Columns,
    pub(crate) numbered: bool,
    /// `true` to name the version in the first line.
    pub(crate) anchored: bool,
    /// `true` if a notebook should be returned as text.
    pub(crate) raw: bool,
    /// Readers of the notices.
    pub(crate) audience: Audience,
}

/// The requested characters of each line.
#[derive(Clone, Copy)]
pub(crate) struct Columns {
    /// First character, from 1.
    pub(crate) first: usize,
    max: usize,
}

impl Columns {
    /// Returns the requested part of a line, and the rest after it.
    fn of(self, line: &str) -> (&str, &str) {
        let after = |text: &str, characters: usize| match text.len() {
            // A character has at least one byte.
            len if len <= characters => len,
            len => text.char_indices().nth(characters).map_or(len, |(at, _)| at),
        };
        let wanted = &line[after(line, self.first - 1)..];
        wanted.split_at(after(wanted, self.max))
    }
}

/// The unit in which the length of a text is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Bytes of the text.
    Text,
    /// Bytes of the text as a JSON string. Used if the client sets a limit, because that is a limit for
    /// messages.
    Json,
}

impl Measure {
    pub(crate) fn len(self, text: &str) -> usize {
        match self {
            Self::Text => text.len(),
            Self::Json => json_len(text),
        }
    }

    /// Returns the longest prefix that fits.
    pub(crate) fn prefix(self, text: &str, room: usize) -> &str {
        match self {
            Self::Text => &text[..floor_char_boundary(text, room)],
            Self::Json => json_prefix(text, room),
        }
    }
}

impl Window {
    /// Names the parameter that continues at a line or cell.
    pub(crate) fn offset_name(audience: Audience, next: usize) -> String {
        audience.parameters_or(format!("`offset: {next}`"), format!("`--offset {next}`"))
    }

    /// Returns the window for these lines.
    pub(crate) fn at(self, lines: LineRange) -> Self {
        let count = lines.end + 1 - lines.start;
        let (limit, is_limited) = (count.min(READ_LINES), count <= READ_LINES);
        Self { offset: lines.start, limit, is_limited, raw: true, ..self }
    }

    pub(crate) fn of(params: &ReadParams, audience: Audience) -> Result<Self, Invalid> {
        let numbers = [
            ("offset", params.offset, "lines are counted from 1"),
            ("limit", params.limit, "must be at least 1"),
            ("maxBytes", params.max_bytes, "must be at least 1"),
            ("column", params.column, "characters are counted from 1"),
            ("maxColumns", params.max_columns, "must be at least 1"),
        ];
        if let Some((field, _, problem)) = numbers.into_iter().find(|(_, number, _)| *number == Some(0)) {
            return Err(Invalid::new(field, problem));
        }
        let columns =
            Columns { first: params.column.unwrap_or(1), max: params.max_columns.unwrap_or(usize::MAX) };
        let is_limited = params.limit.is_some_and(|limit| limit <= READ_LINES);
        let limit = params.limit.unwrap_or(READ_LINES).min(READ_LINES);
        let bytes = params.max_bytes.unwrap_or(READ_BYTES).min(READ_BYTES);
        let measure = if params.max_bytes.is_some() { Measure::Json } else { Measure::Text };
        let ReadParams { numbered, anchored, raw, .. } = *params;
        let offset = params.offset.unwrap_or(1);
        let window =
            Self { offset, limit, is_limited, bytes, measure, columns, numbered, anchored, raw, audience };
        Ok(params.named_lines()?.map_or(window, |lines| window.at(lines)))
    }
}

/// The lines in an answer.
pub(crate) struct View {
    text: String,
    start_line: usize,
    end_line: usize,
    total_lines: usize,
    /// `true` if a line was longer than an answer may be.
    cut: bool,
    /// Numbers of the lines whose end is not shown.
    long: Vec<usize>,
    window: Window,
}

impl View {
    pub(crate) fn of_whole(text: &str, window: &Window) -> Self {
        let start = match window.offset {
            1 => 0,
            offset => lines(text).nth(offset - 1).map_or(text.len(), |line| line.start),
        };
        Self::of(&text[start..], count_lines(text), window, true)
    }

    /// Creates a view of a text that begins at the first requested line. A text that is not whole may end
    /// within a line; it contains at least everything that fits into the answer.
    pub(crate) fn of(from_offset: &str, total_lines: usize, window: &Window, is_whole: bool) -> Self {
        let mut view = Self {
            text: String::new(),
            start_line: if total_lines == 0 { 1 } else { window.offset },
            end_line: window.offset - 1,
            total_lines,
            cut: false,
            long: Vec::new(),
            window: *window,
        };
        let mut left = window.bytes;
        for line in lines(from_offset).take(window.limit) {
            let is_torn = !is_whole && line.content_end() == from_offset.len();
            if !view.take(&line, is_torn, &mut left) {
                break;
            }
        }
        if total_lines == 0 {
            view.end_line = 0;
        }
        view
    }

    /// Adds a line if it fits. Returns `true` if more lines may follow.
    fn take(&mut self, line: &Line<'_>, is_torn: bool, left: &mut usize) -> bool {
        let window = self.window;
        let prefix = if window.numbered || window.anchored {
            format!("{}\t", self.end_line + 1)
        } else {
            String::new()
        };
        let room = left.saturating_sub(window.measure.len(&prefix));
        let (wanted, rest) = window.columns.of(line.content);
        let mark = match rest.chars().count() {
            0 => String::new(),
            _ if is_torn => " (cut: the line continues)".to_owned(),
            more => format!(" (cut: {more} more characters)"),
        };
        let parts = [wanted, &mark, line.ending.as_str()];
        let len = parts.iter().map(|part| window.measure.len(part)).sum::<usize>();
        // An empty answer would be useless, so the first line is cut instead.
        let is_first = self.text.is_empty();
        self.cut = is_first && len > room;
        if !is_first && (len > room || is_torn) {
            return false;
        }
        self.end_line += 1;
        self.text.push_str(&prefix);
        if self.cut {
            self.text.push_str(window.measure.prefix(&parts.concat(), room));
            return false;
        }
        if !mark.is_empty() {
            self.long.push(self.end_line);
        }
        self.text.extend(parts);
        *left = room.saturating_sub(len);
        true
    }

    fn truncated(&self) -> bool {
        self.cut
            || self.hides()
            || (self.end_line < self.total_lines && self.window.offset <= self.total_lines)
    }

    /// Returns `true` if parts of the shown lines are hidden.
    fn hides(&self) -> bool {
        !self.long.is_empty() || self.window.columns.first > 1
    }

    /// Returns the part of the file that the view shows. Lines of which only a part is visible do not count as
    /// shown.
    pub(crate) fn reading(&self) -> Reading {
        if self.start_line == 1 && !self.truncated() {
            return Reading::WHOLE;
        }
        if self.window.columns.first > 1 {
            return Reading::part(ShownLines::NONE);
        }
        let last = self.end_line - usize::from(self.cut);
        let starts = std::iter::once(self.start_line).chain(self.long.iter().map(|line| line + 1));
        let ends = self.long.iter().map(|line| line - 1).chain([last]);
        let whole = starts.zip(ends).map(|(start, end)| ShownLines::of(LineRange { start, end }));
        Reading::part(whole.fold(ShownLines::NONE, |shown, lines| shown.with(&lines)))
    }

    pub(crate) fn notice(&self) -> Option<String> {
        let [begins, cut] = self.notices_of_columns();
        let notices: Vec<_> = [self.notice_of_lines(), begins, cut].into_iter().flatten().collect();
        (!notices.is_empty()).then(|| notices.join(" "))
    }

    fn notices_of_columns(&self) -> [Option<String>; 2] {
        let Columns { first, max } = self.window.columns;
        let begins = (first > 1).then(|| format!("Lines are shown from character {first} on."));
        let cut = self.long.first().map(|line| {
            let lines = match self.long.len() - 1 {
                0 => format!("Line {line} is"),
                more => format!("Line {line} and {more} more are"),
            };
            let next = first.saturating_add(max);
            format!("{lines} cut after {max} characters; `column: {next}` shows the next ones.")
        });
        [begins, cut]
    }

    fn notice_of_lines(&self) -> Option<String> {
        let Self { end_line, total_lines, window: Window { offset, bytes, audience, .. }, .. } = self;
        if *total_lines == 0 {
            return Some("The file is empty.".to_owned());
        }
        if offset > total_lines {
            return Some(format!("The file has {total_lines} lines; there is no line {offset}."));
        }
        let more = format!("continue with {}", Window::offset_name(*audience, end_line + 1));
        if self.cut {
            let rest =
                if end_line < total_lines { format!("; {more} for the next line") } else { String::new() };
            return Some(format!("Line {end_line} is cut: it is longer than {bytes} bytes{rest}."));
        }
        if end_line >= total_lines {
            return None;
        }
        match audience {
            // The first line of the answer of a tool has the range. What was asked for is not to be continued.
            Audience::Tools(_) => {
                let is_complete =
                    self.window.is_limited && end_line + 1 - self.start_line == self.window.limit;
                (!is_complete).then(|| format!("There is more: {more}."))
            }
            Audience::Wire | Audience::CommandLine => {
                Some(format!("Lines {} to {end_line} of {total_lines}; {more}.", self.start_line))
            }
        }
    }

    /// Returns the answer for a whole text.
    pub(crate) fn content(self, whole: &str, format: Format) -> TextContent {
        let eol = eol_style(whole);
        self.content_with(format.encoding.name(), format.bom, eol, whole)
    }

    /// Returns the answer. The indentation style is detected in `sample`.
    pub(crate) fn content_with(
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
            anchor: None,
        }
    }
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
