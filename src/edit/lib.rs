//! Edits: matching, plans, diffs, merges, patches and notebooks. No I/O.
//!
//! [`find`] turns the edits of one call into a [`Plan`] over the base text, or returns a refusal per failed
//! edit. Offsets are bytes of the base's UTF-8, line numbers in results count from 1.
//!
//! ```
//! use editd_edit::{Deadline, Edit, Labels, Options, diff_plan, find, merge};
//!
//! let base = "let port = 80;\n\nfn main() {}\n\nlet host = LOCAL;\n";
//! let found = find(base, &[Edit::new("port = 80", "port = 8080")], &Options::default()).unwrap();
//! let mine = found.plan.apply(base);
//! assert!(mine.starts_with("let port = 8080;\n\nfn main()"));
//!
//! let diff = diff_plan(base, &found.plan, Labels::same("main.rs"), Deadline::NONE);
//! assert!(diff.unified.contains("-let port = 80;\n+let port = 8080;\n"));
//! // A plan can be inverted, and its result can be merged with another change of the same base.
//! assert_eq!(found.plan.invert(base).apply(&mine), base);
//! let theirs = base.replace("LOCAL", "REMOTE");
//! assert_eq!(merge(base, &mine, &theirs).unwrap(), mine.replace("LOCAL", "REMOTE"));
//! ```

mod anchor;
mod base;
mod closest;
mod conflicts;
mod deadline;
mod diff;
mod elided;
mod excerpt;
mod find;
mod finder;
mod fold;
mod indent;
mod line_diff;
mod line_edit;
mod merge;
pub mod notebook;
mod offer;
mod order;
pub mod patch;
mod pattern;
mod plan;
mod refusal;
mod replaced_lines;
mod replacement;
mod request;
mod similarity;
mod tiers;
mod unwrap;
mod whole_lines;

pub use base::{Index, SharedIndex};
pub use deadline::{Deadline, ProcessorTime, TimedOut};
pub use diff::{Display, FileDiff, Hunk, Labels, diff_plan, diff_texts, display_plan, new_file_header};
pub use elided::placeholder;
pub use excerpt::{Excerpt, LinePart, beginnings};
pub use find::{FoundMatch, Match, find, renumbered};
pub use line_diff::{Run, common_ends, runs as line_runs};
pub use line_diff::{rewrite, without_mark};
pub use line_edit::{
    BadRange, LineEdit, LineMap, LineOrigin, LinePlace, LineRefusal, LocatedLines, MovedSymbol, MovedText,
    Reshape, ReshapeProblem, Reshaped, StringLines, lines_of, locate, parse_range, plan_lines, reshape,
};
pub use merge::{ConflictRegion, MarkedMerge, MergeError, merge, merge_marked};
pub use offer::Offer;
pub use pattern::{PatternError, PatternKind};
pub use plan::{MappedRange, Plan, PlanError, Splice, Spot, UndoPlan};
pub use refusal::{
    Closest, EditRefusal, EditRefusalKind, LineRange, Occurrence, Occurrences, listed_lines, snippet,
};
pub use request::{Anchor, Count, Edit, Options, Strategy, TextScope};
