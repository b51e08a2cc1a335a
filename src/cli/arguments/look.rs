use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct ReadArguments {
    /// The file
    pub(crate) path: PathBuf,

    /// First line, from 1; of a notebook, the first cell
    #[arg(long, value_name = "LINE")]
    pub(crate) offset: Option<usize>,

    /// Number of lines; of a notebook, of cells
    #[arg(long, value_name = "COUNT")]
    pub(crate) limit: Option<usize>,

    /// Put its number before each line
    #[arg(long, short)]
    pub(crate) numbered: bool,

    /// Print the text of a notebook's file, and not its cells
    #[arg(long)]
    pub(crate) raw: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArguments {
    /// A regular expression; it is to match within one line
    pub(crate) pattern: String,

    /// A file, or a folder with everything in it that is not ignored [default: the working folder]
    pub(crate) path: Option<PathBuf>,

    /// Only files whose name or path fits; with `!` before it, only those that do not
    #[arg(long, short, value_name = "GLOB", allow_hyphen_values = true)]
    pub(crate) glob: Option<String>,

    /// Take upper and lower case for the same
    #[arg(long, short)]
    pub(crate) ignore_case: bool,

    /// Take the pattern for a text and no regular expression
    #[arg(long, short = 'F', visible_alias = "fixed-strings")]
    pub(crate) literal: bool,

    /// Show N lines before and after each match, 20 at most
    #[arg(long, short = 'C', value_name = "N")]
    pub(crate) context: Option<usize>,

    /// Matches shown, 1,000 at most [default: 100]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct FindArguments {
    /// A glob: of a name at any depth, or, with `/` in it, of a path from the folder
    pub(crate) pattern: String,

    /// The folder to look in [default: the working folder]
    pub(crate) path: Option<PathBuf>,

    /// Paths shown, 10,000 at most [default: 1,000]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// The folder [default: the working folder]
    pub(crate) path: Option<PathBuf>,

    /// Entries shown, 10,000 at most [default: 500]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ReviewArguments {
    /// The proposal, as `editd review` lists it [default: all that wait, oldest first]
    pub(crate) id: Option<String>,

    /// Have what was rejected proposed again, of the proposal or else of the last one, and decide it
    #[arg(long)]
    pub(crate) reopen: bool,

    /// Accept the proposal without a question, or of it what --hunk names
    #[arg(long, requires = "id", conflicts_with_all = ["reopen", "reject"])]
    pub(crate) accept: bool,

    /// Reject the proposal without a question, or of it what --hunk names
    #[arg(long, requires = "id", conflicts_with = "reopen")]
    pub(crate) reject: bool,

    /// Only this hunk, by its number over all files of the proposal; can be given several times
    #[arg(long, value_name = "N")]
    pub(crate) hunk: Vec<String>,
}

impl ReviewArguments {
    /// The decision that is made without a question, by its name on the wire.
    pub(crate) fn decision(&self) -> Option<&'static str> {
        match (self.accept, self.reject) {
            (true, _) => Some("accept"),
            (_, true) => Some("reject"),
            _ => None,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct LogArguments {
    /// Only changes of this file, or of files in this folder
    pub(crate) path: Option<PathBuf>,

    /// Show the diff of each change
    #[arg(long, short)]
    pub(crate) patch: bool,

    #[command(flatten)]
    pub(crate) of: ChangesOf,

    /// How many are listed at most
    #[arg(short, long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) number: u32,
}

/// The changes that are meant.
#[derive(Debug, Args)]
pub(crate) struct ChangesOf {
    /// Only changes of this session, as `editd show` names it
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,

    /// Only changes since then: `30min`, `2h`, or a time such as 2026-11-23T10:00:00Z
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    pub(crate) since: Option<String>,
}

impl ChangesOf {
    pub(crate) fn is_given(&self) -> bool {
        self.session.is_some() || self.since.is_some()
    }
}

/// Reads a time, or how long ago it was; gives it as the daemon writes times.
fn moment(text: &str) -> Result<String, String> {
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return Ok(time.to_string());
    }
    let ago: jiff::SignedDuration = text
        .parse()
        .map_err(|_| "write how long ago, such as 30min or 2h, or a time of RFC 3339".to_owned())?;
    jiff::Timestamp::now()
        .checked_sub(ago.abs())
        .map(|time| time.to_string())
        .map_err(|_| "that is too long ago".to_owned())
}

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// The change, as `editd log` names it, or the proposal, as `editd review` does
    pub(crate) id: String,
}

#[derive(Debug, Args)]
pub(crate) struct BlameArguments {
    /// The file
    pub(crate) path: PathBuf,
}
