//! The built-in rules, which apply without a policy.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::classes::{Class, Operation};
use super::families::{Extent, FAMILIES, Family, VERSION_CONTROL};
use super::names::{has_affixes, is_example, is_instructions, matches_pattern, spellings};

/// NTFS derives some short names from a hash if the plain short name is taken.
const HASHED_SHORT: [(&str, &str); 2] = [("gi7eba", ".gitmodules"), ("gi7d29", ".gitattributes")];

/// Maximum number of characters before the `~1` of a short name.
const SHORT: usize = 6;

/// The normalized names of a path, and the parts of it that rules apply to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names<'a> {
    pub(super) all: &'a [String],
    /// Number of names above the top of the workspace.
    pub(super) above: usize,
    /// Names of the home folder's path.
    pub(super) home: &'a [String],
}

impl Family {
    pub(super) fn class(&self, operation: Operation) -> Class {
        match operation {
            Operation::Read => self.reading,
            Operation::Create => self.creating,
            Operation::Modify | Operation::Rename | Operation::Delete => self.class,
        }
    }

    /// Returns `true` if `length` names from `at` on are in a position where the family applies.
    fn applies_at(&self, names: &Names<'_>, at: usize, length: usize) -> bool {
        let end = at + length;
        match self.extent {
            Extent::Everywhere => true,
            Extent::Home => at == names.home.len() && at > 0 && names.all.starts_with(names.home),
            Extent::HomeSettings => {
                // A project in such a folder has its own rules; the folder itself may be under version control.
                let is_project = end < names.above;
                !is_project && at == names.home.len() && at > 0 && names.all.starts_with(names.home)
            }
            Extent::HomeFile => {
                end == names.all.len()
                    && at == names.home.len()
                    && at > 0
                    && names.all.starts_with(names.home)
            }
            // Names above the top of the workspace say where it is located, not what the file is.
            Extent::Workspace => end > names.above,
            Extent::File => end == names.all.len(),
            Extent::Secrets => end > names.above && !names.all[end - 1..].iter().any(|name| is_example(name)),
            Extent::SecretFile => {
                let name = &names.all[at];
                let is_key = !name.starts_with("id_") || !name.contains('.');
                end == names.all.len() && end > names.above && is_key
            }
            Extent::Settings => end > names.above && !is_instructions(&names.all[end..]),
            Extent::Instructions => end > names.above && is_instructions(&names.all[end..]),
        }
    }
}

