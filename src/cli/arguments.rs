//! Definition of the command line. Every doc comment of an argument or command appears in the help, the
//! completions and the manual pages. `manual` has the rest of their text.

mod changes;
mod commands;

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use strum::VariantNames as _;

use editd_agents::mcp::EditFormat;

use super::remote::Remote;

pub(crate) use changes::*;
pub(crate) use commands::*;

/// Heading of the options that all commands share.
const GLOBAL: &str = "Global options";

/// Edit text files through a daemon that you share with AI agents
///
/// Agents read and change files through the daemon. You can review their changes here or in an editor, and
/// undo them. Commands that need the daemon start it.
#[derive(Debug, Parser)]
#[command(
    name = "editd",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    disable_help_flag = true,
    disable_version_flag = true
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Output format of results
    #[arg(long, global = true, value_enum, default_value_t = Output::Text, help_heading = GLOBAL, display_order = 900)]
    pub(crate) output: Output,

    /// The daemon's state folder
    ///
    /// Default: `$EDITD_STATE_DIR`, else `$XDG_STATE_HOME/editd`, else `~/.local/state/editd`.
    #[arg(long, global = true, value_name = "DIR", help_heading = GLOBAL, display_order = 901)]
    pub(crate) state_dir: Option<PathBuf>,

    /// The folder of the daemon's sockets
    ///
    /// Default: `$EDITD_RUNTIME_DIR`, else the folder that a running daemon uses, else
    /// `$XDG_RUNTIME_DIR/editd`, else `run` in the state folder.
    #[arg(long, global = true, value_name = "DIR", help_heading = GLOBAL, display_order = 902)]
    pub(crate) runtime_dir: Option<PathBuf>,

    /// Author of the changes, in the log and for undo
    ///
    /// Default: `$EDITD_AUTHOR`, else `editd`, or `terminal` for changes that you confirm at a prompt.
    #[arg(long, global = true, value_name = "NAME", help_heading = GLOBAL, display_order = 903)]
    pub(crate) author: Option<String>,

    /// Run the command on another machine, over `ssh`
    ///
    /// HOST or HOST:FOLDER, as for scp, or ssh://HOST:PORT/FOLDER. The files and the daemon are those of that machine,
    /// where editd must be installed. Paths are relative to the folder.
    #[arg(long, global = true, value_name = "HOST", help_heading = GLOBAL, display_order = 904)]
    pub(crate) ssh: Option<Remote>,

    /// Fail if no daemon is running, instead of starting one
    #[arg(long, global = true, help_heading = GLOBAL, display_order = 904)]
    pub(crate) no_spawn: bool,

    /// Print help: -h for a summary, --help for all details
    #[arg(long, short, global = true, action = ArgAction::Help, help_heading = GLOBAL, display_order = 905)]
    help: Option<bool>,

    /// Print the version
    #[arg(long, short = 'V', action = ArgAction::Version, help_heading = GLOBAL, display_order = 905)]
    version: Option<bool>,
}

/// The output format of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// For people
    Text,
    /// The result of the daemon's method
    Json,
}

