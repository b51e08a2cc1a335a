//! Calls of tools that change files.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::patch::{absolute_paths, paths, with_paths};
use super::{Fields, Unknown};
use crate::gate::reader::Reader;
use editd_protocol::{ReadsParam, ToolLoss};

/// A call of a tool that changes files.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// Id of the call.
    pub id: String,
    /// The arguments of the tool.
    pub input: Fields,
    /// The change in the form of the parameters of `editd/nativeEdit`, with absolute paths and without `origin`.
    pub params: Value,
    /// The form in which the tool takes a change.
    pub form: Form,
}

/// The form in which a tool takes a change, with the names of its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A text and its replacement.
    Replacement(Replacement),
    /// A list of texts and replacements, each a text of the file before.
    Replacements {
        /// The argument for the list.
        list: &'static str,
        /// The member for the text to replace.
        old: &'static str,
        /// The member for the replacement.
        new: &'static str,
    },
    /// The whole content of a file.
    Content {
        /// The argument for the content.
        content: &'static str,
        /// `true` if the tool writes the line endings that the file has.
        keeps_line_endings: bool,
    },
    /// A patch between `*** Begin Patch` and `*** End Patch`.
    Patch {
        /// The argument for the patch.
        text: &'static str,
    },
    /// Cells of a notebook, which editd always changes itself.
    Cells,
}

/// The arguments of a tool that replaces one text by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The argument for the text to replace.
    pub old: &'static str,
    /// The argument for the replacement.
    pub new: &'static str,
    /// The argument by which all occurrences are replaced.
    pub all: &'static str,
    /// `true` if the tool also removes the line ending of a text that it replaces by nothing.
    pub removes_line_end: bool,
}

/// A call before its form is known: its id, its arguments and the working folder.
pub(super) struct Arguments<'a> {
    pub(super) client: &'static str,
    pub(super) id: String,
    pub(super) input: &'a Fields,
    pub(super) cwd: &'a Path,
}

impl Arguments<'_> {
    fn call(self, params: Value, form: Form) -> ToolCall {
        ToolCall { id: self.id, input: self.input.clone(), params, form }
    }

    fn changes(self, change: &Value, form: Form) -> ToolCall {
        self.call(json!({ "changes": [change] }), form)
    }

    fn text(&self, name: &str) -> Result<&str, Unknown> {
        let unknown = || Reader::new(self.client, &Value::Null).unknown(name);
        self.input.get(name).and_then(Value::as_str).ok_or_else(unknown)
    }

    fn path(&self, name: &str) -> Result<Value, Unknown> {
        Ok(json!(self.cwd.join(self.text(name)?)))
    }

    /// Reads a call with a text and its replacement. The tools create a file by an edit of nothing.
    pub(super) fn replacement(self, path: &str, names: Replacement) -> Result<ToolCall, Unknown> {
        let (path, old, new) = (self.path(path)?, self.text(names.old)?, self.text(names.new)?);
        let change = if old.is_empty() {
            json!({ "kind": "write", "path": path, "content": new })
        } else {
            let all = self.input.get(names.all).is_some_and(|all| *all == true);
            let edit = json!({ "oldText": old, "newText": new, "replaceAll": all });
            json!({ "kind": "edit", "path": path, "edits": [edit] })
        };
        Ok(self.changes(&change, Form::Replacement(names)))
    }

    /// Reads a call with a list of texts and replacements.
    pub(super) fn replacements(
        self,
        path: &str,
        list: &'static str,
        (old, new): (&'static str, &'static str),
    ) -> Result<ToolCall, Unknown> {
        let path = self.path(path)?;
        let object = Value::from(self.input.clone());
        let edit = |edit: &Value| {
            let read = Reader::new(self.client, edit);
            Ok(json!({ "oldText": read.text(old)?, "newText": read.text(new)? }))
        };
        let edits = Reader::new(self.client, &object).list(list)?.iter().map(edit);
        let edits = edits.collect::<Result<Vec<_>, Unknown>>()?;
        let change = json!({ "kind": "edit", "path": path, "edits": edits });
        Ok(self.changes(&change, Form::Replacements { list, old, new }))
    }

    /// Reads a call with the whole content of a file.
    pub(super) fn content(
        self,
        path: &str,
        content: &'static str,
        keeps_line_endings: bool,
    ) -> Result<ToolCall, Unknown> {
        let change = json!({ "kind": "write", "path": self.path(path)?, "content": self.text(content)? });
        Ok(self.changes(&change, Form::Content { content, keeps_line_endings }))
    }

    /// Reads a call with a patch.
    pub(super) fn patch(self, text: &'static str) -> Result<ToolCall, Unknown> {
        let patch = absolute_paths(self.text(text)?, self.cwd);
        let params = json!({ "patch": { "format": "apply_patch", "text": patch } });
        Ok(self.call(params, Form::Patch { text }))
    }

    /// Reads a call that changes a cell of a notebook.
    pub(super) fn cell(self, path: &str) -> Result<ToolCall, Unknown> {
        let path = self.path(path)?;
        let argument = |name: &str| self.input.get(name).cloned();
        let op = argument("edit_mode").unwrap_or_else(|| "replace".into());
        let mut cell = json!({ "op": op });
        match argument("cell_id") {
            Some(id) => cell["id"] = id,
            // A new cell without a neighbour becomes the first.
            None => cell["index"] = 0.into(),
        }
        if op != "delete" {
            cell["source"] = self.text("new_source")?.into();
        }
        if let Some(kind) = argument("cell_type").or_else(|| (op == "insert").then(|| "code".into())) {
            cell["cellType"] = kind;
        }
        let change = json!({ "kind": "notebook", "path": path, "cells": [cell] });
        Ok(self.changes(&change, Form::Cells).losing(&[ToolLoss::Formatting]))
    }
}

impl ToolCall {
    /// Returns the absolute paths of the files that the call changes.
    pub fn paths(&self) -> Vec<PathBuf> {
        let changes = self.params["changes"].as_array().into_iter().flatten();
        let named = changes.filter_map(|change| change["path"].as_str()).map(PathBuf::from);
        let patch = self.params["patch"]["text"].as_str().unwrap_or_default();
        named.chain(paths(patch, Path::new("/"))).collect()
    }

    /// Returns the call with other paths of the same files. `other` returns the path to use for one that the call
    /// names, or `None` to keep it.
    #[must_use]
    pub fn with_paths(&self, other: impl Fn(&Path) -> Option<PathBuf>) -> Self {
        let mut call = self.clone();
        let other = |path: &str| other(Path::new(path)).and_then(|other| Some(other.to_str()?.to_owned()));
        for change in call.params["changes"].as_array_mut().into_iter().flatten() {
            if let Some(path) = change["path"].as_str().and_then(other) {
                change["path"] = path.into();
            }
        }
        if let Some(patch) = self.params["patch"]["text"].as_str() {
            call.params["patch"]["text"] = with_paths(patch, other).into();
        }
        call
    }

    /// Names the properties of a file that the tool does not keep.
    pub(super) fn losing(mut self, losses: &[ToolLoss]) -> Self {
        self.params["toolLoses"] = json!(losses);
        self
    }

    /// Marks the call as one of a program that makes all calls of a step at the same time.
    pub(super) fn in_parallel(mut self) -> Self {
        self.params["parallel"] = true.into();
        self
    }

    /// Marks the call as one of an agent whose reads are not reported.
    pub(super) fn without_reads(mut self) -> Self {
        self.params["reads"] = json!(ReadsParam::Unknown);
        self
    }
}
