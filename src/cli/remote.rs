//! `--ssh`: runs a command on another machine, with the user's own `ssh`. The daemon, its configuration and the files
//! are those of that machine, and no socket of it is reachable from here.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::process::Command;

use super::arguments::{Command as Subcommand, ReviewArguments};
use super::child::{end_of, end_with_this, start_and_wait};
use super::{CliError, End, stream};

/// The command to start instead of `ssh`, with its arguments, separated by spaces.
const SSH: &str = "EDITD_SSH";

/// Exit code of `ssh` if it cannot connect.
const NO_CONNECTION: u8 = 255;

/// A folder on another machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Remote {
    /// The machine, as `ssh` takes it.
    host: String,
    /// The working folder; the home folder if there is none.
    folder: Option<String>,
}

impl std::str::FromStr for Remote {
    type Err = &'static str;

    /// Reads `HOST`, `HOST:FOLDER`, or a URL with the scheme `ssh`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (host, folder) = if let Some(rest) = text.strip_prefix("ssh://") {
            let (host, folder) = rest.split_once('/').unwrap_or((rest, ""));
            (format!("ssh://{host}"), if folder.is_empty() { String::new() } else { format!("/{folder}") })
        } else {
            // The colons of an IPv6 address are in brackets.
            let address = text.find(']').map_or(0, |end| end + 1);
            let end = text[address..].find(':').map_or(text.len(), |at| address + at);
            let folder = text.get(end + 1..).unwrap_or_default();
            (text[..end].trim_matches(['[', ']']).to_owned(), folder.to_owned())
        };
        if host.is_empty() || host == "ssh://" {
            return Err("expected a machine, such as `box` or `ada@box:shop`");
        }
        if host.starts_with('-') || text.contains(['\0', '\n']) {
            return Err("this is not the name of a machine");
        }
        Ok(Self { host, folder: Some(folder).filter(|folder| !folder.is_empty()) })
    }
}

/// Runs the command of this process on another machine. Returns its exit code.
pub(super) fn run(remote: &Remote, command: &Subcommand) -> Result<End, CliError> {
    let (options, more) = channel(command).map_err(|error| CliError::failed(error.to_string()))?;
    let mut arguments = arguments(std::env::args_os());
    arguments.extend(more);
    let ssh = std::env::var(SSH).unwrap_or_else(|_| "ssh".to_owned());
    let mut words = ssh.split_whitespace();
    let program = words.next().unwrap_or("ssh");
    let mut ssh = Command::new(program);
    ssh.args(words).args(options).arg(&remote.host).arg("--").arg(remote.script(&arguments));
    end_with_this(&mut ssh);
    let end = end_of(&program.into(), start_and_wait(&mut ssh));
    if end == End::Code(NO_CONNECTION) {
        return Err(CliError::failed(format!("`ssh` could not run editd on {}", remote.host))
            .with_hint(format!("check that `ssh {} true` works", remote.host)));
    }
    Ok(end)
}

/// Returns options of `ssh`, and more arguments for the command on the other machine.
fn channel(command: &Subcommand) -> io::Result<(Vec<String>, Vec<OsString>)> {
    let options = match command {
        // The streams carry a protocol, and no person could answer a question.
        Subcommand::Lsp { .. } | Subcommand::Mcp(_) | Subcommand::Hook { .. } => "-T -o BatchMode=yes",
        Subcommand::Review(arguments) if arguments.web => return forwarded(arguments),
        // A terminal ends the command when the connection ends.
        Subcommand::Ide(_) => "-tt",
        _ if io::stdin().is_terminal() && io::stdout().is_terminal() => "-t",
        _ => "-T",
    };
    Ok((options.split(' ').map(str::to_owned).collect(), Vec::new()))
}

/// Forwards the port of the review page, with the same number on both machines, so that its address is valid here.
/// The terminal ends the command when the connection ends: as long as it runs, changes wait for review.
fn forwarded(arguments: &ReviewArguments) -> io::Result<(Vec<String>, Vec<OsString>)> {
    let free = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|it| it.local_addr());
    let port = arguments.port.map_or_else(|| free().map(|address| address.port()), Ok)?;
    let forward = format!("127.0.0.1:{port}:127.0.0.1:{port}");
    let options = ["-tt", "-o", "ExitOnForwardFailure=yes", "-L", &forward].map(str::to_owned);
    let mut more = Vec::new();
    if arguments.port.is_none() {
        more.extend(["--port".into(), port.to_string().into()]);
    }
    if !arguments.no_open {
        stream::note("Open the address in a browser on this machine. It works once.")?;
        more.push("--no-open".into());
    }
    Ok((options.into(), more))
}

