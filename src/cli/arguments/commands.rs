//! Arguments of the commands that have several.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use editd_agents::gate::AgentProgram;
use editd_protocol::HistoryParams;

#[derive(Debug, Args)]
pub(crate) struct UndoArguments {
    /// The id of the change from `editd log` [default: the newest that is neither undone nor an undo]
    #[arg(value_name = "ID", conflicts_with_all = ["path", "session", "turn", "agent", "since"])]
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

#[derive(Debug, Args)]
pub(crate) struct ReadArguments {
    /// The file
    pub(crate) path: PathBuf,

    /// First line, from 1; for a notebook, the first cell
    #[arg(long, value_name = "LINE")]
    pub(crate) offset: Option<usize>,

    /// Number of lines; for a notebook, of cells
    #[arg(long, value_name = "COUNT")]
    pub(crate) limit: Option<usize>,

    /// Print the number of each line before it
    #[arg(long, short)]
    pub(crate) numbered: bool,

    /// Print only this symbol, such as Class.method; `editd outline` lists them
    #[arg(long, value_name = "NAME", conflicts_with_all = ["offset", "limit"])]
    pub(crate) symbol: Option<String>,

    /// Print a first line PATH#TAG that names the version, and line numbers, for edits by lines
    #[arg(long)]
    pub(crate) anchored: bool,

    /// Print the JSON text of a notebook instead of its cells
    #[arg(long)]
    pub(crate) raw: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArguments {
    /// A regular expression, matched within single lines
    pub(crate) pattern: String,

    /// A file, or a folder whose files are searched unless they are ignored [default: the working folder]
    pub(crate) path: Option<PathBuf>,

    /// Only files whose name or path matches; with `!` before it, only those that do not match
    #[arg(long, short, value_name = "GLOB", allow_hyphen_values = true)]
    pub(crate) glob: Option<String>,

    /// Ignore the difference between upper and lower case
    #[arg(long, short)]
    pub(crate) ignore_case: bool,

    /// Search for the pattern as literal text
    #[arg(long, short = 'F', visible_alias = "fixed-strings")]
    pub(crate) literal: bool,

    /// Show N lines before and after each match, 20 at most
    #[arg(long, short = 'C', value_name = "N")]
    pub(crate) context: Option<usize>,

    /// Show only the number of matches of each file
    #[arg(long, short, conflicts_with = "context")]
    pub(crate) count: bool,

    /// Matches shown, 1,000 at most [default: 100]; with --count, files
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct FindArguments {
    /// A glob that matches names at any depth or, with `/` in it, paths relative to the folder
    pub(crate) pattern: String,

    /// Find the declarations of a symbol with this name, such as Class.method
    #[arg(long, short)]
    pub(crate) symbol: bool,

    /// The folder to search [default: the working folder]
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
    /// The id of the proposal [default: all pending proposals, oldest first]
    pub(crate) id: Option<String>,

    /// Propose the rejected hunks of this proposal, or of the last one, again and review them
    #[arg(long)]
    pub(crate) reopen: bool,

    /// Accept the proposal, or only the hunks in --hunk, without asking
    #[arg(long, requires = "id", conflicts_with_all = ["reopen", "reject"])]
    pub(crate) accept: bool,

    /// Reject the proposal, or only the hunks in --hunk, without asking
    #[arg(long, requires = "id", conflicts_with = "reopen")]
    pub(crate) reject: bool,

    /// Only this hunk, counted over all files of the proposal; can be repeated
    #[arg(long, value_name = "N")]
    pub(crate) hunk: Vec<String>,

    /// Stop waiting for an editor or a page that has ended without closing and has not come back: until it does, changes
    /// in this project are made without a review
    #[arg(long, conflicts_with_all = ["id", "reopen", "accept", "reject", "hunk", "web"])]
    pub(crate) off: bool,

    /// Review in a browser, until Ctrl-C; meanwhile, changes in this project wait for review
    #[arg(long, conflicts_with_all = ["id", "reopen", "accept", "reject", "hunk"])]
    pub(crate) web: bool,

    /// Print the address of the page, and do not open a browser
    #[arg(long, requires = "web")]
    pub(crate) no_open: bool,

    /// Port of the page on 127.0.0.1, instead of a free one
    #[arg(long, requires = "web", value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: Option<u16>,
}

impl ReviewArguments {
    /// Returns the decision to make without asking, by its name in the protocol.
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
    pub(crate) filter: ChangeFilter,

    /// Maximum number of changes to list
    #[arg(short, long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) number: u32,
}

/// A selection of changes.
#[derive(Clone, Debug, Args)]
pub(crate) struct ChangeFilter {
    /// Only changes of this session; `editd show` prints session names
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,

    /// Only changes of this turn, which is one prompt of an agent; `editd show` prints it
    #[arg(long, value_name = "ID")]
    pub(crate) turn: Option<String>,

    /// Only changes of this sub-agent; `editd show` prints it
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,

    /// Only changes since then: an age such as `30min` or `2h`, or a time such as 2026-11-23T10:00:00Z
    #[arg(long, value_name = "WHEN", value_parser = time_or_age)]
    pub(crate) since: Option<String>,
}

impl ChangeFilter {
    pub(crate) fn is_given(&self) -> bool {
        [&self.session, &self.turn, &self.agent, &self.since].into_iter().any(Option::is_some)
    }

    /// Returns the parameters of a request for the selected changes.
    pub(crate) fn params(&self) -> HistoryParams {
        let Self { session, turn, agent, since } = self.clone();
        HistoryParams { session, turn, agent, since, ..HistoryParams::default() }
    }
}

/// Parses a time or an age. Returns the time in the daemon's format.
fn time_or_age(text: &str) -> Result<String, String> {
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return Ok(time.to_string());
    }
    let ago: jiff::SignedDuration =
        text.parse().map_err(|_| "expected an age, such as 30min or 2h, or an RFC 3339 time".to_owned())?;
    jiff::Timestamp::now()
        .checked_sub(ago.abs())
        .map(|time| time.to_string())
        .map_err(|_| "that is too long ago".to_owned())
}

/// The handling of a system that cannot forbid all writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Strictness {
    /// The command does not run
    Strict,
    /// Forbid what the system can forbid
    BestEffort,
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// Author of the changes, instead of --author
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) author: Option<String>,

