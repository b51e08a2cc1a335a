//! Arguments of the commands that change files.

use std::path::PathBuf;

use clap::builder::{ArgPredicate, PossibleValuesParser};
use clap::{ArgGroup, Args, ValueEnum};
use serde_json::Value;
use strum::VariantNames as _;

use editd_syntax::SymbolOp;

/// Arguments of the edits that contain text or the place of an insertion.
const TEXTS: [&str; 7] = ["old", "new", "after", "before", "delete", "first", "last"];

#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("place").args(["old", "lines", "after", "before", "symbol", "indent_from", "json"]).required(true).multiple(true),
    override_usage = "editd edit PATH <--old TEXT|--lines LINES|--after LINE|--symbol NAME> [OPTIONS]"
)]
pub(crate) struct EditArguments {
    /// The file; `#` and the tag of a version may follow, as `editd read --anchored` shows them; with --glob, the
    /// folder [default: the repository]
    #[arg(required_unless_present_any = ["json", "glob"])]
    pub(crate) path: Option<PathBuf>,

    /// The text to replace; must match in one place, unless --all or --expect is given; with --lines or --symbol,
    /// it is looked for only there
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with_all = ["after", "before", "json"])]
    pub(crate) old: Option<String>,

    /// The lines to replace instead, such as 12-15; `editd read --anchored` shows their numbers
    #[arg(long, value_name = "LINES", conflicts_with_all = ["after", "before", "symbol", "json"])]
    pub(crate) lines: Option<String>,

    /// Insert the new text after this line instead; 0 is the start
    #[arg(long, value_name = "LINE", conflicts_with_all = ["before", "symbol", "json"])]
    pub(crate) after: Option<usize>,

    /// Insert the new text before this line instead
    #[arg(long, value_name = "LINE", conflicts_with_all = ["symbol", "json"])]
    pub(crate) before: Option<usize>,

    /// The symbol to edit instead, such as Class.method; `editd outline` lists them
    #[arg(long, value_name = "NAME", conflicts_with = "json")]
    pub(crate) symbol: Option<String>,

    /// The operation on the symbol
    #[arg(long, value_name = "OPERATION", requires = "symbol", conflicts_with = "old", default_value_if("symbol", ArgPredicate::IsPresent, "replace"), value_parser = PossibleValuesParser::new(SymbolOp::VARIANTS))]
    pub(crate) op: Option<String>,

    /// The new text
    #[arg(long, value_name = "TEXT", required_unless_present_any = ["json", "delete", "symbol", "indent", "indent_from", "wrap_before", "wrap_after"], allow_hyphen_values = true)]
    pub(crate) new: Option<String>,

    /// Delete the lines
    #[arg(long, conflicts_with = "new")]
    pub(crate) delete: bool,

    /// Change the lines only if the first one has this text, ignoring whitespace
    #[arg(long, value_name = "TEXT", conflicts_with = "old", allow_hyphen_values = true)]
    pub(crate) first: Option<String>,

    /// Change the lines only if the last one has this text, ignoring whitespace
    #[arg(long, value_name = "TEXT", conflicts_with = "old", allow_hyphen_values = true)]
    pub(crate) last: Option<String>,

    /// Indent --lines or --symbol by this many levels; to the left if negative
    #[arg(long, value_name = "LEVELS", allow_hyphen_values = true, conflicts_with_all = TEXTS)]
    pub(crate) indent: Option<i32>,

    /// Change the indentation from levels of this many columns, of --lines, --symbol or the whole file
    #[arg(long, value_name = "COLUMNS", requires = "indent_to", conflicts_with = "indent", conflicts_with_all = TEXTS)]
    pub(crate) indent_from: Option<u8>,

    /// ... to levels of this many columns
    #[arg(long, value_name = "COLUMNS", requires = "indent_from")]
    pub(crate) indent_to: Option<u8>,

    /// Put this line before --lines or the body of --symbol, which become one level deeper
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with_all = ["indent", "indent_from"], conflicts_with_all = TEXTS)]
    pub(crate) wrap_before: Option<String>,

    /// Put this line after them
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with_all = ["indent", "indent_from"], conflicts_with_all = TEXTS)]
    pub(crate) wrap_after: Option<String>,

    /// Match the text of --old only as whole words
    #[arg(long, requires = "old")]
    pub(crate) word: bool,

    /// Read --old as a regular expression; $1 or ${name} in --new is the text of a group, $$ a dollar sign
    #[arg(long, requires = "old")]
    pub(crate) regex: bool,

    /// Replace --old in all files whose path matches, such as 'src/**/*.py'; needs --all or --expect
    #[arg(long, value_name = "PATTERN", requires = "old", conflicts_with_all = ["lines", "symbol", "base"])]
    pub(crate) glob: Option<String>,

    /// Replace every occurrence
    #[arg(long, conflicts_with = "expect")]
    pub(crate) all: bool,

    /// Replace every occurrence; there must be exactly N
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) expect: Option<u32>,

    /// Read the parameters of `editd/edit` as JSON from a file, or from standard input with `-`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["path", "new", "base"])]
    pub(crate) json: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) consent: Consent,
}

