//! The user's path rules: `policy.toml` next to the configuration file.

#[cfg(test)]
mod tests;

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use strum::VariantNames;

use editd_workspace::rules::{Class, Operation, Rule, UserRules};

/// Maximum size of a policy, in bytes. A person writes it, and it is read again after every change.
const POLICY_BYTES: u64 = 1 << 20;
/// Maximum number of rules in a policy. Their patterns are matched against every path.
const POLICY_RULES: usize = 1000;
/// Maximum length of a reason, in characters. It is part of every refusal.
const REASON_CHARS: usize = 500;
/// Minimum age of time stamps, in seconds. Newer ones do not prove that a file is unchanged.
const RECENT_SECONDS: i64 = 2;

/// A snapshot of the user's rules.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// `true` if there is a policy file.
    pub exists: bool,
    /// The rules. If the file cannot be used: the restricting rules of the last valid version, without the
    /// rules that allow something.
    pub rules: UserRules,
    /// Error that makes the policy unusable. If set, all writes are refused.
    pub error: Option<String>,
    /// Canonical path of the file.
    pub canonical: Option<PathBuf>,
}

/// The policy file, with its cached content.
#[derive(Debug)]
pub struct PolicyFile {
    path: PathBuf,
    home: Option<PathBuf>,
    known: Mutex<Known>,
}

/// The result of the last read.
#[derive(Debug, Default)]
struct Known {
    stamp: Option<Stamp>,
    text: Vec<u8>,
    policy: Option<Arc<Policy>>,
    /// Rules of the last valid policy.
    last_valid: UserRules,
}

/// Metadata that changes when the content or the access rights of a file change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    file: (u64, u64),
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
    access: (u32, u32),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyTable {
    #[serde(default)]
    rules: Vec<RuleTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleTable {
    pattern: String,
    operations: Vec<Named<Operation>>,
    class: Named<Class>,
    reason: Option<String>,
}

/// A value that the file contains by its name.
struct Named<T>(T);

impl<'de, T: FromStr + VariantNames> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(name: D) -> Result<Self, D::Error> {
        let name = String::deserialize(name)?;
        name.parse().map(Self).map_err(|_| D::Error::unknown_variant(&name, T::VARIANTS))
    }
}

impl PolicyFile {
    /// Creates the policy file that belongs to a configuration file. `home` is the folder for `~/` in
    /// patterns.
    pub fn beside(config: &Path, home: Option<PathBuf>) -> Self {
        Self { path: config.with_file_name("policy.toml"), home, known: Mutex::default() }
    }

    /// Returns the path of the file, whether or not it exists.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the current policy. Does not read the file again if its metadata proves that it is unchanged.
    pub fn current(&self) -> Arc<Policy> {
        let mut known = self.known.lock();
        let stamp = match self.stamp() {
            Ok(Some(stamp)) => stamp,
            Ok(None) => return known.absent(),
            Err(error) => return known.unusable(error),
        };
        let unchanged = known.stamp == Some(stamp) && !stamp.is_recent();
        if let Some(policy) = known.policy.as_ref().filter(|_| unchanged) {
            return policy.clone();
        }
        match self.read() {
            Err(error) => known.unusable(error),
            Ok((stamp, text)) => match &known.policy {
                Some(policy) if known.stamp == Some(stamp) && known.text == text => policy.clone(),
                _ => self.accept(&mut known, stamp, text),
            },
        }
    }

    /// Returns the stamp of the file, or `None` if it does not exist.
    fn stamp(&self) -> Result<Option<Stamp>, String> {
        let found = match std::fs::symlink_metadata(&self.path) {
            // A dangling symlink is an error, not an absent policy.
            Ok(found) if found.is_symlink() => std::fs::metadata(&self.path),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            found => found,
        };
        found.map(|found| Some(Stamp::of(&found))).map_err(|error| self.unreadable(&error))
    }

    fn unreadable(&self, error: &std::io::Error) -> String {
        format!("{} cannot be read: {error}", self.path.display())
    }

    fn read(&self) -> Result<(Stamp, Vec<u8>), String> {
        let failed = |error| self.unreadable(&error);
        // Opening must not block, even if the file is a FIFO.
        let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        let file = File::options().read(true).custom_flags(nonblocking).open(&self.path).map_err(failed)?;
        let found = file.metadata().map_err(failed)?;
        self.check(&found)?;
        let mut text = Vec::new();
        file.take(POLICY_BYTES + 1).read_to_end(&mut text).map_err(failed)?;
        if text.len() as u64 > POLICY_BYTES {
            return Err(format!("{} is larger than {} MiB", self.path.display(), POLICY_BYTES >> 20));
        }
        Ok((Stamp::of(&found), text))
    }

    /// Checks that only the user or root can change the policy, because it decides what agents may do.
    fn check(&self, found: &Metadata) -> Result<(), String> {
        let path = self.path.display();
        let me = rustix::process::geteuid().as_raw();
        if !found.is_file() {
            return Err(format!("{path} is not a regular file"));
        }
        if found.uid() != me && found.uid() != 0 {
            return Err(format!("{path} belongs to another user (uid {})", found.uid()));
        }
        if found.mode() & 0o022 != 0 {
            let mode = found.mode() & 0o777;
            return Err(format!("{path} can be written by others (mode {mode:o}): run `chmod go-w` on it"));
        }
        Ok(())
    }

