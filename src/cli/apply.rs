use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::patch::{self, FilePatch};
use crate::protocol::Read;

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
    let mut client = context.session_for_change(folder_of(&files)?.as_deref(), asks)?;
    let named: BTreeMap<String, String> = arguments.base.iter().cloned().collect();
    let format = arguments.format.known().map_or("auto", patch::PatchFormat::name);
    consent::retry_while_stale(is_settled && named.is_empty(), || {
        let mut bases = named.clone();
        if asks || is_settled {
            for FilePatch { path, .. } in files.iter().filter(|file| !file.creates()) {
                // The person sees or accepts a change of the current text, so its hash is the base. If the
                // read fails, the change itself is refused with a better reason.
                if !bases.contains_key(path)
                    && let Ok(read) = client.call::<Read>(&json!({ "path": path, "limit": 1 }))
                {
                    bases.insert(path.clone(), read.hash);
                }
            }
        }
        let mut request = json!({ "patch": { "format": format, "text": text }, "bases": bases });
        arguments.purpose.add_to(&mut request);
        consent::make(context, &mut client, &request, asks)
    })
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
    fn known(self) -> Option<patch::PatchFormat> {
        match self {
            Self::Auto => None,
            Self::SearchReplace => Some(patch::PatchFormat::SearchReplace),
            Self::ApplyPatch => Some(patch::PatchFormat::ApplyPatch),
            Self::UnifiedDiff => Some(patch::PatchFormat::UnifiedDiff),
        }
    }
}
