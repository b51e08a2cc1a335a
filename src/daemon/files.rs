//! Files: resolving paths, access control, locks, and current content.

pub(crate) mod access;
pub(crate) mod cache;
pub(crate) mod locks;
pub(crate) mod observe;
pub(crate) mod open_documents;
pub(crate) mod rechecks;
pub(crate) mod resolve;
pub(crate) mod watch;
