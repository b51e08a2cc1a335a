//! The rules of the product: sessions and what each was given, documents, proposals, refusals.
//!
//! Pure: no file, no clock, no wire. [`Workspace`] is changed by one step at a time, and each takes
//! microseconds whatever the size of the files; everything that costs more happens before on immutable
//! [`Snapshot`]s and is brought here as a result.
//!
//! What agents may touch is one of the rules:
//!
//! ```
//! use std::path::Path;
//!
//! use editd::workspace::rules::{Judge, Operation, Spelling, UserRules};
//!
//! let (top, policy) = (Path::new("/home/ada/shop"), Path::new("/home/ada/.config/editd/policy.toml"));
//! let home = ["home".to_owned(), "ada".to_owned()];
//! let judge = Judge { rules: &UserRules::default(), policy, home: &home, agent: true };
//! let may_modify = |name: &str| {
//!     judge.judge(&[Spelling { path: &top.join(name), top }], &[Operation::Modify])
//! };
//! assert!(may_modify("src/cart.py").is_ok());
//! let refused = may_modify(".env").unwrap_err();
//! assert!(refused.hint().contains("policy.toml"), "only the user can allow it, and how");
//! ```

mod answers;
/// What editors have open.
pub mod buffers;
mod departed;
/// What editors say is wrong in files.
pub mod diagnostics;
mod document;
mod file_key;
/// What was done to files, and the way back.
pub mod history;
/// Bounds, with names and reasons.
pub mod limits;
mod log;
mod proposal;
mod prose;
mod refusal;
/// Proposals that a person decides about.
pub mod review;
/// Which paths and roots are allowed.
pub mod rules;
mod session;
mod state;
mod texts;

pub use answers::{Answered, RememberedAnswers, Repeatable, RequestKey};
pub use document::{Seen, Truth};
pub use file_key::FileKey;
pub use limits::Limits;
pub use log::{Author, OwnEdits, Transition, TransitionLog};
pub use proposal::{Action, NewMode, OnStale, PlannedFile, Proposal, ProposalId, ProposalState, Shown};
pub use prose::is_prose;
pub use refusal::{
    Contest, EditorRefusal, Known, ProposalRefusal, Refusal, RefusalKind, ReviewRefusal, Since, UndoRefusal,
};
pub use session::{Abilities, Base, Coverage, Role, Session, SessionId};
pub use state::{
    ApplyStep, BaseState, Changed, Counts, Diagnosed, MadeFor, Moved, NewProposal, Notice, Outcome, Record,
    Workspace,
};
pub use texts::{Snapshot, TextStore};
