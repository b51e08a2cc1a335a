//! Commands on another machine: this one, by a real `sshd` on the loopback interface.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

use crate::support::{Bridge, Framing, Machine, Outcome, Workspace, eventually, need, run, text_of, uri_of};

/// A machine that is reached by `ssh`, whose `editd` uses the daemon of `machine`.
struct Remote {
    machine: Machine,
    workspace: Workspace,
    folder: PathBuf,
    port: u16,
    sshd: Child,
}

impl Remote {
    /// Starts `sshd` with these programs in its `PATH`.
    fn start(install: impl FnOnce(&Path)) -> Self {
        need("sshd", "openssh-server");
        need("ssh", "openssh-client");
        let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
        let folder = machine.home().join("ssh");
        let programs = folder.join("bin");
        fs::create_dir_all(&programs).expect("a folder");
        install(&programs);
        for key in ["host", "user"] {
            let path = folder.join(key);
            run("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", text_of(&path)]);
        }
        let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port").port();
        let variables = machine.surroundings().into_iter().filter(|(name, _)| name.starts_with("EDITD"));
        let variables: Vec<_> =
            variables.map(|(name, value)| format!("{name}={}", text_of(&value))).collect();
        let path = format!("{}:/usr/bin:/bin", text_of(&programs));
        let config = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {host}\nAuthorizedKeysFile {user}.pub\nStrictModes no\n\
             PasswordAuthentication no\nUsePAM no\nPidFile none\nSetEnv PATH={path} {}\n",
            variables.join(" "),
            host = text_of(&folder.join("host")),
            user = text_of(&folder.join("user")),
        );
        fs::write(folder.join("sshd_config"), config).expect("a file");
        let client = format!(
            "IdentityFile {}\nIdentitiesOnly yes\nStrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nLogLevel ERROR\n",
            text_of(&folder.join("user"))
        );
        fs::write(folder.join("ssh_config"), client).expect("a file");
        // It separates privileges in this folder.
        fs::create_dir_all("/run/sshd").expect("a folder");
        let sshd = Command::new("/usr/sbin/sshd")
            .args(["-D", "-e", "-f"])
            .arg(folder.join("sshd_config"))
            .stderr(Stdio::null())
            .spawn()
            .expect("sshd can be run");
        eventually("sshd answers", || TcpStream::connect(("127.0.0.1", port)).ok());
        Self { machine, workspace, folder, port, sshd }
    }

    fn with_editd() -> Self {
        Self::start(|programs| {
            symlink(env!("CARGO_BIN_EXE_editd"), programs.join("editd")).expect("a link");
        })
    }

    /// Returns the name of the folder on the machine.
    fn name(&self) -> String {
        format!("ssh://127.0.0.1:{}{}", self.port, text_of(self.workspace.root()))
    }

    /// Returns a command of a user on this machine, who has no daemon.
    fn command(&self, arguments: &[&str]) -> Command {
        let home = self.folder.join("home");
        fs::create_dir_all(&home).expect("a folder");
        let mut command = Command::new(env!("CARGO_BIN_EXE_editd"));
        command.args(["--ssh", &self.name()]).args(arguments).current_dir(&home);
        command.env_clear().env("HOME", &home).env("PATH", "/usr/bin:/bin");
        command.env("EDITD_SSH", format!("ssh -F {}", text_of(&self.folder.join("ssh_config"))));
        command
    }

    fn run(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = assert_cmd::Command::from_std(self.command(arguments));
        command.write_stdin(input).timeout(crate::support::PATIENCE).output().expect("editd can be run")
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        let _ = self.sshd.kill();
        let _ = self.sshd.wait();
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn commands_work_on_the_files_of_the_other_machine() {
    let remote = Remote::with_editd();
    let edited = remote.run(&["edit", "a.txt", "--old", "one", "--new", "1", "--yes"], "");
    assert_eq!((edited.status.code(), text(&edited.stderr)), (Some(0), String::new()), "{edited:?}");
    assert_eq!(remote.workspace.text("a.txt"), "1\n");

    let odd = "it's \"$HOME\" `date` \\ * ü 🙂\n$(x)";
    remote.run(&["edit", "a.txt", "--old", "1", "--new", odd, "--yes"], "");
    assert_eq!(remote.workspace.text("a.txt"), format!("{odd}\n"));

    let written = remote.run(&["write", "b c.txt", "--yes"], "from here\n");
    assert!(written.status.success(), "{written:?}");
    assert_eq!(remote.workspace.text("b c.txt"), "from here\n");

    let listed: Value =
        serde_json::from_slice(&remote.run(&["log", "--output", "json"], "").stdout).expect("JSON");
    assert_eq!(listed["transactions"].as_array().map(Vec::len), Some(3));
    assert!(!remote.folder.join("home/.local").exists(), "no daemon was started here");
}

#[test]
fn refusals_and_exit_codes_are_those_of_the_other_machine() {
    let remote = Remote::with_editd();
    let refused = remote.run(&["edit", "a.txt", "--old", "nowhere", "--new", "x", "--yes"], "");
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("is not in"), "{refused:?}");
    let review = remote.run(&["edit", "a.txt", "--old", "one", "--new", "1", "--review"], "");
    assert_eq!(review.status.code(), Some(3), "{review:?}");
}

