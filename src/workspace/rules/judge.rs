use std::path::Path;

use super::builtin::{Names, families, strictest};
use super::classes::{Cause, Class, Judgement, Operation, Protection, Remedy, policy_lines};
use super::families::Family;
use super::names;
use super::user::{MatchingRule, Rule, UserRules};

/// A path under which a file is known.
#[derive(Clone, Copy, Debug)]
pub struct Spelling<'a> {
    /// Absolute path.
    pub path: &'a Path,
    /// Top of its workspace. Names above it say where the workspace is located, not what the file is.
    pub top: &'a Path,
}

/// The rules and the requester that a judgement depends on.
#[derive(Clone, Copy, Debug)]
pub struct Judge<'a> {
    /// The user's own rules.
    pub rules: &'a UserRules,
    /// The policy file, for hints on how to change it.
    pub policy: &'a Path,
    /// Names of the home folder's path.
    pub home: &'a [String],
    /// `true` if an agent asks. For a user's editor, only what is never allowed is refused.
    pub agent: bool,
}

impl Judge<'_> {
    /// Returns the review requirement of operations on a file, or the rule that forbids them. The strictest
    /// verdict on any of the spellings counts.
    pub fn judge(
        &self,
        spellings: &[Spelling<'_>],
        operations: &[Operation],
    ) -> Result<Judgement, Protection> {
        let mut judgement = Judgement::default();
        let mut refused: Option<(Class, Protection)> = None;
        for spelling in spellings {
            let inside = spelling.path.starts_with(spelling.top);
            let above = if inside { spelling.top.components().count().saturating_sub(1) } else { 0 };
            // As it is and, if it contains ignored characters, without these.
            for all in names::spellings(spelling.path) {
                let names = Names { all: &all, above, home: self.home };
                match self.verdict(&names, spelling.path, operations) {
                    Ok(Judgement { runs_programs, review }) => {
                        judgement.runs_programs |= runs_programs;
                        judgement.review = judgement.review.or(review);
                    }
                    Err((class, protection)) => {
                        if refused.as_ref().is_none_or(|(known, _)| class > *known) {
                            refused = Some((class, protection));
                        }
                    }
                }
            }
        }
        refused.map_or(Ok(judgement), |(_, protection)| Err(protection))
    }

    /// Returns the verdict on one spelling. A refusal has the class of the strictest rule.
    fn verdict(
        &self,
        names: &Names<'_>,
        path: &Path,
        operations: &[Operation],
    ) -> Result<Judgement, (Class, Protection)> {
        let (families, about) = (families(names), self.rules.matching(names.all, names.above));
        let rulings: Vec<_> =
            operations.iter().map(|operation| Ruling::of(*operation, &families, &about)).collect();
        let refused = || rulings.iter().filter(|ruling| self.refuses(ruling));
        // `max_by_key` returns the last of several maxima, hence the reversal.
        let Some(strictest) = refused().rev().max_by_key(|ruling| ruling.class) else {
            let runs_programs = rulings.iter().any(Ruling::is_tagged);
            return Ok(Judgement { runs_programs, review: self.review(&rulings, path) });
        };
        let opening = if strictest.class == Class::OptIn {
            let lines = policy_lines(path, &refused().map(|ruling| ruling.operation).collect());
            Remedy::Policy { file: self.policy.into(), lines }
        } else {
            Remedy::Never
        };
        Err((strictest.class, strictest.protection(opening)))
    }

    /// Returns the rule that requires a decision by a person about one of the operations of an agent.
    fn review(&self, rulings: &[Ruling<'_>], path: &Path) -> Option<Protection> {
        let reviewed = || rulings.iter().filter(|ruling| self.agent && ruling.class == Class::Review);
        let first = reviewed().next()?;
        let lines = policy_lines(path, &reviewed().map(|ruling| ruling.operation).collect());
        Some(first.protection(Remedy::Review { file: self.policy.into(), lines }))
    }

    fn refuses(&self, ruling: &Ruling<'_>) -> bool {
        match ruling.class {
            Class::Never => self.agent || ruling.operation != Operation::Read,
            Class::OptIn => self.agent,
            Class::Review | Class::Tagged | Class::Allow => false,
        }
    }
}

/// The rules that apply to one operation on a path.
struct Ruling<'a> {
    operation: Operation,
    class: Class,
    /// The built-in family that applies.
    family: Option<&'static Family>,
    /// The user's rule that applies.
    rule: Option<&'a Rule>,
}

