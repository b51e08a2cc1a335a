use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::config::PolicyFile;
use crate::disk::Durability;
use crate::protocol::{MemoryUse, PROTOCOL, PolicyStatus, StatusResult};
use crate::workspace::Limits;
use crate::workspace::limits::{READ_BYTES, READ_LINES};

use crate::daemon::event::Event;
use crate::daemon::{Daemon, Failure, SessionContext};

impl Daemon {
    /// `editd/status`.
    pub fn status(&self, _: &Arc<SessionContext>) -> Result<StatusResult, Failure> {
        let counts = self.core.ask(|reply| Event::Count { reply })?;
        let config = &self.core.config;
        Ok(StatusResult {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            protocol: PROTOCOL,
            pid: std::process::id(),
            uptime: self.core.started.elapsed().as_secs(),
            sessions: counts.sessions,
            documents: counts.documents,
            proposals: counts.proposals,
            open_proposals: counts.open_proposals,
            diagnostics: counts.diagnostics,
            memory: MemoryUse { text: counts.text_bytes, resident: resident_bytes() },
            review: config.review.name().to_owned(),
            durability: match config.durability {
                Some(Durability::Process) => "process",
                Some(Durability::Full) => "full",
                None => "process for one file, full for several",
            }
            .to_owned(),
            state_dir: self.core.state_dir.display().to_string(),
            runtime_dir: self.core.runtime_dir.display().to_string(),
            configuration_error: config.error.clone(),
            recovering: self.core.journal.unfinished().len() + self.core.interrupted.count(),
            policy: policy(&self.core.policy),
            limits: limits(&config.limits),
        })
    }
}

fn policy(file: &PolicyFile) -> Option<PolicyStatus> {
    let policy = file.current();
    policy.exists.then(|| PolicyStatus {
        file: file.path().display().to_string(),
        rules: policy.rules.len(),
        error: policy.error.clone(),
    })
}

/// Resident memory of this process, where the system tells it (Linux).
fn resident_bytes() -> Option<u64> {
    let pages: u64 = std::fs::read_to_string("/proc/self/statm").ok()?.split(' ').nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

fn limits(limits: &Limits) -> Map<String, Value> {
    let Value::Object(limits) = json!({
        "fileSize": limits.file_size,
        "memory": limits.memory,
        "keptBases": limits.kept_bases,
        "historyBytes": limits.history_bytes,
        "connections": limits.connections,
        "messageSize": limits.message_size,
        "messageMs": limits.message_ms,
        "messageMemory": limits.message_memory,
        "requestsInFlight": limits.requests_in_flight,
        "unsentOutput": limits.unsent_output,
        "workMemory": limits.work_memory,
        "changes": limits.changes,
        "edits": limits.edits,
        "proposals": limits.proposals,
        "proposalBytes": limits.proposal_bytes,
        "deadlineMs": limits.deadline_ms,
        "readLines": READ_LINES,
        "readBytes": READ_BYTES,
    }) else {
        return Map::new();
    };
    limits
}
