use super::CliError;

/// Author of changes that a person confirmed at a terminal. Reserved: no agent may use this name.
const PERSON: &str = "terminal";
/// Reserved author names, which the history uses for changes that no agent made.
const TAKEN: [&str; 3] = [PERSON, "editor", "disk"];

/// The author of the changes that this command makes.
pub(crate) struct Author(Option<String>);

impl Author {
    /// Takes the name from the argument, else from `EDITD_AUTHOR`, else leaves the author unnamed.
    pub(crate) fn of(argument: Option<String>) -> Result<Self, CliError> {
        let name = argument.or_else(|| std::env::var("EDITD_AUTHOR").ok());
        let name = name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
        match name.as_ref().filter(|name| TAKEN.contains(&name.as_str())) {
            Some(taken) => Err(CliError::usage(format!(
                "`{taken}` cannot be an author: the name is reserved for changes that no agent made"
            ))
            .with_hint("choose another name for --author or EDITD_AUTHOR")),
            None => Ok(Self(name)),
        }
    }

    /// Returns the author of changes made without asking: the given name, else `editd`.
    pub(crate) fn of_command(&self) -> &str {
        self.0.as_deref().unwrap_or(env!("CARGO_PKG_NAME"))
    }

    /// Returns the author of changes that were confirmed at the terminal: the given name, else `terminal`. An
    /// agent that answers the questions itself gives its name.
    pub(crate) fn of_person(&self) -> &str {
        self.0.as_deref().unwrap_or(PERSON)
    }
}