impl Remote {
    /// Returns the command line for the shell of the other machine.
    fn script(&self, arguments: &[OsString]) -> OsString {
        let version = env!("CARGO_PKG_VERSION");
        let host = quoted(self.host.as_ref());
        let mut script = String::new();
        // Shells that are not interactive often lack these folders.
        script.push_str("PATH=$PATH:$HOME/.cargo/bin:$HOME/.local/bin:/usr/local/bin; ");
        let missing = "editd is not installed there, or not in the PATH of `ssh`";
        // Writing to a string cannot fail.
        let _ = write!(
            script,
            "command -v editd >/dev/null || {{ echo editd: {host}: '{missing}' >&2; exit 127; }}; "
        );
        let _ = write!(
            script,
            "[ \"$(editd --version)\" = 'editd {version}' ] || echo editd: note: {host} has \"$(editd --version)\", \
             and this machine editd {version}. Update the older one. >&2; "
        );
        if let Some(folder) = &self.folder {
            let _ = write!(script, "cd -- {} || exit 1; ", quoted(folder.as_ref()));
        }
        if let Ok(author) = std::env::var("EDITD_AUTHOR") {
            let _ = write!(script, "EDITD_AUTHOR={} ", quoted(author.as_ref()));
        }
        script.push_str("exec editd");
        let mut script = script.into_bytes();
        for argument in arguments {
            script.push(b' ');
            script.extend_from_slice(quoted_bytes(argument).as_slice());
        }
        // The user's shell may be one that does not know this syntax.
        let mut line = b"exec sh -c ".to_vec();
        line.extend_from_slice(&quoted_for_any_shell(&script));
        OsString::from_vec(line)
    }
}

/// Returns the arguments of this process without its name and without the first `--ssh`.
fn arguments(all: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<_> = all.skip(1).collect();
    if let Some(at) = arguments.iter().position(|it| it == "--ssh") {
        arguments.drain(at..(at + 2).min(arguments.len()));
    } else if let Some(at) = arguments.iter().position(|it| it.as_bytes().starts_with(b"--ssh=")) {
        arguments.remove(at);
    }
    arguments
}

/// Quotes a word so that `sh`, fish and csh read the same. In fish, a backslash between single quotes escapes.
fn quoted_for_any_shell(word: &[u8]) -> Vec<u8> {
    let mut quoted = b"'".to_vec();
    for byte in word {
        match byte {
            b'\'' => quoted.extend_from_slice(br#"'"'"'"#),
            b'\\' => quoted.extend_from_slice(br"'\\'"),
            byte => quoted.push(*byte),
        }
    }
    quoted.push(b'\'');
    quoted
}

/// Quotes a word for `sh`.
fn quoted(word: &OsStr) -> String {
    String::from_utf8_lossy(&quoted_bytes(word)).into_owned()
}

fn quoted_bytes(word: &OsStr) -> Vec<u8> {
    let mut quoted = b"'".to_vec();
    for byte in word.as_bytes() {
        match byte {
            b'\'' => quoted.extend_from_slice(b"'\\''"),
            byte => quoted.push(*byte),
        }
    }
    quoted.push(b'\'');
    quoted
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::machine("box", "box", None)]
    #[case::folder("ada@box:shop", "ada@box", Some("shop"))]
    #[case::absolute("box:/home/ada/my shop", "box", Some("/home/ada/my shop"))]
    #[case::colon_in_folder("box:a:b", "box", Some("a:b"))]
    #[case::ipv6("[::1]:shop", "::1", Some("shop"))]
    #[case::url("ssh://ada@box:2222/home/ada", "ssh://ada@box:2222", Some("/home/ada"))]
    #[case::url_without_folder("ssh://box", "ssh://box", None)]
    fn machines_and_folders(#[case] text: &str, #[case] host: &str, #[case] folder: Option<&str>) {
        let expected = Remote { host: host.to_owned(), folder: folder.map(str::to_owned) };
        assert_eq!(text.parse(), Ok(expected));
    }

    #[rstest]
    #[case::empty("")]
    #[case::only_a_folder(":shop")]
    #[case::option("-oProxyCommand=touch x")]
    #[case::url_without_machine("ssh:///shop")]
    #[case::line_break("box\nbox")]
    fn texts_that_name_no_machine(#[case] text: &str) {
        assert!(text.parse::<Remote>().is_err());
    }

    #[test]
    fn the_option_itself_is_not_passed_on() {
        let passed = |all: &[&str]| {
            let all = all.iter().map(OsString::from);
            arguments(all).into_iter().map(|it| it.into_string().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(passed(&["editd", "--ssh", "box", "log"]), ["log"]);
        assert_eq!(passed(&["editd", "log", "--ssh=box", "--limit", "1"]), ["log", "--limit", "1"]);
        assert_eq!(
            passed(&["editd", "--ssh", "box", "run", "--", "x", "--ssh", "y"]),
            ["run", "--", "x", "--ssh", "y"]
        );
    }

    #[test]
    fn words_are_quoted_for_shells() {
        assert_eq!(quoted("a b".as_ref()), "'a b'");
        assert_eq!(quoted("it's $HOME".as_ref()), r"'it'\''s $HOME'");
        assert_eq!(quoted_for_any_shell(br"it's \ $HOME"), br#"'it'"'"'s '\\' $HOME'"#);
    }
}