impl<'a> Ruling<'a> {
    fn of(operation: Operation, families: &[&'static Family], about: &[MatchingRule<'a>]) -> Self {
        let family = strictest(families, operation);
        let built_in = family.map_or(Class::Allow, |family| family.class(operation));
        // A policy cannot allow what is never allowed.
        let applies = |found: &&MatchingRule<'_>| {
            let counts = found.is_within || found.rule.class > built_in;
            built_in != Class::Never && counts && found.rule.applies_to(operation)
        };
        let rule = about.iter().find(applies).map(|found| found.rule);
        Self { operation, class: rule.map_or(built_in, |rule| rule.class), family, rule }
    }

    /// Allowing a file does not remove its tag.
    fn is_tagged(&self) -> bool {
        let writes = self.operation != Operation::Read;
        writes && (self.family.is_some() || self.class == Class::Tagged)
    }

    fn protection(&self, opening: Remedy) -> Protection {
        match (self.rule, self.family) {
            (Some(rule), _) => {
                let opening = if opening == Remedy::Never { Remedy::Forbidden } else { opening };
                let cause = Cause::Pattern(rule.pattern.escape_debug().to_string());
                Protection { rule: "policy", cause, reason: rule.reason.clone(), opening }
            }
            (None, Some(family)) => Protection { opening, ..Protection::never(family.rule, family.what) },
            // Without a rule or family, nothing is refused.
            (None, None) => Protection::never("policy", ""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::names::names_of;
    use super::*;
    use crate::Audience;
    use Operation::{Create, Modify, Read};

    const TOP: &str = "/home/ada/shop";

    fn user(rules: &[(&str, &[Operation], Class)]) -> UserRules {
        let rule = |(pattern, operations, class): &(&str, &[Operation], Class)| Rule {
            pattern: (*pattern).to_owned(),
            operations: operations.iter().copied().collect(),
            class: *class,
            reason: None,
        };
        UserRules::new(rules.iter().map(rule).collect()).unwrap()
    }

    fn judged(
        rules: &UserRules,
        agent: bool,
        paths: &[&str],
        operations: &[Operation],
    ) -> Result<bool, Protection> {
        judgement(rules, agent, paths, operations).map(|judgement| judgement.runs_programs)
    }

    fn judgement(
        rules: &UserRules,
        agent: bool,
        paths: &[&str],
        operations: &[Operation],
    ) -> Result<Judgement, Protection> {
        let judge =
            Judge { rules, policy: Path::new("/p.toml"), home: &names_of(Path::new("/home/ada")), agent };
        let spelling = |path: &&str| format!("{TOP}/{path}");
        let paths: Vec<_> = paths.iter().map(spelling).collect();
        let spellings: Vec<_> =
            paths.iter().map(|path| Spelling { path: Path::new(path), top: Path::new(TOP) }).collect();
        judge.judge(&spellings, operations)
    }

    fn rule_of(rules: &UserRules, path: &str, operation: Operation) -> Option<&'static str> {
        judged(rules, true, &[path], &[operation]).err().map(|protection| protection.rule)
    }

    #[test]
    fn the_strictest_spelling_counts() {
        let none = UserRules::default();
        assert!(judged(&none, true, &["a.txt", "b.txt"], &[Modify]).is_ok());
        for paths in [["a.txt", ".git/x"], [".git/x", "a.txt"], [".vscode/x", ".git/x"]] {
            assert_eq!(judged(&none, true, &paths, &[Modify]).unwrap_err().rule, "version_control");
        }
        assert_eq!(judged(&none, true, &["a\\.git\\x"], &[Create]).unwrap_err().rule, "version_control");
    }

    #[test]
    fn a_later_rule_wins() {
        let rules = user(&[
            ("docs/**", &[Create, Modify], Class::Never),
            ("docs/notes.md", &[Create], Class::Allow),
            ("**/*.tmp", &[Create], Class::OptIn),
        ]);
        assert_eq!(rule_of(&rules, "docs/a.md", Create), Some("policy"));
        assert_eq!(rule_of(&rules, "docs/notes.md", Create), None);
        assert_eq!(rule_of(&rules, "docs/notes.md", Modify), Some("policy"));
        assert_eq!(rule_of(&rules, "docs/notes.md/x.tmp", Create), Some("policy"));
        assert_eq!(rule_of(&rules, "docs/a.md", Read), None);
    }

    #[test]
    fn a_policy_allows_opt_in_paths_and_nothing_else() {
        let rules =
            user(&[("**", &[Read, Create, Modify, Operation::Rename, Operation::Delete], Class::Allow)]);
        for (path, operation, rule) in [
            (".vscode/settings.json", Modify, None),
            (".env", Read, None),
            (".ssh/id_rsa", Read, None),
            (".ssh/id_rsa", Modify, Some("keys")),
            (".git/config", Modify, Some("version_control")),
            ("/home/ada/.bashrc", Modify, Some("startup")),
        ] {
            let judge = Judge {
                rules: &rules,
                policy: Path::new("/p.toml"),
                home: &names_of(Path::new("/home/ada")),
                agent: true,
            };
            let path = Path::new(TOP).join(path);
            let verdict = judge.judge(&[Spelling { path: &path, top: Path::new(TOP) }], &[operation]);
            assert_eq!(verdict.err().map(|protection| protection.rule), rule, "{}", path.display());
        }
    }

    #[test]
    fn a_rule_for_a_name_does_not_allow_its_disguised_form() {
        let rules = user(&[("docs/**", &[Create], Class::Allow)]);
        assert_eq!(rule_of(&rules, "docs/.vscode/x", Create), None);
        assert_eq!(rule_of(&rules, "docs:x/.vscode/x", Create), Some("editor_config"));
    }

    #[test]
    fn allowed_files_keep_their_tags() {
        let rules = user(&[
            (".vscode/**", &[Modify], Class::Allow),
            ("package.json", &[Modify], Class::Allow),
            ("*.sql", &[Modify], Class::Tagged),
        ]);
        for path in [".vscode/x", "package.json", "a.sql", "Cargo.toml"] {
            assert_eq!(judged(&rules, true, &[path], &[Modify]), Ok(true), "{path}");
        }
        assert_eq!(judged(&rules, true, &["a.txt"], &[Modify]), Ok(false));
    }

    fn reviewed(
        rules: &UserRules,
        agent: bool,
        paths: &[&str],
        operations: &[Operation],
    ) -> Option<&'static str> {
        let judgement = judgement(rules, agent, paths, operations).unwrap();
        judgement.review.map(|protection| protection.rule)
    }

    #[test]
    fn changes_of_pipelines_and_agent_settings_require_review() {
        let none = UserRules::default();
        for (path, rule) in [
            (".github/workflows/ci.yml", Some("ci")),
            (".claude/settings.json", Some("agent_config")),
            (".claude/CLAUDE.md", None),
            ("AGENTS.md", None),
            ("a.txt", None),
        ] {
            for operation in [Create, Modify, Operation::Rename, Operation::Delete] {
                assert_eq!(reviewed(&none, true, &[path], &[operation]), rule, "{path}");
                assert_eq!(reviewed(&none, false, &[path], &[operation]), None, "a person is asked nothing");
            }
            assert_eq!(reviewed(&none, true, &[path], &[Read]), None, "{path}");
        }
        assert_eq!(reviewed(&none, true, &["a.txt", ".mcp.json"], &[Modify]), Some("agent_config"));
        assert_eq!(
            judged(&none, true, &[".mcp.json", ".vscode/a"], &[Modify]).unwrap_err().rule,
            "editor_config"
        );
    }

    #[test]
    fn a_user_rule_may_require_review_but_does_not_allow_reading() {
        let rules = user(&[
            ("**", &[Read, Modify], Class::Review),
            (".github/workflows/**", &[Modify], Class::Allow),
            (".gitlab-ci.yml", &[Modify], Class::OptIn),
        ]);
        assert_eq!(reviewed(&rules, true, &["a.txt"], &[Modify]), Some("policy"));
        assert_eq!(reviewed(&rules, true, &["a.txt"], &[Create]), None);
        assert_eq!(reviewed(&rules, true, &["a.txt"], &[Read]), None);
        assert_eq!(reviewed(&rules, true, &[".github/workflows/a"], &[Modify]), None);
        assert_eq!(reviewed(&rules, true, &[".github/workflows/a"], &[Create]), Some("ci"));
        assert_eq!(reviewed(&rules, true, &[".vscode/a"], &[Modify]), Some("policy"));
        assert_eq!(rule_of(&rules, ".gitlab-ci.yml", Modify), Some("policy"));
        assert_eq!(rule_of(&rules, ".env", Read), Some("secrets"));
        assert_eq!(rule_of(&rules, ".git/config", Modify), Some("version_control"));
    }

    #[test]
    fn the_hint_of_a_review_says_how_to_reach_a_person() {
        let judgement = judgement(&UserRules::default(), true, &[".mcp.json"], &[Modify, Read]).unwrap();
        let hint = judgement.review.unwrap().hint(Audience::Wire);
        for part in
            ["editor", "review = \"always\"", "/p.toml", "/home/ada/shop/.mcp.json", "[\"modify\"]", "allow"]
        {
            assert!(hint.contains(part), "{part} in {hint}");
        }
    }

    #[test]
    fn the_hint_contains_the_policy_lines_to_add() {
        let none = UserRules::default();
        let protection = judged(&none, true, &[".env"], &[Modify, Read]).unwrap_err();
        let hint = protection.hint(Audience::Wire);
        for part in ["/p.toml", "/home/ada/shop/.env", "\"read\", \"modify\"", "allow"] {
            assert!(hint.contains(part), "{part} in {hint}");
        }
        let never = judged(&none, true, &[".git/config"], &[Modify]).unwrap_err();
        assert_eq!(never.opening, Remedy::Never);
        let by_user = user(&[("a.txt", &[Modify], Class::Never)]);
        let forbidden = judged(&by_user, true, &["a.txt"], &[Modify]).unwrap_err();
        assert!(forbidden.hint(Audience::Wire).contains("policy"), "{}", forbidden.hint(Audience::Wire));
    }

    #[test]
    fn an_editor_is_refused_only_what_is_never_allowed() {
        let rules = user(&[("secret.txt", &[Read, Modify], Class::Never)]);
        for (path, operation, allowed) in [
            (".env", Read, true),
            (".vscode/x", Modify, true),
            (".git/config", Modify, false),
            (".ssh/id_rsa", Read, true),
            ("secret.txt", Read, true),
            ("secret.txt", Modify, false),
        ] {
            assert_eq!(judged(&rules, false, &[path], &[operation]).is_ok(), allowed, "{path}");
        }
    }
}
