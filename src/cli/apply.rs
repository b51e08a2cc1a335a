//! `editd apply`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::json;

use editd_daemon::transport::Client;
use editd_edit::patch::{self, FilePatch, PatchChange, PatchFormat};
use editd_protocol::Read;
use editd_text::ContentHash;

use super::arguments::{ApplyArguments, Format};
use super::edit::read_source;
use super::{CliError, Context, End, consent, root};

/// `editd apply`.
pub(crate) fn apply(context: &Context, arguments: &ApplyArguments) -> Result<End, CliError> {
    let text = String::from_utf8(read_source(&arguments.patch)?).map_err(|_| {
        CliError::failed("the patch is not UTF-8")
            .with_hint("convert it first; the files keep their encodings")
    })?;
    if text.trim().is_empty() {
        return Err(CliError::failed("there is no patch: the input is empty")
            .with_hint("name the patch file, or pass the patch on standard input"));
    }
    // The daemon reports all other errors in a patch.
    let files = patch::parse(&text, arguments.format.known()).unwrap_or_default();
    let is_settled = arguments.yes || arguments.purpose.review;
    let asks = consent::should_ask(context, is_settled);
    let folder = folder_of(&files)?;
    let mut client = context.session_for_change(folder.as_deref(), asks)?;
    // A session may change only the lines that it was shown, and no read shows all lines of a long file. So the
    // hashes are read in another session: to a session that has read nothing, a hash stands for the whole file.
    let mut reader =
        (asks || is_settled).then(|| context.session_for_change(folder.as_deref(), asks)).transpose()?;
    let named: BTreeMap<String, String> = arguments.base.iter().cloned().collect();
    let format = arguments.format.known().map_or("auto", PatchFormat::name);
    let takes_any = is_settled && named.is_empty() && files.iter().all(|file| file.tag.is_none());
    consent::retry_while_stale(takes_any, || {
        let mut bases = named.clone();
        if let Some(reader) = &mut reader {
            add_current(&mut bases, &files, reader);
        }
        let mut request = json!({ "patch": { "format": format, "text": text }, "bases": bases });
        arguments.purpose.add_to(&mut request);
        if (asks || is_settled) && named.is_empty() && files.iter().any(|file| file.tag.is_some()) {
            consent::take_later_changes(&mut request);
        }
        consent::make(context, &mut client, &request, asks)
    })
}

/// Adds the hashes of the files for which the patch names no version: the person sees or accepts a change of
/// their current text. If a read fails, the change itself is refused with a better reason.
fn add_current(bases: &mut BTreeMap<String, String>, files: &[FilePatch], reader: &mut Client) {
    for FilePatch { path, .. } in files.iter().filter(|file| !file.creates()) {
        let sections = || files.iter().filter(|file| file.path == *path);
        let tags: Vec<_> = sections().filter_map(|file| file.tag.as_ref()).collect();
        let is_needed = tags.is_empty() || sections().any(|file| needs_whole(&file.change));
        if !is_needed || bases.contains_key(path) {
            continue;
        }
        let Ok(read) = reader.call::<Read>(&json!({ "path": path, "limit": 1 })) else { continue };
        let hash = read.hash.parse::<ContentHash>();
        if hash.is_ok_and(|hash| tags.iter().all(|tag| tag.is_of(hash))) {
            bases.insert(path.clone(), read.hash);
        }
    }
}

/// Returns `true` if a change requires that its author knows the whole file. A tag does not assert that; the hash
/// of the same version does.
fn needs_whole(change: &PatchChange) -> bool {
    match change {
        PatchChange::Delete { .. } => true,
        PatchChange::Edit { to, .. } | PatchChange::Lines { to, .. } => to.is_some(),
        PatchChange::Create { .. } | PatchChange::Fill { .. } => false,
    }
}

/// Returns the folder that the paths of a patch are relative to: the working folder if it contains a file
/// that the patch changes, else the top of the enclosing repository, as in diffs of version control.
fn folder_of(files: &[FilePatch]) -> std::io::Result<Option<PathBuf>> {
    let changed = || files.iter().filter(|file| !file.creates()).map(|file| Path::new(&file.path));
    if let Some(file) = changed().find(|path| path.is_absolute()) {
        return Ok(Some(root::of_file(file)?.root));
    }
    let here = root::here()?;
    let is_here = changed().any(|path| here.join(path).exists());
    if is_here { Ok(root::allowed(here)) } else { root::of_here() }
}

impl Format {
    fn known(self) -> Option<PatchFormat> {
        match self {
            Self::Auto => None,
            Self::SearchReplace => Some(PatchFormat::SearchReplace),
            Self::ApplyPatch => Some(PatchFormat::ApplyPatch),
            Self::UnifiedDiff => Some(PatchFormat::UnifiedDiff),
            Self::Anchored => Some(PatchFormat::Anchored),
        }
    }
}
