use std::sync::Arc;

use crate::disk::Target;
use crate::protocol::{Indent, Invalid, ReadParams, ReadResult, RequestPath, uri_of};
use crate::text::{Encoding, EolStyle, IndentKind, count_lines, eol_style, indent_style, lines};
use crate::workspace::limits::{READ_BYTES, READ_LINES};
use crate::workspace::{Contest, Coverage, Refusal, Snapshot};

use crate::daemon::event::Event;
use crate::daemon::job::{Job, Located};
use crate::daemon::locate::Purpose;
use crate::daemon::observe::Observed;
use crate::daemon::{Core, Daemon, Failure, SessionContext, answer};

impl Located for Target {
    fn targets(&self) -> Vec<&Target> {
        vec![self]
    }
}

impl Daemon {
    /// `editd/read`.
    pub async fn read(
        &self,
        session: &Arc<SessionContext>,
        params: ReadParams,
    ) -> Result<ReadResult, Failure> {
        let window = Window::of(&params)?;
        let path = RequestPath::from_fields(params.path, params.uri, ("path", "uri"))?;
        let locate =
            move |core: &Core, session: &SessionContext| Ok(core.locate(session, &path, Purpose::Read)?);
        let work = move |core: &Core, session: &SessionContext, target: Target, _: &Job| {
            read(core, session, target, &window)
        };
        self.core.on_files(session, locate, work).await
    }
}

/// Which lines are wanted.
struct Window {
    /// From 1.
    offset: usize,
    limit: usize,
    numbered: bool,
}

impl Window {
    fn of(params: &ReadParams) -> Result<Self, Invalid> {
        if params.offset == Some(0) {
            return Err(Invalid::new("offset", "lines count from 1"));
        }
        if params.limit == Some(0) {
            return Err(Invalid::new("limit", "at least one line is read"));
        }
        let limit = params.limit.unwrap_or(READ_LINES).min(READ_LINES);
        Ok(Self { offset: params.offset.unwrap_or(1), limit, numbered: params.numbered })
    }
}

fn read(
    core: &Core,
    session: &SessionContext,
    target: Target,
    window: &Window,
) -> Result<ReadResult, Failure> {
    let observed = core.observe(target)?;
    if let Some(copies) = &observed.open
        && copies.contest() == Some(Contest::TwoEditors)
    {
        let kind = core.contested(copies, Contest::TwoEditors);
        return Err(Refusal::at(&observed.target.path, kind).into());
    }
    let sighting = observed.sighting();
    let refuse = |kind| Failure::from(Refusal::at(&observed.target.path, kind));
    let result = observed.content().map_err(refuse).map(|(snapshot, text)| {
        let view = View::of(text, window);
        (result(&observed, snapshot, text, &view), view.coverage())
    });
    // A file that is gone or no text is news, too: the session's old base does not hold any more.
    let coverage = result.as_ref().map_or(Coverage::Whole, |(_, coverage)| *coverage);
    core.ask(|reply| Event::Read { session: session.id, sighting, coverage, reply })?;
    result.map(|(result, _)| result)
}

/// The lines that are shown.
struct View {
    text: String,
    start_line: usize,
    end_line: usize,
    total_lines: usize,
    /// A line was longer than what a reply may hold.
    cut: bool,
    offset: usize,
}

impl View {
    fn of(text: &str, window: &Window) -> Self {
        let total_lines = count_lines(text);
        let mut shown = String::new();
        let (mut end_line, mut cut) = (window.offset - 1, false);
        for line in lines(text).skip(window.offset - 1).take(window.limit) {
            let prefix = if window.numbered { format!("{}\t", end_line + 1) } else { String::new() };
            let room = READ_BYTES.saturating_sub(shown.len() + prefix.len());
            let whole = &text[line.start..line.end()];
            if whole.len() > room {
                // A reply that shows nothing would lead nowhere, so a first line is cut instead.
                if shown.is_empty() {
                    shown.push_str(&prefix);
                    shown.push_str(&whole[..floor_char(whole, room)]);
                    (end_line, cut) = (end_line + 1, true);
                }
                break;
            }
            shown.push_str(&prefix);
            shown.push_str(whole);
            end_line += 1;
        }
        let start_line = if total_lines == 0 { 1 } else { window.offset };
        let end_line = if total_lines == 0 { 0 } else { end_line };
        Self { text: shown, start_line, end_line, total_lines, cut, offset: window.offset }
    }

    fn truncated(&self) -> bool {
        self.cut || (self.end_line < self.total_lines && self.offset <= self.total_lines)
    }

    fn coverage(&self) -> Coverage {
        if self.start_line == 1 && !self.truncated() { Coverage::Whole } else { Coverage::Part }
    }

    fn notice(&self) -> Option<String> {
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
            return Some(format!("Line {end_line} is cut: it is longer than {READ_BYTES} bytes{rest}."));
        }
        (end_line < total_lines)
            .then(|| format!("Lines {} to {end_line} of {total_lines}; {more}.", self.start_line))
    }
}

fn floor_char(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn result(observed: &Observed, snapshot: &Snapshot, text: &str, view: &View) -> ReadResult {
    let indent = indent_style(text);
    let mut notices: Vec<_> = view.notice().into_iter().collect();
    if snapshot.format.encoding == Encoding::Utf8Stray {
        let stray = "Some bytes of this file are not UTF-8; each is shown as one character from U+10FF80 to U+10FFFF and kept as it is.";
        notices.push(stray.to_owned());
    }
    if observed.open.as_ref().is_some_and(|copies| copies.unknown().is_some()) {
        let unknown = "An editor has this file open, and its text there is not known: it may hold unsaved text that is not shown here.";
        notices.push(unknown.to_owned());
    }
    ReadResult {
        uri: uri_of(&observed.target.path),
        path: observed.target.path.display().to_string(),
        text: view.text.clone(),
        hash: snapshot.hash.to_string(),
        size: snapshot.size,
        mtime: observed.stat.as_ref().map(|stat| answer::mtime(stat.mtime)).unwrap_or_default(),
        encoding: snapshot.format.encoding.name(),
        bom: snapshot.format.bom,
        eol: eol_name(eol_style(text)).to_owned(),
        indent: Indent { style: indent_name(indent.kind).to_owned(), width: indent.width },
        source: if observed.is_unsaved() { "editor" } else { "disk" }.to_owned(),
        version: observed.open.as_ref().map(|copies| copies.owner().buffer.version),
        start_line: view.start_line,
        end_line: view.end_line,
        total_lines: view.total_lines,
        truncated: view.truncated(),
        notice: (!notices.is_empty()).then(|| notices.join(" ")),
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
