use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::current::Current;
use super::{Decision, Diff, Made};
use crate::ide::daemon::{Failure, REQUEST, Session};
use editd_daemon::transport::{Client, Outgoing, Spawn, outcome};
use editd_protocol::{Discard, Method as _, NativeEdit, NativeEditResult, ProposalMethod};

/// State of a change that the person has not decided.
const PENDING: &str = "pending";
/// States of a change that editd has made.
const MADE: [&str; 2] = ["applied", "partial"];

/// Time that one request waits for the person. The next one continues to wait.
const DECISION: Duration = Duration::from_secs(570);
/// Pause before the next attempt to find a daemon that has ended.
const RETRY: Duration = Duration::from_millis(500);

/// A diff that waits for the person.
pub(super) struct Open {
    pub(super) diff: Diff,
    /// Name of the call in the daemon.
    pub(super) call: String,
    /// The change as the daemon receives it.
    change: OnceLock<Value>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Handle that ends the request that waits; `None` before there is one.
    closer: Option<Outgoing>,
    /// The proposal, once it is known.
    proposal: Option<String>,
    is_ended: bool,
}

impl Open {
    pub(super) fn new(diff: Diff) -> Self {
        Self { diff, call: call_name(), change: OnceLock::new(), state: Mutex::default() }
    }

    /// Waits for the decision, on a thread that may block. A pending proposal outlives the daemon, so this waits for
    /// the next daemon, too.
    pub(super) fn wait(&self, session: &Session) -> Result<Decision, Failure> {
        let mut decided = session.connect().and_then(|client| self.wait_for_change(session, client));
        while let Err(Failure::Lost(_)) = decided
            && let Some(id) = self.proposal()
        {
            thread::sleep(RETRY);
            decided = match session.connect_with(Spawn::Forbidden) {
                Ok(client) => self.wait_for_proposal(client, &id),
                // A person who has stopped the daemon would be surprised if it were started again.
                Err(_) if !self.is_ended() => continue,
                Err(_) => return Ok(Decision::Closed),
            };
        }
        decided
    }

    /// Waits as the client that is to make the change once it is accepted.
    fn wait_for_change(&self, session: &Session, mut client: Client) -> Result<Decision, Failure> {
        if !self.starts_waiting(&mut client)? {
            return Ok(Decision::Closed);
        }
        let change = self.change_for(&mut client)?;
        self.change.get_or_init(|| change);
        let (mut incoming, mut outgoing, mut last_id) = client.split();
        let mut ask = |wait: Duration| {
            last_id += 1;
            let (method, params) = (NativeEdit::NAME, self.params(wait));
            let request = json!({ "jsonrpc": "2.0", "id": last_id, "method": method, "params": params });
            outgoing.send(&request).map(|()| last_id).map_err(Failure::Lost)
        };
        // The second request does not wait: its answer names the proposal of the first one.
        let (mut waiting, naming) = (ask(DECISION)?, ask(Duration::ZERO)?);
        loop {
            let message = incoming.receive();
            if self.is_ended() {
                return Ok(Decision::Closed);
            }
            let mut message = message.map_err(Failure::Lost)?;
            let id = message["id"].as_i64();
            if id == Some(naming) {
                self.state.lock().proposal = result_of(&mut message).ok().and_then(|result| result.id);
            }
            if id != Some(waiting) {
                continue;
            }
            let NativeEditResult { state, files, .. } = result_of(&mut message)?;
            match state.as_str() {
                NativeEditResult::READY => {
                    let text = files.into_iter().next().and_then(|file| file.after);
                    return Ok(text.map_or(Decision::Rejected, |text| Decision::Accepted(self.as_sent(text))));
                }
                // Without a pause between two requests, no accepted change is left to editd.
                PENDING => waiting = ask(DECISION)?,
                state => return self.decision(state, true, &mut session.connect()?),
            }
        }
    }

