use std::io::Write;

use serde_json::{Value, json};

use editd_agents::page::PageError;
use editd_daemon::transport::is_enforced;
use editd_daemon::transport::{CallError, ConnectError};
use editd_protocol::RpcError;

use super::paint::{self, ERROR, FAINT, HINT};
use super::paint::{width_of, wrapped};
use super::stream;

/// An error of a command, with the next step for the user.
#[derive(Debug)]
pub(crate) enum CliError {
    /// The daemon refused the request.
    Refused(RpcError),
    /// The command failed without a refusal.
    Failed(Message),
}

/// A message with its hints.
#[derive(Debug, Default)]
pub(crate) struct Message {
    text: String,
    hints: Vec<String>,
    /// `true` if the arguments are invalid.
    is_usage: bool,
}

impl From<CallError> for CliError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Refused(refusal) => Self::Refused(refusal),
            CallError::Io(error) => {
                Self::failed(format!("the connection to the daemon was lost: {}", paint::io_message(&error)))
                    .with_hint("run the command again; it starts a daemon if none is running")
            }
        }
    }
}

impl From<PageError> for CliError {
    fn from(error: PageError) -> Self {
        match error {
            PageError::Unreachable(error) => error.into(),
            PageError::Io(_) => Self::failed(error),
        }
    }
}

impl From<ConnectError> for CliError {
    fn from(error: ConnectError) -> Self {
        let hint = match &error {
            ConnectError::Refused(refusal) => return Self::Refused(refusal.clone()),
            ConnectError::NotRunning(_) if is_enforced() => {
                "run `editd status` at another terminal, or unset EDITD_ENFORCED if no command is restricted here"
            }
            ConnectError::NotRunning(_) => "run the command without --no-spawn to start one",
            // The message already contains the hint.
            ConnectError::TooLong(_)
            | ConnectError::PlaceInProject(_)
            | ConnectError::Enforced
            | ConnectError::MayBeEnforced => {
                return Self::failed(error);
            }
            ConnectError::NotStarted(_) | ConnectError::Silent(_) | ConnectError::Io(_) => {
                "`editd doctor` checks the folders and the configuration"
            }
        };
        Self::failed(error).with_hint(hint)
    }
}

impl From<std::io::Error> for CliError {
    fn from(error: std::io::Error) -> Self {
        Self::failed(paint::io_message(&error))
    }
}

impl CliError {
    #[expect(clippy::needless_pass_by_value, reason = "what `map_err` hands over")]
    pub(crate) fn failed(error: impl ToString) -> Self {
        Self::Failed(Message { text: error.to_string(), ..Message::default() })
    }

    pub(crate) fn usage(text: impl Into<String>) -> Self {
        Self::Failed(Message { text: text.into(), is_usage: true, ..Message::default() })
    }

    /// Creates an error about an operation on a path.
    pub(crate) fn at(path: &std::path::Path, error: &std::io::Error) -> Self {
        Self::failed(format!("`{}`: {}", paint::path(path), paint::io_message(error)))
    }

    /// Adds a hint. Refusals of the daemon are not changed, because they have their own hint.
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        if let Self::Failed(message) = &mut self {
            message.hints.push(hint.into());
        }
        self
    }

    /// Removes the hints and details, for editors that show only the last line of standard error.
    pub(crate) fn in_one_line(self) -> Self {
        match self {
            Self::Refused(refusal) => Self::failed(refusal.message),
            Self::Failed(message) => Self::Failed(Message { hints: Vec::new(), ..message }),
        }
    }

    /// Returns the kind of the refusal, or `None` if this is another error.
    pub(crate) fn kind(&self) -> Option<&str> {
        match self {
            Self::Refused(refusal) => refusal.kind(),
            Self::Failed(_) => None,
        }
    }

    /// Returns a number in the data of a refusal.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        match self {
            Self::Refused(refusal) => refusal.data.as_ref()?.get(name)?.as_u64(),
            Self::Failed(_) => None,
        }
    }

    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Failed(Message { is_usage: true, .. }) => 2,
            Self::Refused(_) | Self::Failed(_) => 1,
        }
    }

    /// Prints the error on standard error: as a JSON object with the daemon's error, or as text for people.
    pub(crate) fn show(&self, json: bool) {
        let mut out = stream::stderr();
        // If standard error is closed, the exit code is all that remains.
        let _ = if json { writeln!(out, "{}", paint::json(&self.object())) } else { self.print(&mut out) };
    }

    fn object(&self) -> Value {
        match self {
            Self::Refused(refusal) => json!({ "error": refusal }),
            Self::Failed(Message { text, hints, is_usage }) => {
                let kind = if *is_usage { "usage" } else { "failed" };
                json!({ "error": { "message": text, "data": { "kind": kind, "hint": hints.join("\n") } } })
            }
        }
    }

    /// Prints the message after `editd: `, the details, and the hint after `hint: `.
    fn print(&self, out: &mut impl Write) -> std::io::Result<()> {
        match self {
            Self::Refused(refusal) => print_refusal(out, refusal),
            Self::Failed(Message { text, hints, .. }) => {
                print_message(out, text)?;
                hints.iter().try_for_each(|it| print_hint(out, it))
            }
        }
    }
}

