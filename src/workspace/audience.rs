/// The readers of messages and hints. Each audience knows other names for the parts of a request, and
/// sometimes has to take another next step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "camelCase")]
pub enum Audience {
    /// Clients that send requests of the protocol.
    #[default]
    #[strum(disabled)]
    Wire,
    /// Models that call MCP tools, with the form of the change that the tool makes.
    Tools(ChangeForm),
    /// People who use the command line.
    CommandLine,
}

/// The form in which a tool takes a change. The tools for different forms have different parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChangeForm {
    /// Edits of a text, or a request that makes no change.
    #[default]
    Edits,
    /// The whole content of a file.
    Content,
    /// A patch.
    Patch,
    /// Operations on the cells of a notebook.
    Cells,
}

impl Audience {
    /// Returns the name in `initialize`, by which the audience is parsed, too; `None` for the wire.
    pub fn name(self) -> Option<&'static str> {
        self.select(None, Some("tools"), Some("commandLine"))
    }

    /// Returns this audience for a change of the given form.
    #[must_use]
    pub fn with_form(self, form: ChangeForm) -> Self {
        match self {
            Self::Tools(_) => Self::Tools(form),
            Self::Wire | Self::CommandLine => self,
        }
    }

    /// Selects the text for this audience.
    pub fn select<T>(self, wire: T, tools: T, command_line: T) -> T {
        match self {
            Self::Wire => wire,
            Self::Tools(_) => tools,
            Self::CommandLine => command_line,
        }
    }

    /// Words advice that only the user can follow: models pass it on to the user.
    pub fn ask_user(self, advice: &str) -> String {
        let (first, rest) = advice.split_at(1);
        self.parameters_or(format!("Ask the user to {advice}"), first.to_uppercase() + rest)
    }

    /// Selects between a text for those who send parameters, by the wire or by tools, and a text for the
    /// command line.
    pub fn parameters_or<T>(self, parameters: T, command_line: T) -> T {
        match self {
            Self::Wire | Self::Tools(_) => parameters,
            Self::CommandLine => command_line,
        }
    }
}
