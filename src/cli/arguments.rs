//! What can be said on the command line. Each text here is shown in the help, in completions and in the manual
//! pages; what else they say is in `manual`.

mod change;
mod look;

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

pub(crate) use change::{
    ApplyArguments, Consent, EditArguments, Format, Purpose, UndoArguments, WriteArguments,
};
pub(crate) use look::{
    BlameArguments, ChangesOf, FindArguments, ListArguments, LogArguments, ReadArguments, ReviewArguments,
    SearchArguments, ShowArguments,
};

/// Under this heading stand the options that every command has.
const GLOBAL: &str = "Global options";

/// The one place on a machine through which AI agents change text
///
/// Agents read files and propose changes through a daemon; you look at them here or in an editor, and everything can
/// be taken back. Whatever needs the daemon starts it.
#[derive(Debug, Parser)]
#[command(
    name = "editd",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    disable_help_flag = true
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// How results are printed
    #[arg(long, global = true, value_enum, default_value_t = Output::Text, help_heading = GLOBAL, display_order = 900)]
    pub(crate) output: Output,

    /// The daemon's state folder
    ///
    /// Default: `$EDITD_STATE_DIR`, else `$XDG_STATE_HOME/editd`, else `~/.local/state/editd`.
    #[arg(long, global = true, value_name = "DIR", help_heading = GLOBAL, display_order = 901)]
    pub(crate) state_dir: Option<PathBuf>,

    /// The folder of its sockets
    ///
    /// Default: `$EDITD_RUNTIME_DIR`, else where a running daemon has them, else `$XDG_RUNTIME_DIR/editd`, else
    /// `run` in the state folder.
    #[arg(long, global = true, value_name = "DIR", help_heading = GLOBAL, display_order = 902)]
    pub(crate) runtime_dir: Option<PathBuf>,

    /// Who changes are by, in the log and for undo
    ///
    /// Default: `$EDITD_AUTHOR`, else `editd`; what you were shown and said yes to is by `terminal`.
    #[arg(long, global = true, value_name = "NAME", help_heading = GLOBAL, display_order = 903)]
    pub(crate) author: Option<String>,

    /// Fail if no daemon is running, instead of starting one
    #[arg(long, global = true, help_heading = GLOBAL, display_order = 904)]
    pub(crate) no_spawn: bool,

    /// Print help: -h in short, --help all of it
    #[arg(long, short, global = true, action = ArgAction::Help, help_heading = GLOBAL, display_order = 905)]
    help: Option<bool>,
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// For people
    Text,
    /// What the daemon's method returned
    Json,
}

/// Descriptions of one short line, since they are listed; what comes after an empty line is for `--help`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Replace text in a file
    ///
    /// On a terminal the change is shown as a diff, and you are asked before it is written. Elsewhere say what
    /// stands in for your answer: --yes, or --base with the hash of the file that you mean.
    Edit(EditArguments),
    /// Give a file a new content, or create it
    ///
    /// Folders are made as needed. What changes is shown and asked for as with `editd edit`.
    Write(WriteArguments),
    /// Apply a patch, all of it or nothing
    ///
    /// It may be made of SEARCH/REPLACE blocks, be one for `apply_patch` or a unified diff, with whatever a model has
    /// written around it.
    Apply(ApplyArguments),
    /// Print a file as agents see it
    ///
    /// That is with what an editor has not saved yet. The text goes to standard output, its hash to standard error.
    Read(ReadArguments),
    /// Find lines by a pattern
    ///
    /// In files, and in what editors have not saved yet. What .gitignore and its like name is left out.
    Search(SearchArguments),
    /// Find files and folders by their paths
    Find(FindArguments),
    /// List a folder
    List(ListArguments),
    /// List what this command line has proposed
    Proposals,
    /// Decide what agents may change, hunk by hunk
    ///
    /// Each hunk is shown and asked for. What you decide is sent at the end of each file; the last decision makes the
    /// change. Without a terminal it lists what waits, and its exit code is 3 if something does.
    Review(ReviewArguments),
    /// Take back a change, the newest or any other
    ///
    /// What came later stays where it does not overlap. On a terminal you can take back what any agent did, and are
    /// shown first what happens. With --session or --since all such changes are taken back, the newest first.
    Undo(UndoArguments),
    /// List what was changed, newest first
    Log(LogArguments),
    /// Show a change, or a proposal that waits, as a diff
    Show(ShowArguments),
    /// Tell who wrote the lines of a file
    Blame(BlameArguments),
    /// Tell how the daemon is
    Status,
    /// Stop the daemon
    ///
    /// Changes under way are finished first. The next command that needs a daemon starts one.
    Stop,
    /// Run the daemon in the foreground
    ///
    /// There is no need to: whatever needs the daemon starts it, and it ends after half an hour without a client.
    Serve {
        /// Leave the terminal and session that it was started from
        #[arg(long, hide = true)]
        detached: bool,
    },
    /// Be the language server of an editor
    ///
    /// Carries messages between the editor's pipes and the daemon. Editors start it.
    Lsp {
        /// What some editors add to the command of any language server
        #[arg(long, hide = true)]
        stdio: bool,
    },
    /// Serve agents through the Model Context Protocol
    ///
    /// On standard input and output. Agent programs start it.
    Mcp(McpArguments),
    /// Show in a few minutes what editd does
    ///
    /// A scripted agent and a person change a file, in a folder that is made for it, through a daemon that is started
    /// for it. Nothing of yours is touched, and all of it is gone at the end.
    Demo(DemoArguments),
    /// Check the installation, and print what is in force
    ///
    /// Its exit code is 1 if something is wrong.
    Doctor,
    /// Print completions for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write all of them
    Man {
        /// Write editd.1 and a page for each command here [default: print editd.1]
        dir: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct McpArguments {
    /// A folder to work in; may be given again [default: what the client says, else the working folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,

    /// Serve only these tools, by their names with commas between them
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) tools: Vec<String>,

    /// Serve only tools that change nothing
    #[arg(long)]
    pub(crate) read_only: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// Go through all steps without waiting for Enter
    #[arg(long)]
    pub(crate) no_pause: bool,

    /// Keep the folder, and say where it is
    #[arg(long)]
    pub(crate) keep: bool,
}
