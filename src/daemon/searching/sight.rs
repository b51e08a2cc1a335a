use std::path::Path;
use std::sync::Arc;

use crate::config::Policy;
use crate::protocol::RequestPath;
use crate::search::{Access, Scope};
use crate::workspace::Role;
use crate::workspace::rules::{Judge, Operation, Spelling};

use crate::daemon::locate::Purpose;
use crate::daemon::{Core, SessionContext};

/// What a session may be told, by the same rules as for reading.
pub(crate) struct Sight<'a> {
    core: &'a Core,
    session: &'a SessionContext,
    scopes: &'a [Scope],
    policy: Arc<Policy>,
}

impl<'a> Sight<'a> {
    pub(crate) fn new(core: &'a Core, session: &'a SessionContext, scopes: &'a [Scope]) -> Self {
        Self { core, session, scopes, policy: core.policy.current() }
    }
}

impl Access for Sight<'_> {
    fn allows(&self, path: &Path) -> bool {
        // Of roots within each other, the inner one.
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

    fn unsaved(&self, path: &Path) -> Option<Arc<String>> {
        let target = self.core.locate(self.session, &RequestPath::of(path), Purpose::Read).ok()?;
        let observed = self.core.observe(target).ok()?;
        observed.is_unsaved().then(|| observed.text.clone())?
    }
}
