//! The configuration of a user on a machine. It is never read from a workspace.
//!
//! ```
//! use editd::config::Config;
//!
//! let config = Config::load("/nowhere/config.toml".into());
//! assert!(config.error.is_none(), "the defaults apply without a file");
//! assert_eq!(config.limits.file_size, 64 << 20);
//! ```

mod policy;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::disk::Durability;
use crate::workspace::Limits;

pub use policy::{Policy, PolicyFile};

/// Review policy: when a person must decide before a change is applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReviewMode {
    /// Never: changes of agents are applied immediately.
    Off,
    /// If an editor with review support covers the path.
    #[default]
    Auto,
    /// Always.
    Always,
}

impl ReviewMode {
    /// Returns the name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Auto => "auto",
            Self::Always => "always",
        }
    }
}

/// Save policy for documents with unsaved text, after an agent has changed them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SaveMode {
    /// The user saves the document.
    #[default]
    Never,
    /// The editor asks the user.
    Ask,
    /// The document is saved, including the unsaved text.
    Always,
}

impl SaveMode {
    /// Returns the name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Ask => "ask",
            Self::Always => "always",
        }
    }
}

/// The complete configuration, with defaults filled in.
#[derive(Clone, Debug)]
pub struct Config {
    /// Path of the configuration file, whether or not it exists.
    pub file: PathBuf,
    /// Review policy.
    pub review: ReviewMode,
    /// Save policy for documents with unsaved text.
    pub save: SaveMode,
    /// Durability of a change when its request is answered. If not set, it depends on the number of files.
    pub durability: Option<Durability>,
    /// Folders in which agents may work. If empty, agents may work everywhere that is not forbidden.
    pub roots: Vec<PathBuf>,
    /// Additional folders that agents may read.
    pub read_roots: Vec<PathBuf>,
    /// `true` if agents may change files with several hard links.
    pub hard_links: bool,
    /// Time after which the daemon exits if it has no connection.
    pub idle_exit: Duration,
    /// Retention of the history, in days.
    pub history_days: u64,
    /// Resource limits.
    pub limits: Limits,
    /// Error of a configuration that could not be read. If set, all writes are refused.
    pub error: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Table {
    review: ReviewMode,
    save: SaveMode,
    durability: Option<DurabilityName>,
    roots: Vec<PathBuf>,
    read_roots: Vec<PathBuf>,
    hard_links: bool,
    idle_exit: Option<String>,
    history_days: Option<u64>,
    #[serde(with = "LimitsTable")]
    limits: Limits,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum DurabilityName {
    Process,
    Full,
}

/// The fields of [`Limits`], which cannot name a format itself.
#[derive(Deserialize)]
#[serde(remote = "Limits", deny_unknown_fields, default = "Limits::default")]
#[serde(expecting = "struct LimitsTable")]
struct LimitsTable {
    file_size: u64,
    memory: u64,
    kept_bases: u64,
    history_bytes: u64,
    connections: usize,
    message_size: usize,
    message_ms: u64,
    message_memory: usize,
    requests_in_flight: usize,
    unsent_output: usize,
    work_memory: u64,
    changes: usize,
    edits: usize,
    proposals: usize,
    proposal_bytes: u64,
    deadline_ms: u64,
}

/// Limits that must not be 0. A cache size of 0 is slow, but works.
const NONZERO_LIMITS: [&str; 10] = [
    "connections",
    "message_size",
    "requests_in_flight",
    "unsent_output",
    "changes",
    "edits",
    "proposals",
    "file_size",
    "message_ms",
    "deadline_ms",
];

const DEFAULT_HISTORY_DAYS: u64 = 90;
const DEFAULT_IDLE_EXIT: Duration = Duration::from_secs(30 * 60);

impl Config {
    /// Describes the durability of a change when its request is answered.
    pub fn durability_description(&self) -> &'static str {
        match self.durability {
            Some(Durability::Process) => "process",
            Some(Durability::Full) => "full",
            None => "process for one file, full for several",
        }
    }

    /// Reads the configuration. If the file cannot be read, returns the defaults with [`error`](Self::error)
    /// set, which refuses all writes.
    pub fn load(file: PathBuf) -> Self {
        match read(&file) {
            Ok((table, idle_exit)) => Self::with(file, table, idle_exit),
            Err(error) => {
                Self { error: Some(error), ..Self::with(file, Table::default(), DEFAULT_IDLE_EXIT) }
            }
        }
    }

    fn with(file: PathBuf, table: Table, idle_exit: Duration) -> Self {
        Self {
            file,
            review: table.review,
            save: table.save,
            durability: table.durability.map(|name| match name {
                DurabilityName::Full => Durability::Full,
                DurabilityName::Process => Durability::Process,
            }),
            roots: table.roots.iter().map(|root| canonical(root)).collect(),
            read_roots: table.read_roots.iter().map(|root| canonical(root)).collect(),
            hard_links: table.hard_links,
            idle_exit,
            history_days: table.history_days.unwrap_or(DEFAULT_HISTORY_DAYS),
            limits: table.limits,
            error: None,
        }
    }
}

fn read(file: &Path) -> Result<(Table, Duration), String> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(format!("{} cannot be read: {error}", file.display())),
    };
    let table: Table = toml::from_str(&text).map_err(|error| {
        format!("{}: {}", file.display(), error.to_string().trim_end().replace('\n', " "))
    })?;
    let limits = table.limits.by_name();
    if let Some(name) = NONZERO_LIMITS.iter().find(|name| limits.contains(&(**name, 0))) {
        return Err(format!("{}: `limits.{name}` must be greater than 0", file.display()));
    }
    let idle_exit = table.idle_exit.as_deref().map_or(Ok(DEFAULT_IDLE_EXIT), duration);
    let idle_exit = idle_exit.map_err(|error| format!("{}: `idle_exit`: {error}", file.display()))?;
    Ok((table, idle_exit))
}

