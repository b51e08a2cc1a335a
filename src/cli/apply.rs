use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::patch::{self, FilePatch};
use crate::protocol::Read;

use super::arguments::{ApplyArguments, Format};
use super::edit::read_source;
use super::{Complaint, Context, End, consent, root};

/// `editd apply`.
pub(crate) fn apply(context: &Context, arguments: &ApplyArguments) -> Result<End, Complaint> {
    let text = String::from_utf8(read_source(&arguments.patch)?).map_err(|_| {
        Complaint::failed("the patch is not UTF-8")
            .with_hint("convert it first; the files keep their encodings")
    })?;
    if text.trim().is_empty() {
        return Err(Complaint::failed("there is no patch: what was given is empty")
            .with_hint("name the file that holds it, or give it on standard input"));
    }
    // What else is wrong with a patch, the daemon says.
    let files = patch::parse(&text, arguments.format.known()).unwrap_or_default();
    let is_settled = arguments.yes || arguments.purpose.review;
    let asks = consent::asks(context, is_settled);
    let mut client = context.changer(folder_of(&files)?.as_deref(), asks)?;
    let named: BTreeMap<String, String> = arguments.base.iter().cloned().collect();
    let format = arguments.format.known().map_or("auto", patch::PatchFormat::name);
    consent::again_while_stale(is_settled && named.is_empty(), || {
        let mut bases = named.clone();
        if asks || is_settled {
            for FilePatch { path, .. } in files.iter().filter(|file| !file.creates()) {
                // The text as it is now is what the person sees changed, or says yes to. What cannot be read is
                // refused when it is to be changed, with the better reason.
                if !bases.contains_key(path)
                    && let Ok(read) = client.call::<Read>(&json!({ "path": path, "limit": 1 }))
                {
                    bases.insert(path.clone(), read.hash);
                }
            }
        }
        let mut request = json!({ "patch": { "format": format, "text": text }, "bases": bases });
        arguments.purpose.say_in(&mut request);
        consent::make(context, &mut client, &request, asks)
    })
}

/// Where the paths of a patch begin: at the working folder if a file that it changes is there, else at the top
/// of the repository around it, where diffs of version control begin.
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