#[test]
fn agents_reach_the_other_machine_over_mcp() {
    let remote = Remote::with_editd();
    let client = json!({ "name": "robot", "version": "1" });
    let initialize = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    let messages = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "read", "arguments": { "path": "a.txt" },
        } }),
    ];
    let input = messages.map(|message| message.to_string()).join("\n") + "\n";
    let output = remote.run(&["mcp"], &input);
    assert!(text(&output.stdout).contains("1\\tone"), "{output:?}");
}

#[test]
fn an_editor_lends_its_buffers_to_the_other_machine() {
    let remote = Remote::with_editd();
    let mut editor = Bridge::of(remote.command(&["lsp"]), Framing::Headers).editor;
    editor.initialize(remote.workspace.session("person")).done();
    let uri = uri_of(&remote.workspace.path("a.txt"));
    let document = json!({ "uri": uri, "languageId": "text", "version": 1, "text": "unsaved\n" });
    editor.notify("textDocument/didOpen", json!({ "textDocument": document }));
    let mut agent = remote.machine.agent(&remote.workspace);
    eventually("the unsaved text", || (agent.read("a.txt")["text"] == "unsaved\n").then_some(()));
}

#[test]
fn another_version_is_reported() {
    let remote = Remote::start(|programs| {
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && echo 'editd 9.9.9' || exec {} \"$@\"\n",
            env!("CARGO_BIN_EXE_editd")
        );
        let path = programs.join("editd");
        fs::write(&path, script).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
    });
    let read = remote.run(&["read", "a.txt"], "");
    assert_eq!(text(&read.stdout), "one\n");
    assert!(text(&read.stderr).contains("has editd 9.9.9, and this machine editd"), "{read:?}");
}

#[test]
fn a_machine_without_editd_or_without_ssh_is_reported() {
    let mut remote = Remote::start(|_| {});
    let read = remote.run(&["read", "a.txt"], "");
    assert_eq!(read.status.code(), Some(127), "{read:?}");
    assert!(text(&read.stderr).contains("editd is not installed there"), "{read:?}");
    remote.sshd.kill().expect("a running process");
    remote.sshd.wait().expect("an end");
    let read = remote.run(&["read", "a.txt"], "");
    assert_eq!(read.status.code(), Some(1), "{read:?}");
    let said = text(&read.stderr);
    assert!(said.contains("could not run editd on") && said.contains("check that `ssh"), "{said}");
    assert!(remote.machine.home().exists());
}
