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
}

#[derive(Debug, Args)]
pub(crate) struct LogArguments {
    /// Only changes of this file
    pub(crate) path: Option<PathBuf>,

    /// How many are listed at most
    #[arg(short, long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) number: u32,
}

#[derive(Debug, Args)]
pub(crate) struct BlameArguments {
    /// The file
    pub(crate) path: PathBuf,
}
