//! Commands that read and search files: the results that an agent would get, in the format of `ripgrep`.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anstyle::Style;

use editd_protocol::{
    Entries, EntryKind, FileCount, Find, FindParams, FoundLine, FoundSymbol, List, ListParams,
    NotebookContent, OutlineMethod, OutlineParams, Read, ReadContent, ReadParams, Search, SearchParams,
    SearchResult, SymbolEntry,
};
use editd_text::lines;

use super::arguments::{FindArguments, ListArguments, ReadArguments, SearchArguments};
use super::paint::{FAINT, PLACE};
use super::root::{self, Target};
use super::{CliError, Context, End, paint, stream};

/// `editd read`. Prints the text on standard output, and notices and the hash on standard error.
pub(crate) fn read(context: &Context, arguments: &ReadArguments) -> Result<End, CliError> {
    let target = root::of_file(&arguments.path)?;
    let params = ReadParams {
        uri: Some(target.uri()),
        offset: arguments.offset,
        limit: arguments.limit,
        numbered: arguments.numbered,
        anchored: arguments.anchored,
        symbol: arguments.symbol.clone(),
        raw: arguments.raw,
        ..ReadParams::default()
    };
    let Some(read) = context.query::<Read>(Some(&target.root), &params)? else { return Ok(End::Done) };
    match &read.content {
        ReadContent::Text(text) => print_text(&text.text)?,
        ReadContent::Notebook(notebook) => print_cells(notebook)?,
        ReadContent::Image(image) => {
            let (width, height, kind) = (image.original_width, image.original_height, &image.mime_type);
            writeln!(stream::stdout(), "{kind}, {width} by {height} pixels, {} bytes", read.size)?;
        }
    }
    let mut err = stream::stderr();
    if let Some(notice) = &read.notice {
        writeln!(err, "{FAINT}{}{FAINT:#}", paint::visible(notice))?;
    }
    writeln!(err, "{FAINT}{}{FAINT:#}", read.hash)?;
    Ok(End::Done)
}

/// Prints the text unchanged, except on a terminal, which the text must not control.
fn print_text(text: &str) -> std::io::Result<()> {
    let mut out = stream::raw_stdout();
    if std::io::stdout().is_terminal() {
        return write!(out, "{}", paint::lines(&text.replace("\r\n", "\n")));
    }
    out.write_all(text.as_bytes())
}

