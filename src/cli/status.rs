//! The state of the daemon and of the installation.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::{Pid, test_kill_process};
use serde::{Serialize, Serializer};
use serde_json::json;

use editd_daemon::config::{Config, PathMap, PolicyFile, config_file};
use editd_daemon::transport::{Client, ConnectError, Spawn, instance_is_alive};
use editd_disk::{watch_limit, weaker_system};
use editd_protocol::{
    Method, NoParams, PROTOCOL, Reviewers, ReviewersResult, Shutdown, ShutdownResult, Status, StatusResult,
};
use editd_workspace::rules::Class;
use editd_workspace::{Limits, Role};

use super::connect::ClientState;
use super::paint::{ERROR, GOOD, hanging, width};
use super::review::described;
use super::run::enforce;
use super::{CliError, Context, End, connect, paint, root, stream};

/// Time that `stop` waits for the daemon to end.
const STOPPING: Duration = Duration::from_secs(30);

/// `editd status`. Does not start a daemon.
pub(crate) fn status(context: &Context) -> Result<End, CliError> {
    let Some(mut client) = running(context, Role::Editor)? else {
        return Err(CliError::failed("no daemon is running")
            .with_hint("the next command that needs one starts it; `editd doctor` checks the installation"));
    };
    if let Some(status) = context.unless_json(client.request(Status::NAME, &NoParams {})?)? {
        print_status(&status, &client.call::<Reviewers>(&NoParams {})?)?;
    }
    Ok(End::Done)
}

fn print_status(status: &StatusResult, reviewers: &ReviewersResult) -> std::io::Result<()> {
    let (mut out, width) = (stream::stdout(), width());
    writeln!(out, "editd {} (protocol {}), process {}", status.version, status.protocol, status.pid)?;
    let mut rows = vec![
        ("uptime", ago(status.uptime)),
        ("sessions", format!("{} (this command is one)", status.sessions)),
        ("files read", status.documents.to_string()),
        ("proposals", format!("{} ({} open)", status.proposals, status.open_proposals)),
        ("cached text", mebibytes(status.memory.text)),
        ("memory", status.memory.resident.map_or_else(|| "unknown".to_owned(), mebibytes)),
        ("review", status.review.clone()),
        ("durability", status.durability.clone()),
        ("state", status.state_dir.clone()),
        ("sockets", status.runtime_dir.clone()),
    ];
    rows.extend(reviewers.connected.iter().map(|reviewer| ("reviewer", described(reviewer))));
    let is_expected = "expected back; changes wait for it, or until `editd review --off`";
    let expected = |reviewer| ("expected", format!("{}: {is_expected}", described(reviewer)));
    rows.extend(reviewers.expected.iter().map(expected));
    if let Some(policy) = &status.policy {
        rows.push(("policy", format!("{}, rules: {}", policy.file, policy.rules)));
    }
    if status.recovering > 0 {
        let what = "files of an interrupted change are not restored yet; the log lists them";
        rows.push(("recovering", format!("{} {what}", status.recovering)));
    }
    for (name, value) in rows {
        writeln!(out, "  {name:<11} {}", hanging(14, &paint::visible(&value), width))?;
    }
    let broken = status.policy.as_ref().and_then(|policy| policy.error.as_ref());
    for error in status.configuration_error.iter().chain(broken) {
        let text = format!("nothing is written: {}", paint::visible(error));
        writeln!(out, "  {}", hanging(2, &text, width))?;
    }
    Ok(())
}

