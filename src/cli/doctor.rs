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
use super::row::{hanging, width};
use super::{CliError, Context, End, paint, stream};

/// The result of one check.
#[derive(Serialize)]
struct Finding {
    #[serde(serialize_with = "trimmed")]
    what: &'static str,
    /// `true` or `false` if the check judges something, `None` if it only informs.
    #[serde(skip_serializing_if = "Option::is_none")]
    well: Option<bool>,
    detail: String,
}

/// Removes the indentation that configuration keys have in the text output.
fn trimmed<S: Serializer>(what: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(what.trim_start())
}

impl Finding {
    fn info(what: &'static str, detail: impl Into<String>) -> Self {
        Self { what, well: None, detail: detail.into() }
    }

    fn checked(what: &'static str, well: bool, detail: impl Into<String>) -> Self {
        Self { what, well: Some(well), detail: detail.into() }
    }
}

/// `editd doctor`.
pub(crate) fn doctor(context: &Context) -> Result<End, CliError> {
    let config = Config::load(config_file());
    let mut findings =
        vec![Finding::info("version", format!("{} (protocol {PROTOCOL})", env!("CARGO_PKG_VERSION")))];
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
    Ok(if all_well { End::Done } else { End::ProblemFound })
}

fn print(findings: &[Finding]) -> std::io::Result<()> {
    let (mut out, width) = (stream::stdout(), width());
    for Finding { what, well, detail } in findings {
        let (style, word) = match well {
            Some(true) => (GOOD, "ok"),
            Some(false) => (ERROR, "bad"),
            None => (anstyle::Style::new(), ""),
        };
        let detail = hanging(20, &paint::visible(detail), width);
        writeln!(out, "{style}{word:<3}{style:#} {what:<15} {detail}")?;
    }
    Ok(())
}

fn configuration(config: &Config) -> Vec<Finding> {
    let file = config.file.display();
    let read = match (&config.error, config.file.exists()) {
        (Some(error), _) => {
            Finding::checked("configuration", false, format!("{error}; nothing will be written"))
        }
        (None, true) => Finding::checked("configuration", true, file.to_string()),
        (None, false) => Finding::checked("configuration", true, format!("defaults ({file} does not exist)")),
    };
    vec![
        read,
        Finding::info("  review", config.review.name()),
        Finding::info("  save", config.save.name()),
        Finding::info("  durability", config.durability_description()),
        roots("  roots", &config.roots, "any folder that is not forbidden"),
        roots("  read_roots", &config.read_roots, "none"),
        Finding::info(
            "  hard_links",
            if config.hard_links { "changed in place" } else { "refused for agents" },
        ),
        Finding::info("  idle_exit", idle_exit(config)),
        Finding::info("  history_days", config.history_days.to_string()),
        Finding::info("  limits", limits(&config.limits)),
    ]
}

/// Lists all limits by name. Multiples of a mebibyte are shown in MiB.
fn limits(limits: &Limits) -> String {
    let shown = |(name, limit): (&str, u64)| match limit {
        limit if limit > 0 && limit % (1 << 20) == 0 => format!("{name} {} MiB", limit >> 20),
        limit => format!("{name} {limit}"),
    };
    limits.by_name().map(shown).join(", ")
}

/// Checks the path rules, which are read exactly as the daemon reads them.
fn policy(config: &Config) -> Finding {
    let home = std::env::home_dir().and_then(|home| std::fs::canonicalize(home).ok());
    let file = PolicyFile::beside(&config.file, home);
    let (policy, path) = (file.current(), file.path().display());
    match (&policy.error, policy.exists) {
        (Some(error), _) => Finding::checked("policy", false, format!("{error}; nothing will be written")),
        (None, true) => {
            let rules = &policy.rules;
            let rules = rules.rules();
            let (all, reviewed) =
                (rules.len(), rules.iter().filter(|rule| rule.class == Class::Review).count());
            let asking = if reviewed > 0 { format!(" ({reviewed} of class review)") } else { String::new() };
            Finding::checked("policy", true, format!("{path}, rules: {all}{asking}"))
        }
        (None, false) => Finding::checked("policy", true, format!("built-in rules ({path} does not exist)")),
    }
}

/// Checks configured folders. One that does not exist matches nothing, so it is probably a mistake.
fn roots(what: &'static str, paths: &[PathBuf], if_empty: &str) -> Finding {
    if paths.is_empty() {
        return Finding::info(what, if_empty);
    }
    let show = |path: &PathBuf| {
        let note = if path.is_dir() { "" } else { " (no such folder)" };
        format!("{}{note}", path.display())
    };
    let list: Vec<_> = paths.iter().map(show).collect();
    let well = if paths.iter().all(|path| path.is_dir()) { None } else { Some(false) };
    Finding { what, well, detail: list.join(", ") }
}

/// Formats the idle time in the syntax of the configuration, for example `30m`.
fn idle_exit(config: &Config) -> String {
    jiff::SignedDuration::try_from(config.idle_exit)
        .map_or_else(|_| "never".to_owned(), |span| format!("{span:#}"))
}

fn folder(what: &'static str, path: &Path) -> Finding {
    match std::fs::symlink_metadata(path) {
        Ok(found) if !found.is_dir() => {
            Finding::checked(what, false, format!("{} is not a folder", path.display()))
        }
        Ok(found) if found.permissions().mode() & 0o077 != 0 => {
            let mode = found.permissions().mode() & 0o777;
            Finding::checked(what, false, format!("{} is open to others (mode {mode:o})", path.display()))
        }
        Ok(_) => Finding::checked(what, true, path.display().to_string()),
        Err(_) => {
            Finding::checked(what, true, format!("{} (created when the daemon starts)", path.display()))
        }
    }
}

fn daemon(context: &Context) -> Result<Vec<Finding>, CliError> {
    let Some(mut client) = running(context, Role::Agent)? else {
        return Ok(vec![Finding::info("daemon", "not running; the next command that needs one starts it")]);
    };
    let status = client.call::<Status>(&StatusParams {})?;
    let same = status.version == env!("CARGO_PKG_VERSION");
    let note = if same { "" } else { ", not the version of this command: run `editd stop` to replace it" };
    let detail = format!("process {}, version {}{note}", status.pid, status.version);
    let mut findings = vec![Finding::checked("daemon", same, detail)];
    if status.recovering > 0 {
        let detail = format!(
            "{} files of an interrupted change could not be restored yet; the log in {}/logs shows why",
            status.recovering, status.state_dir
        );
        findings.push(Finding::checked("recovery", false, detail));
    }
    Ok(findings)
}

/// Checks the limit on file watches. With too few, changes by other programs are only noticed later.
fn watches() -> Finding {
    let limit = std::fs::read_to_string("/proc/sys/fs/inotify/max_user_watches");
    match limit.ok().and_then(|limit| limit.trim().parse::<u64>().ok()) {
        Some(limit) => {
            Finding::checked("file watches", limit >= 8192, format!("{limit} folders can be watched"))
        }
        None => Finding::info("file watches", "the limit of the system cannot be read"),
    }
}
