use std::io::Write;

use serde_json::Value;

use crate::protocol::RpcError;
use crate::transport::{CallError, ConnectError};

use super::paint::{self, ERROR, HINT};
use super::stream;

/// Why a command did not do what it was asked to.
#[derive(Debug)]
pub(crate) enum Complaint {
    /// The daemon said no.
    Refused(RpcError),
    /// The arguments make no sense together.
    Usage(String),
    /// Something failed.
    Failed(String),
}

impl From<CallError> for Complaint {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Refused(refusal) => Self::Refused(refusal),
            CallError::Io(error) => Self::failed(error),
        }
    }
}

impl From<ConnectError> for Complaint {
    fn from(error: ConnectError) -> Self {
        match error {
            ConnectError::Refused(refusal) => Self::Refused(refusal),
            error => Self::failed(error),
        }
    }
}

impl From<std::io::Error> for Complaint {
    fn from(error: std::io::Error) -> Self {
        Self::failed(error)
    }
}

impl Complaint {
    #[expect(clippy::needless_pass_by_value, reason = "what `map_err` hands over")]
    pub(crate) fn failed(error: impl ToString) -> Self {
        Self::Failed(error.to_string())
    }

    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Refused(_) | Self::Failed(_) => 1,
        }
    }

    /// Says it on standard error: for programs what came over the wire, else for people.
    pub(crate) fn show(&self, json: bool) {
        let mut out = stream::stderr();
        // If even standard error is gone, the exit code has to do.
        let _ = match self {
            Self::Refused(refusal) if json => writeln!(out, "{}", serde_json::json!({ "error": refusal })),
            Self::Refused(refusal) => show_refusal(&mut out, refusal),
            Self::Usage(message) | Self::Failed(message) => {
                writeln!(out, "{ERROR}error:{ERROR:#} {}", paint::visible(message))
            }
        };
    }
}

fn show_refusal(out: &mut impl Write, refusal: &RpcError) -> std::io::Result<()> {
    writeln!(out, "{ERROR}refused:{ERROR:#} {}", paint::visible(&refusal.message))?;
    let Some(data) = &refusal.data else { return Ok(()) };
    if let Some(diff) = data.get("diff").and_then(Value::as_str) {
        paint::diff(out, diff)?;
    }
    for place in data.get("closest").and_then(Value::as_array).into_iter().flatten() {
        show_closest(out, place)?;
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
        writeln!(out, "{ERROR}and:{ERROR:#} {}", paint::visible(message))?;
    }
    // The daemon's advice is for agents; at a command line the next step is another one.
    let hint = match refusal.kind() {
        Some("unread") => Some(
            "Run it on a terminal to be shown the change and asked; or pass --yes, or --base with the file's hash.",
        ),
        _ => refusal.hint(),
    };
    if let Some(hint) = hint {
        writeln!(out, "{HINT}hint:{HINT:#} {}", paint::visible(hint))?;
    }
    Ok(())
}

fn show_closest(out: &mut impl Write, place: &Value) -> std::io::Result<()> {
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