/// The subcommands. The first line of each description appears in the list of commands, so it is short.
/// `--help` shows all paragraphs.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Replace text or lines in a file
    ///
    /// On a terminal, the command shows the change as a diff and asks before it writes. Elsewhere, pass
    /// --yes, or --base with the hash of the file's expected content.
    Edit(Box<EditArguments>),
    /// Move or copy lines or symbols, also to other files
    ///
    /// Shows the change and asks like `editd edit`.
    Move(MoveArguments),
    /// Rename a symbol and its uses in a file
    ///
    /// Renames a place only if the syntax shows that it means the symbol, and lists the others with the name.
    /// Other files are not changed. Shows the change and asks like `editd edit`.
    Rename(RenameArguments),
    /// Replace the content of a file, or create it
    ///
    /// Creates missing folders. Shows the change and asks like `editd edit`.
    Write(WriteArguments),
    /// Apply a patch completely or not at all
    ///
    /// Accepts SEARCH/REPLACE blocks, `apply_patch` patches, unified diffs, and edits by line numbers below
    /// `[path#tag]`, also with the prose and fences that a model writes around them.
    Apply(ApplyArguments),
    /// List the symbols of a file with their lines
    ///
    /// Functions, classes and so on; sections of Markdown; keys of JSON, YAML and TOML. The languages are in
    /// docs/matching.md.
    Outline {
        /// The file
        path: PathBuf,
        /// Only symbols in whose name, such as Class.method, this regular expression matches
        #[arg(long, short, value_name = "PATTERN", allow_hyphen_values = true)]
        pattern: Option<String>,
    },
    /// Print a file as agents see it
    ///
    /// Includes unsaved text of editors. Prints the text on standard output and its hash on standard error.
    Read(ReadArguments),
    /// Find lines that match a pattern
    ///
    /// Searches files and the unsaved text of editors. Omits files that .gitignore and similar files exclude.
    Search(SearchArguments),
    /// Find files and folders by their paths
    Find(FindArguments),
    /// List a folder
    List(ListArguments),
    /// List the proposals of this command line
    Proposals,
    /// Review the changes that agents propose, hunk by hunk
    ///
    /// Shows each hunk and asks for a decision. Each decision is sent at once; the last one applies the
    /// change. Without a terminal, lists the pending proposals, and exits with code 3 if
    /// there are any.
    Review(ReviewArguments),
    /// Undo the newest or another change
    ///
    /// Keeps later changes that do not overlap. On a terminal, you can undo the changes of any agent, and the
    /// command shows the result and asks first. With --session or --since, undoes all such changes, the
    /// newest first.
    Undo(UndoArguments),
    /// List changes, newest first
    Log(LogArguments),
    /// Show a change or a proposal as a diff
    Show {
        /// The id of a change from `editd log`, or of a proposal from `editd review`
        id: String,
    },
    /// Show the author of each line of a file
    Blame {
        /// The file
        path: PathBuf,

        #[command(flatten)]
        filter: ChangeFilter,
    },
    /// Run a command and record what it changes
    ///
    /// Everything that the command changes in the project is one change in `editd log`, with its diffs, and `editd
    /// undo` reverts it. Files that .gitignore excludes are left out. Nothing is printed if nothing has changed; the
    /// exit code is that of the command.
    Run(RunArguments),
    /// Let the built-in tools of an agent program pass through editd
    ///
    /// Adds hooks to the settings of the program, so that editd checks each edit before the program makes it,
    /// and records it afterwards. Shows the change of the settings and asks before it writes them.
    Connect(ConnectArguments),
    /// Answer an event of an agent program, which starts this command by its hooks
    #[command(hide = true)]
    Hook {
        /// The program
        #[arg(value_parser = client)]
        client: editd_agents::gate::AgentProgram,
    },
    /// Show the state of the daemon
    Status,
    /// Stop the daemon
    ///
    /// Finishes running changes first. The next command that needs a daemon starts one.
    Stop,
    /// Run the daemon in the foreground
    ///
    /// Usually not needed: commands that need the daemon start it, and it ends after half an hour without a
    /// client.
    Serve {
        /// Detach from the terminal and session of the parent process
        #[arg(long, hide = true)]
        detached: bool,
    },
    /// Run as the language server of an editor
    ///
    /// Forwards messages between the editor's pipes and the daemon. Editors start this command.
    Lsp {
        /// Accepted because some editors pass it to every language server
        #[arg(long, hide = true)]
        stdio: bool,
    },
    /// Let Claude Code and Gemini CLI ask for reviews as in an editor
    ///
    /// Serves the protocols with which these programs show a change in an editor and wait. Each change becomes a
    /// proposal, which you review in your editor, at a terminal or in the browser. With a command, such as
    /// `editd ide -- claude`, the server runs as long as the command.
    Ide(IdeArguments),
    /// Serve agents over the Model Context Protocol
    ///
    /// Uses standard input and output. Agent programs start this command.
    Mcp(McpArguments),
    /// Demonstrate editd in a few minutes
    ///
    /// A scripted agent and a scripted person change a file in a temporary folder, through a separate daemon.
    /// The demo does not touch your files, and removes everything at the end.
    Demo {
        /// Run all steps without waiting for Enter
        #[arg(long)]
        no_pause: bool,

        /// Keep the folder and print its path
        #[arg(long)]
        keep: bool,
    },
    /// Check the installation and print the effective settings
    ///
    /// Exits with code 1 if it finds a problem.
    Doctor,
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write all pages to a folder
    Man {
        /// Folder for editd.1 and a page for each command [default: print editd.1]
        dir: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct McpArguments {
    /// A folder to work in; can be repeated [default: the client's roots, else the working folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,

    /// Serve only these tools, as comma-separated names
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) tools: Vec<String>,

    /// Serve only read-only tools
    #[arg(long)]
    pub(crate) read_only: bool,

    /// Describe edits to the model by old and new text, by line numbers, or both
    #[arg(long, value_name = "FORMAT", default_value = "both", value_parser = PossibleValuesParser::new(EditFormat::VARIANTS))]
    pub(crate) edit_format: String,
}