    /// Forbid the command to write to the project
    ///
    /// The command and the programs that it starts can write only outside of the project, and to existing files and
    /// folders that .gitignore excludes, git does not track and no path rule protects (such as .env and .vscode;
    /// installed dependencies can be written). They cannot write editd's own files either, nor decide reviews. Text
    /// is then changed through editd only. Not prevented: writes to protected names in a folder that is itself
    /// writable, such as target/.env, because the system allows a folder with everything in it; writes through other
    /// names (hard links) of files of the project, which are counted before the command starts; changes of
    /// permissions and times; and programs that already run and do its work on request, such as a container engine.
    /// With `best-effort`, the command also runs if this system cannot forbid everything; what it changes is then
    /// recorded as without this option.
    #[arg(long, value_name = "STRICTNESS", num_args = 0..=1, default_missing_value = "strict", require_equals = true)]
    pub(crate) enforce: Option<Strictness>,

    /// Let the command write to this file or folder all the same
    #[arg(long, value_name = "PATH", requires = "enforce")]
    pub(crate) writable: Vec<PathBuf>,

    /// The command with its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct IdeArguments {
    /// A folder in which the programs work; can be repeated [default: the project of the working folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,

    /// End when standard input ends
    #[arg(long, hide = true)]
    pub(crate) until_eof: bool,

    /// A command to run with the server, which ends with it
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct ConnectArguments {
    /// The program: claude, codex, gemini, opencode or pi
    #[arg(value_parser = client)]
    pub(crate) client: AgentProgram,

    /// Change the settings of the current project instead of your own
    #[arg(long)]
    pub(crate) project: bool,

    /// Make the hooks call `editd mcp` instead of starting a program for each event (only claude)
    ///
    /// Claude Code must know `editd mcp` as the server `editd`. While that server is not connected, edits pass
    /// without a check.
    #[arg(long, conflicts_with = "undo")]
    pub(crate) mcp: bool,

    /// Remove the hooks again
    #[arg(long)]
    pub(crate) undo: bool,

    /// Write the settings without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
}

/// Parses the name of an agent program.
pub(crate) fn client(name: &str) -> Result<AgentProgram, String> {
    let names = || AgentProgram::ALL.map(AgentProgram::name).join(", ");
    AgentProgram::of_name(name).ok_or_else(|| format!("expected one of: {}", names()))
}
