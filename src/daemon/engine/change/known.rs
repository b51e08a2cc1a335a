//! Checks of what the author of a change knows of the file.

use crate::engine::change::compute::ComputeOptions;
use crate::engine::change::rebase::stale;
use crate::engine::change::{ChangeKind, EditForm, NewContent, Precondition, RequestedChange};
use crate::engine::files::observe::Observed;
use editd_edit::snippet;
use editd_text::{count_lines, line_start};
use editd_workspace::{BaseState, Coverage, Known, OnStale, RefusalKind};

/// Number of lines around the old text in the excerpt of the refusal `unread`.
const EXCERPT_CONTEXT: usize = 3;

impl RequestedChange<Observed> {
    /// Refuses the change if its author does not know enough of the file for it. Returns how much of the
    /// result the author will know.
    pub(super) fn check_known(
        &self,
        base: &BaseState,
        rules: &ComputeOptions<'_>,
    ) -> Result<Coverage, RefusalKind> {
        let exists = self.file.exists();
        let creates = match &self.kind {
            ChangeKind::Write(new) => {
                match new.precondition {
                    Precondition::New if exists => return Err(RefusalKind::Exists),
                    // The only precondition is that the file does not exist, and it holds.
                    Precondition::New if self.base.is_none() => return Ok(Coverage::Whole),
                    Precondition::Empty { creates: false, .. } if !exists => {
                        return Err(RefusalKind::Missing);
                    }
                    _ => {}
                }
                self.check_mode(new.mode)?;
                true
            }
            _ => false,
        };
        let coverage = match base {
            BaseState::Unread { .. } if !exists && creates => return Ok(Coverage::Whole),
            BaseState::Unread { .. } if !exists => return Err(RefusalKind::Missing),
            // If the file is not text, that is the refusal: reading the file first would not help.
            BaseState::Unread { new_session } => {
                let known = if *new_session { Known::NothingYet } else { Known::OtherFiles };
                return Err(self.no_text().unwrap_or_else(|| self.unread(known)));
            }
            BaseState::Fresh(coverage) => *coverage,
            BaseState::Moved { text, coverage, .. } => {
                // A delete based on an older text must not delete the changes of others.
                let deletes = matches!(self.kind, ChangeKind::Delete(_));
                let is_refused = rules.on_stale == OnStale::Reject;
                if is_refused || text.is_none() || !exists || deletes {
                    return Err(stale(text.as_deref(), &self.file, rules.deadline));
                }
                *coverage
            }
        };
        // A file that should be empty is refused because it is not.
        let needs_some = matches!(
            self.kind,
            ChangeKind::Edit(..)
                | ChangeKind::Cells(_)
                | ChangeKind::Write(NewContent { precondition: Precondition::Empty { .. }, .. })
        );
        if coverage == Coverage::Part && !needs_some {
            return Err(self.unread(Known::SomeLines));
        }
        Ok(match base {
            // The result contains changes of others that the author has not seen.
            BaseState::Moved { .. } => Coverage::Part,
            _ if creates => Coverage::Whole,
            _ => coverage,
        })
    }

    /// Returns the reason why the change cannot edit the content of the file as text, if there is one.
    fn no_text(&self) -> Option<RefusalKind> {
        let changes_text = matches!(self.kind, ChangeKind::Edit(..) | ChangeKind::Cells(_));
        self.file.content().err().filter(|_| changes_text)
    }

    fn unread(&self, known: Known) -> RefusalKind {
        RefusalKind::Unread { current: self.file.content.hash(), excerpt: self.excerpt(), known }
    }

    /// Returns the lines around the old text of the first edit, if the file contains it exactly.
    fn excerpt(&self) -> Option<String> {
        let (_, text) = self.file.content().ok()?;
        let first = self.kind.edits().first()?;
        if let Some(lines) = first.anchors() {
            return Some(snippet(text, lines.start, lines.end, EXCERPT_CONTEXT));
        }
        let EditForm::Text(edit) = &first.form else { return None };
        let wanted = Some(edit.old.as_str()).filter(|old| !old.is_empty() && !edit.kind.regex)?;
        let start = text.find(wanted)?;
        let first = count_lines(&text[..line_start(text, start)]) + 1;
        let last = first + count_lines(wanted).saturating_sub(1);
        Some(snippet(text, first, last, EXCERPT_CONTEXT))
    }
}
