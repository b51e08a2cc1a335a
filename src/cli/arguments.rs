use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// The one place on a machine through which AI agents change text.
#[derive(Debug, Parser)]
#[command(name = "editd", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// How results are printed.
    #[arg(long, global = true, value_enum, default_value_t = Output::Text)]
    pub(crate) output: Output,

    /// Where the daemon keeps its state [default: `$EDITD_STATE_DIR`, else `~/.local/state/editd`].
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) state_dir: Option<PathBuf>,

    /// Where its sockets are [default: `$EDITD_RUNTIME_DIR`, else where a running daemon has them].
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) runtime_dir: Option<PathBuf>,

    /// Fail if no daemon is running, instead of starting one.
    #[arg(long, global = true)]
    pub(crate) no_spawn: bool,
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// For people.
    Text,
    /// What the daemon's method returned.
    Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Replace text in a file: shows the change and asks before it happens.
    Edit(EditArguments),
    /// Give a file a new content, or create it.
    Write(WriteArguments),
    /// Apply a patch: SEARCH/REPLACE blocks, `apply_patch` or a unified diff, with whatever stands around it.
    Apply(ApplyArguments),
    /// Print a file as agents see it.
    Read(ReadArguments),
    /// Find lines by a pattern, in files and in what editors have not saved yet.
    Search(SearchArguments),
    /// Find files and folders by their paths.
    Find(FindArguments),
    /// List a folder.
    List(ListArguments),
    /// List proposals made by this command line.
    Proposals,
    /// Decide what agents may change, hunk by hunk.
    Review(ReviewArguments),
    /// Take back the newest change, or one by its id: shows what happens and asks first.
    Undo(UndoArguments),
    /// List what was changed, newest first.
    Log(LogArguments),
    /// Tell who wrote the lines of a file.
    Blame(BlameArguments),
    /// Tell how the daemon is.
    Status,
    /// Stop the daemon.
    Stop,
    /// Run the daemon in the foreground.
    Serve {
        /// Leave the terminal and session that it was started from.
        #[arg(long, hide = true)]
        detached: bool,
    },
    /// Be an editor's language server: carry messages between its pipes and the daemon.
    Lsp {
        /// What some editors add to the command of any language server.
        #[arg(long, hide = true)]
        stdio: bool,
    },
    /// Serve agents through the Model Context Protocol, on standard input and output.
    Mcp(McpArguments),
    /// Check the installation, and print what is in force.
    Doctor,
    /// Print completions for a shell.
    Completions {
        /// Which shell.
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct McpArguments {
    /// A folder to work in; may be given again [default: what the client says, else the working folder].
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,

    /// Serve only these tools, by their names with commas between them.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) tools: Vec<String>,

    /// Serve only tools that change nothing.
    #[arg(long)]
    pub(crate) read_only: bool,
}

#[derive(Debug, Args)]
pub(crate) struct EditArguments {
    /// The file.
    #[arg(required_unless_present = "json")]
    pub(crate) path: Option<PathBuf>,

    /// The text that is there; must fit one place, unless --all or --expect says otherwise.
    #[arg(long, value_name = "TEXT", required_unless_present = "json", allow_hyphen_values = true)]
    pub(crate) old: Option<String>,

    /// The text to put there.
    #[arg(long, value_name = "TEXT", required_unless_present = "json", allow_hyphen_values = true)]
    pub(crate) new: Option<String>,

    /// Replace every occurrence.
    #[arg(long, conflicts_with = "expect")]
    pub(crate) all: bool,

    /// Replace every occurrence, of which there must be exactly N.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) expect: Option<u32>,

    /// Take the parameters of `editd/edit` as JSON from a file, or from standard input with `-`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["path", "old", "new", "all", "expect", "base"])]
    pub(crate) json: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) consent: Consent,
}

#[derive(Debug, Args)]
pub(crate) struct WriteArguments {
    /// The file.
    pub(crate) path: PathBuf,

    /// Where the content comes from; `-` is standard input.
    #[arg(default_value = "-")]
    pub(crate) from: PathBuf,

    #[command(flatten)]
    pub(crate) consent: Consent,
}

