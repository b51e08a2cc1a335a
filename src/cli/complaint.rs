use std::io::Write;

use serde_json::{Value, json};

use crate::protocol::{Door, RpcError};
use crate::transport::{CallError, ConnectError};

use super::paint::{self, ERROR, FAINT, HINT};
use super::row::{broken, width_of};
use super::stream;

/// Why a command did not do what it was asked to: what is wrong, and what to do next.
#[derive(Debug)]
pub(crate) enum Complaint {
    /// The daemon said no.
    Refused(RpcError),
    /// The daemon said no to parameters of the wire, and it is said in their names.
    RefusedParameters(RpcError),
    /// The arguments make no sense.
    Usage(Said),
    /// Something failed.
    Failed(Said),
}

/// What is wrong, and what to do next.
#[derive(Debug, Default)]
pub(crate) struct Said {
    what: String,
    hints: Vec<String>,
}

impl From<CallError> for Complaint {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Refused(refusal) => Self::Refused(refusal),
            CallError::Io(error) => Self::failed(format!("the daemon has gone: {}", paint::words(&error)))
                .with_hint("run the command again; it starts a daemon if none runs"),
        }
    }
}

impl From<ConnectError> for Complaint {
    fn from(error: ConnectError) -> Self {
        let hint = match &error {
            ConnectError::Refused(refusal) => return Self::Refused(refusal.clone()),
            ConnectError::NotRunning(_) => "leave --no-spawn out to have one started",
            // The words name what to choose instead.
            ConnectError::TooLong(_) => return Self::failed(error),
            ConnectError::NotStarted(_) | ConnectError::Silent(_) | ConnectError::Io(_) => {
                "`editd doctor` checks the folders and the configuration"
            }
        };
        Self::failed(error).with_hint(hint)
    }
}

impl From<std::io::Error> for Complaint {
    fn from(error: std::io::Error) -> Self {
        Self::failed(paint::words(&error))
    }
}

impl Complaint {
    #[expect(clippy::needless_pass_by_value, reason = "what `map_err` hands over")]
    pub(crate) fn failed(error: impl ToString) -> Self {
        Self::Failed(Said { what: error.to_string(), hints: Vec::new() })
    }

    pub(crate) fn usage(what: impl Into<String>) -> Self {
        Self::Usage(Said { what: what.into(), hints: Vec::new() })
    }

    /// Something failed that was done with a path.
    pub(crate) fn at(path: &std::path::Path, error: &std::io::Error) -> Self {
        Self::failed(format!("`{}`: {}", paint::path(path), paint::words(error)))
    }

    /// The same with what to do next. What the daemon refused has its own.
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        if let Self::Usage(said) | Self::Failed(said) = &mut self {
            said.hints.push(hint.into());
        }
        self
    }

    /// The same for programs that show the last line of what is said.
    pub(crate) fn in_one_line(self) -> Self {
        match self {
            Self::Refused(refusal) | Self::RefusedParameters(refusal) => Self::failed(refusal.message),
            Self::Usage(said) => Self::usage(said.what),
            Self::Failed(said) => Self::failed(said.what),
        }
    }

    /// The name of the refusal, if the daemon said no.
    pub(crate) fn kind(&self) -> Option<&str> {
        match self {
            Self::Refused(refusal) | Self::RefusedParameters(refusal) => refusal.kind(),
            Self::Usage(_) | Self::Failed(_) => None,
        }
    }

    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Refused(_) | Self::RefusedParameters(_) | Self::Failed(_) => 1,
        }
    }

    /// Says it on standard error: for programs as an object, with what came over the wire; else for people.
    pub(crate) fn show(&self, json: bool) {
        let mut out = stream::stderr();
        // If even standard error is gone, the exit code has to do.
        let _ = if json { writeln!(out, "{}", paint::json(&self.object())) } else { self.tell(&mut out) };
    }

    fn object(&self) -> Value {
        match self {
            Self::Refused(refusal) | Self::RefusedParameters(refusal) => json!({ "error": refusal }),
            Self::Usage(Said { what, hints }) | Self::Failed(Said { what, hints }) => {
                let kind = if self.exit_code() == 2 { "usage" } else { "failed" };
                json!({ "error": { "message": what, "data": { "kind": kind, "hint": hints.join("\n") } } })
            }
        }
    }

    /// `editd: ` and what is wrong, what belongs to it, and `hint: ` with what to do next.
    fn tell(&self, out: &mut impl Write) -> std::io::Result<()> {
        match self {
            Self::Refused(refusal) => tell_refusal(out, refusal, |it| Door::CommandLine.say(it)),
            Self::RefusedParameters(refusal) => tell_refusal(out, refusal, str::to_owned),
            Self::Usage(Said { what, hints }) | Self::Failed(Said { what, hints }) => {
                wrong(out, what)?;
                hints.iter().try_for_each(|it| hint(out, it))
            }
        }
    }
}

