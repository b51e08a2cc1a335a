use std::fmt::Write;
use std::path::Path;

use super::classes::Operations;
use super::names::VERSION_CONTROL;
use super::user::Rule;

/// Why a path rule refuses, and what would have to be done so that it does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Protection {
    /// The rule's stable name.
    pub rule: &'static str,
    /// What such a file is, to follow "it".
    pub what: String,
    /// What the user gave as the reason, of a rule in the policy.
    pub reason: Option<String>,
    /// How it could be allowed.
    pub opening: Opening,
}

/// How what a rule refuses could be allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opening {
    /// Not at all.
    Never,
    /// Not as long as the user's policy is what it is.
    Forbidden,
    /// By the user, with this in the policy file.
    Policy {
        /// The policy file.
        file: Box<Path>,
        /// The lines to be added at its end.
        lines: String,
    },
    /// By a person who agrees to the change; or by the user, with this in the policy file.
    Review {
        /// The policy file.
        file: Box<Path>,
        /// The lines to be added at its end.
        lines: String,
    },
    /// By the user, with `hard_links = true` in the configuration.
    HardLinks,
}

impl Protection {
    /// A rule that nothing opens.
    pub fn never(rule: &'static str, what: &str) -> Self {
        Self { rule, what: what.to_owned(), reason: None, opening: Opening::Never }
    }

    /// What a rule of the user's refuses.
    pub(super) fn of_user(rule: &Rule, opening: Opening) -> Self {
        let opening = if opening == Opening::Never { Opening::Forbidden } else { opening };
        let what = format!("matches `{}` in the user's policy", rule.pattern.escape_debug());
        Self { reason: rule.reason.clone(), opening, ..Self::never("policy", &what) }
    }

    /// A file with several names.
    pub fn hard_link() -> Self {
        let what = "has several names, and the others may lie outside the workspace";
        Self { opening: Opening::HardLinks, ..Self::never("hard_link", what) }
    }

    /// A file of version control whose name does not say so.
    pub fn version_control() -> Self {
        Self::never(VERSION_CONTROL, "belongs to version control, under another name")
    }

    /// One of editd's own files.
    pub fn editd() -> Self {
        Self::never("editd", "belongs to editd itself")
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        let next = match &self.opening {
            Opening::Never => {
                "No policy can allow it: leave this path alone, or ask the user to do it by hand.".to_owned()
            }
            Opening::Forbidden => {
                "The user's own policy forbids it: leave this path alone, or ask the user to do it by hand."
                    .to_owned()
            }
            Opening::HardLinks => {
                "Ask the user to change it by hand, or to set `hard_links = true` in `config.toml`."
                    .to_owned()
            }
            Opening::Review { file, lines } => format!(
                "A person has to agree to this change, and nobody can be asked now. Send it with `review: true` and ask the user to decide with `editd review`; or ask the user to open the folder in an editor that editd is attached to, to set `review = \"always\"` in `config.toml` and run `editd stop`, or to allow it by adding these lines at the end of `{}`, which holds at once:\n{lines}",
                file.display()
            ),
            Opening::Policy { file, lines } => format!(
                "Only the user can allow it, by adding these lines at the end of `{}`, which holds at once:\n{lines}",
                file.display()
            ),
        };
        match &self.reason {
            Some(reason) => format!("The user's reason: {reason}\n{next}"),
            None => next,
        }
    }
}

impl Opening {
    /// A person's yes, or the rule that allows operations on one path.
    pub(super) fn review(file: &Path, path: &Path, operations: Operations) -> Self {
        Self::Review { file: file.into(), lines: lines(path, operations) }
    }

    /// The rule that allows operations on one path.
    pub(super) fn rule(file: &Path, path: &Path, operations: Operations) -> Self {
        Self::Policy { file: file.into(), lines: lines(path, operations) }
    }
}

/// Returns the lines of a policy that allow operations on one path.
fn lines(path: &Path, operations: Operations) -> String {
    let names: Vec<_> = operations.iter().map(|operation| quoted(operation.name())).collect();
    let pattern = quoted(&globset::escape(&path.to_string_lossy()));
    format!("[[rules]]\npattern = {pattern}\noperations = [{}]\nclass = \"allow\"\n", names.join(", "))
}

/// A basic string of TOML.
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
    use crate::workspace::rules::Operation;

    #[test]
    fn the_lines_to_add_name_one_path_and_no_other() {
        let operations = [Operation::Create, Operation::Read].into_iter().collect();
        let Opening::Policy { lines, .. } =
            Opening::rule(Path::new("/p.toml"), Path::new("/a/[b]/\"c\n"), operations)
        else {
            panic!("a rule opens it");
        };
        let expected = "[[rules]]\npattern = \"/a/[[]b[]]/\\\"c\\u000A\"\noperations = [\"read\", \"create\"]\nclass = \"allow\"\n";
        assert_eq!(lines, expected);
    }
}
