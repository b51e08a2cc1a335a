//! The rules of the user's policy.

use std::collections::BTreeSet;
use std::path::Path;

use globset::{Glob, GlobBuilder, GlobSet};

use super::classes::{Class, Operation};
use super::names::folded;

/// Maximum size of a pattern, in bytes: long enough for any path.
const PATTERN_BYTES: usize = 4096;

/// A rule of the policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// A glob, in which `*` matches within a name and `**` across names. With a leading `/` it matches
    /// absolute paths; otherwise it may start at any folder.
    pub pattern: String,
    /// Operations that the rule applies to.
    pub operations: BTreeSet<Operation>,
    /// Class of these operations.
    pub class: Class,
    /// The user's reason.
    pub reason: Option<String>,
}

/// An invalid pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPattern {
    /// Index of its rule.
    pub index: usize,
    /// Description of the error.
    pub problem: String,
}

/// The compiled rules of a policy. An empty set applies to no path.
#[derive(Clone, Debug, Default)]
pub struct UserRules {
    /// The rules, in order.
    pub rules: Vec<Rule>,
    anywhere: Globs,
    absolute: Globs,
}

/// A set of globs, with the index of the rule for each.
#[derive(Clone, Debug, Default)]
struct Globs {
    set: GlobSet,
    rules: Vec<usize>,
}

/// A rule that matches a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct MatchingRule<'a> {
    pub(super) rule: &'a Rule,
    /// `true` if the rule matches the names inside the workspace. Otherwise it matches only together with names
    /// above, which a deeper root would hide, so it may forbid but not allow.
    pub(super) is_within: bool,
}

impl UserRules {
    /// Compiles rules. `~/` in their patterns must have been replaced.
    pub fn new(rules: Vec<Rule>) -> Result<Self, BadPattern> {
        let (mut anywhere, mut absolute) = (Vec::new(), Vec::new());
        for (index, rule) in rules.iter().enumerate() {
            let bad = |problem: String| BadPattern { index, problem };
            check(&rule.pattern).map_err(|problem| bad(problem.to_owned()))?;
            let pattern = folded(rule.pattern.trim_end_matches('/'));
            let (globs, pattern) = match pattern.strip_prefix('/') {
                Some(rest) => (&mut absolute, rest.to_owned()),
                None if pattern.starts_with("**") => (&mut anywhere, pattern),
                None => (&mut anywhere, format!("**/{pattern}")),
            };
            // A rule for a folder applies to everything in it.
            let within = (!pattern.ends_with("**")).then(|| format!("{pattern}/**"));
            for pattern in [Some(pattern), within].into_iter().flatten() {
                let glob = GlobBuilder::new(&pattern).literal_separator(true).backslash_escape(true).build();
                globs.push((index, glob.map_err(|error| bad(error.kind().to_string()))?));
            }
        }
        let compiled = |globs: Vec<(usize, Glob)>| {
            let (rules_of_globs, globs): (_, Vec<_>) = globs.into_iter().unzip();
            let bad = |error: globset::Error| BadPattern {
                index: rules.len().saturating_sub(1),
                problem: error.kind().to_string(),
            };
            Ok(Globs { set: GlobSet::new(globs).map_err(bad)?, rules: rules_of_globs })
        };
        Ok(Self { anywhere: compiled(anywhere)?, absolute: compiled(absolute)?, rules })
    }

    /// Returns these rules without those that may allow an operation. Rules of the class `Review` are among
    /// the latter, because they can allow what is otherwise refused.
    #[must_use]
    pub fn restrictions(&self) -> Self {
        let rules = self.rules.iter().filter(|rule| rule.class > Class::Review).cloned().collect();
        // Patterns that compiled once compile again.
        Self::new(rules).unwrap_or_default()
    }

    /// Returns the rules that match a path, last one first.
    pub(super) fn matching(&self, names: &[String], above: usize) -> Vec<MatchingRule<'_>> {
        if self.rules.is_empty() {
            return Vec::new();
        }
        let (path, inside) = (names.join("/"), names[above.min(names.len())..].join("/"));
        let mut within = self.absolute.indices_matching(&path);
        within.extend(self.anywhere.indices_matching(&inside));
        let mut found = within.clone();
        found.extend(self.anywhere.indices_matching(&path));
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.dedup();
        let rule = |index| MatchingRule { rule: &self.rules[index], is_within: within.contains(&index) };
        found.into_iter().map(rule).collect()
    }
}