fn print_message(out: &mut impl Write, text: &str) -> std::io::Result<()> {
    writeln!(out, "{ERROR}editd:{ERROR:#} {}", fit_terminal("editd: ", text))
}

fn print_hint(out: &mut impl Write, hint: &str) -> std::io::Result<()> {
    writeln!(out, "{HINT}hint:{HINT:#} {}", fit_terminal("hint: ", hint))
}

/// Wraps the text at the width of the terminal. Only the first line is prose; further lines stay as they are,
/// so that they can be copied.
fn fit_terminal(before: &str, text: &str) -> String {
    let text = paint::lines(text);
    let width = width_of(&std::io::stderr());
    let (sentence, others) = text.split_at(text.find('\n').unwrap_or(text.len()));
    wrapped((before.len(), 0), sentence, width) + others
}

fn print_refusal(out: &mut impl Write, refusal: &RpcError) -> std::io::Result<()> {
    print_message(out, &paint::visible(&refusal.message))?;
    let Some(data) = &refusal.data else { return Ok(()) };
    if let Some(diff) = data.get("diff").and_then(Value::as_str) {
        paint::diff(out, diff)?;
    }
    for region in data.get("closest").and_then(Value::as_array).into_iter().flatten() {
        print_closest(out, region)?;
    }
    for region in data.get("occurrences").and_then(Value::as_array).into_iter().flatten() {
        let excerpt = region.get("excerpt").and_then(Value::as_str).unwrap_or_default();
        for line in excerpt.lines() {
            writeln!(out, "  {}", paint::visible(line))?;
        }
        writeln!(out)?;
    }
    let further = data.get("refusals").and_then(Value::as_array).into_iter().flatten().skip(1);
    for message in further.filter_map(|refusal| refusal.get("message")?.as_str()) {
        writeln!(out, "{ERROR}and:{ERROR:#} {}", paint::visible(message))?;
    }
    let Some(advice) = refusal.hint() else { return Ok(()) };
    print_hint(out, advice)?;
    // The hash that the hint refers to gets its own line, so that it can be copied.
    match data.get("currentHash").and_then(Value::as_str).filter(|_| advice.contains("--base")) {
        Some(hash) => writeln!(out, "{FAINT}{hash}{FAINT:#}"),
        None => Ok(()),
    }
}

fn print_closest(out: &mut impl Write, region: &Value) -> std::io::Result<()> {
    let number = |name: &str| region.get(name).and_then(Value::as_u64).unwrap_or_default();
    let text = |name: &str| region.get(name).and_then(Value::as_str).unwrap_or_default();
    let percent = region.get("similarity").and_then(Value::as_f64).unwrap_or_default() * 100.0;
    let reason = match text("reason") {
        "" => String::new(),
        reason => format!(": {}", paint::visible(reason)),
    };
    writeln!(
        out,
        "closest match: lines {} to {}, {percent:.0} % similar{reason}",
        number("startLine"),
        number("endLine")
    )?;
    paint::diff(out, &format!("@@ -requested +found @@\n{}", text("diff")))
}
