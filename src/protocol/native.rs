//! Parameters and results of `editd/nativeTurn`, `editd/nativeRead`, `editd/nativeEdit` and `editd/nativeDone`:
//! reads and changes that a client makes with its own tools.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::decode::{decode, nested};
use super::propose::EditParams;
use super::results::CommentEntry;
use super::run::LandedDecision;

/// Parameters of `editd/nativeRead`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NativeReadParams {
    /// The file: absolute, or relative to the first root.
    #[serde(alias = "file_path", alias = "filePath", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// The lines that the tool showed. Their line endings do not matter. Required without `cells`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The sources of all cells that the tool showed of a notebook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<Vec<String>>,
    /// Number of the first of these lines, from 1; by default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
}

/// Result of `editd/nativeRead`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NativeReadResult {
    /// `true` if the file contains these lines, so that they count as read.
    pub counted: bool,
    /// Hash of the file, if the lines count as read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// The unsaved changes of an editor, as a diff from the file on disk, if the lines are those of the disk. They
    /// count as read together with these changes, which the client must show its model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsaved: Option<String>,
}

/// Parameters of `editd/nativeTurn`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NativeTurnParams {
    /// Id of the turn that begins: one prompt of the user and all work on it.
    pub turn: String,
}

/// Result of `editd/nativeTurn`: nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NativeTurnResult {}

/// A property of a file that the tool of a client does not keep. editd changes a file with it itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ToolLoss {
    /// CRLF line endings.
    CarriageReturns,
    /// A last line without a line ending.
    MissingFinalNewline,
    /// An empty line at the end.
    FinalBlankLine,
    /// The formatting of the whole file, so that editd makes every change itself.
    Formatting,
    /// The file itself: the tool may not write, so editd makes every change itself.
    Writing,
}

/// The reads that must precede a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReadsParam {
    /// The author must have read the file, as for `editd/edit`.
    #[default]
    Required,
    /// A file that the author has not read is changed with a warning.
    Advised,
    /// The reads of the author are not known: only the change itself shows what it expects of the file.
    Unknown,
}

/// Parameters of `editd/nativeEdit`: those of `editd/edit`, and how the client makes the change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NativeEditParams {
    /// The change.
    pub edit: EditParams,
    /// The reads that must precede it.
    pub reads: ReadsParam,
    /// Returns the effect of the change without a review, and does not expect that the client makes it.
    pub preview: bool,
    /// The properties of a file that the tool does not keep.
    pub tool_loses: Vec<ToolLoss>,
    /// Name of the session whose current turn the change belongs to, if `origin.turn` is absent. By default that
    /// of the request.
    pub turn_of: Option<String>,
    /// `true` if the client makes the calls of a step at the same time. Then the change waits until other calls of
    /// the session have made their changes of the same files.
    pub parallel: bool,
    /// `true` if the tool may write the file even if editd has made the change, or its review was withdrawn.
    pub rewrites: bool,
}

/// The parameters that `editd/edit` does not have.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    reads: ReadsParam,
    preview: bool,
    #[serde(alias = "tool_loses")]
    tool_loses: Vec<ToolLoss>,
    #[serde(alias = "turn_of")]
    turn_of: Option<String>,
    parallel: bool,
    rewrites: bool,
}

impl<'de> Deserialize<'de> for NativeEditParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = serde_json::Map::deserialize(deserializer)?;
        let mut own = serde_json::Map::new();
        for name in
            ["reads", "preview", "toolLoses", "tool_loses", "turnOf", "turn_of", "parallel", "rewrites"]
        {
            own.extend(fields.shift_remove(name).map(|value| (name.to_owned(), value)));
        }
        let Options { reads, preview, tool_loses, turn_of, parallel, rewrites } =
            decode(Value::Object(own)).map_err(nested)?;
        let edit = decode(Value::Object(fields)).map_err(nested)?;
        Ok(Self { edit, reads, preview, tool_loses, turn_of, parallel, rewrites })
    }
}

/// Result of `editd/nativeEdit`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NativeEditResult {
    /// `ready` if the client is to write the files; in a preview, `by_editd` if editd would write them; else the state of the proposal: `applied` or `partial` if
    /// editd has made the change, `pending`, `rejected`, or another one.
    pub state: String,
    /// The proposal, if the change was put under review or editd made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The transaction, if editd made the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// The files.
    pub files: Vec<NativeFile>,
    /// Remarks for the author.
    #[serde(flatten)]
    pub remarks: NativeRemarks,
}

/// Remarks about a change for its author.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NativeRemarks {
    /// Number of rejected hunks.
    #[serde(default)]
    pub rejected: usize,
    /// Differences between the proposed and the accepted content, if the user edited it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub user_edits: Vec<String>,
    /// Comments of the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<CommentEntry>,
    /// Warnings about the files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl NativeEditResult {
    /// The state of a change that the client is to write.
    pub const READY: &str = "ready";
    /// The state of a previewed change that editd would make itself.
    pub const BY_EDITD: &str = "by_editd";
}

/// A file of a change that a client makes with its own tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NativeFile {
    /// Canonical path of the file.
    pub path: String,
    /// New path of a renamed file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_path: Option<String>,
    /// Text before the change, with the line endings of the file; null if the file does not exist.
    pub before: Option<String>,
    /// Text after the change; null if the file is deleted.
    pub after: Option<String>,
}

/// Parameters of `editd/nativeDone`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NativeDoneParams {
    /// `origin.toolCall` of the `editd/nativeEdit`.
    #[serde(alias = "tool_call")]
    pub tool_call: String,
    /// `true` if the tool has failed. Then only files with exactly the expected content are recorded.
    #[serde(default)]
    pub failed: bool,
    /// The model, if the client knows it only after the tool. It replaces `origin.model`.
    pub model: Option<String>,
}

/// Result of `editd/nativeDone`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NativeDoneResult {
    /// `true` if the change was prepared by `editd/nativeEdit`.
    pub known: bool,
    /// The transaction that records the change, if the files have changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// Paths of files whose content is not the prepared one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub different: Vec<String>,
    /// Decisions of a person about what earlier commands of the session have changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<LandedDecision>,
    /// The remarks of `editd/nativeEdit`, for clients that can show the author nothing before the tool.
    #[serde(flatten)]
    pub remarks: NativeRemarks,
}
