//! Renames that the language servers of attached editors make.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::time::{Instant, timeout_at};

use crate::engine::change::request::Call;
use crate::engine::change::spread::Spread;
use crate::engine::editors::{RENAME, ServedFiles, only_rename};
use crate::engine::jobs::blocking;
use crate::engine::{Result, SessionContext};
use crate::server::Daemon;
use editd_disk::search::FileMatches;
use editd_protocol::Invalid;
use editd_workspace::RequestedPath;

impl Daemon {
    /// Returns the lines in which a name stands besides the places that a language server renames. A server that has not
    /// loaded all files yet may know only a part of the places.
    async fn left_beside(
        &self,
        session: &Arc<SessionContext>,
        name: &str,
        files: &ServedFiles,
    ) -> Vec<(PathBuf, Vec<u64>)> {
        let found = self.files_with_name(session, name).await.unwrap_or_default();
        let of_file = |file: FileMatches| {
            let served = files.iter().find(|(path, _)| *path == file.path).map(|(_, uses)| &uses.lines);
            let is_left = |line: &u64| served.is_none_or(|lines| !lines.contains(line));
            let lines: Vec<u64> = file.lines.iter().map(|line| line.number).filter(is_left).collect();
            (!lines.is_empty()).then_some((file.path, lines))
        };
        found.into_iter().filter_map(of_file).collect()
    }

    /// Replaces the rename of a symbol by the places that the language server of an editor renames, if there is one.
    /// Otherwise, the rename is that of the syntax tree.
    pub(super) async fn served(
        &self,
        session: &Arc<SessionContext>,
        mut call: Call<RequestedPath>,
    ) -> Result<Call<RequestedPath>> {
        if !self.engine.has_renaming_editors() {
            return Ok(call);
        }
        let Some((file, of, edit)) = only_rename(&call.files) else { return Ok(call) };
        let (engine, context) = (self.engine.clone(), session.clone());
        let (path, base, edit) = (file.file.clone(), file.base.clone(), edit.clone());
        let found = blocking(move || engine.symbol_to_rename(&context, (&path, base.as_ref()), &edit));
        let Some(mut symbol) = found.await? else { return Ok(call) };
        let deadline = Instant::now() + RENAME;
        for editor in std::mem::take(&mut symbol.editors) {
            let reply = editor.client.rename(&editor.file, (editor.at, editor.encoding), symbol.new_name());
            // Whatever fails in an editor, there is the syntax tree.
            let Ok(Ok(Some(answer))) = timeout_at(deadline, reply).await else { continue };
            let (engine, context) = (self.engine.clone(), session.clone());
            let glob = call.spread.as_ref().and_then(|spread| spread.glob.clone());
            let checked = blocking(move || {
                let served = engine.served_uses(&context, &symbol, (answer, editor.encoding), glob.as_ref());
                (served, symbol)
            });
            let (served, same) = checked.await?;
            symbol = same;
            match served? {
                Ok(files) if files.len() > self.engine.config.limits.changes => {
                    let problem = format!(
                        "the language server would change {} files, more than a call may change",
                        files.len()
                    );
                    return Err(Invalid::new("symbol", problem).into());
                }
                Ok(files) => {
                    let expect = call.spread.as_ref().and_then(Spread::expected);
                    let left = self.left_beside(session, symbol.old_name(), &files).await;
                    call.take_served(of, (files, left), expect);
                    return Ok(call);
                }
                Err(Some(reason)) => {
                    let warning = "The language server of an editor was not used for the rename: ";
                    call.notes.push(format!("{warning}{}.", reason.trim_end_matches('.')));
                    return Ok(call);
                }
                Err(None) => {}
            }
        }
        Ok(call)
    }
}
