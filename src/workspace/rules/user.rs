//! The rules of the user's policy.

use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::classes::{Class, Operation, Operations};
use super::fold::folded;

/// Bytes of a pattern: room for any path.
const PATTERN_BYTES: usize = 4096;

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Which paths: a glob, in which `*` stays within a name and `**` does not. With `/` at its beginning it
    /// is an absolute path, else it may begin at any folder.
    pub pattern: String,
    /// For what.
    pub operations: Operations,
    /// What is said of them.
    pub class: Class,
    /// Why, in the user's words.
    pub reason: Option<String>,
}

/// A pattern that means nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPattern {
    /// Index of its rule.
    pub index: usize,
    /// What is wrong with it.
    pub problem: String,
}

/// The rules of a policy, ready to be asked. Without any rule nothing is said of any path.
#[derive(Clone, Debug, Default)]
pub struct UserRules {
    rules: Vec<Rule>,
    anywhere: Globs,
    absolute: Globs,
}

/// Globs and the rules that they belong to.
#[derive(Clone, Debug, Default)]
struct Globs {
    set: GlobSet,
    rules: Vec<usize>,
}

impl UserRules {
    /// Compiles rules; `~/` in their patterns must have been replaced.
    pub fn new(rules: Vec<Rule>) -> Result<Self, BadPattern> {
        let (mut anywhere, mut absolute) = (Collected::new(), Collected::new());
        for (index, rule) in rules.iter().enumerate() {
            let bad = |problem: String| BadPattern { index, problem };
            check(&rule.pattern).map_err(|problem| bad(problem.to_owned()))?;
            let pattern = folded(rule.pattern.trim_end_matches('/'));
            let (globs, pattern) = match pattern.strip_prefix('/') {
                Some(rest) => (&mut absolute, rest.to_owned()),
                None if pattern.starts_with("**") => (&mut anywhere, pattern),
                None => (&mut anywhere, format!("**/{pattern}")),
            };
            globs.add(index, &pattern).map_err(bad)?;
        }
        let compiled = |globs: Collected| {
            globs.compile().map_err(|problem| BadPattern { index: rules.len().saturating_sub(1), problem })
        };
        Ok(Self { anywhere: compiled(anywhere)?, absolute: compiled(absolute)?, rules })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Returns how many of them have a class.
    pub fn count_of(&self, class: Class) -> usize {
        self.rules.iter().filter(|rule| rule.class == class).count()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns these rules without those that allow something. A rule that wants a person to decide is one of them: it
    /// may open what is refused otherwise.
    #[must_use]
    pub fn restrictions(&self) -> Self {
        let rules = self.rules.iter().filter(|rule| rule.class > Class::Review).cloned().collect();
        // What compiled once compiles again.
        Self::new(rules).unwrap_or_default()
    }

    /// The rules about a path, the last one first.
    pub(super) fn about(&self, names: &[String], above: usize) -> Vec<&Rule> {
        if self.rules.is_empty() {
            return Vec::new();
        }
        let mut found = self.absolute.matching(&names.join("/"));
        found.extend(self.anywhere.matching(&names[above.min(names.len())..].join("/")));
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.dedup();
        found.into_iter().map(|index| &self.rules[index]).collect()
    }
}

impl Rule {
    /// Returns whether the rule says something of an operation. Nobody can be asked before a file is read, so a
    /// rule that wants that says nothing of reading.
    pub(super) fn is_for(&self, operation: Operation) -> bool {
        let is_asked = self.class != Class::Review || operation != Operation::Read;
        is_asked && self.operations.contains(operation)
    }
}

impl Globs {
    fn matching(&self, path: &str) -> Vec<usize> {
        self.set.matches(Path::new(path)).into_iter().map(|glob| self.rules[glob]).collect()
    }
}

/// Globs on their way to a set.
struct Collected {
    set: GlobSetBuilder,
    rules: Vec<usize>,
}

impl Collected {
    fn new() -> Self {
        Self { set: GlobSetBuilder::new(), rules: Vec::new() }
    }

    /// A rule about a folder holds for everything in it.
    fn add(&mut self, rule: usize, pattern: &str) -> Result<(), String> {
        let within = (!pattern.ends_with("**")).then(|| format!("{pattern}/**"));
        for pattern in [Some(pattern.to_owned()), within].into_iter().flatten() {
            let glob = GlobBuilder::new(&pattern).literal_separator(true).backslash_escape(true).build();
            self.set.add(glob.map_err(|error| error.kind().to_string())?);
            self.rules.push(rule);
        }
        Ok(())
    }

    fn compile(self) -> Result<Globs, String> {
        let set = self.set.build().map_err(|error| error.kind().to_string())?;
        Ok(Globs { set, rules: self.rules })
    }
}

fn check(pattern: &str) -> Result<(), &'static str> {
    let mut names = pattern.split('/');
    if pattern.trim_matches('/').is_empty() {
        return Err("it is empty");
    }
    if pattern.len() > PATTERN_BYTES {
        return Err("it is too long");
    }
    if pattern.contains('\0') {
        return Err("it contains a NUL character");
    }
    if pattern.starts_with('!') {
        return Err("there is no negation: a later rule of the class `allow` makes an exception");
    }
    if pattern.starts_with('~') {
        return Err("`~` stands for the home folder only as `~/`");
    }
    if names.any(|name| matches!(name, "." | "..")) {
        return Err("it contains `.` or `..`, which no resolved path has");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::fold::plain;
    use super::*;

    fn rules(patterns: &[&str]) -> Result<UserRules, BadPattern> {
        let operations = Operation::ALL.into_iter().collect();
        let rule = |pattern: &&str| Rule {
            pattern: (*pattern).to_owned(),
            operations,
            class: Class::OptIn,
            reason: None,
        };
        UserRules::new(patterns.iter().map(rule).collect())
    }

    fn is_about(pattern: &str, path: &str) -> bool {
        !rules(&[pattern]).unwrap().about(&plain(Path::new(path)), 2).is_empty()
    }

    #[test]
    fn patterns_are_about_paths() {
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
            assert_eq!(is_about(pattern, path), about, "{pattern} {path}");
        }
    }

    #[test]
    fn the_last_rule_stands_first() {
        let rules = rules(&["a.md", "/ws/p/a.md", "b.md", "**"]).unwrap();
        let about = rules.about(&plain(Path::new("/ws/p/a.md")), 2);
        assert_eq!(about.iter().map(|rule| &*rule.pattern).collect::<Vec<_>>(), ["**", "/ws/p/a.md", "a.md"]);
    }

    #[test]
    fn a_pattern_that_means_nothing_is_an_error() {
        for pattern in ["", "/", "!a", "~ada/x", "../x", "a/./b", "a[", "{a", "a\0", &"a".repeat(5000)] {
            let error = rules(&["fine", pattern]).unwrap_err();
            assert_eq!(error.index, 1, "{pattern}: {error:?}");
        }
    }
}
