//! Commands on another machine: this one, by a real `sshd` on the loopback interface.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};

use crate::support::{
    Bridge, Framing, Machine, Outcome, Workspace, eventually, http, need, need_root, run, text_of, uri_of,
};

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
        Self::of(Machine::start(), install, "")
    }

    /// Starts `sshd` with these programs in its `PATH`, and with these lines in its configuration.
    fn of(machine: Machine, install: impl FnOnce(&Path), more: &str) -> Self {
        need("sshd", "openssh-server");
        need("ssh", "openssh-client");
        let workspace = Workspace::file("a.txt", "one\n");
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
             PasswordAuthentication no\nUsePAM no\nPidFile none\nSetEnv PATH={path} {}\n{more}",
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
        Self::start(install_editd)
    }

    /// Has `ssh` reach the machine in a network of its own, so that its ports are not those of this machine.
    fn leave_network(&self) {
        need_root();
        need("ip", "iproute2");
        let sshd = format!("exec /usr/sbin/sshd -i -f {}", text_of(&self.folder.join("sshd_config")));
        let proxy = format!("ProxyCommand unshare --net sh -c 'ip link set lo up && {sshd}'\n");
        let path = self.folder.join("ssh_config");
        let config = fs::read_to_string(&path).expect("a file");
        fs::write(path, config + &proxy).expect("a file");
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

fn install_editd(programs: &Path) {
    symlink(env!("CARGO_BIN_EXE_editd"), programs.join("editd")).expect("a link");
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
fn words_reach_the_other_machine_unchanged_through_fish() {
    need("fish", "fish");
    let fish = "ForceCommand exec fish --no-config -c \"$SSH_ORIGINAL_COMMAND\"\n";
    let remote = Remote::of(Machine::start(), install_editd, fish);
    let odd = r#"it's 'a' \ \\ \' \n "$HOME" $(x) `x` ü %self ~ * {a,b}"#.to_owned() + "\n end";
    let edited = remote.run(&["edit", "a.txt", "--old", "one", "--new", &odd, "--yes"], "");
    assert!(edited.status.success(), "{edited:?}");
    assert_eq!(remote.workspace.text("a.txt"), format!("{odd}\n"));
}

#[test]
fn the_review_page_of_the_other_machine_is_reached_at_its_address() {
    let remote = Remote::of(Machine::configured("review = \"auto\""), install_editd, "");
    remote.leave_network();
    let mut command = remote.command(&["review", "--web", "--output", "json"]);
    let mut ssh =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("editd");
    let mut line = String::new();
    BufReader::new(ssh.stdout.take().expect("a captured stdout")).read_line(&mut line).expect("a line");
    let printed: Value = serde_json::from_str(line.trim()).unwrap_or_else(|error| panic!("{error}: {line}"));
    let address =
        printed["address"].as_str().and_then(|it| it.strip_prefix("http://127.0.0.1:")).expect("a port");
    let (port, _) = address.split_once('/').expect("a path");
    let page = http::request(port.parse().expect("a number"), ("GET", "/"), &[], "");
    assert_eq!(page.status, 200, "{page:?}");

    let mut agent = remote.machine.agent(&remote.workspace);
    agent.read("a.txt");
    assert_eq!(agent.edit("a.txt", "one", "two").done()["state"], "pending");
    kill_process(Pid::from_child(&ssh), Signal::TERM).expect("a running process");
    ssh.wait().expect("an end");
    let path = remote.workspace.path("b.txt");
    let write = json!({ "changes": [{ "kind": "write", "path": path, "content": "b" }] });
    eventually("the page to end with the connection", || {
        let written = agent.call("editd/edit", write.clone()).done();
        (written["state"] == "applied").then_some(())
    });
}

#[test]
fn a_killed_command_leaves_no_ssh() {
    let machine = Machine::asleep("");
    let started = machine.home().join("started");
    let mut command = machine.command(&["--ssh", "box", "status"]);
    // Stands for an `ssh` whose connection stays open.
    let script = machine.home().join("ssh");
    fs::write(&script, format!("#!/bin/sh\necho $$ >{}\nexec sleep 1000\n", started.display()))
        .expect("a script");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("a program");
    let mut running = command.env("EDITD_SSH", &script).stdin(Stdio::null()).spawn().expect("editd");
    let pid = eventually("ssh to run", || {
        let text = fs::read_to_string(&started).ok()?;
        Pid::from_raw(text.trim().parse().ok()?)
    });
    running.kill().expect("a running process");
    running.wait().expect("an end");
    eventually("ssh to end", || test_kill_process(pid).is_err().then_some(()));
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
