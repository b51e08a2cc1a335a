use super::protection::Protection;

/// What a request does to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Its text is told.
    Read,
    /// It comes to be.
    Create,
    /// Its text changes.
    Modify,
    /// It gets, or had, another name.
    Rename,
    /// It goes.
    Delete,
}

impl Operation {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Read, Self::Create, Self::Modify, Self::Rename, Self::Delete];

    /// The name in the policy file.
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
    /// Whether it is in the set.
    pub fn contains(self, operation: Operation) -> bool {
        self.0 & (1 << operation as u8) != 0
    }

    /// Those in the set.
    pub fn iter(self) -> impl Iterator<Item = Operation> {
        Operation::ALL.into_iter().filter(move |operation| self.contains(*operation))
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<Operation> for Operations {
    fn from_iter<I: IntoIterator<Item = Operation>>(operations: I) -> Self {
        Self(operations.into_iter().fold(0, |set, operation| set | 1 << operation as u8))
    }
}

/// What a rule says of the paths that it is about. The order is that of strictness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Allowed.
    Allow,
    /// Allowed, and said to lead to the execution of programs.
    Tagged,
    /// Waits for a person who can be asked, and is refused where there is none. It is about changes only.
    Review,
    /// Refused unless the user's policy allows it.
    OptIn,
    /// Refused.
    Never,
}

/// The verdict of the path rules on a place where the operations are allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// Facts that the answer and the history tell of the file.
    pub tags: Vec<Tag>,
    /// The rule that wants a person to decide, if any does: the reason to refuse where nobody can be asked.
    pub review: Option<Protection>,
}

/// What the author of a change, and who looks at it later, should know of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tag {
    /// Programs run what it says: a build script, a manifest, instructions for agents.
    ExecutableConfig,
}

impl Tag {
    /// The name on the wire.
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
    fn a_set_holds_what_was_put_in_and_nothing_else() {
        let set: Operations = [Operation::Rename, Operation::Read].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [Operation::Read, Operation::Rename]);
        assert!(Operations::default().is_empty() && !set.is_empty());
    }
}