#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("part").args(["lines", "symbol"]).required(true),
    group = ArgGroup::new("place").args(["after", "before", "after_symbol", "before_symbol", "create"]),
    group = ArgGroup::new("target").args(["to", "after", "before", "after_symbol", "before_symbol"]).required(true).multiple(true),
    override_usage = "editd move PATH <LINES|--symbol NAME> <--to PATH|--after LINE|--after-symbol NAME> [OPTIONS]"
)]
pub(crate) struct MoveArguments {
    /// The file that contains them; `#` and the tag of a version may follow
    pub(crate) path: PathBuf,

    /// The lines, such as 12-15
    pub(crate) lines: Option<String>,

    /// A symbol instead of lines, such as Class.method; can be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) symbol: Vec<String>,

    /// The file to move them to, at its end if no place is given [default: the same file]
    #[arg(long, value_name = "PATH")]
    pub(crate) to: Option<PathBuf>,

    /// Create the file of --to, with these first lines; may be empty
    #[arg(long, value_name = "TEXT", requires = "to", allow_hyphen_values = true)]
    pub(crate) create: Option<String>,

    /// The symbol above the new place
    #[arg(long, value_name = "NAME")]
    pub(crate) after_symbol: Option<String>,

    /// The symbol below the new place
    #[arg(long, value_name = "NAME")]
    pub(crate) before_symbol: Option<String>,

    /// The line above the new place; 0 is the start
    #[arg(long, value_name = "LINE")]
    pub(crate) after: Option<usize>,

    /// The line below the new place
    #[arg(long, value_name = "LINE")]
    pub(crate) before: Option<usize>,

    /// Copy them instead of moving them
    #[arg(long)]
    pub(crate) copy: bool,

    /// Adapt the indentation of lines to the new place; that of symbols always is
    #[arg(long)]
    pub(crate) reindent: bool,

    #[command(flatten)]
    pub(crate) consent: Consent,
}

#[derive(Debug, Args)]
pub(crate) struct RenameArguments {
    /// The file; `#` and the tag of a version may follow
    pub(crate) path: PathBuf,

    /// The symbol, such as Class.method; `editd outline` lists them
    pub(crate) symbol: String,

    /// The new name
    pub(crate) name: String,

    /// Also rename whole words in comments and strings
    #[arg(long)]
    pub(crate) comments: bool,

    /// Also rename the uses in all files whose path matches, such as 'src/**/*.ts'
    #[arg(long, value_name = "PATTERN")]
    pub(crate) glob: Option<String>,

    /// Rename only if there are exactly N places in all files together
    #[arg(long, value_name = "N", requires = "glob", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) expect: Option<u32>,

    #[command(flatten)]
    pub(crate) consent: Consent,
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
    /// Sections `[path#tag]` with edits by line numbers; without a tag, those of the current text
    Anchored,
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

/// The arguments that replace the confirmation at the terminal, and the purpose of the change.
#[derive(Debug, Args)]
pub(crate) struct Consent {
    /// Change the file only if it still has this hash
    #[arg(long, value_name = "HASH")]
    pub(crate) base: Option<String>,

    /// Do not ask; accept the current content of the file
    #[arg(long, short)]
    pub(crate) yes: bool,

    #[command(flatten)]
    pub(crate) purpose: Purpose,
}
