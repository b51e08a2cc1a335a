//! Places in other files with a name that is renamed in one file.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use crate::engine::SessionContext;
use crate::engine::change::request::Call;
use crate::engine::change::{EditForm, RequestedEdit};
use crate::engine::files::resolve::Purpose;
use crate::engine::jobs::blocking;
use crate::engine::searching::SessionAccess;
use crate::server::Daemon;
use crate::server::handlers::change::globs::{PATHS, word_pattern};
use editd_disk::search::{Bounds, FileMatches, Query, search};
use editd_syntax::{SymbolOp, SymbolPath};
use editd_workspace::{Audience, RequestedPath};

/// Maximum number of lines that are listed.
const LISTED: usize = 20;
/// Maximum number of lines that are counted.
const COUNTED: usize = 1000;
/// Time after which a rename no longer waits for the list.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Returns the file of a call in which a symbol is renamed, and the symbol's name.
pub(super) fn renamed_symbol(call: &Call<RequestedPath>) -> Option<(RequestedPath, String)> {
    let renames = |edit: &RequestedEdit| match &edit.form {
        EditForm::Symbol(edit) if matches!(edit.op, SymbolOp::Rename | SymbolOp::RenameHere) => {
            Some(SymbolPath::parse(&edit.symbol).last_name().to_owned())
        }
        _ => None,
    };
    call.files.iter().find_map(|file| {
        let name = file.kind.edits().iter().find_map(renames)?;
        (!name.is_empty()).then(|| (file.file.clone(), name))
    })
}

impl Daemon {
    /// Returns a note about the lines of other files with the name of a symbol that is renamed in one file. Most are uses
    /// that the rename breaks.
    pub(super) async fn note_of_names_elsewhere(
        &self,
        session: &Arc<SessionContext>,
        (file, name): (RequestedPath, String),
    ) -> Option<String> {
        let listed = timeout(TIMEOUT, self.names_elsewhere(session, file, &name)).await;
        let lines = listed.ok().flatten().filter(|lines| !lines.is_empty())?;
        let shown = lines.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
        let more = match lines.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!(" and {more} more lines"),
        };
        let glob = if session.abilities.audience == Audience::CommandLine { "--glob" } else { "`glob`" };
        Some(format!(
            "`{name}` is also in other files, where nothing was renamed: {shown}{more}; a rename with {glob} includes them"
        ))
    }

    /// Returns the lines of other files with a name, such as `src/a.rs:7`. Returns `None` if they cannot be searched.
    async fn names_elsewhere(
        &self,
        session: &Arc<SessionContext>,
        file: RequestedPath,
        name: &str,
    ) -> Option<Vec<String>> {
        let (engine, context) = (self.engine.clone(), session.clone());
        let home = blocking(move || engine.locate(&context, &file, Purpose::Read)).await.ok()?.ok()?;
        let files = self.files_with_name(session, name).await?;
        let lines = files.into_iter().filter(|file| file.path != home.path).flat_map(|file| {
            let shown = file.path.strip_prefix(home.root.path()).unwrap_or(&file.path).display().to_string();
            file.lines.into_iter().map(move |line| format!("{shown}:{}", line.number)).collect::<Vec<_>>()
        });
        Some(lines.collect())
    }

    /// Returns the lines in which a name stands, of all files of the session. Returns `None` if they cannot be searched.
    pub(super) async fn files_with_name(
        &self,
        session: &Arc<SessionContext>,
        name: &str,
    ) -> Option<Vec<FileMatches>> {
        let (pattern, literal) = word_pattern(name);
        let bounds = Bounds { lines: COUNTED, context: 0, bytes: PATHS, counts: false };
        let query = Query::new(&pattern, literal, false, bounds).ok()?;
        let found = self.engine.searching(session, move |engine, session, stop| {
            let locations = engine.locations(session, None)?;
            let access = SessionAccess::new(engine, session, &locations.scopes);
            Ok(search(&*engine.disk, &locations.scopes, (&query, None), &access, stop))
        });
        Some(found.await.ok()?.files)
    }
}