fn wrong(out: &mut impl Write, what: &str) -> std::io::Result<()> {
    writeln!(out, "{ERROR}editd:{ERROR:#} {}", in_columns("editd: ", what))
}

fn hint(out: &mut impl Write, hint: &str) -> std::io::Result<()> {
    writeln!(out, "{HINT}hint:{HINT:#} {}", in_columns("hint: ", hint))
}

/// Broken where a terminal has no more room. Only the first line is a sentence: others are for copying.
fn in_columns(before: &str, text: &str) -> String {
    let text = paint::lines(text);
    let width = width_of(&std::io::stderr());
    let (sentence, others) = text.split_at(text.find('\n').unwrap_or(text.len()));
    broken((before.len(), 0), sentence, width) + others
}

fn tell_refusal(
    out: &mut impl Write,
    refusal: &RpcError,
    say: impl Fn(&str) -> String,
) -> std::io::Result<()> {
    wrong(out, &paint::visible(&say(&refusal.message)))?;
    let Some(data) = &refusal.data else { return Ok(()) };
    if let Some(diff) = data.get("diff").and_then(Value::as_str) {
        paint::diff(out, diff)?;
    }
    for place in data.get("closest").and_then(Value::as_array).into_iter().flatten() {
        tell_closest(out, place)?;
    }
    for place in data.get("occurrences").and_then(Value::as_array).into_iter().flatten() {
        let excerpt = place.get("excerpt").and_then(Value::as_str).unwrap_or_default();
        for line in excerpt.lines() {
            writeln!(out, "  {}", paint::visible(line))?;
        }
        writeln!(out)?;
    }
    let further = data.get("refusals").and_then(Value::as_array).into_iter().flatten().skip(1);
    for message in further.filter_map(|refusal| refusal.get("message")?.as_str()) {
        writeln!(out, "{ERROR}and:{ERROR:#} {}", paint::visible(&say(message)))?;
    }
    let Some(advice) = refusal.hint().map(say) else { return Ok(()) };
    hint(out, &advice)?;
    // What the advice speaks of, by itself: it is copied.
    match data.get("currentHash").and_then(Value::as_str).filter(|_| advice.contains("--base")) {
        Some(hash) => writeln!(out, "{FAINT}{hash}{FAINT:#}"),
        None => Ok(()),
    }
}

fn tell_closest(out: &mut impl Write, place: &Value) -> std::io::Result<()> {
    let number = |name: &str| place.get(name).and_then(Value::as_u64).unwrap_or_default();
    let text = |name: &str| place.get(name).and_then(Value::as_str).unwrap_or_default();
    let percent = place.get("similarity").and_then(Value::as_f64).unwrap_or_default() * 100.0;
    let reason = match text("reason") {
        "" => String::new(),
        reason => format!(": {}", paint::visible(reason)),
    };
    writeln!(
        out,
        "closest: lines {} to {}, {percent:.0} % alike{reason}",
        number("startLine"),
        number("endLine")
    )?;
    paint::diff(out, &format!("@@ asked for against found @@\n{}", text("diff")))
}