#[derive(Debug, Args)]
pub(crate) struct ApplyArguments {
    /// Where the patch is; `-` is standard input. Its paths begin at the working folder if a file that it
    /// changes is there, else at the top of the repository.
    #[arg(default_value = "-")]
    pub(crate) patch: PathBuf,

    /// How the patch is written.
    #[arg(long, value_enum, default_value_t = Format::Auto)]
    pub(crate) format: Format,

    /// Change this file only if it still has this hash; may be given for each file.
    #[arg(long, value_name = "PATH=HASH", value_parser = path_and_hash)]
    pub(crate) base: Vec<(String, String)>,

    /// Do not ask; take the files as they are now.
    #[arg(long, short)]
    pub(crate) yes: bool,
}

/// How a patch is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Format {
    /// As the patch itself shows.
    Auto,
    /// Blocks of SEARCH and REPLACE.
    SearchReplace,
    /// From `*** Begin Patch` to `*** End Patch`.
    ApplyPatch,
    /// What `diff -u` and `git diff` print.
    UnifiedDiff,
}

fn path_and_hash(argument: &str) -> Result<(String, String), &'static str> {
    let (path, hash) = argument.rsplit_once('=').ok_or("it is not PATH=HASH")?;
    Ok((path.to_owned(), hash.to_owned()))
}

/// What stands in for the person's yes.
#[derive(Debug, Args)]
pub(crate) struct Consent {
    /// Change the file only if it still has this hash.
    #[arg(long, value_name = "HASH")]
    pub(crate) base: Option<String>,

    /// Do not ask; take the file as it is now.
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReadArguments {
    /// The file.
    pub(crate) path: PathBuf,

    /// First line, from 1; of a notebook, the first cell.
    #[arg(long, value_name = "LINE")]
    pub(crate) offset: Option<usize>,

    /// Number of lines; of a notebook, of cells.
    #[arg(long, value_name = "COUNT")]
    pub(crate) limit: Option<usize>,

    /// Put its number before each line.
    #[arg(long, short)]
    pub(crate) numbered: bool,

    /// Print the text of a notebook's file, and not its cells.
    #[arg(long)]
    pub(crate) raw: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArguments {
    /// A regular expression; it is to match within one line.
    pub(crate) pattern: String,

    /// A file, or a folder with everything in it that is not ignored [default: the working folder].
    pub(crate) path: Option<PathBuf>,

    /// Only files whose name or path fits; with `!` before it, only those that do not.
    #[arg(long, short, value_name = "GLOB", allow_hyphen_values = true)]
    pub(crate) glob: Option<String>,

    /// Take upper and lower case for the same.
    #[arg(long, short)]
    pub(crate) ignore_case: bool,

    /// Take the pattern for a text and no regular expression.
    #[arg(long, short = 'F', visible_alias = "fixed-strings")]
    pub(crate) literal: bool,

    /// Show N lines before and after each match, 20 at most.
    #[arg(long, short = 'C', value_name = "N")]
    pub(crate) context: Option<usize>,

    /// Matches shown, 1,000 at most [default: 100].
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct FindArguments {
    /// A glob: of a name at any depth, or, with `/` in it, of a path from the folder.
    pub(crate) pattern: String,

    /// The folder to look in [default: the working folder].
    pub(crate) path: Option<PathBuf>,

    /// Paths shown, 10,000 at most [default: 1,000].
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// The folder [default: the working folder].
    pub(crate) path: Option<PathBuf>,

    /// Entries shown, 10,000 at most [default: 500].
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct ReviewArguments {
    /// The proposal, as `editd review` lists it [default: all that wait, oldest first].
    pub(crate) id: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct UndoArguments {
    /// The transaction, as `editd log` names it [default: the newest that is neither undone nor an undo].
    #[arg(conflicts_with = "path")]
    pub(crate) transaction: Option<String>,

    /// The newest change of this file; whatever else that change did is undone with it.
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,

    /// Do not ask. Then only what this command line did can be undone.
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LogArguments {
    /// Only changes of this file.
    pub(crate) path: Option<PathBuf>,

    /// How many are listed at most.
    #[arg(short, long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) number: u32,
}

#[derive(Debug, Args)]
pub(crate) struct BlameArguments {
    /// The file.
    pub(crate) path: PathBuf,
}
