use std::path::Path;
use std::sync::Arc;

use crate::config::Policy;
use crate::protocol::RequestPath;
use crate::search::{FileAccess, OpenText, Scope};
use crate::workspace::rules::{Judge, Operation, Spelling};
use crate::workspace::{Contest, Role};

use crate::daemon::files::observe::Observed;
use crate::daemon::files::resolve::Purpose;
use crate::daemon::{Core, SessionContext};

/// Access of a session to search results, by the same rules as for reading.
pub(crate) struct SessionAccess<'a> {
    core: &'a Core,
    session: &'a SessionContext,
    scopes: &'a [Scope],
    policy: Arc<Policy>,
}

impl<'a> SessionAccess<'a> {
    pub(crate) fn new(core: &'a Core, session: &'a SessionContext, scopes: &'a [Scope]) -> Self {
        Self { core, session, scopes, policy: core.policy.current() }
    }
}

impl FileAccess for SessionAccess<'_> {
    fn allows(&self, path: &Path) -> bool {
        // Of nested roots, use the inner one.
        let around = self.scopes.iter().rev().find(|scope| path.starts_with(scope.root.path()));
        let top = around.map_or(Path::new("/"), |scope| &scope.top);
        let judge = Judge {
            rules: &self.policy.rules,
            policy: self.core.policy.path(),
            home: &self.core.home_names,
            agent: self.session.role == Role::Agent,
        };
        judge.judge(&[Spelling { path, top }], &[Operation::Read]).is_ok()
    }

    fn confirms(&self, path: &Path) -> bool {
        let located = self.core.locate(self.session, &RequestPath::of(path), Purpose::Read);
        located.is_ok_and(|target| target.path == path)
    }

    fn shown(&self, path: &Path) -> OpenText {
        let located = self.core.locate(self.session, &RequestPath::of(path), Purpose::Read);
        let observed = located.and_then(|target| self.core.observe(target));
        observed.map_or(OpenText::Disk, |observed| shown(&observed))
    }
}

/// Returns the text to search, consistent with the text and the warnings of `editd/read`.
fn shown(observed: &Observed) -> OpenText {
    let open = observed.open.as_ref();
    if open.is_some_and(|open_documents| open_documents.contest() == Some(Contest::TwoEditors)) {
        return OpenText::Contested;
    }
    if let (true, Some(text)) = (observed.is_unsaved(), &observed.text) {
        return OpenText::Unsaved(text.clone());
    }
    if open.is_some_and(|open_documents| open_documents.unknown().is_some()) {
        OpenText::Unknown
    } else {
        OpenText::Disk
    }
}
