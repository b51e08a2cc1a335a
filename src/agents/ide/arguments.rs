use std::path::PathBuf;

use rmcp::model::{CallToolResult, ContentBlock, ErrorData, JsonObject};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::reviews::Diff;

/// Parameters of `openDiff` of Claude Code.
#[derive(Debug, Deserialize)]
pub(super) struct ClaudeDiff {
    old_file_path: PathBuf,
    /// Another path for a file that is renamed, which no version of Claude Code does.
    #[serde(default)]
    new_file_path: Option<PathBuf>,
    new_file_contents: String,
    /// Key under which the client closes the diff.
    pub(super) tab_name: String,
}

impl From<ClaudeDiff> for Diff {
    fn from(given: ClaudeDiff) -> Self {
        Self { path: given.new_file_path.unwrap_or(given.old_file_path), text: given.new_file_contents }
    }
}

/// Parameters of `close_tab` of Claude Code.
#[derive(Debug, Deserialize)]
pub(super) struct Tab {
    pub(super) tab_name: String,
}

/// Parameters of `getDiagnostics` of Claude Code.
#[derive(Debug, Default, Deserialize)]
pub(super) struct OfFile {
    /// The file; all files without it.
    #[serde(default)]
    pub(super) uri: Option<String>,
}

/// Parameters of `openDiff` of Gemini CLI.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GeminiDiff {
    pub(super) file_path: PathBuf,
    new_content: String,
}

impl From<GeminiDiff> for Diff {
    fn from(given: GeminiDiff) -> Self {
        Self { path: given.file_path, text: given.new_content }
    }
}

/// Parameters of `closeDiff` of Gemini CLI.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ClosedFile {
    pub(super) file_path: PathBuf,
    /// `true` if the client needs no notification of the rejection.
    #[serde(default)]
    pub(super) suppress_notification: bool,
}

/// Reads the arguments of a call.
pub(super) fn read<T: DeserializeOwned>(arguments: Option<JsonObject>) -> Result<T, ErrorData> {
    let arguments = Value::Object(arguments.unwrap_or_default());
    serde_json::from_value(arguments)
        .map_err(|error| ErrorData::invalid_params(format!("The arguments are invalid: {error}."), None))
}

/// Returns a result with these texts.
pub(super) fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> CallToolResult {
    CallToolResult::success(texts.into_iter().map(|text| ContentBlock::text(text.into())).collect())
}

/// Returns a result that reports a failure.
pub(super) fn failed(failure: &impl std::fmt::Display) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(failure.to_string())])
}
