use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::Value;

use super::query::ChangeFilter;

#[derive(Debug, Args)]
pub(crate) struct EditArguments {
    /// The file
    #[arg(required_unless_present = "json")]
    pub(crate) path: Option<PathBuf>,

    /// The text to replace; must match in one place, unless --all or --expect is given
    #[arg(long, value_name = "TEXT", required_unless_present = "json", allow_hyphen_values = true)]
    pub(crate) old: Option<String>,

    /// The replacement text
    #[arg(long, value_name = "TEXT", required_unless_present = "json", allow_hyphen_values = true)]
    pub(crate) new: Option<String>,

    /// Replace every occurrence
    #[arg(long, conflicts_with = "expect")]
    pub(crate) all: bool,

    /// Replace every occurrence; there must be exactly N
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) expect: Option<u32>,

    /// Read the parameters of `editd/edit` as JSON from a file, or from standard input with `-`
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

    /// The file to copy the content from; `-` is standard input
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
    /// The file that contains the patch; `-` is standard input
    ///
    /// Its paths are relative to the working folder if that contains a file that the patch changes, else to
    /// the top of the repository.
    #[arg(default_value = "-")]
    pub(crate) patch: PathBuf,

    /// The format of the patch
    #[arg(long, value_enum, default_value_t = Format::Auto)]
    pub(crate) format: Format,

    /// Change this file only if it still has this hash; can be repeated for each file
    #[arg(long, value_name = "PATH=HASH", value_parser = path_and_hash)]
    pub(crate) base: Vec<(String, String)>,

    /// Do not ask; accept the current content of the files
    #[arg(long, short)]
    pub(crate) yes: bool,

    #[command(flatten)]
    pub(crate) purpose: Purpose,
}

/// The format of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Format {
    /// Detect the format
    Auto,
    /// SEARCH/REPLACE blocks
    SearchReplace,
    /// From `*** Begin Patch` to `*** End Patch`
    ApplyPatch,
    /// The output of `diff -u` and `git diff`
    UnifiedDiff,
}

fn path_and_hash(argument: &str) -> Result<(String, String), &'static str> {
    let (path, hash) = argument.rsplit_once('=').ok_or("it is not PATH=HASH")?;
    Ok((path.to_owned(), hash.to_owned()))
}

/// The purpose of a change, and the choice to leave it to a review.
#[derive(Debug, Args)]
pub(crate) struct Purpose {
    /// The purpose of the change, shown in reviews and in the log
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) label: Option<String>,

    /// Leave the decision to a person in an editor or in `editd review`, whatever the configuration
    #[arg(long, conflicts_with = "yes")]
    pub(crate) review: bool,
}

impl Purpose {
    /// Adds these arguments to a request.
    pub(crate) fn add_to(&self, request: &mut Value) {
        if let Some(label) = &self.label {
            request["label"] = label.as_str().into();
        }
        if self.review {
            request["review"] = true.into();
        }
    }
}

/// The arguments that replace the confirmation at the terminal.
#[derive(Debug, Args)]
pub(crate) struct Consent {
    /// Change the file only if it still has this hash
    #[arg(long, value_name = "HASH")]
    pub(crate) base: Option<String>,

    /// Do not ask; accept the current content of the file
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct UndoArguments {
    /// The id of the change from `editd log` [default: the newest that is neither undone nor an undo]
    #[arg(value_name = "ID", conflicts_with_all = ["path", "session", "since"])]
    pub(crate) transaction: Option<String>,

    /// Undo the newest change of this file, including its changes of other files
    #[arg(long, value_name = "PATH", conflicts_with_all = ["session", "since"])]
    pub(crate) path: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) filter: ChangeFilter,

    /// Do not ask; then only changes by the same author can be undone
    #[arg(long, short)]
    pub(crate) yes: bool,
}