    /// Waits for the decision about a proposal whose request has ended with its daemon. An accepted change is made by
    /// editd.
    fn wait_for_proposal(&self, mut client: Client, id: &str) -> Result<Decision, Failure> {
        if !self.starts_waiting(&mut client)? {
            return Ok(Decision::Closed);
        }
        loop {
            let params = json!({ "id": id, "waitMs": DECISION.as_millis() as u64 });
            let result = client.call::<ProposalMethod>(&params);
            if self.is_ended() {
                return Ok(Decision::Closed);
            }
            let state = result?.state;
            if state != PENDING {
                return self.decision(&state, false, &mut client);
            }
        }
    }

    /// Returns the decision for the final state of a proposal that is not handed over. `is_kept` is `true` if the daemon
    /// restores the file after the program has written it.
    fn decision(&self, state: &str, is_kept: bool, client: &mut Client) -> Result<Decision, Failure> {
        if !MADE.contains(&state) {
            return Ok(Decision::Rejected);
        }
        let made = Made::read(&self.diff.path, client)?;
        Ok(Decision::Made(Made { text: self.as_sent(made.text), is_kept, ..made }))
    }

    /// Programs send texts with LF only, whatever the line endings of the file are.
    fn as_sent(&self, text: String) -> String {
        if self.diff.text.contains('\r') { text } else { text.replace("\r\n", "\n") }
    }

    /// Returns the change of the current text, which may contain what an editor has not saved.
    fn change_for(&self, client: &mut Client) -> Result<Value, Failure> {
        let Diff { path, text } = &self.diff;
        let current = match Current::read(path, client) {
            // The file does not exist, or may not be read. The refusal of the change tells more.
            Err(Failure::Refused(_)) => None,
            current => current?.filter(|current| current.is_unsaved),
        };
        Ok(match current.and_then(|current| Some((current.with(&self.diff)?, current.hash))) {
            Some((text, hash)) => json!({ "kind": "write", "path": path, "content": text, "baseHash": hash }),
            None => json!({ "kind": "write", "path": path, "content": text }),
        })
    }

    fn params(&self, wait: Duration) -> Value {
        json!({
            "changes": [self.change.get()],
            "origin": { "toolCall": self.call },
            "reads": "unknown",
            "review": true,
            "rewrites": true,
            "waitMs": wait.as_millis() as u64,
        })
    }

    /// Withdraws the change, and ends the wait.
    pub(super) async fn withdraw(&self, session: &Session) {
        let has_begun = self.end();
        let known = self.proposal();
        let id = match known {
            // The same change, sent again, names its proposal. One that was decided at the same moment stays decided.
            None if has_begun && self.change.get().is_some() => {
                let again = session.call::<NativeEdit>(self.params(Duration::ZERO)).await;
                again.ok().filter(|it| it.state == PENDING).and_then(|it| it.id)
            }
            known => known,
        };
        if let Some(id) = id {
            let _ = session.call::<Discard>(json!({ "id": id, "reason": "closed" })).await;
        }
    }

    /// Ends the wait. Returns `true` if a request has been sent.
    pub(super) fn end(&self) -> bool {
        let mut state = self.state.lock();
        state.is_ended = true;
        let closer = state.closer.take();
        if let Some(closer) = &closer {
            closer.close();
        }
        closer.is_some()
    }

    /// Prepares a connection to wait. Returns `false` if the client has ended the wait already.
    fn starts_waiting(&self, client: &mut Client) -> Result<bool, Failure> {
        client.set_timeout(DECISION + REQUEST).map_err(Failure::Lost)?;
        let closer = client.closer().map_err(Failure::Lost)?;
        let mut state = self.state.lock();
        if !state.is_ended {
            state.closer = Some(closer);
        }
        Ok(!state.is_ended)
    }

    fn proposal(&self) -> Option<String> {
        self.state.lock().proposal.clone()
    }

    fn is_ended(&self) -> bool {
        self.state.lock().is_ended
    }
}

fn result_of(message: &mut Value) -> Result<NativeEditResult, Failure> {
    serde_json::from_value(outcome(message)?).map_err(|error| Failure::Lost(error.into()))
}

/// Returns the name of a call, which no other of this process has.
fn call_name() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static LAST: AtomicU64 = AtomicU64::new(0);
    format!("diff-{}", LAST.fetch_add(1, Ordering::Relaxed) + 1)
}