impl Rule {
    /// Returns `true` if the rule applies to an operation. A rule of the class `Review` does not apply to
    /// reading, because no person can be asked before a read.
    pub(super) fn applies_to(&self, operation: Operation) -> bool {
        let is_asked = self.class != Class::Review || operation != Operation::Read;
        is_asked && self.operations.contains(&operation)
    }
}

impl Globs {
    fn indices_matching(&self, path: &str) -> Vec<usize> {
        self.set.matches(Path::new(path)).into_iter().map(|glob| self.rules[glob]).collect()
    }
}

fn check(pattern: &str) -> Result<(), &'static str> {
    let has_dots = pattern.split('/').any(|name| matches!(name, "." | ".."));
    let problems = [
        (pattern.trim_matches('/').is_empty(), "it is empty"),
        (pattern.len() > PATTERN_BYTES, "it is too long"),
        (pattern.contains('\0'), "it contains a NUL character"),
        (
            pattern.starts_with('!'),
            "there is no negation: a later rule of the class `allow` makes an exception",
        ),
        (pattern.starts_with('~'), "`~` stands for the home folder only as `~/`"),
        (has_dots, "it contains `.` or `..`, which no resolved path has"),
    ];
    problems.into_iter().find(|(applies, _)| *applies).map_or(Ok(()), |(_, problem)| Err(problem))
}

#[cfg(test)]
mod tests {
    use super::super::names::names_of;
    use super::*;

    fn rules(patterns: &[&str]) -> Result<UserRules, BadPattern> {
        let operations = BTreeSet::from([Operation::Read]);
        let rule = |pattern: &&str| Rule {
            pattern: (*pattern).to_owned(),
            operations: operations.clone(),
            class: Class::OptIn,
            reason: None,
        };
        UserRules::new(patterns.iter().map(rule).collect())
    }

    fn matches(pattern: &str, path: &str) -> bool {
        let rules = rules(&[pattern]).unwrap();
        rules.matching(&names_of(Path::new(path)), 2).iter().any(|found| found.is_within)
    }

    #[test]
    fn patterns_match_paths() {
        for (pattern, path, about) in [
            ("**/*.md", "/ws/p/a.md", true),
            ("**/*.md", "/ws/p/docs/deep/A.MD", true),
            ("**/*.md", "/ws/p/a.mdx", false),
            ("*.md", "/ws/p/docs/a.md", true),
            ("docs/*.md", "/ws/p/docs/a.md", true),
            ("docs/*.md", "/ws/p/sub/docs/a.md", true),
            ("docs/*.md", "/ws/p/docs/sub/a.md", false),
            ("docs/", "/ws/p/docs/sub/a.md", true),
            ("docs", "/ws/p/docs", true),
            ("docs", "/ws/p/mydocs", false),
            ("p/a.md", "/ws/p/a.md", false),
            ("/ws/p/a.md", "/ws/p/a.md", true),
            ("/ws/**", "/ws/p/a.md", true),
            ("/ws", "/ws/p/a.md", true),
            ("/a.md", "/ws/p/a.md", false),
            ("**", "/ws/p/a.md", true),
            ("a.{md,txt}", "/ws/p/a.txt", true),
            ("a[0-9].md", "/ws/p/a7.md", true),
            ("a?.md", "/ws/p/a/.md", false),
            ("\u{dc}ber/**", "/ws/p/u\u{308}ber/x", true),
        ] {
            assert_eq!(matches(pattern, path), about, "{pattern} {path}");
        }
    }

    #[test]
    fn the_last_rule_comes_first() {
        let rules = rules(&["a.md", "/ws/p/a.md", "b.md", "**"]).unwrap();
        let about = rules.matching(&names_of(Path::new("/ws/p/a.md")), 2);
        let patterns: Vec<_> = about.iter().map(|found| &*found.rule.pattern).collect();
        assert_eq!(patterns, ["**", "/ws/p/a.md", "a.md"]);
    }

    #[test]
    fn a_rule_that_matches_only_above_the_workspace_is_marked() {
        let rules = rules(&["p/a.md", "a.md", "ws/**"]).unwrap();
        let about = rules.matching(&names_of(Path::new("/ws/p/a.md")), 2);
        let found: Vec<_> = about.iter().map(|found| (&*found.rule.pattern, found.is_within)).collect();
        assert_eq!(found, [("ws/**", false), ("a.md", true), ("p/a.md", false)]);
    }

    #[test]
    fn an_invalid_pattern_is_an_error() {
        for pattern in ["", "/", "!a", "~ada/x", "../x", "a/./b", "a[", "{a", "a\0", &"a".repeat(5000)] {
            let error = rules(&["fine", pattern]).unwrap_err();
            assert_eq!(error.index, 1, "{pattern}: {error:?}");
        }
    }
}
