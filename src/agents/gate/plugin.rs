//! The form in which the plugins of editd in opencode and pi report events and take answers.
//!
//! A plugin passes the arguments of a hook on as they are, with a `context`: the session, the sub-agent, the turn,
//! the model and the working folder.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::reader::Reader;
use super::{Event, Reply, Step, Unknown};

/// Combines a step with the context of an event.
pub(super) fn event(read: &Reader<'_>, paths: Vec<PathBuf>, step: Step) -> Result<Event, Unknown> {
    let context = read.inner("context");
    Ok(Event {
        name: read.text("hook")?.to_owned(),
        session: context.text("session")?.to_owned(),
        agent: context.optional("agent"),
        turn: context.optional("turn"),
        model: context.optional("model"),
        transcript: None,
        cwd: context.text("cwd")?.into(),
        paths,
        step,
    })
}

/// Returns the working folder of an event.
pub(super) fn cwd(event: &Value) -> &Path {
    Path::new(event["context"]["cwd"].as_str().unwrap_or_default())
}

pub(super) fn encode(_event: &str, reply: Reply) -> Value {
    match reply {
        Reply::GoOn { input, context } => {
            let mut answer = json!({});
            if let Some(input) = input {
                answer["input"] = input.into();
            }
            if let Some(context) = context {
                answer["note"] = context.into();
            }
            answer
        }
        Reply::Refuse(reason) => json!({ "refuse": reason }),
        Reply::Done(text) => json!({ "done": text }),
        Reply::Warn(warning) => json!({ "warn": warning }),
        Reply::Text(text) => json!({ "text": text }),
    }
}
