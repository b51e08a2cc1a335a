//! Editing of proposed lines, and the resulting file content.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::cli::read::whole_text;
use crate::cli::{Context, root};
use crate::protocol::{AppliedFile, FileEntry, Read};
use crate::text::{ContentHash, lines};
use crate::transport::Client;
use crate::workspace::Role;

/// Maximum number of names that are tried for a temporary file.
const NAMES: u32 = 100;

/// Opens a text in the person's editor. Returns the edited text, or an error message.
pub(super) fn in_editor(path: &str, text: &str) -> Result<String, String> {
    let name =
        Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let file =
        TemporaryFile::new(&name, text).map_err(|error| format!("the lines cannot be edited: {error}"))?;
    let editor = ["VISUAL", "EDITOR"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|it| !it.trim().is_empty()));
    let editor = editor.unwrap_or_else(|| "vi".to_owned());
    // Runs the editor in a shell, as git does, because the variable may contain arguments.
    let status =
        Command::new("sh").arg("-c").arg(format!("{editor} \"$@\"")).arg(&editor).arg(&file.0).status();
    match status {
        Ok(status) if status.success() => {
            let edited = std::fs::read_to_string(&file.0)
                .map_err(|error| format!("the lines cannot be read: {error}"))?;
            Ok(with_final_ending(text, edited))
        }
        Ok(status) => Err(format!("`{editor}` ended with {status}, so nothing was edited")),
        Err(error) => Err(format!("`{editor}` cannot be run: {error}")),
    }
}

/// Returns the text of a file that will be created, taken from its diff. Returns `None` for other changes,
/// and if the diff does not contain the whole text.
pub(super) fn created(entry: &FileEntry) -> Option<String> {
    let hash = entry.hash_after.as_deref().filter(|_| entry.action == "create")?;
    let mut text: String = diff_body(&entry.diff).filter_map(|line| line.strip_prefix('+')).collect();
    if diff_body(&entry.diff).last().is_some_and(|line| line.starts_with('\\')) {
        text.pop();
    }
    (ContentHash::of(text.as_bytes()).to_string() == hash).then_some(text)
}

/// Returns the lines below the first header of a diff.
pub(super) fn diff_body(diff: &str) -> impl Iterator<Item = &str> {
    diff.split_inclusive('\n').skip_while(|line| !line.starts_with("@@")).skip(1)
}

/// Restores the original presence or absence of a final line ending, because editors add one.
fn with_final_ending(before: &str, mut edited: String) -> String {
    let ends = |text: &str| text.ends_with(['\n', '\r']);
    if !edited.is_empty() && ends(before) && !ends(&edited) {
        edited.push('\n');
    } else if !ends(before) && edited.ends_with('\n') {
        edited.pop();
    }
    edited
}

/// A temporary file that is removed when dropped. Only its owner can read it.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn new(name: &str, text: &str) -> std::io::Result<Self> {
        let folder = std::env::temp_dir();
        let mut last = None;
        for number in 0..NAMES {
            let path = folder.join(format!("editd-{}-{number}-{name}", std::process::id()));
            match std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
                Ok(mut file) => {
                    file.write_all(text.as_bytes())?;
                    return Ok(Self(path));
                }
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| std::io::Error::other("all names for a temporary file are taken")))
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // A leftover temporary file does no harm.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Returns the whole file with the lines of its hunks replaced by these texts.
pub(super) fn content(
    context: &Context,
    file: &AppliedFile,
    texts: &[Option<&str>],
) -> Result<String, String> {
    let now = match file.entry.hash_before.as_deref() {
        Some(hash) => text_with_hash(context, &file.entry.path, hash)?,
        None => String::new(),
    };
    let starts: Vec<usize> = lines(&now).map(|line| line.start).chain([now.len()]).collect();
    let at = |line: usize| starts.get(line).copied().unwrap_or(now.len());
    let (mut whole, mut copied) = (String::with_capacity(now.len()), 0);
    for (hunk, text) in file.entry.hunks.iter().zip(texts) {
        let is_text = hunk.kind.as_deref().is_none_or(|kind| kind == "create");
        let Some(text) = text.filter(|_| is_text) else { continue };
        let first = hunk.old_start - usize::from(hunk.old_lines > 0);
        let (start, end) = (at(first), at(first + hunk.old_lines));
        if start < copied {
            return Err("two hunks now change the same lines; decide them without editing".to_owned());
        }
        whole.push_str(&now[copied..start]);
        whole.push_str(text);
        copied = end;
    }
    whole.push_str(&now[copied..]);
    Ok(whole)
}

/// Reads the text of a file. Returns an error if its content does not have this hash.
fn text_with_hash(context: &Context, path: &str, hash: &str) -> Result<String, String> {
    let target = root::of_file(Path::new(path)).map_err(|error| error.to_string())?;
    let mut client = Client::connect(&context.places, Role::Editor, context.spawn, Some(&target.root))
        .map_err(|error| error.to_string())?;
    let read = |params: &Value| client.call::<Read>(params);
    match whole_text(&target, hash, read).map_err(|error| error.to_string())? {
        None => Err("the file has changed in the meantime; review it again".to_owned()),
        Some(whole) if whole.is_truncated => {
            Err("the file has lines that are too long to edit here".to_owned())
        }
        Some(whole) => Ok(whole.text),
    }
}
