//! The user's path rules: `policy.toml` beside the configuration.

#[cfg(test)]
mod tests;

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use serde::Deserialize;

use crate::workspace::rules::{Class, Operation, Rule, UserRules};

/// Bytes of a policy: a person writes it, and it is read again whenever it has changed.
const POLICY_BYTES: u64 = 1 << 20;
/// Rules in a policy: their patterns are matched with every path.
const POLICY_RULES: usize = 1000;
/// Characters of a reason: it goes into every refusal.
const REASON_CHARS: usize = 500;
/// Time stamps younger than this do not prove that a file is what it was.
const YOUNG_SECONDS: i64 = 2;

/// The user's rules as they are at a moment.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// Whether there is a policy file.
    pub exists: bool,
    /// What it says. Of a broken one, what is known of it for sure: the last rules that could be read, without
    /// those that allow something.
    pub rules: UserRules,
    /// Why it cannot be obeyed: then nothing may be written.
    pub error: Option<String>,
    /// Where the file is that its name leads to.
    pub canonical: Option<PathBuf>,
}

/// The policy file, read when it has changed.
#[derive(Debug)]
pub struct PolicyFile {
    path: PathBuf,
    home: Option<PathBuf>,
    known: Mutex<Known>,
}

/// What was read last.
#[derive(Debug, Default)]
struct Known {
    stamp: Option<Stamp>,
    text: Vec<u8>,
    policy: Option<Arc<Policy>>,
    /// The rules of the last policy that could be read.
    good: UserRules,
}

/// What a file's metadata says of its content and of who can change it.
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
    operations: Vec<OperationName>,
    class: ClassName,
    reason: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum OperationName {
    Read,
    Create,
    Modify,
    Rename,
    Delete,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ClassName {
    Never,
    OptIn,
    Review,
    Tagged,
    Allow,
}

impl PolicyFile {
    /// The policy that belongs to a configuration file. `home` is what `~/` in patterns means.
    pub fn beside(config: &Path, home: Option<PathBuf>) -> Self {
        Self { path: config.with_file_name("policy.toml"), home, known: Mutex::default() }
    }

    /// Where it is, or would be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it says now. Where its metadata proves that it has not changed it is not read again.
    pub fn current(&self) -> Arc<Policy> {
        let mut known = self.known.lock();
        let stamp = match self.stamp() {
            Ok(stamp) => stamp,
            Err(error) => return known.broken(error),
        };
        let Some(stamp) = stamp else { return known.absent() };
        let unchanged = known.stamp == Some(stamp) && !stamp.is_young();
        if let Some(policy) = known.policy.as_ref().filter(|_| unchanged) {
            return policy.clone();
        }
        match self.read() {
            Err(error) => known.broken(error),
            Ok((stamp, text)) => match &known.policy {
                Some(policy) if known.stamp == Some(stamp) && known.text == text => policy.clone(),
                _ => self.take(&mut known, stamp, text),
            },
        }
    }

    /// None if there is no file.
    fn stamp(&self) -> Result<Option<Stamp>, String> {
        let found = match std::fs::symlink_metadata(&self.path) {
            // A link that leads nowhere was meant to lead somewhere.
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
        // Whatever stands there: to open it does not wait for anybody.
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

    /// Who can change the policy decides what agents may do.
    fn check(&self, found: &Metadata) -> Result<(), String> {
        let path = self.path.display();
        let me = rustix::process::geteuid().as_raw();
        if !found.is_file() {
            return Err(format!("{path} is no regular file"));
        }
        if found.uid() != me && found.uid() != 0 {
            return Err(format!("{path} belongs to another user (number {})", found.uid()));
        }
        if found.mode() & 0o022 != 0 {
            let mode = found.mode() & 0o777;
            return Err(format!("{path} can be written by others (mode {mode:o}): `chmod go-w` it"));
        }
        Ok(())
    }

    fn take(&self, known: &mut Known, stamp: Stamp, text: Vec<u8>) -> Arc<Policy> {
        let policy = match parse(&text, self.home.as_deref()) {
            Err(problem) => known.broken(format!("{}: {problem}", self.path.display())),
            Ok(rules) => {
                tracing::info!(path = %self.path.display(), rules = rules.len(), "the policy was read");
                known.good = rules.clone();
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

    /// What restricts stays in force; what allows does not, and nothing is written anyway.
    fn broken(&mut self, error: String) -> Arc<Policy> {
        if let Some(policy) = self.policy.as_ref().filter(|policy| policy.error.as_ref() == Some(&error)) {
            return policy.clone();
        }
        tracing::error!(error, "the policy cannot be obeyed; nothing will be written");
        let (rules, canonical) = (self.good.restrictions(), None);
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

    /// Whether the file may have changed again without a trace in its stamps.
    fn is_young(&self) -> bool {
        let now =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs().cast_signed());
        self.changed.0 >= now - YOUNG_SECONDS || self.modified.0 >= now - YOUNG_SECONDS
    }
}

fn parse(text: &[u8], home: Option<&Path>) -> Result<UserRules, String> {
    let text = std::str::from_utf8(text).map_err(|_| "it is not UTF-8".to_owned())?;
    let table: PolicyTable =
        toml::from_str(text).map_err(|error| error.to_string().trim_end().replace('\n', " "))?;
    if table.rules.len() > POLICY_RULES {
        return Err(format!("it has more than {POLICY_RULES} rules"));
    }
    let rules =
        table.rules.into_iter().enumerate().map(|(index, table)| {
            table.rule(home).map_err(|problem| format!("rule {}: {problem}", index + 1))
        });
    let rules = rules.collect::<Result<Vec<_>, _>>()?;
    UserRules::new(rules).map_err(|bad| format!("rule {}: `pattern`: {}", bad.index + 1, bad.problem))
}

impl RuleTable {
    fn rule(self, home: Option<&Path>) -> Result<Rule, String> {
        if self.operations.is_empty() {
            return Err("`operations` is empty, so it would be about nothing".to_owned());
        }
        let only_reads = self.operations.iter().all(|name| matches!(name, OperationName::Read));
        if only_reads && matches!(self.class, ClassName::Review) {
            return Err(
                "`class`: nobody can be asked before a file is read; `review` is about changes".to_owned()
            );
        }
        if self.reason.as_ref().is_some_and(|reason| reason.chars().count() > REASON_CHARS) {
            return Err(format!("`reason` is longer than {REASON_CHARS} characters"));
        }
        Ok(Rule {
            pattern: absolute(self.pattern, home)?,
            operations: self.operations.into_iter().map(Operation::from).collect(),
            class: self.class.into(),
            reason: self.reason,
        })
    }
}

/// An absolute pattern is compared with canonical paths, so what stands in it before any wildcard is resolved
/// as far as it is there.
fn absolute(pattern: String, home: Option<&Path>) -> Result<String, String> {
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

impl From<OperationName> for Operation {
    fn from(name: OperationName) -> Self {
        match name {
            OperationName::Read => Self::Read,
            OperationName::Create => Self::Create,
            OperationName::Modify => Self::Modify,
            OperationName::Rename => Self::Rename,
            OperationName::Delete => Self::Delete,
        }
    }
}

impl From<ClassName> for Class {
    fn from(name: ClassName) -> Self {
        match name {
            ClassName::Never => Self::Never,
            ClassName::OptIn => Self::OptIn,
            ClassName::Review => Self::Review,
            ClassName::Tagged => Self::Tagged,
            ClassName::Allow => Self::Allow,
        }
    }
}
