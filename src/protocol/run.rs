//! Parameters and results of `editd/runBegin` and `editd/runEnd`: runs of commands that change files themselves.

use serde::{Deserialize, Serialize};

use super::propose::OriginParams;
use super::results::{CommentEntry, UserEdit};

/// Parameters of `editd/runBegin`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunBeginParams {
    /// The command, as people write it.
    pub command: String,
    /// Place of the run in the work of its author. With `toolCall`, the run can be ended by that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<OriginParams>,
    /// The session whose turn the run belongs to, if `origin.turn` is absent; by default its own.
    #[serde(default, alias = "turn_of", skip_serializing_if = "Option::is_none")]
    pub turn_of: Option<String>,
    /// `true` if the run ends as interrupted when the connection ends.
    #[serde(default)]
    pub bound: bool,
    /// Token for `$/progress`, which is sent while the first walk of the root takes long.
    #[serde(default, alias = "work_done_token", skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<String>,
}

/// Notification to the client of a long request with a token: its progress. Standard LSP.
pub const PROGRESS: &str = "$/progress";

/// Result of `editd/runBegin`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunBeginResult {
    /// Id of the run. Absent if changes cannot be recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The reason why changes cannot be recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Parameters of `editd/runEnd`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunEndParams {
    /// Id of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// `origin.toolCall` of the run, instead of its id.
    #[serde(default, alias = "tool_call", skip_serializing_if = "Option::is_none")]
    pub tool_call: Option<String>,
    /// Exit code of the command, if it is known.
    #[serde(default, alias = "exit_code", skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
}

/// Result of `editd/runEnd`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunEndResult {
    /// `true` if the run was open, or is in the history.
    pub known: bool,
    /// The transactions with its changes, oldest first. Usually there is one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transactions: Vec<String>,
    /// The changed paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Changed files whose content before or after is not recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub omitted: Vec<OmittedFile>,
    /// Changes that could not be recorded, as sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Decisions of a person about what earlier commands of the author have changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<LandedDecision>,
    /// `true` if the daemon was restarted during the run, so that later changes are not recorded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
}

/// The decision of a person about a change that a command has made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LandedDecision {
    /// Id of the proposal by which the change was reviewed.
    pub id: String,
    /// The transaction that recorded the change.
    pub landed: String,
    /// The command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// `applied` if the change was kept, `partial`, or `rejected` if it was reverted.
    pub state: String,
    /// The transaction that reverted the change, or the part that was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// Paths of the files with reverted or edited lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Edits that the person made to the changed text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub user_edits: Vec<UserEdit>,
    /// Comments of the person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<CommentEntry>,
}

/// A changed file whose content before or after the change is not recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OmittedFile {
    /// Path of the file.
    pub path: String,
    /// The reason.
    pub reason: String,
}

/// The run of a command that made a transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunEntry {
    /// Id of the run.
    pub run: String,
    /// Exit code of the command, if it had ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// `true` if the end of the run was never reported.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// Other runs at that time, with their authors and commands. Each of them may have made the change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// Changed files whose content before or after is not recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub omitted: Vec<OmittedFile>,
}
