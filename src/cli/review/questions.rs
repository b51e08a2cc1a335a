//! Texts of the questions about hunks.

/// A question about a hunk, and the meaning of its answers.
pub(super) struct Questions {
    pub(super) question: &'static str,
    /// Answers to this question.
    pub(super) answers: &'static str,
}

/// Answers to every question.
pub(super) const COMMON: &str = "\
c  send a comment to the author
s  leave it for later
q  leave this and all further hunks for later
?  this help";

impl Questions {
    /// Returns the question about a hunk of a proposal, or of a landed change.
    pub(super) fn about(is_landed: bool, is_conflicted: bool) -> Self {
        let (question, answers) = match (is_landed, is_conflicted) {
            (false, false) => ("Accept this hunk [y,n,a,d,A,D,e,c,s,q,?]?", PROPOSED),
            (false, true) => ("Take the author's side [t,n,d,D,e,c,s,q,?]?", PROPOSED_CONFLICTED),
            (true, false) => ("Keep this hunk [y,n,a,d,A,D,e,c,s,q,?]?", LANDED),
            (true, true) => ("Keep the current text [y,t,a,A,e,c,s,q,?]?", LANDED_CONFLICTED),
        };
        Self { question, answers }
    }
}

const PROPOSED: &str = "\
y  accept this hunk
n  reject it
a  accept it and all undecided hunks of this file
d  reject it and all undecided hunks of this file
A  accept it and all undecided hunks of the proposal
D  reject it and all undecided hunks of the proposal
e  edit its new lines in $VISUAL or $EDITOR";

const PROPOSED_CONFLICTED: &str = "\
t  take the author's side, and discard the change made here since
n  keep the current text
d  keep it, and reject all undecided hunks of this file
D  keep it, and reject all undecided hunks of the proposal
e  edit the author's lines in $VISUAL or $EDITOR";

const LANDED: &str = "\
y  keep this hunk
n  revert it
a  keep it and all undecided hunks of this file
d  revert it and all undecided hunks of this file
A  keep it and all undecided hunks of the command
D  revert it and all undecided hunks of the command
e  edit the current lines in $VISUAL or $EDITOR";

const LANDED_CONFLICTED: &str = "\
y  keep the current text
t  restore the earlier lines, and discard the change made here since
a  keep the current text, and all undecided hunks of this file
A  keep the current text, and all undecided hunks of the command
e  edit the current lines in $VISUAL or $EDITOR";
