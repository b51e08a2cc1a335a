use std::path::{Path, PathBuf};

use crate::disk::{DiskErrorKind, Root, Target};
use crate::protocol::RequestPath;
use crate::workspace::{FileKey, Refusal, RefusalKind, Role, rules};

use super::failure::refusal_of;
use super::{Core, SessionContext, SessionRoot};

/// What a path is looked up for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Read,
    Write,
}

impl Core {
    /// The place that a request means by a path, if the session may go there.
    pub(crate) fn locate(
        &self,
        session: &SessionContext,
        path: &RequestPath,
        purpose: Purpose,
    ) -> Result<Target, Refusal> {
        let asked = path.as_path();
        let (root, relative) = self.root_of(session, asked, purpose).ok_or_else(|| {
            Refusal::at(asked, RefusalKind::OutsideWorkspace { roots: session.root_paths() })
        })?;
        if path.names_folder() || relative.as_os_str().is_empty() {
            return Err(Refusal::at(asked, RefusalKind::NotAFile { what: "a folder".to_owned() }));
        }
        let target = self.disk.resolve(&root, &relative).map_err(|error| match error.kind {
            DiskErrorKind::OutsideRoot => {
                Refusal::at(asked, RefusalKind::OutsideWorkspace { roots: session.root_paths() })
            }
            _ => Refusal::at(asked, refusal_of(&error)),
        })?;
        if purpose == Purpose::Write {
            self.check_writable(session, &relative, &target)?;
        }
        Ok(target)
    }

    /// The root that a path lies in, and its path from there.
    pub(super) fn root_of(
        &self,
        session: &SessionContext,
        asked: &Path,
        purpose: Purpose,
    ) -> Option<(Root, PathBuf)> {
        if asked.is_relative() {
            let first = session.roots.first().filter(|root| root.admits(asked));
            return first.map(|first| (first.root.clone(), asked.to_owned()));
        }
        let configured: &[SessionRoot] = if session.roots.is_empty() { &self.roots } else { &[] };
        let readable: &[SessionRoot] = if purpose == Purpose::Read { &self.read_roots } else { &[] };
        let mut roots = session.roots.iter().chain(configured).chain(readable);
        roots.find_map(|root| Some((root.root.clone(), root.relative(asked)?)))
    }

    fn check_writable(
        &self,
        session: &SessionContext,
        relative: &Path,
        target: &Target,
    ) -> Result<(), Refusal> {
        let refuse =
            |rule: &str| Err(Refusal::at(&target.path, RefusalKind::Protected { rule: rule.to_owned() }));
        if let Some(error) = &self.config.error {
            let what = format!("nothing is written while the configuration cannot be read: {error}");
            return Err(Refusal::at(&target.path, RefusalKind::NotPermitted { what }));
        }
        // Both what was asked for and what was opened: a link must neither hide nor lend the name.
        if [relative, target.path.as_path()].into_iter().any(|p| rules::version_control_part(p).is_some()) {
            return refuse("version_control");
        }
        let own = [&self.state_dir, &self.runtime_dir];
        if target.path == self.config.file || own.iter().any(|dir| target.path.starts_with(dir)) {
            return refuse("editd");
        }
        let has_other_names = matches!(target.key, FileKey::Inode { .. });
        if has_other_names && session.role == Role::Agent && !self.config.hard_links {
            return refuse("hard_link");
        }
        Ok(())
    }
}
