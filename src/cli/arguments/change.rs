use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::Value;

use super::look::ChangesOf;

#[derive(Debug, Args)]
pub(crate) struct EditArguments {
    /// The file
    #[arg(required_unless_present = "json")]
    pub(crate) path: Option<PathBuf>,

    /// The text that is there; it has to fit one place, unless --all or --expect says otherwise
    #[arg(long, value_name = "TEXT", required_unless_present = "json", allow_hyphen_values = true)]
    pub(crate) old: Option<String>,

    /// The text to put there
    #[arg(long, value_name = "TEXT", required_unless_present = "json", allow_hyphen_values = true)]
    pub(crate) new: Option<String>,

    /// Replace every occurrence
    #[arg(long, conflicts_with = "expect")]
    pub(crate) all: bool,

    /// Replace every occurrence, of which there must be exactly N
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) expect: Option<u32>,

    /// Take the parameters of `editd/edit` as JSON from a file, or from standard input with `-`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["path", "old", "new", "all", "expect", "base"])]
    pub(crate) json: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) consent: Consent,

    #[command(flatten)]
    pub(crate) purpose: Purpose,
}

#[derive(Debug, Args)]
pub(crate) struct WriteArguments {
    /// The file
    pub(crate) path: PathBuf,

    /// Where the content comes from; `-` is standard input
    #[arg(default_value = "-")]
    pub(crate) from: PathBuf,

    /// Make the new file executable
    #[arg(long, short = 'x')]
    pub(crate) executable: bool,

    #[command(flatten)]
    pub(crate) consent: Consent,

    #[command(flatten)]
    pub(crate) purpose: Purpose,
}

#[derive(Debug, Args)]
pub(crate) struct ApplyArguments {
    /// Where the patch is; `-` is standard input
    ///
    /// Its paths begin at the working folder if a file that it changes is there, else at the top of the repository.
    #[arg(default_value = "-")]
    pub(crate) patch: PathBuf,

    /// How the patch is written
    #[arg(long, value_enum, default_value_t = Format::Auto)]
    pub(crate) format: Format,

    /// Change this file only if it still has this hash; may be given for each file
    #[arg(long, value_name = "PATH=HASH", value_parser = path_and_hash)]
    pub(crate) base: Vec<(String, String)>,

    /// Do not ask; take the files as they are now
    #[arg(long, short)]
    pub(crate) yes: bool,

    #[command(flatten)]
    pub(crate) purpose: Purpose,
}

/// How a patch is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Format {
    /// As the patch itself shows
    Auto,
    /// Blocks of SEARCH and REPLACE
    SearchReplace,
    /// From `*** Begin Patch` to `*** End Patch`
    ApplyPatch,
    /// What `diff -u` and `git diff` print
    UnifiedDiff,
}

fn path_and_hash(argument: &str) -> Result<(String, String), &'static str> {
    let (path, hash) = argument.rsplit_once('=').ok_or("it is not PATH=HASH")?;
    Ok((path.to_owned(), hash.to_owned()))
}

/// What a change is for, and who decides about it.
#[derive(Debug, Args)]
pub(crate) struct Purpose {
    /// What the change is for, as reviews and the log show it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) label: Option<String>,

    /// Leave the decision to a person at an editor or at `editd review`, whatever is configured
    #[arg(long, conflicts_with = "yes")]
    pub(crate) review: bool,
}

impl Purpose {
    /// Says in a request what was said here.
    pub(crate) fn say_in(&self, request: &mut Value) {
        if let Some(label) = &self.label {
            request["label"] = label.as_str().into();
        }
        if self.review {
            request["review"] = true.into();
        }
    }
}

/// What stands in for the person's yes.
#[derive(Debug, Args)]
pub(crate) struct Consent {
    /// Change the file only if it still has this hash
    #[arg(long, value_name = "HASH")]
    pub(crate) base: Option<String>,

    /// Do not ask; take the file as it is now
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct UndoArguments {
    /// The change, as `editd log` names it [default: the newest that is neither undone nor an undo]
    #[arg(value_name = "ID", conflicts_with_all = ["path", "session", "since"])]
    pub(crate) transaction: Option<String>,

    /// The newest change of this file; whatever else that change did is undone with it
    #[arg(long, value_name = "PATH", conflicts_with_all = ["session", "since"])]
    pub(crate) path: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) of: ChangesOf,

    /// Do not ask; then only changes by the same author can be undone
    #[arg(long, short)]
    pub(crate) yes: bool,
}
