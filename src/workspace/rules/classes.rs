//! Operations, the classes of rules, and the results of judging a path by them.

use crate::Audience;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use strum::{Display, EnumString, VariantNames};

use super::families::VERSION_CONTROL;

/// An operation on a file, with its name in the policy file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Display, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Operation {
    /// Return its text.
    Read,
    /// Create the file.
    Create,
    /// Change its text.
    Modify,
    /// Rename the file, from or to the path.
    Rename,
    /// Delete the file.
    Delete,
}

/// The class of a rule, ordered by strictness, with its name in the policy file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Class {
    /// Allowed.
    Allow,
    /// Allowed, and tagged as leading to the execution of programs.
    Tagged,
    /// Requires a decision by a person, and is refused if no person can be asked. Applies to changes only.
    Review,
    /// Refused unless the user's policy allows it.
    OptIn,
    /// Refused.
    Never,
}

/// Tag of files that programs execute or follow, in answers and in the history.
pub const EXECUTABLE_CONFIG: &str = "executable_config";

/// The result of the path rules for allowed operations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// `true` if programs execute or follow the file: a build script, a manifest, instructions for agents. The
    /// author of a change and later readers of the history should know.
    pub runs_programs: bool,
    /// The rule that requires a decision by a person, if any: the reason for a refusal if no person can be
    /// asked.
    pub review: Option<Protection>,
}

/// A refusal by a path rule, with the way to allow the operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Protection {
    /// Stable name of the rule.
    pub rule: &'static str,
    /// The reason why the rule concerns the file.
    pub cause: Cause,
    /// The user's reason, for a rule in the policy.
    pub reason: Option<String>,
    /// The way to allow the operation.
    pub opening: Remedy,
}

/// The reason why a rule concerns a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A property of the file, worded so that it can follow "it".
    Property(&'static str),
    /// A pattern in the user's policy, with escapes.
    Pattern(String),
}

/// A way to allow an operation that a rule refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// No way.
    Never,
    /// Only a change of the rule in the user's policy.
    Forbidden,
    /// A rule added to the user's policy.
    Policy {
        /// The policy file.
        file: Box<Path>,
        /// Lines to append to the file.
        lines: String,
    },
    /// A person's approval of the change, or a rule added to the user's policy.
    Review {
        /// The policy file.
        file: Box<Path>,
        /// Lines to append to the file.
        lines: String,
    },
    /// The setting `hard_links = true` in the user's configuration.
    HardLinks,
}

impl Protection {
    /// Creates a refusal that nothing can lift.
    pub fn never(rule: &'static str, property: &'static str) -> Self {
        Self { rule, cause: Cause::Property(property), reason: None, opening: Remedy::Never }
    }

    /// Creates the refusal for a file with several names.
    pub fn hard_link() -> Self {
        let what = "has several names, and the others may lie outside the workspace";
        Self { opening: Remedy::HardLinks, ..Self::never("hard_link", what) }
    }

    /// Creates the refusal for a version-control file whose name does not show that it is one.
    pub fn version_control() -> Self {
        Self::never(VERSION_CONTROL, "belongs to version control, under another name")
    }

    /// Creates the refusal for one of editd's own files.
    pub fn editd() -> Self {
        Self::never("editd", "belongs to editd itself")
    }

    /// Describes the file, so that the description can follow "it".
    pub(crate) fn description(&self, audience: Audience) -> String {
        match &self.cause {
            Cause::Property(property) => (*property).to_owned(),
            Cause::Pattern(pattern) => {
                let policy = audience.parameters_or("the user's policy", "your policy");
                format!("matches `{pattern}` in {policy}")
            }
        }
    }

    /// Returns what to do about the refusal.
    pub fn hint(&self, audience: Audience) -> String {
        let by_hand = audience.parameters_or("or ask the user to do it by hand", "or do it by hand");
        let next = match &self.opening {
            Remedy::Never => format!("No policy can allow it: leave this path alone, {by_hand}."),
            Remedy::Forbidden => {
                let policy = audience.parameters_or("The user's own policy", "Your own policy");
                format!("{policy} forbids it: leave this path alone, {by_hand}.")
            }
            Remedy::HardLinks => {
                let change = audience.parameters_or(
                    "Ask the user to change it by hand, or to set",
                    "Change it by hand, or set",
                );
                format!("{change} `hard_links = true` in `config.toml`.")
            }
            Remedy::Review { file, lines } => {
                let open = audience.select(
                    "Send it with `review: true` and ask the user to decide with `editd review`; or ask the user to open",
                    "Ask the user to open",
                    "Pass --review, then decide with `editd review`; or open",
                );
                let to = audience.parameters_or("to ", "");
                format!(
                    "A person has to approve this change, and none can be asked now. {open} the folder in an editor that editd is attached to, {to}set `review = \"always\"` in `config.toml` and run `editd stop`, or {to}allow it by adding {}",
                    at_the_end(file, lines)
                )
            }
            Remedy::Policy { file, lines } => {
                let allow = audience
                    .parameters_or("Only the user can allow it, by adding", "You can allow it by adding");
                format!("{allow} {}", at_the_end(file, lines))
            }
        };
        // Models look for other ways around a rule, and give up a whole task for one file.
        let go_on = "Do not change the file in another way: report it, and go on with the rest. ";
        let next = audience.select("", go_on, "").to_owned() + &next;
        let reason = audience.parameters_or("The user's reason", "Your reason");
        match &self.reason {
            Some(text) => format!("{reason}: {text}\n{next}"),
            None => next,
        }
    }
}

/// Describes lines to add to the policy, to follow "by adding".
fn at_the_end(file: &Path, lines: &str) -> String {
    format!("these lines at the end of `{}`, which takes effect at once:\n{lines}", file.display())
}

/// Returns policy lines that allow operations on one path.
pub(super) fn policy_lines(path: &Path, operations: &BTreeSet<Operation>) -> String {
    let names: Vec<_> = operations.iter().map(|operation| quoted(&operation.to_string())).collect();
    let pattern = quoted(&globset::escape(&path.to_string_lossy()));
    format!("[[rules]]\npattern = {pattern}\noperations = [{}]\nclass = \"allow\"\n", names.join(", "))
}

/// Returns a TOML basic string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            // Writing to a string cannot fail.
            c if c.is_control() => drop(write!(quoted, "\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_lines_match_exactly_one_path() {
        let operations = [Operation::Create, Operation::Read].into_iter().collect();
        let lines = policy_lines(Path::new("/a/[b]/\"c\n"), &operations);
        let expected = "[[rules]]\npattern = \"/a/[[]b[]]/\\\"c\\u000A\"\noperations = [\"read\", \"create\"]\nclass = \"allow\"\n";
        assert_eq!(lines, expected);
    }
}