    fn accept(&self, known: &mut Known, stamp: Stamp, text: Vec<u8>) -> Arc<Policy> {
        let policy = match parse(&text, self.home.as_deref()) {
            Err(error) => known.unusable(format!("{}: {error}", self.path.display())),
            Ok(rules) => {
                tracing::info!(path = %self.path.display(), rules = rules.rules.len(), "the policy was read");
                known.last_valid = rules.clone();
                let canonical = std::fs::canonicalize(&self.path).ok();
                Arc::new(Policy { exists: true, rules, error: None, canonical })
            }
        };
        (known.stamp, known.text, known.policy) = (Some(stamp), text, Some(policy.clone()));
        policy
    }
}

impl Known {
    fn absent(&mut self) -> Arc<Policy> {
        if let Some(policy) = self.policy.as_ref().filter(|policy| !policy.exists) {
            return policy.clone();
        }
        let policy = Arc::<Policy>::default();
        *self = Self { policy: Some(policy.clone()), ..Self::default() };
        policy
    }

    /// Returns the policy for an unusable file: restrictions stay in force, permissions do not, and all
    /// writes are refused.
    fn unusable(&mut self, error: String) -> Arc<Policy> {
        if let Some(policy) = self.policy.as_ref().filter(|policy| policy.error.as_ref() == Some(&error)) {
            return policy.clone();
        }
        tracing::error!(error, "the policy cannot be used; nothing will be written");
        let (rules, canonical) = (self.last_valid.restrictions(), None);
        let policy = Arc::new(Policy { exists: true, rules, error: Some(error), canonical });
        (self.stamp, self.text, self.policy) = (None, Vec::new(), Some(policy.clone()));
        policy
    }
}

impl Stamp {
    fn of(found: &Metadata) -> Self {
        Self {
            file: (found.dev(), found.ino()),
            size: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
            access: (found.mode(), found.uid()),
        }
    }

    /// Returns `true` if the file may have changed again without a change of its time stamps.
    fn is_recent(&self) -> bool {
        let now =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs().cast_signed());
        self.changed.0 >= now - RECENT_SECONDS || self.modified.0 >= now - RECENT_SECONDS
    }
}

fn parse(text: &[u8], home: Option<&Path>) -> Result<UserRules, String> {
    let text = std::str::from_utf8(text).map_err(|_| "it is not UTF-8".to_owned())?;
    let table: PolicyTable = super::parse(text)?;
    if table.rules.len() > POLICY_RULES {
        return Err(format!("it has more than {POLICY_RULES} rules"));
    }
    let rule = |(table, number): (RuleTable, usize)| {
        table.rule(home).map_err(|error| format!("rule {number}: {error}"))
    };
    let rules = table.rules.into_iter().zip(1..).map(rule).collect::<Result<_, _>>()?;
    UserRules::new(rules).map_err(|bad| format!("rule {}: `pattern`: {}", bad.index + 1, bad.problem))
}

impl RuleTable {
    fn rule(self, home: Option<&Path>) -> Result<Rule, String> {
        if self.operations.is_empty() {
            return Err("`operations` is empty, so the rule would never apply".to_owned());
        }
        let only_reads = self.operations.iter().all(|named| named.0 == Operation::Read);
        if only_reads && self.class.0 == Class::Review {
            return Err(
                "`class`: a read cannot wait for a decision, so `review` applies to changes only".to_owned()
            );
        }
        if self.reason.as_ref().is_some_and(|reason| reason.chars().count() > REASON_CHARS) {
            return Err(format!("`reason` is longer than {REASON_CHARS} characters"));
        }
        Ok(Rule {
            pattern: resolve_pattern(self.pattern, home)?,
            operations: self.operations.into_iter().map(|named| named.0).collect(),
            class: self.class.0,
            reason: self.reason,
        })
    }
}

/// Canonicalizes the part of an absolute pattern before the first wildcard, as far as it exists, because the
/// pattern is matched against canonical paths.
fn resolve_pattern(pattern: String, home: Option<&Path>) -> Result<String, String> {
    let pattern = match (pattern.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => format!("{}/{rest}", globset::escape(&home.to_string_lossy())),
        (Some(_), None) => return Err("`pattern`: there is no home folder for `~/`".to_owned()),
        (None, _) => pattern,
    };
    if !pattern.starts_with('/') {
        return Ok(pattern);
    }
    let literal = pattern.split(['*', '?', '[', '{', '\\']).next().unwrap_or_default();
    let whole =
        if literal.len() == pattern.len() { literal } else { literal.rsplit_once('/').map_or("", |it| it.0) };
    let found = Path::new(whole).ancestors().find_map(|path| Some((path, std::fs::canonicalize(path).ok()?)));
    let Some((there, canonical)) = found else { return Ok(pattern) };
    let rest = pattern[there.as_os_str().len()..].trim_start_matches('/').to_owned();
    let canonical = globset::escape(&canonical.to_string_lossy());
    Ok(format!("{}/{rest}", canonical.trim_end_matches('/')))
}
