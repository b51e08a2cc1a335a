//! `editd/outline`, and symbols for `editd/read` and `editd/find`.

use std::sync::Arc;

use crate::engine::change::outlined::no_grammar;
use crate::engine::files::resolve::Purpose;
use crate::engine::searching::SessionAccess;
use crate::engine::{Engine, Failure, Result, SessionContext};
use crate::server::Daemon;
use crate::server::handlers::search::{incomplete_notices, joined, limit_of, path_of, pattern_problem};
use editd_disk::search::{Bounds, FileGlob, Query, StopCondition, search};
use editd_edit::{Deadline, LineRange};
use editd_protocol::{
    Entries, FindParams, FoundSymbol, Invalid, OutlineParams, OutlineResult, SymbolEntry, requested_path,
    uri_of,
};
use editd_syntax::parsing::outline;
use editd_syntax::{Language, Outline, Symbol, SymbolPath};
use editd_text::count_lines;
use editd_workspace::limits::{ENTRIES_MOST, FIND_ENTRIES, FOUND_BYTES, OUTLINE_SYMBOLS};
use editd_workspace::{Refusal, RefusalKind, RequestedPath};

/// Maximum number of lines with the name of a symbol that are examined.
const LINES: usize = 20_000;

impl Daemon {
    /// `editd/outline`. Reading an outline does not count as reading the file.
    pub async fn outline(
        &self,
        session: &Arc<SessionContext>,
        params: OutlineParams,
    ) -> Result<OutlineResult> {
        let path = requested_path(params.path, params.uri, ("path", "uri"))?;
        let audience = session.abilities.audience;
        let bounds = Bounds { lines: OUTLINE_SYMBOLS, context: 0, bytes: usize::MAX, counts: false };
        let wanted = params.pattern.map(|pattern| Query::new(&pattern, false, false, bounds)).transpose();
        let wanted = wanted.map_err(|error| Invalid::new("pattern", pattern_problem(&error, audience)))?;
        let outlined = self.engine.on_file(session, path, move |engine, _, target, _| {
            let observed = engine.observe(target)?;
            let path = &observed.target.path;
            let refused = |kind| Failure::from(Refusal::at(path, kind));
            let (snapshot, text) = observed.content().map_err(refused)?;
            let outline = outline_of(path, text, engine.deadline()).map_err(refused)?;
            let symbols = outline.symbols().iter().map(|symbol| SymbolEntry::of(&outline, symbol));
            let is_wanted = |entry: &SymbolEntry| wanted.as_ref().is_none_or(|it| it.fits(&entry.symbol));
            let mut symbols = symbols.filter(is_wanted);
            Ok(OutlineResult {
                uri: uri_of(path),
                path: path.display().to_string(),
                hash: snapshot.hash.to_string(),
                language: outline.language().to_string(),
                total_lines: count_lines(text),
                symbols: symbols.by_ref().take(OUTLINE_SYMBOLS).collect(),
                more: symbols.count(),
            })
        });
        outlined.await
    }

    /// `editd/find` with a symbol.
    pub(super) async fn find_symbol(
        &self,
        session: &Arc<SessionContext>,
        params: FindParams,
        symbol: String,
    ) -> Result<Entries> {
        let limit = limit_of(params.limit, FIND_ENTRIES, ENTRIES_MOST)?;
        let path = path_of(params.path, params.uri)?;
        let glob = params.pattern.as_deref().map(FileGlob::new).transpose();
        let glob = glob.map_err(|problem| Invalid::new("pattern", problem))?;
        let found = self.engine.searching(session, move |engine, session, stop| {
            find_symbols(
                engine,
                session,
                (path.as_ref(), glob.as_ref()),
                &SymbolPath::parse(&symbol),
                limit,
                stop,
            )
        });
        found.await
    }
}

/// Finds the declarations of a symbol in the files that contain its name.
fn find_symbols(
    engine: &Engine,
    session: &SessionContext,
    (path, glob): (Option<&RequestedPath>, Option<&FileGlob>),
    symbol: &SymbolPath,
    limit: usize,
    stop: &StopCondition<'_>,
) -> Result<Entries> {
    let name = symbol.last_name();
    if name.is_empty() {
        return Err(Invalid::new("symbol", "it is empty").into());
    }
    let bounds = Bounds { lines: LINES, context: 0, bytes: usize::MAX, counts: false };
    let query = Query::new(name, true, false, bounds);
    let query = query.map_err(|_| Invalid::new("symbol", "it is not a name"))?;
    let locations = engine.locations(session, path)?;
    let access = SessionAccess::new(engine, session, &locations.scopes);
    let report = search(&*engine.disk, &locations.scopes, (&query, glob), &access, stop);
    let (mut symbols, mut bytes, mut more) = (Vec::new(), 0, report.more);
    'files: for file in &report.files {
        if Language::of_path(&file.path).is_none() || stop.has_happened() {
            continue;
        }
        let located = engine.locate(session, &RequestedPath::of(&file.path), Purpose::Read);
        let Ok(observed) = located.and_then(|target| engine.observe(target)) else { continue };
        let Ok((_, text)) = observed.content() else { continue };
        let Ok(outline) = outline_of(&file.path, text, engine.deadline()) else { continue };
        for found in outline.matching(symbol) {
            let entry = SymbolEntry::of(&outline, found);
            let path = file.path.display().to_string();
            bytes += path.len() + entry.symbol.len() + entry.signature.len();
            if symbols.len() == limit || bytes > FOUND_BYTES {
                more = true;
                break 'files;
            }
            symbols.push(FoundSymbol { path, symbol: entry });
        }
    }
    let notices = incomplete_notices(engine, stop, &report.passed, more, session.abilities.audience);
    let truncated = more || stop.has_happened();
    Ok(Entries { symbols, truncated, notice: joined(&notices), ..Entries::default() })
}

/// Returns the lines of a symbol. Overloads that follow one another are one symbol.
pub(super) fn lines_of_symbol(
    path: &std::path::Path,
    text: &str,
    symbol: &str,
    deadline: Deadline,
) -> Result<LineRange, RefusalKind> {
    let outline = outline_of(path, text, deadline)?;
    let path = SymbolPath::parse(symbol);
    let declarations = outline.declarations(&path).map_err(RefusalKind::Symbol)?;
    let is_next = |pair: &[&Symbol]| {
        let between = text.get(pair[0].range.end..pair[1].range.start);
        between.is_some_and(|between| between.trim().is_empty())
    };
    match declarations[..] {
        [symbol] => Ok(symbol.lines),
        [first, .., last] if declarations.windows(2).all(is_next) => {
            Ok(LineRange { start: first.lines.start, end: last.lines.end })
        }
        _ => outline.resolve(&path).map(|symbol| symbol.lines).map_err(RefusalKind::Symbol),
    }
}

fn outline_of(path: &std::path::Path, text: &str, deadline: Deadline) -> Result<Outline, RefusalKind> {
    let language = Language::of(path, text).ok_or_else(no_grammar)?;
    outline(text, language, deadline).map_err(|reason| RefusalKind::NoSyntax(reason.to_string()))
}
