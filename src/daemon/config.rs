//! The configuration of a user on a machine. It is never read from a workspace.
//!
//! ```
//! use editd_daemon::config::Config;
//!
//! let config = Config::load("/nowhere/config.toml".into());
//! assert!(config.error.is_none(), "the defaults apply without a file");
//! assert_eq!(config.limits.file_size, 64 << 20);
//! ```

mod maps;
mod named;
mod policy;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::{DeserializeOwned, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use editd_disk::Durability;
use editd_workspace::Limits;

pub use maps::PathMap;
pub use named::{NamedPlace, PlaceInProject, check_named_places, default_places, named_places};
pub use policy::{Policy, PolicyFile};

/// Review policy: when a person must decide before a change is applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum ReviewMode {
    /// Never: changes of agents are applied immediately.
    Off,
    /// If an editor with review support covers the path.
    #[default]
    Auto,
    /// Always.
    Always,
}

/// Save policy for documents with unsaved text, after an agent has changed them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum SaveMode {
    /// The user saves the document.
    #[default]
    Never,
    /// The editor asks the user.
    Ask,
    /// The document is saved, including the unsaved text.
    Always,
}

/// Handling of syntax errors that a change adds to a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum SyntaxMode {
    /// They are not looked for.
    Off,
    /// The author and the reviewers are warned.
    #[default]
    Warn,
    /// The change is refused.
    Refuse,
}

/// Handling of a change of a file that others have changed since its author read it, unless the request names one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum StaleMode {
    /// The change is refused.
    #[default]
    Reject,
    /// The change is merged with those of the others.
    Merge,
}

/// Settings for the built-in tools of agent programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GateConfig {
    /// `true` if a tool may run although the daemon cannot be reached. By default, unless `review` is
    /// [`ReviewMode::Always`].
    pub fail_open: Option<bool>,
    /// Handling of a change of a file that the agent has not read.
    pub unread: UnreadMode,
}

/// Handling of a change of a file that the agent has not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum UnreadMode {
    /// The change is refused.
    #[default]
    Refuse,
    /// The change is made, and the agent is warned.
    Warn,
}

/// The complete configuration, with defaults filled in. Its fields are the keys of the file, except for `file`
/// and `error`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Path of the configuration file, whether or not it exists.
    #[serde(skip)]
    pub file: PathBuf,
    /// Review policy.
    pub review: ReviewMode,
    /// `true` if Claude Code and Gemini CLI can ask for reviews in the folders that an editor has open.
    pub ide: bool,
    /// Save policy for documents with unsaved text.
    pub save: SaveMode,
    /// Handling of syntax errors that a change adds.
    pub syntax: SyntaxMode,
    /// Handling of a change of a file that others have changed since its author read it.
    pub stale: StaleMode,
    /// Durability of a change when its request is answered. If not set, it depends on the number of files.
    pub durability: Option<Durability>,
    /// Folders in which agents may work. If empty, agents may work everywhere that is not forbidden.
    pub roots: Vec<PathBuf>,
    /// Additional folders that agents may read.
    pub read_roots: Vec<PathBuf>,
    /// `true` if agents may change files with several hard links.
    pub hard_links: bool,
    /// Time after which the daemon exits if it has no connection.
    #[serde(with = "jiff::fmt::serde::unsigned_duration::friendly::compact::required")]
    pub idle_exit: Duration,
    /// Retention of the history, in days.
    pub history_days: u64,
    /// Settings for the built-in tools of agent programs.
    pub gate: GateConfig,
    /// Folders that programs in containers see under other paths.
    pub maps: Vec<PathMap>,
    /// Resource limits.
    #[serde(deserialize_with = "limits")]
    pub limits: Limits,
    /// Error of a configuration that could not be read. If set, all writes are refused.
    #[serde(skip)]
    pub error: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            file: PathBuf::new(),
            review: ReviewMode::default(),
            ide: false,
            save: SaveMode::default(),
            syntax: SyntaxMode::default(),
            stale: StaleMode::default(),
            durability: None,
            roots: Vec::new(),
            read_roots: Vec::new(),
            hard_links: false,
            idle_exit: Duration::from_secs(30 * 60),
            history_days: 90,
            gate: GateConfig::default(),
            maps: Vec::new(),
            limits: Limits::default(),
            error: None,
        }
    }
}

impl Config {
    /// Returns `true` if a tool of an agent program may run although the daemon cannot be reached.
    pub fn gate_fails_open(&self) -> bool {
        self.error.is_none() && self.gate.fail_open.unwrap_or(self.review != ReviewMode::Always)
    }

    /// Describes the durability of a change when its request is answered.
    pub fn durability_description(&self) -> &'static str {
        self.durability.map_or("process for one file, full for several", Into::into)
    }

    /// Reads the configuration. If the file cannot be read, returns the defaults with [`error`](Self::error)
    /// set, which refuses all writes.
    pub fn load(file: PathBuf) -> Self {
        let config = read(&file).unwrap_or_else(|error| Self { error: Some(error), ..Self::default() });
        Self { file, ..config }
    }
}

/// Returns the path of the configuration: `$EDITD_CONFIG`, else `$XDG_CONFIG_HOME/editd/config.toml`.
pub fn config_file() -> PathBuf {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("EDITD_CONFIG").unwrap_or_else(|| {
        let home = || std::env::home_dir().unwrap_or_default().join(".config");
        set("XDG_CONFIG_HOME").unwrap_or_else(home).join("editd/config.toml")
    })
}

fn read(file: &Path) -> Result<Config, String> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(format!("{} cannot be read: {error}", file.display())),
    };
    let of_file = |error| format!("{}: {error}", file.display());
    let mut config: Config = parse(&text).map_err(of_file)?;
    maps::check(&config.maps).map_err(of_file)?;
    let outside = config.maps.iter_mut().map(|map| &mut map.outside);
    // Roots are compared with the canonical paths of opened files. A root that does not exist matches nothing.
    for root in config.roots.iter_mut().chain(&mut config.read_roots).chain(outside) {
        *root = std::fs::canonicalize(&*root).unwrap_or_else(|_| root.clone());
    }
    Ok(config)
}

/// Parses TOML. The error has one line.
fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    toml_edit::de::from_str(text).map_err(|error| error.to_string().trim_end().replace('\n', " "))
}

/// Reads the table of limits.
fn limits<'de, D: Deserializer<'de>>(table: D) -> Result<Limits, D::Error> {
    struct Table;

    impl<'de> Visitor<'de> for Table {
        type Value = Limits;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a table: `[limits]`, followed by lines such as `edits = 1000`")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Limits, A::Error> {
            let mut limits = Limits::default();
            while let Some((name, value)) = table.next_entry::<String, u64>()? {
                limits.set(&name, value).map_err(A::Error::custom)?;
            }
            Ok(limits)
        }
    }

    table.deserialize_map(Table)
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
    fn limits_that_are_no_table_are_an_error_that_shows_one() {
        let error = load("limits = 3").error.unwrap();
        assert!(error.contains("`3`") && error.contains("expected a table: `[limits]`"), "{error}");
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
