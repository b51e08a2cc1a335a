use super::protection::Protection;

/// An operation on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl Operation {
    /// All operations.
    pub const ALL: [Self; 5] = [Self::Read, Self::Create, Self::Modify, Self::Rename, Self::Delete];

    /// Returns the name in the policy file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Create => "create",
            Self::Modify => "modify",
            Self::Rename => "rename",
            Self::Delete => "delete",
        }
    }
}

/// A set of operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations(u8);

impl Operations {
    /// Returns `true` if the operation is in the set.
    pub fn contains(self, operation: Operation) -> bool {
        self.0 & (1 << operation as u8) != 0
    }

    /// Returns the operations in the set.
    pub fn iter(self) -> impl Iterator<Item = Operation> {
        Operation::ALL.into_iter().filter(move |operation| self.contains(*operation))
    }

    /// Returns `true` if the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<Operation> for Operations {
    fn from_iter<I: IntoIterator<Item = Operation>>(operations: I) -> Self {
        Self(operations.into_iter().fold(0, |set, operation| set | 1 << operation as u8))
    }
}

/// The class of a rule, ordered by strictness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

/// The result of the path rules for allowed operations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// Tags of the file for the answer and the history.
    pub tags: Vec<Tag>,
    /// The rule that requires a decision by a person, if any: the reason for a refusal if no person can be
    /// asked.
    pub review: Option<Protection>,
}

/// A property of a file that the author of a change and later readers of the history should know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tag {
    /// Programs execute or follow the file: a build script, a manifest, instructions for agents.
    ExecutableConfig,
}

impl Tag {
    /// Returns the name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::ExecutableConfig => "executable_config",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_contains_exactly_its_operations() {
        let set: Operations = [Operation::Rename, Operation::Read].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [Operation::Read, Operation::Rename]);
        assert!(Operations::default().is_empty() && !set.is_empty());
    }
}
