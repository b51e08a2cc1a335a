use std::collections::BTreeMap;
use std::fmt::Write as _;

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::Value;

use super::output::in_one_line;

/// Files of which an answer about something else says that they have changed.
const NEWS: usize = 20;

/// What a call comes to, in both forms.
#[derive(Debug)]
pub(super) struct Answer {
    /// For models that are shown text.
    pub(super) text: String,
    /// What else is to be told, in a block of its own: a file may hold what looks like it.
    after: String,
    /// The same for those that are shown data.
    pub(super) data: Value,
    /// What only clients can show. It goes without the data.
    pub(super) image: Option<Image>,
    /// Files that the daemon has given whole, or new text of, of which the answer shows a part only.
    pub(super) unseen: Vec<String>,
    /// Whether it says why nothing was done.
    pub(super) is_refusal: bool,
}

/// A picture for models that see.
#[derive(Debug)]
pub(super) struct Image {
    pub(super) mime_type: String,
    /// In base64.
    pub(super) data: String,
}

impl Answer {
    pub(super) fn new(text: String, data: &impl Serialize) -> serde_json::Result<Self> {
        Ok(Self {
            text,
            after: String::new(),
            data: serde_json::to_value(data)?,
            image: None,
            unseen: Vec::new(),
            is_refusal: false,
        })
    }

    /// The same with an image.
    pub(super) fn with_image(self, image: Image) -> Self {
        Self { image: Some(image), ..self }
    }

    /// The same, of which some files are shown in part only.
    pub(super) fn with_unseen(self, unseen: Vec<String>) -> Self {
        Self { unseen, ..self }
    }

    /// Why nothing was done.
    pub(super) fn refusal(text: String, data: Value) -> Self {
        Self { text, after: String::new(), data, image: None, unseen: Vec::new(), is_refusal: true }
    }

    /// Whether it is about a file.
    pub(super) fn tells_of(&self, path: &str) -> bool {
        let files = self.data["files"].as_array().into_iter().flatten();
        let about = files.chain([&self.data, &self.data["error"]]);
        about.into_iter().any(|it| it["path"] == path || it["newPath"] == path)
    }

    /// Adds which other files were changed, and by whom.
    pub(super) fn add_news(&mut self, news: &BTreeMap<String, String>) {
        self.after.push_str("Changed by others since you read them (`changes` shows how):\n");
        for (path, by) in news.iter().take(NEWS) {
            // A string takes all.
            let _ = writeln!(self.after, "{} (by {})", in_one_line(path), in_one_line(by));
        }
        if let Some(more) = news.len().checked_sub(NEWS).filter(|more| *more > 0) {
            let _ = writeln!(self.after, "and {more} more");
        }
        self.data["changedByOthers"] = news.keys().take(NEWS).map(String::as_str).collect();
    }
}

impl From<Answer> for CallToolResult {
    fn from(answer: Answer) -> Self {
        let mut content = vec![ContentBlock::text(answer.text)];
        content.extend(Some(answer.after).filter(|after| !after.is_empty()).map(ContentBlock::text));
        if let Some(image) = answer.image {
            // Codex and Claude Code show their model the data in place of all blocks, where there is any.
            content.push(ContentBlock::image(image.data, image.mime_type));
            return Self::success(content);
        }
        let mut result = if answer.is_refusal { Self::error(content) } else { Self::success(content) };
        result.structured_content = Some(answer.data);
        result
    }
}