/// Prints each cell below a heading, with its output after vertical bars.
fn print_cells(notebook: &NotebookContent) -> std::io::Result<()> {
    let mut out = stream::stdout();
    for cell in &notebook.cells {
        let cell_type = cell.cell_type.as_deref().unwrap_or("cell");
        let id = cell.id.as_deref().map(|id| format!(", id {id}")).unwrap_or_default();
        let head = paint::visible(&format!("cell {}: {cell_type}{id}", cell.index));
        writeln!(out, "{FAINT}{head}{FAINT:#}")?;
        for line in lines(&cell.source) {
            writeln!(out, "{}", paint::visible(line.content))?;
        }
        for output in &cell.outputs {
            for line in lines(output.text.as_deref().unwrap_or_default()) {
                writeln!(out, "{FAINT}| {}{FAINT:#}", paint::visible(line.content))?;
            }
            for other in &output.mime_types {
                writeln!(out, "{FAINT}| {}{FAINT:#}", paint::visible(other))?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// The searched file or folder, with its names for the daemon and for the user.
struct Scope {
    /// The path in answers of the daemon, and the root.
    target: Target,
    /// Path that the user passed. Empty for the working folder.
    given: PathBuf,
}

impl Scope {
    fn of(path: Option<&Path>) -> Result<Self, CliError> {
        let target = root::of_file(path.unwrap_or(Path::new(".")))?;
        Ok(Self { target, given: path.unwrap_or(Path::new("")).to_owned() })
    }

    /// Converts a path of the daemon to one relative to the path that the user passed.
    fn name(&self, path: &str) -> String {
        let folder = if path.ends_with('/') { "/" } else { "" };
        match Path::new(path).strip_prefix(&self.target.path) {
            Ok(rest) if rest.as_os_str().is_empty() => self.given.display().to_string(),
            Ok(rest) => format!("{}{folder}", self.given.join(rest).display()),
            Err(_) => path.to_owned(),
        }
    }
}

/// `editd search`.
pub(crate) fn search(context: &Context, arguments: SearchArguments) -> Result<End, CliError> {
    let scope = Scope::of(arguments.path.as_deref())?;
    let params = SearchParams {
        pattern: arguments.pattern,
        uri: Some(scope.target.uri()),
        glob: arguments.glob,
        ignore_case: arguments.ignore_case,
        literal: arguments.literal,
        context: arguments.context,
        limit: arguments.limit,
        count: arguments.count,
        ..SearchParams::default()
    };
    let root = Some(scope.target.root.as_path());
    let Some(found) = context.query::<Search>(root, &params)? else { return Ok(End::Done) };
    for FileCount { path, count, .. } in &found.counts {
        writeln!(stream::stdout(), "{}{FAINT}:{FAINT:#}{count}", paint::visible(&scope.name(path)))?;
    }
    if std::io::stdout().is_terminal() {
        print_headed(&scope, &found)?;
    } else {
        print_plain(&scope, &found)?;
    }
    // The notice of an empty search lists what was searched.
    let nothing = (found.matches.is_empty() && found.counts.is_empty()).then_some("No matches.");
    if let Some(notes) = found.notice.as_deref().or(nothing) {
        stream::note(notes)?;
    }
    Ok(End::Done)
}

/// Prints matches for programs: each line with its path, unchanged.
fn print_plain(scope: &Scope, found: &SearchResult) -> std::io::Result<()> {
    let (mut out, parted) = (stream::raw_stdout(), found.has_context());
    let mut is_first = true;
    for (FoundLine { path, .. }, lines) in found.by_file() {
        let (name, mut previous) = (scope.name(path), None);
        for (number, (is_match, text)) in lines {
            let is_adjacent = previous.replace(number).is_some_and(|previous| previous + 1 == number);
            if parted && !is_adjacent && !is_first {
                writeln!(out, "--")?;
            }
            is_first = false;
            let mark = if is_match { ':' } else { '-' };
            writeln!(out, "{name}{mark}{number}{mark}{text}")?;
        }
    }
    Ok(())
}

/// Prints matches for people: lines below the name of their file.
fn print_headed(scope: &Scope, found: &SearchResult) -> std::io::Result<()> {
    let (mut out, parted) = (stream::stdout(), found.has_context());
    for (index, (FoundLine { path, .. }, lines)) in found.by_file().into_iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{PLACE}{}{PLACE:#}", paint::visible(&scope.name(path)))?;
        let mut previous = None;
        for (number, (is_match, text)) in lines {
            let is_gap = previous.replace(number).is_some_and(|previous| previous + 1 < number);
            if parted && is_gap {
                writeln!(out, "{FAINT}--{FAINT:#}")?;
            }
            let (mark, style) = if is_match { (':', Style::new()) } else { ('-', FAINT) };
            writeln!(out, "{FAINT}{number}{mark}{FAINT:#}{style}{}{style:#}", paint::visible(text))?;
        }
    }
    Ok(())
}

/// `editd find`.
pub(crate) fn find(context: &Context, arguments: FindArguments) -> Result<End, CliError> {
    let scope = Scope::of(arguments.path.as_deref())?;
    let (pattern, symbol) =
        if arguments.symbol { (None, Some(arguments.pattern)) } else { (Some(arguments.pattern), None) };
    let (uri, limit) = (Some(scope.target.uri()), arguments.limit);
    let params = FindParams { pattern, symbol, uri, limit, ..FindParams::default() };
    let found = context.query::<Find>(Some(&scope.target.root), &params)?;
    if let (true, Some(found)) = (arguments.symbol, &found) {
        return print_symbols(&scope, found);
    }
    print_entries(&scope, found, "No path matches; a glob without `/` matches names.")
}

/// `editd outline`.
pub(crate) fn outline(context: &Context, path: &Path, pattern: Option<String>) -> Result<End, CliError> {
    let target = root::of_file(path)?;
    let has_pattern = pattern.is_some();
    let params = OutlineParams { uri: Some(target.uri()), pattern, ..OutlineParams::default() };
    let Some(outline) = context.query::<OutlineMethod>(Some(&target.root), &params)? else {
        return Ok(End::Done);
    };
    let width = outline.total_lines.to_string().len();
    let mut out = stream::stdout();
    for symbol in &outline.symbols {
        let SymbolEntry { start_line, end_line, kind, depth, symbol, .. } = symbol;
        let (indent, name) = ("  ".repeat(*depth), paint::visible(symbol));
        let lines = format!("{start_line:>width$}-{end_line:<width$}");
        writeln!(out, "{FAINT}{lines}{FAINT:#}  {indent}{name} {FAINT}{kind}{FAINT:#}")?;
    }
    match (outline.symbols.is_empty(), outline.more) {
        (true, _) if has_pattern => stream::note("No symbol of the file matches.")?,
        (true, _) => stream::note("The file has no symbols.")?,
        (_, 0) => {}
        (_, more) => stream::note(&format!("There are {more} more symbols."))?,
    }
    Ok(End::Done)
}

/// Prints the declarations of a symbol.
fn print_symbols(scope: &Scope, found: &Entries) -> Result<End, CliError> {
    let mut out = stream::stdout();
    for FoundSymbol { path, symbol } in &found.symbols {
        let SymbolEntry { symbol, kind, start_line, .. } = symbol;
        let (path, name) = (paint::visible(&scope.name(path)), paint::visible(symbol));
        writeln!(out, "{PLACE}{path}{PLACE:#}{FAINT}:{start_line}{FAINT:#} {name} {FAINT}{kind}{FAINT:#}")?;
    }
    let nothing = found.symbols.is_empty().then_some("No file declares this symbol.");
    let notes: Vec<_> = nothing.into_iter().chain(found.notice.as_deref()).collect();
    if !notes.is_empty() {
        stream::note(&notes.join(" "))?;
    }
    Ok(End::Done)
}

/// `editd list`.
pub(crate) fn list(context: &Context, arguments: &ListArguments) -> Result<End, CliError> {
    let scope = Scope::of(arguments.path.as_deref())?;
    let params =
        ListParams { uri: Some(scope.target.uri()), limit: arguments.limit, ..ListParams::default() };
    let found = context.query::<List>(Some(&scope.target.root), &params)?;
    print_entries(&scope, found, "No entries to list.")
}

/// Prints what was found, unless it was already printed as JSON.
fn print_entries(scope: &Scope, found: Option<Entries>, nothing: &str) -> Result<End, CliError> {
    let Some(found) = found else { return Ok(End::Done) };
    if std::io::stdout().is_terminal() {
        let mut out = stream::stdout();
        for entry in &found.entries {
            let style = if entry.kind == EntryKind::Folder { PLACE } else { Style::new() };
            writeln!(out, "{style}{}{style:#}", paint::visible(&scope.name(&entry.path)))?;
        }
    } else {
        let mut out = stream::raw_stdout();
        for entry in &found.entries {
            writeln!(out, "{}", scope.name(&entry.path))?;
        }
    }
    let nothing = found.entries.is_empty().then_some(nothing);
    let notes: Vec<_> = nothing.into_iter().chain(found.notice.as_deref()).collect();
    if !notes.is_empty() {
        stream::note(&notes.join(" "))?;
    }
    Ok(End::Done)
}