fn ago(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

fn mebibytes(bytes: u64) -> String {
    let tenths = bytes * 10 / (1 << 20);
    format!("{}.{} MiB", tenths / 10, tenths % 10)
}

/// `editd stop`.
pub(crate) fn stop(context: &Context) -> Result<End, CliError> {
    let Some(mut client) = running(context, Role::Editor)? else {
        context.print_json(&json!({ "pid": null }))?;
        stream::note("No daemon is running.")?;
        return Ok(End::Done);
    };
    let ShutdownResult { pid } = client.call::<Shutdown>(&NoParams {})?;
    client.wait_for_end();
    let waited = std::time::Instant::now();
    // If the process is gone, a running instance is another daemon, which a command has started meanwhile.
    while instance_is_alive(&context.places.state_dir) && exists(pid) {
        if waited.elapsed() > STOPPING {
            return Err(CliError::failed(format!("the daemon (process {pid}) did not stop in time"))
                .with_hint(format!("its log shows what it waits for; `kill {pid}` ends it")));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    if !context.print_json(&json!({ "pid": pid }))? {
        writeln!(stream::stdout(), "Stopped the daemon (process {pid}).")?;
    }
    Ok(End::Done)
}

/// Returns `true` if the process exists. A connection attempt would be no test, because a service manager
/// would start the next daemon for it.
fn exists(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid).is_ok())
}

/// Opens a session with a running daemon. Returns `None` if no daemon is running.
fn running(context: &Context, role: Role) -> Result<Option<Client>, CliError> {
    match Client::connect(&context.places, role, Spawn::Forbidden, None) {
        Ok(client) => Ok(Some(client)),
        Err(ConnectError::NotRunning(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

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

    fn good(what: &'static str, detail: impl Into<String>) -> Self {
        Self { well: Some(true), ..Self::info(what, detail) }
    }

    fn bad(what: &'static str, detail: impl Into<String>) -> Self {
        Self { well: Some(false), ..Self::info(what, detail) }
    }

    /// Returns the finding about a file whose errors prevent all writes.
    fn file(what: &'static str, error: Option<&String>, detail: impl Into<String>) -> Self {
        match error {
            Some(error) => Self::bad(what, format!("{error}; nothing will be written")),
            None => Self::good(what, detail),
        }
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
    findings.extend(weaker_system().map(|system| Finding::info("system", system)));
    findings.push(watches());
    findings.push(enforcement());
    findings.extend(connections());
    let all_well = findings.iter().all(|finding| finding.well != Some(false));
    if !context.print_json(&json!({ "well": all_well, "findings": findings }))? {
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
    let exists = config.file.exists();
    let detail = if exists { file.to_string() } else { format!("defaults ({file} does not exist)") };
    let hard_links = if config.hard_links { "changed in place" } else { "refused for agents" };
    vec![
        Finding::file("configuration", config.error.as_ref(), detail),
        Finding::info("  review", config.review.to_string()),
        Finding::info("  save", config.save.to_string()),
        Finding::info("  ide", config.ide.to_string()),
        Finding::info("  syntax", config.syntax.to_string()),
        Finding::info("  stale", config.stale.to_string()),
        Finding::info("  durability", config.durability_description()),
        roots("  roots", &config.roots, "any folder that is not forbidden"),
        roots("  read_roots", &config.read_roots, "none"),
        Finding::info("  hard_links", hard_links),
        Finding::info("  idle_exit", idle_exit(config)),
        Finding::info("  history_days", config.history_days.to_string()),
        Finding::info("  gate", gate(config)),
        Finding::info("  maps", maps(config)),
        Finding::info("  limits", limits(&config.limits)),
    ]
}

fn maps(config: &Config) -> String {
    let map = |map: &PathMap| format!("{} inside is {}", map.inside.display(), map.outside.display());
    if config.maps.is_empty() {
        return "none".to_owned();
    }
    config.maps.iter().map(map).collect::<Vec<_>>().join(", ")
}

fn gate(config: &Config) -> String {
    let without = if config.gate_fails_open() { "edits pass" } else { "edits are refused" };
    format!("unread {}; without a daemon, {without}", config.gate.unread)
}

/// Reports which agent programs are connected. Programs without settings are omitted.
fn connections() -> Vec<Finding> {
    connect::states().into_iter().map(connection).collect()
}

fn connection(state: ClientState) -> Finding {
    let ClientState { client, file, connected, problem, version } = state;
    let (name, file, command) = (client.title(), file.display(), client.name());
    match connected {
        Ok(true) if let Some(problem) = problem => {
            Finding::bad(name, format!("connected in {file}, but {problem}"))
        }
        Ok(true) => {
            let tested = client.tested_version();
            let version = match version {
                Some(version) if version == tested => format!(", version {version}"),
                Some(version) => format!(", version {version}; tested with {tested}"),
                None => String::new(),
            };
            Finding::good(name, format!("connected in {file}{version}"))
        }
        Ok(false) => {
            Finding::info(name, format!("not connected; run `editd connect {command}` to connect it"))
        }
        Err(error) => Finding::bad(name, format!("{file} cannot be read: {error}")),
    }
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
    let file = PolicyFile::beside(&config.file, root::home());
    let (policy, path) = (file.current(), file.path().display());
    let detail = if policy.exists {
        let rules = &policy.rules.rules;
        let all = rules.len();
        let reviewed = rules.iter().filter(|rule| rule.class == Class::Review).count();
        let asking = if reviewed > 0 { format!(" ({reviewed} of class review)") } else { String::new() };
        format!("{path}, rules: {all}{asking}")
    } else {
        format!("built-in rules ({path} does not exist)")
    };
    Finding::file("policy", policy.error.as_ref(), detail)
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
    let all_exist = paths.iter().all(|path| path.is_dir());
    if all_exist { Finding::info(what, list.join(", ")) } else { Finding::bad(what, list.join(", ")) }
}

/// Formats the idle time in the syntax of the configuration, for example `30m`.
fn idle_exit(config: &Config) -> String {
    jiff::SignedDuration::try_from(config.idle_exit)
        .map_or_else(|_| "never".to_owned(), |span| format!("{span:#}"))
}

fn folder(what: &'static str, path: &Path) -> Finding {
    let found = std::fs::symlink_metadata(path);
    let path = path.display();
    match found {
        Ok(found) if !found.is_dir() => Finding::bad(what, format!("{path} is not a folder")),
        Ok(found) if found.permissions().mode() & 0o077 != 0 => {
            let mode = found.permissions().mode() & 0o777;
            Finding::bad(what, format!("{path} is open to others (mode {mode:o})"))
        }
        Ok(_) => Finding::good(what, path.to_string()),
        Err(_) => Finding::good(what, format!("{path} (created when the daemon starts)")),
    }
}

fn daemon(context: &Context) -> Result<Vec<Finding>, CliError> {
    let Some(mut client) = running(context, Role::Agent)? else {
        return Ok(vec![Finding::info("daemon", "not running; the next command that needs one starts it")]);
    };
    let status = client.call::<Status>(&NoParams {})?;
    let same = status.version == env!("CARGO_PKG_VERSION");
    let note = if same { "" } else { ", not the version of this command: run `editd stop` to replace it" };
    let detail = format!("process {}, version {}{note}", status.pid, status.version);
    let mut findings = vec![Finding { what: "daemon", well: Some(same), detail }];
    if status.recovering > 0 {
        let detail = format!(
            "{} files of an interrupted change could not be restored yet; the log in {}/logs shows why",
            status.recovering, status.state_dir
        );
        findings.push(Finding::bad("recovery", detail));
    }
    Ok(findings)
}

/// Checks the limit on file watches. With too few, changes by other programs are only noticed later.
fn enforcement() -> Finding {
    let (version, works) = enforce::supported();
    let effect =
        if works { "`editd run --enforce` works" } else { "`editd run --enforce` needs ABI 3 (Linux 6.2)" };
    Finding::info("enforcement", format!("{version}; {effect}"))
}

fn watches() -> Finding {
    match watch_limit() {
        Some(limit) => {
            let detail = format!("{limit} folders can be watched");
            Finding { what: "file watches", well: Some(limit >= 8192), detail }
        }
        None => Finding::info("file watches", "the limit of the system cannot be read"),
    }
}