/// Parses a duration such as `30m`, `1h 30m` or `2s`.
fn duration(text: &str) -> Result<Duration, String> {
    let span: jiff::SignedDuration = text.parse().map_err(|error: jiff::Error| error.to_string())?;
    Duration::try_from(span).map_err(|_| "it is negative".to_owned())
}

/// Canonicalizes a root, because roots are compared with the canonical paths of opened files. A root that
/// does not exist matches nothing.
fn canonical(root: &Path) -> PathBuf {
    std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Config {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("config.toml"), text).unwrap();
        Config::load(dir.path().join("config.toml"))
    }

    #[test]
    fn without_a_file_the_defaults_apply() {
        let config = Config::load("/nonexistent/config.toml".into());
        assert_eq!((config.error, config.review, config.limits), (None, ReviewMode::Auto, Limits::default()));
    }

    #[test]
    fn values_are_read() {
        let config = load(
            "review = \"off\"\ndurability = \"full\"\nidle_exit = \"1h 30m\"\n[limits]\nfile_size = 5\n",
        );
        assert_eq!(config.error, None);
        assert_eq!(config.review, ReviewMode::Off);
        assert_eq!(config.durability, Some(Durability::Full));
        assert_eq!(config.idle_exit, Duration::from_secs(5400));
        assert_eq!(config.limits.file_size, 5);
    }

    #[test]
    fn an_error_names_the_invalid_key_or_value() {
        for (text, named) in [
            ("reviw = \"off\"", "reviw"),
            ("review = \"maybe\"", "maybe"),
            ("idle_exit = \"soon\"", "idle_exit"),
            ("[limits]\nfile_sise = 1", "file_sise"),
            ("= 1", "config.toml"),
        ] {
            let error = load(text).error.unwrap();
            assert!(error.contains(named), "{error}");
        }
    }

    #[test]
    fn a_limit_of_zero_is_an_error_that_names_it() {
        for name in [
            "file_size",
            "connections",
            "message_size",
            "message_ms",
            "requests_in_flight",
            "unsent_output",
            "changes",
            "edits",
            "proposals",
            "deadline_ms",
        ] {
            let config = load(&format!("[limits]\n{name} = 0\n"));
            let error = config.error.unwrap();
            assert!(error.contains(&format!("limits.{name}")), "{error}");
            assert_eq!(config.limits, Limits::default());
        }
        assert_eq!(load("[limits]\nmessage_memory = 0\nwork_memory = 0\nmemory = 0\nkept_bases = 0\nhistory_bytes = 0\n").error, None);
    }
}