/// Returns the families that a path belongs to, in the order of `FAMILIES`.
pub(super) fn families(names: &Names<'_>) -> Vec<&'static Family> {
    let mut found = Vec::new();
    for at in 0..names.all.len() {
        INDEX.each_at(&names.all[at..], |pattern| {
            if FAMILIES[pattern.family].applies_at(names, at, pattern.names.len()) {
                found.push(pattern.family);
            }
        });
    }
    found.sort_unstable();
    found.dedup();
    let found: Vec<_> = found.into_iter().map(|family| &FAMILIES[family]).collect();
    let is_of_agents = found.iter().any(|family| family.rule.starts_with("agent_"));
    let is_general = |family: &Family| matches!(family.extent, Extent::HomeSettings | Extent::HomeFile);
    found.into_iter().filter(|family| !(is_of_agents && is_general(family))).collect()
}

/// Returns the family with the strictest class for an operation, if any is stricter than `Allow`.
pub(super) fn strictest(families: &[&'static Family], operation: Operation) -> Option<&'static Family> {
    let class = |family: &&Family| family.class(operation);
    // `max_by_key` returns the last of several maxima, hence the reversal.
    families.iter().rev().copied().max_by_key(class).filter(|family| class(family) > Class::Allow)
}

/// A name pattern of a family, split at `/`.
struct NamePattern {
    family: usize,
    names: Vec<&'static str>,
}

/// Patterns by their first name.
struct Index {
    literal: HashMap<&'static str, Vec<NamePattern>>,
    /// Patterns whose first name has a `*`, with the parts before and after it.
    wild: Vec<(&'static str, &'static str, NamePattern)>,
    /// First names by the prefix of their short names.
    short: HashMap<String, Vec<&'static str>>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut index = Index { literal: HashMap::new(), wild: Vec::new(), short: HashMap::new() };
    for (family, of) in FAMILIES.iter().enumerate() {
        for name in of.names.split_whitespace() {
            let names: Vec<_> = name.split('/').collect();
            let first = names[0];
            if of.class > Class::Tagged
                && let Some(short) = short_name(first)
            {
                index.short.entry(short).or_default().push(first);
            }
            let pattern = NamePattern { family, names };
            match first.split_once('*') {
                Some((head, tail)) => index.wild.push((head, tail, pattern)),
                None => index.literal.entry(first).or_default().push(pattern),
            }
        }
    }
    for (short, first) in HASHED_SHORT {
        index.short.entry(short.to_owned()).or_default().push(first);
    }
    index
});

impl Index {
    /// Calls `found` for every pattern that the names start with.
    fn each_at(&self, names: &[String], mut found: impl FnMut(&NamePattern)) {
        let Some((first, rest)) = names.split_first() else { return };
        let mut visit = |pattern: &NamePattern| {
            let wanted = &pattern.names[1..];
            let matches = |(wanted, name): (&&str, &String)| matches_pattern(wanted, name);
            if wanted.len() <= rest.len() && wanted.iter().zip(rest).all(matches) {
                found(pattern);
            }
        };
        self.literal.get(first.as_str()).into_iter().flatten().for_each(&mut visit);
        let wild = self.wild.iter().filter(|(head, tail, _)| has_affixes(head, tail, first));
        wild.for_each(|(_, _, pattern)| visit(pattern));
        let long = short_stem(first).and_then(|stem| self.short.get(stem));
        for long in long.into_iter().flatten() {
            self.literal.get(long).into_iter().flatten().for_each(&mut visit);
            let wild = self.wild.iter().filter(|(_, _, pattern)| pattern.names[0] == *long);
            wild.for_each(|(_, _, pattern)| visit(pattern));
        }
    }
}

/// Returns the prefix of a name's short name on file systems that have them, if it has one.
fn short_name(name: &str) -> Option<String> {
    let long = name.split('*').next().unwrap_or_default();
    let stem = long.trim_start_matches('.');
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    let short: String = stem.chars().filter(|c| !matches!(c, '.' | ' ')).take(SHORT).collect();
    let fits = !name.starts_with('.') && name.len() <= 8;
    (!fits && !short.is_empty()).then_some(short)
}

/// Returns the part before `~1` in a short name.
fn short_stem(name: &str) -> Option<&str> {
    let (stem, rest) = name.split_once('~')?;
    let digits = rest.split('.').next().unwrap_or_default();
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(stem)
}

/// Returns `true` if a path leads into version-control metadata, even if one of its names is disguised.
pub fn is_version_control(path: &Path) -> bool {
    spellings(path).any(|all| {
        let names = Names { all: &all, above: 0, home: &[] };
        families(&names).iter().any(|family| family.rule == VERSION_CONTROL)
    })
}

/// System folders. An agent's root cannot be inside them, except in the places for other files.
const SYSTEM: [&str; 10] =
    ["/bin", "/boot", "/dev", "/etc", "/proc", "/run", "/sbin", "/sys", "/usr", "/var"];

/// Places in system folders for the files of users: temporary ones, web sites, sources and attached drives.
const IN_SYSTEM: [&str; 4] = ["/var/tmp", "/var/www", "/usr/local/src", "/run/media"];

/// The reason why a folder cannot be an agent's root, worded so that it can follow the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
pub enum RootRefusal {
    /// `/`, the home folder or one of its ancestors: too wide a scope.
    #[strum(serialize = "it is wider than one project")]
    TooWide,
    /// A system folder.
    #[strum(serialize = "it belongs to the system")]
    System,
    /// Inside version-control metadata.
    #[strum(serialize = "it is version-control metadata")]
    VersionControl,
    /// Outside the roots that the user configured.
    #[strum(serialize = "it is outside the `roots` that the user configured")]
    NotConfigured,
}

/// Checks that an agent may use `root` as its root. All paths must be canonical.
pub fn check_root(root: &Path, home: Option<&Path>, configured: &[PathBuf]) -> Result<(), RootRefusal> {
    let home_is_inside = home.is_some_and(|home| home.starts_with(root));
    if root == Path::new("/") || home_is_inside {
        return Err(RootRefusal::TooWide);
    }
    if is_system(root, home) {
        return Err(RootRefusal::System);
    }
    if is_version_control(root) {
        return Err(RootRefusal::VersionControl);
    }
    if !configured.is_empty() && !configured.iter().any(|allowed| root.starts_with(allowed)) {
        return Err(RootRefusal::NotConfigured);
    }
    Ok(())
}

fn is_system(root: &Path, home: Option<&Path>) -> bool {
    let is_place = IN_SYSTEM.iter().any(|place| root.starts_with(place));
    if is_place || home.is_some_and(|home| root.starts_with(home)) {
        return false;
    }
    let library =
        root.components().nth(1).is_some_and(|part| part.as_os_str().as_bytes().starts_with(b"lib"));
    library || SYSTEM.iter().any(|system| root.starts_with(system))
}
