use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};
use serde_json::json;

use crate::config::{Config, PolicyFile};
use crate::protocol::{PROTOCOL, Status, StatusParams};
use crate::workspace::rules::Class;
use crate::workspace::{Limits, Role};

use super::daemon::{config_file, running};
use super::paint::{ERROR, GOOD};
use super::read::print_json;
use super::row::{beside, width};
use super::{Complaint, Context, End, paint, stream};

/// What was found at one place.
#[derive(Serialize)]
struct Finding {
    #[serde(serialize_with = "trimmed")]
    what: &'static str,
    /// Well or not; neither for what is just told.
    #[serde(skip_serializing_if = "Option::is_none")]
    well: Option<bool>,
    detail: String,
}

/// Keys of the configuration stand a little to the right in a list, and nowhere else.
fn trimmed<S: Serializer>(what: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(what.trim_start())
}

impl Finding {
    fn told(what: &'static str, detail: impl Into<String>) -> Self {
        Self { what, well: None, detail: detail.into() }
    }

    fn judged(what: &'static str, well: bool, detail: impl Into<String>) -> Self {
        Self { what, well: Some(well), detail: detail.into() }
    }
}

/// `editd doctor`.
pub(crate) fn doctor(context: &Context) -> Result<End, Complaint> {
    let config = Config::load(config_file());
    let mut findings =
        vec![Finding::told("version", format!("{} (protocol {PROTOCOL})", env!("CARGO_PKG_VERSION")))];
    findings.extend(configuration(&config));
    findings.push(policy(&config));
    findings.push(folder("state folder", &context.places.state_dir));
    findings.push(folder("socket folder", &context.places.runtime_dir));
    findings.extend(daemon(context)?);
    findings.push(watches());
    let all_well = findings.iter().all(|finding| finding.well != Some(false));
    if !print_json(context, &json!({ "well": all_well, "findings": findings }))? {
        print(&findings)?;
    }
    Ok(if all_well { End::Done } else { End::Wrong })
}

fn print(findings: &[Finding]) -> std::io::Result<()> {
    let (mut out, width) = (stream::stdout(), width());
    for Finding { what, well, detail } in findings {
        let (style, word) = match well {
            Some(true) => (GOOD, "ok"),
            Some(false) => (ERROR, "bad"),
            None => (anstyle::Style::new(), ""),
        };
        let detail = beside(20, &paint::visible(detail), width);
        writeln!(out, "{style}{word:<3}{style:#} {what:<15} {detail}")?;
    }
    Ok(())
}

fn configuration(config: &Config) -> Vec<Finding> {
    let file = config.file.display();
    let read = match (&config.error, config.file.exists()) {
        (Some(error), _) => {
            Finding::judged("configuration", false, format!("{error}; nothing will be written"))
        }
        (None, true) => Finding::judged("configuration", true, file.to_string()),
        (None, false) => Finding::judged("configuration", true, format!("defaults ({file} does not exist)")),
    };
    vec![
        read,
        Finding::told("  review", config.review.name()),
        Finding::told("  save", config.save.name()),
        Finding::told("  durability", config.durability_in_words()),
        roots("  roots", &config.roots, "wherever is not forbidden"),
        roots("  read_roots", &config.read_roots, "none besides"),
        Finding::told(
            "  hard_links",
            if config.hard_links { "changed in place" } else { "refused for agents" },
        ),
        Finding::told("  idle_exit", idle_exit(config)),
        Finding::told("  history_days", config.history_days.to_string()),
        Finding::told("  limits", limits(&config.limits)),
    ]
}

/// Every limit by its name. Amounts are mostly whole mebibytes.
fn limits(limits: &Limits) -> String {
    let shown = |(name, limit): (&str, u64)| match limit {
        limit if limit > 0 && limit % (1 << 20) == 0 => format!("{name} {} MiB", limit >> 20),
        limit => format!("{name} {limit}"),
    };
    limits.by_name().map(shown).join(", ")
}

/// The path rules, read as the daemon reads them.
fn policy(config: &Config) -> Finding {
    let home = std::env::home_dir().and_then(|home| std::fs::canonicalize(home).ok());
    let file = PolicyFile::beside(&config.file, home);
    let (policy, path) = (file.current(), file.path().display());
    match (&policy.error, policy.exists) {
        (Some(error), _) => Finding::judged("policy", false, format!("{error}; nothing will be written")),
        (None, true) => {
            let rules = &policy.rules;
            let (all, reviewed) = (rules.len(), rules.count_of(Class::Review));
            let asking = if reviewed > 0 { format!(" ({reviewed} of class review)") } else { String::new() };
            Finding::judged("policy", true, format!("{path}, rules: {all}{asking}"))
        }
        (None, false) => Finding::judged("policy", true, format!("built-in rules ({path} does not exist)")),
    }
}

/// Configured folders. One that does not exist matches nothing, which is hardly what was meant.
fn roots(what: &'static str, paths: &[PathBuf], if_empty: &str) -> Finding {
    if paths.is_empty() {
        return Finding::told(what, if_empty);
    }
    let show = |path: &PathBuf| {
        let note = if path.is_dir() { "" } else { " (no such folder)" };
        format!("{}{note}", path.display())
    };
    let list: Vec<_> = paths.iter().map(show).collect();
    let well = if paths.iter().all(|path| path.is_dir()) { None } else { Some(false) };
    Finding { what, well, detail: list.join(", ") }
}

/// As the configuration has it: `30m`.
fn idle_exit(config: &Config) -> String {
    jiff::SignedDuration::try_from(config.idle_exit)
        .map_or_else(|_| "never".to_owned(), |span| format!("{span:#}"))
}

fn folder(what: &'static str, path: &Path) -> Finding {
    match std::fs::symlink_metadata(path) {
        Ok(found) if !found.is_dir() => {
            Finding::judged(what, false, format!("{} is no folder", path.display()))
        }
        Ok(found) if found.permissions().mode() & 0o077 != 0 => {
            let mode = found.permissions().mode() & 0o777;
            Finding::judged(what, false, format!("{} is open to others (mode {mode:o})", path.display()))
        }
        Ok(_) => Finding::judged(what, true, path.display().to_string()),
        Err(_) => Finding::judged(what, true, format!("{} (made when the daemon starts)", path.display())),
    }
}

fn daemon(context: &Context) -> Result<Vec<Finding>, Complaint> {
    let Some(mut client) = running(context, Role::Agent)? else {
        return Ok(vec![Finding::told("daemon", "not running; the next command that needs one starts it")]);
    };
    let status = client.call::<Status>(&StatusParams {})?;
    let same = status.version == env!("CARGO_PKG_VERSION");
    let note = if same { "" } else { ", another version than this command: `editd stop` makes room for it" };
    let detail = format!("process {}, version {}{note}", status.pid, status.version);
    let mut findings = vec![Finding::judged("daemon", same, detail)];
    if status.recovering > 0 {
        let detail = format!(
            "{} files of an interrupted change could not be put back yet; {}/logs says why",
            status.recovering, status.state_dir
        );
        findings.push(Finding::judged("recovery", false, detail));
    }
    Ok(findings)
}

/// Too few watches only mean that changes by other programs are noticed later.
fn watches() -> Finding {
    let limit = std::fs::read_to_string("/proc/sys/fs/inotify/max_user_watches");
    match limit.ok().and_then(|limit| limit.trim().parse::<u64>().ok()) {
        Some(limit) => {
            Finding::judged("file watches", limit >= 8192, format!("{limit} folders can be watched"))
        }
        None => Finding::told("file watches", "the system does not tell its limit"),
    }
}
