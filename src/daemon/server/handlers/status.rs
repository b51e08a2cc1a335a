//! `editd/status` and `editd/shutdown`.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::config::PolicyFile;
use crate::engine::{Result, SessionContext};
use crate::server::Daemon;
use editd_disk::resident_bytes;
use editd_protocol::{MemoryUse, PROTOCOL, PolicyStatus, ShutdownResult, StatusResult};
use editd_workspace::Limits;
use editd_workspace::limits::{READ_BYTES, READ_LINES};

impl Daemon {
    /// `editd/status`.
    pub fn status(&self, _: &Arc<SessionContext>) -> Result<StatusResult> {
        let counts = self.engine.workspace.update(|w| w.counts());
        let config = &self.engine.config;
        Ok(StatusResult {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            protocol: PROTOCOL,
            pid: std::process::id(),
            uptime: self.engine.started.elapsed().as_secs(),
            sessions: counts.sessions,
            documents: counts.documents,
            proposals: counts.proposals,
            open_proposals: counts.open_proposals,
            diagnostics: counts.diagnostics,
            memory: MemoryUse { text: counts.text_bytes, resident: resident_bytes() },
            review: config.review.to_string(),
            durability: config.durability_description().to_owned(),
            state_dir: self.engine.places.state_dir.display().to_string(),
            runtime_dir: self.engine.places.runtime_dir.display().to_string(),
            configuration_error: config.error.clone(),
            recovering: self.engine.journal.unfinished().len() + self.engine.interrupted.count(),
            policy: policy(&self.engine.policy),
            limits: limits(&config.limits),
        })
    }

    /// `editd/shutdown`.
    pub fn shutdown(&self) -> ShutdownResult {
        tracing::info!("stop requested");
        self.stop();
        ShutdownResult { pid: std::process::id() }
    }
}

fn policy(file: &PolicyFile) -> Option<PolicyStatus> {
    let policy = file.current();
    policy.exists.then(|| PolicyStatus {
        file: file.path().display().to_string(),
        rules: policy.rules.rules.len(),
        error: policy.error.clone(),
    })
}

fn limits(limits: &Limits) -> Map<String, Value> {
    let fixed = [("read_lines", READ_LINES as u64), ("read_bytes", READ_BYTES as u64)];
    limits.by_name().into_iter().chain(fixed).map(|(name, limit)| (camel_case(name), limit.into())).collect()
}

/// Converts a configuration key to its spelling in the protocol.
fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |joined, word| joined + &word[..1].to_uppercase() + &word[1..])
}
