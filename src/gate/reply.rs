//! Answers to calls that the daemon has checked.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Reply, ToolCall, rewrite};
use crate::protocol::{CommentEntry, NativeEditResult};
use crate::workspace::ProposalState;

/// Returns the answer to a call that the daemon has checked.
pub fn reply(call: &ToolCall, result: &NativeEditResult) -> Reply {
    let comments = comments(&result.comments);
    if result.state == NativeEditResult::READY {
        let input = result.files.first().and_then(|file| rewrite(call, file));
        return Reply::GoOn { input, context: remarks(result, &comments) };
    }
    let text = match ProposalState::of_name(&result.state) {
        Some(ProposalState::Applied | ProposalState::Partial) => {
            let remarks = remarks(result, &comments).map(|text| format!("\n{text}")).unwrap_or_default();
            format!(
                "This is not an error: editd has made the change itself. Do not send it again; read the file to see the result.{remarks}"
            )
        }
        Some(ProposalState::Rejected) => format!("The user rejected this change.\n{comments}"),
        Some(ProposalState::Pending) => {
            "The change waits for the decision of the user. Send the same edit again to wait longer."
                .to_owned()
        }
        _ => format!("The change was not made: its state is `{}`.", result.state),
    };
    Reply::Refuse(text.trim_end().to_owned())
}

/// Returns what the author should know about a change that is made.
fn remarks(result: &NativeEditResult, comments: &str) -> Option<String> {
    let mut text = String::new();
    if result.rejected > 0 {
        text.push_str("The user accepted only a part of this change; read the file to see the result.\n");
    }
    for diff in &result.user_edits {
        text.push_str("The user corrected this change:\n");
        text.push_str(diff);
        text.push('\n');
    }
    text.push_str(comments);
    for warning in result.files.iter().flat_map(|file| &file.warnings) {
        text.push_str(warning);
        text.push('\n');
    }
    let text = text.trim_end();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns the arguments with which the tool finds the text that a call means.
pub fn exact_arguments(call: &ToolCall, found: &NativeEditResult) -> Option<String> {
    let input = rewrite(call, found.files.first()?)?;
    Some(format!(
        "The file has only one place that this edit can mean. Send it again with these arguments:\n{}",
        Value::from(input)
    ))
}

/// Returns the comments of the user on a change, one per line.
fn comments(comments: &[CommentEntry]) -> String {
    let mut text = String::new();
    for comment in comments {
        let _ = writeln!(text, "The user commented: {}", comment.text);
    }
    text
}
