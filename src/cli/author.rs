use super::Complaint;

/// Who does what was shown to a person at a terminal and answered with yes: no agent, and none may call itself so.
const PERSON: &str = "terminal";
/// Names that stand for somebody in the history who is no agent.
const TAKEN: [&str; 3] = [PERSON, "editor", "disk"];

/// Who the changes of this command are by.
pub(crate) struct Author(Option<String>);

impl Author {
    /// Whom the arguments name, else the environment, else nobody in particular.
    pub(crate) fn of(argument: Option<String>) -> Result<Self, Complaint> {
        let name = argument.or_else(|| std::env::var("EDITD_AUTHOR").ok());
        let name = name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
        match name.as_ref().filter(|name| TAKEN.contains(&name.as_str())) {
            Some(taken) => Err(Complaint::usage(format!(
                "`{taken}` is no name for an author: it says that a change was made by no agent"
            ))
            .with_hint("choose another for --author or EDITD_AUTHOR")),
            None => Ok(Self(name)),
        }
    }

    /// Whoever runs the command.
    pub(crate) fn of_command(&self) -> &str {
        self.0.as_deref().unwrap_or(env!("CARGO_PKG_NAME"))
    }

    /// The person who is asked. An agent that answers for itself on a terminal has said who it is.
    pub(crate) fn of_person(&self) -> &str {
        self.0.as_deref().unwrap_or(PERSON)
    }
}
