//! Answers to calls that the daemon has checked.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Reply, ToolCall, rewrite};
use editd_protocol::{CommentEntry, LandedDecision, NativeEditResult, NativeRemarks};
use editd_workspace::ProposalState;

/// Returns the answer to a call that the daemon has checked.
pub fn reply(call: &ToolCall, result: &NativeEditResult) -> Reply {
    let remarks = remarks(&result.remarks);
    if result.state == NativeEditResult::READY {
        return Reply::GoOn { input: rewrite(call, &result.files), context: remarks };
    }
    let text = match ProposalState::of_name(&result.state) {
        Some(ProposalState::Applied | ProposalState::Partial) => {
            let remarks = remarks.map(|text| format!("\n{text}")).unwrap_or_default();
            return Reply::Done(format!("editd has made the change itself. Do not send it again.{remarks}"));
        }
        Some(ProposalState::Rejected) => {
            format!("The user rejected this change.\n{}", comments(&result.remarks.comments))
        }
        Some(ProposalState::Pending) => {
            "The change waits for the decision of the user. Send the same edit again to wait longer."
                .to_owned()
        }
        _ => format!("The change was not made: its state is `{}`.", result.state),
    };
    Reply::Refuse(text.trim_end().to_owned())
}

/// Returns the refusal of a tool whose change editd has made itself, for a program that can only refuse it.
pub(super) fn as_refusal(done: &str) -> Reply {
    Reply::Refuse(format!("This is not an error: {done}"))
}

/// Returns what the author should know about a person's decisions about changes that commands have made.
pub fn decisions(decisions: &[LandedDecision]) -> Option<String> {
    let mut text = String::new();
    for decision in decisions {
        let command = decision.label.as_deref().unwrap_or(&decision.landed);
        let part = if decision.state == ProposalState::Rejected.as_ref() { "what" } else { "a part of what" };
        let verb = if decision.user_edits.is_empty() { "reverted" } else { "corrected" };
        // Writing to a string cannot fail.
        let _ = if decision.paths.is_empty() {
            writeln!(text, "The user has kept what `{command}` changed.")
        } else {
            let paths = decision.paths.join("`, `");
            writeln!(
                text,
                "The user has {verb} {part} `{command}` changed, in `{paths}`. Read it again before you rely on it."
            )
        };
        for edit in &decision.user_edits {
            let _ = writeln!(text, "The user corrected it:\n{}", edit.diff.trim_end());
        }
        text.push_str(&comments(&decision.comments));
    }
    let text = text.trim_end();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns what the author should know about a change that is made.
pub fn remarks(remarks: &NativeRemarks) -> Option<String> {
    let mut text = String::new();
    if remarks.rejected > 0 {
        text.push_str("The user accepted only a part of this change; read the file to see the result.\n");
    }
    for diff in &remarks.user_edits {
        text.push_str("The user corrected this change:\n");
        text.push_str(diff);
        text.push('\n');
    }
    text.push_str(&comments(&remarks.comments));
    for warning in &remarks.warnings {
        text.push_str(warning);
        text.push('\n');
    }
    let text = text.trim_end();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns what the model should know about a call whose text its tool has not found: the arguments with which the
/// tool finds it, or that editd has made the change, because the text is only in an editor.
pub fn advice(call: &ToolCall, found: &NativeEditResult) -> String {
    if found.state == NativeEditResult::READY {
        let Some(input) = rewrite(call, &found.files) else { return "Send the same edit again.".to_owned() };
        let arguments = Value::from(input);
        return format!(
            "This edit can refer to only one place in the file. Send it again with these arguments:\n{arguments}"
        );
    }
    match reply(call, found) {
        Reply::Done(text) => format!("The tool has not found the text on disk, but {text}"),
        Reply::Refuse(text) => text,
        _ => String::new(),
    }
}

/// Returns the comments of the user on a change, one per line.
fn comments(comments: &[CommentEntry]) -> String {
    let mut text = String::new();
    for comment in comments {
        let _ = writeln!(text, "The user commented: {}", comment.text);
    }
    text
}
