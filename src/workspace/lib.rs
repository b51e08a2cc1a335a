//! The workspace state and its rules: sessions, documents, proposals and refusals.
//!
//! This layer is pure: it uses no file system, no clock and no network. [`Workspace`] changes one step at a
//! time, and each step takes microseconds regardless of file size. Expensive work runs beforehand on
//! immutable [`Snapshot`]s, and its result is passed in.
//!
//! The path rules decide which files an agent may change:
//!
//! ```
//! use std::path::Path;
//!
//! use editd_workspace::Audience;
//! use editd_workspace::rules::{Judge, Operation, Spelling, UserRules};
//!
//! let (top, policy) = (Path::new("/home/ada/shop"), Path::new("/home/ada/.config/editd/policy.toml"));
//! let home = ["home".to_owned(), "ada".to_owned()];
//! let judge = Judge { rules: &UserRules::default(), policy, home: &home, agent: true };
//! let may_modify = |name: &str| {
//!     judge.judge(&[Spelling { path: &top.join(name), top }], &[Operation::Modify])
//! };
//! assert!(may_modify("src/cart.py").is_ok());
//! let refused = may_modify(".env").unwrap_err();
//! assert!(refused.hint(Audience::Wire).contains("policy.toml"), "only the user can allow it, and how");
//! ```

mod audience;
/// Documents that are open in editors.
pub mod buffers;
/// Diagnostics that editors report.
pub mod diagnostics;
pub mod fair;
mod files;
/// Past transactions and how to undo them.
pub mod history;
mod ledger;
/// Limits, with their names and reasons.
pub mod limits;
mod log;
/// Names of authors and labels of changes.
pub mod names;
mod proposal;
mod refusal;
mod request;
/// Proposals under review.
pub mod review;
/// Clients that show proposals to a person, connected or expected back.
pub mod reviewers;
/// Rules for paths and workspace roots.
pub mod rules;
mod session;
mod shown;
mod state;
mod texts;

pub use audience::{Audience, ChangeForm};
pub use files::{FileContent, FileKey, MTime, ObservedVersion, Snapshot, is_prose};
pub use ledger::{Base, Coverage, Reading};
pub use limits::Limits;
pub use proposal::{
    Action, ApplyStep, DisplayDiff, NewMode, NewProposal, OnStale, PlannedFile, Proposal, ProposalId,
    ProposalState, Repeatable,
};
#[cfg(any(test, feature = "test-refusals"))]
pub use refusal::samples as refusal_samples;
pub use refusal::{
    Contest, EditorRefusal, Known, ProposalRefusal, Refusal, RefusalKind, ReviewRefusal, Since, UndoRefusal,
};
pub use request::{Invalid, NamedVersion, RequestedPath};
pub use session::{Abilities, Role, Session, SessionId};
pub use shown::{ShownLines, ShownVersion};
pub use state::changes::{BaseState, Changed, CommittedChange, SentBase};
pub use state::documents::{Diagnosed, DocumentEffect, DocumentEvent};
pub use state::{Counts, Notice, Outcome, Record, Workspace};
