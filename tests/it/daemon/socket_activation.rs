//! Tests of sockets that a service manager opens: the first connection starts the daemon.

use std::fs::{self, DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;

use rstest::rstest;
use rustix::process::{Signal, kill_process};

use crate::support::{Machine, Workspace, eventually, need, text_of};

/// A minimal service manager: it opens sockets and hands them to a program, at once (`once`) or on every
/// connection that no daemon accepts. It exists because `systemd-socket-activate` ends with its first
/// program.
const MANAGER: &str = r"
import fcntl, os, select, socket, sys
how, program, *sockets = sys.argv[1:]
def opened(word):
    kind, place = word.split(':', 1)
    if kind == 'tcp':
        return socket.create_server(('127.0.0.1', 0))
    if kind == 'file':
        return open(place)
    made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM if kind == 'datagrams' else socket.SOCK_STREAM)
    if os.path.exists(place):
        os.unlink(place)
    made.bind(place)
    if kind == 'stream':
        made.listen()
    return made
def begin():
    high = [fcntl.fcntl(each.fileno(), fcntl.F_DUPFD_CLOEXEC, 100) for each in opens]
    for at, number in enumerate(high):
        os.dup2(number, 3 + at)
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(opens)))
    os.execv(program, [program, 'serve'])
opens = [opened(word) for word in sockets]
if how == 'once':
    begin()
print('ready', flush=True)
while os.getppid() != 1:
    if select.select(opens, [], [], 1)[0]:
        child = os.fork() or begin()
        os.waitpid(child, 0)
";

struct Manager(Child);

impl Manager {
    /// Opens both sockets of a machine.
    fn start(machine: &Machine) -> Self {
        prepare(&machine.runtime());
        let sockets = [machine.agent_socket(), machine.editor_socket()];
        let sockets: Vec<_> = sockets.iter().map(|path| format!("stream:{}", path.display())).collect();
        let child = manager(machine, "each", &sockets).stdout(Stdio::piped()).spawn();
        let mut child = child.expect("python3 can be run");
        let mut ready = [0; 6];
        let output = child.stdout.as_mut().expect("its output");
        std::io::Read::read_exact(output, &mut ready).expect("it opens its sockets");
        Self(child)
    }
}

impl Drop for Manager {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn manager(machine: &Machine, how: &str, sockets: &[String]) -> Command {
    let mut command = Command::new("python3");
    command.args(["-c", MANAGER, how, env!("CARGO_BIN_EXE_editd")]).args(sockets);
    command.envs(machine.surroundings()).stdin(Stdio::null());
    command
}

fn prepare(folder: &Path) {
    DirBuilder::new().recursive(true).mode(0o700).create(folder).expect("a folder for the sockets");
}

fn edit(machine: &Machine, workspace: &Workspace, file: &str) -> Output {
    machine.run(&["edit", &workspace.absolute(file), "--old", "one", "--new", "two", "--yes"])
}

#[track_caller]
fn assert_edits(machine: &Machine, workspace: &Workspace, file: &str) {
    workspace.put(file, "one\n");
    let output = edit(machine, workspace, file);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(workspace.text(file), "two\n");
}

fn output_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
}

fn inode(path: &Path) -> u64 {
    path.symlink_metadata().unwrap_or_else(|error| panic!("{}: {error}", path.display())).ino()
}

#[test]
fn the_first_of_two_connections_starts_one_daemon_for_both() {
    need("systemd-socket-activate", "systemd");
    let (machine, workspace) = (Machine::asleep(""), Workspace::empty());
    prepare(&machine.runtime());
    let mut command = Command::new("systemd-socket-activate");
    for socket in [machine.agent_socket(), machine.editor_socket()] {
        command.arg("--listen").arg(socket);
    }
    for (name, _) in machine.surroundings() {
        command.args(["--setenv", name]);
    }
    command.args([env!("CARGO_BIN_EXE_editd"), "serve"]).envs(machine.surroundings());
    let mut activator = command.stderr(Stdio::null()).spawn().expect("it can be run");
    eventually("both sockets to be there", || {
        (machine.agent_socket().exists() && machine.editor_socket().exists()).then_some(())
    });
    let sockets = [inode(&machine.agent_socket()), inode(&machine.editor_socket())];
    assert!(output_text(&machine.run(&["status"])).contains("no daemon is running"));
    thread::scope(|scope| {
        for file in ["a.txt", "b.txt"] {
            let (machine, workspace) = (&machine, &workspace);
            scope.spawn(move || assert_edits(machine, workspace, file));
        }
    });
    let daemons: Vec<_> = machine.daemons().iter().map(|pid| pid.as_raw_nonzero().get()).collect();
    assert_eq!(daemons, [activator.id().cast_signed()]);
    assert!(output_text(&machine.run(&["status"])).contains(text_of(&machine.runtime())));
    assert!(machine.run(&["stop"]).status.success());
    let status = eventually("the daemon to end", || activator.try_wait().expect("a child's state"));
    assert!(status.success());
    assert_eq!([inode(&machine.agent_socket()), inode(&machine.editor_socket())], sockets, "they stay");
}

#[test]
fn a_connection_after_the_end_starts_the_next_daemon_and_nothing_else_does() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::empty());
    let _manager = Manager::start(&machine);
    let mut before = Vec::new();
    for file in ["a.txt", "b.txt", "c.txt"] {
        assert_edits(&machine, &workspace, file);
        let now = machine.daemons();
        assert!(now.len() == 1 && now != before, "{now:?} after {before:?}");
        assert!(output_text(&machine.run(&["stop"])).contains("Stopped the daemon"));
        for quiet in [["stop", "--no-spawn"], ["status", "--no-spawn"], ["log", "--no-spawn"]] {
            machine.run(&quiet);
            assert_eq!(machine.daemons(), [], "{quiet:?} starts none");
        }
        before = now;
    }
}

#[test]
fn an_idle_daemon_ends_and_a_killed_one_is_replaced() {
    let (machine, workspace) = (Machine::asleep("idle_exit = \"1s\"\n"), Workspace::empty());
    let _manager = Manager::start(&machine);
    assert_edits(&machine, &workspace, "a.txt");
    eventually("the idle daemon to end", || machine.daemons().is_empty().then_some(()));
    assert_edits(&machine, &workspace, "b.txt");
    kill_process(machine.daemons()[0], Signal::KILL).expect("it can be killed");
    assert_edits(&machine, &workspace, "c.txt");
}

#[test]
fn editors_and_agents_reach_it_through_their_bridges() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\n"));
    let _manager = Manager::start(&machine);
    for bridge in ["lsp", "mcp"] {
        let initialize = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "a", "version": "1" },
            "rootUri": format!("file://{}", workspace.root().display()) } })
        .to_string();
        let framed = if bridge == "lsp" {
            format!("Content-Length: {}\r\n\r\n{initialize}", initialize.len())
        } else {
            initialize + "\n"
        };
        let output = machine.run_with_input(&[bridge], &framed);
        assert!(output_text(&output).contains("\"id\":1"), "{bridge}: {}", output_text(&output));
    }
    assert_edits(&machine, &workspace, "b.txt");
    assert_eq!(machine.daemons().len(), 1);
}

#[test]
fn a_daemon_with_its_own_sockets_yields_to_the_service_manager() {
    let (mut machine, workspace) = (Machine::start(), Workspace::empty());
    let _manager = Manager::start(&machine);
    assert_edits(&machine, &workspace, "a.txt");
    assert!(machine.until_ended().success());
    assert_edits(&machine, &workspace, "b.txt");
}

#[test]
fn a_daemon_whose_socket_was_removed_ends() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::empty());
    let manager = Manager::start(&machine);
    assert_edits(&machine, &workspace, "a.txt");
    let first = machine.daemons();
    drop(manager);
    let _other = Manager::start(&machine);
    eventually("the first to end", || (machine.daemons() != first).then_some(()));
    assert_edits(&machine, &workspace, "b.txt");
}

#[test]
fn sockets_for_another_process_are_ignored() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\n"));
    let mut command =
        machine.command(&["edit", &workspace.absolute("a.txt"), "--old", "one", "--new", "two"]);
    let output = command.arg("--yes").env("LISTEN_PID", "1").env("LISTEN_FDS", "2").output();
    let output = output.expect("editd can be run");
    assert!(output.status.success(), "{}", output_text(&output));
}

/// Sockets to pass to the manager, relative to the folder of the sockets, and the expected reason for the
/// refusal.
#[rstest]
#[case::none(&[], "there is no agent.sock")]
#[case::one(&["stream:agent.sock"], "there is no editor.sock")]
#[case::another(&["stream:agent.sock", "stream:editor.sock", "stream:third.sock"], "third.sock is neither")]
#[case::twice(&["stream:agent.sock", "stream:other/agent.sock"], "number 2 has the same name as another")]
#[case::datagrams(&["datagrams:agent.sock", "stream:editor.sock"], "number 1 is not a listening Unix stream socket")]
#[case::deaf(&["stream:agent.sock", "deaf:editor.sock"], "number 2 is not a listening Unix stream socket")]
#[case::network(&["tcp:", "stream:editor.sock"], "number 1 is not a listening Unix stream socket")]
#[case::file(&["stream:agent.sock", "file:/dev/null"], "number 2 is not a listening Unix stream socket")]
#[case::apart(&["stream:agent.sock", "stream:other/editor.sock"], "are in different folders")]
fn other_sockets_are_refused(#[case] words: &[&str], #[case] reason: &str) {
    let machine = Machine::asleep("");
    prepare(&machine.runtime().join("other"));
    let place = |word: &&str| match word.split_once(':') {
        Some((kind, name)) => format!("{kind}:{}", machine.runtime().join(name).display()),
        None => unreachable!("{word}"),
    };
    let words: Vec<String> = words.iter().map(place).collect();
    let output = manager(&machine, "once", &words).output().expect("python3 can be run");
    assert!(!output.status.success());
    assert!(output_text(&output).contains(reason), "{}", output_text(&output));
}

#[test]
fn a_folder_that_others_may_enter_is_refused() {
    let machine = Machine::asleep("");
    prepare(&machine.runtime());
    fs::set_permissions(machine.runtime(), Permissions::from_mode(0o777)).expect("a mode");
    let words = [machine.agent_socket(), machine.editor_socket()];
    let words: Vec<_> = words.iter().map(|path| format!("stream:{}", path.display())).collect();
    let output = manager(&machine, "once", &words).output().expect("python3 can be run");
    assert!(!output.status.success());
    assert!(output_text(&output).contains("is not safe to use"), "{}", output_text(&output));
    assert!(UnixStream::connect(machine.agent_socket()).is_err());
}

#[test]
fn the_units_are_what_systemd_expects() {
    need("systemd-analyze", "systemd");
    let units = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("packaging/systemd/user");
    let runtime = tempfile::tempdir().expect("a temporary folder");
    let mut command = Command::new("systemd-analyze");
    command.args(["--user", "verify"]).args(["editd.socket", "editd.service"].map(|unit| units.join(unit)));
    let output = command.env("XDG_RUNTIME_DIR", runtime.path()).output().expect("it can be run");
    assert!(output.status.success() && output.stderr.is_empty(), "{}", output_text(&output));
    let socket = fs::read_to_string(units.join("editd.socket")).expect("a unit");
    let sockets = ["agent.sock", "editor.sock"].map(|name| format!("ListenStream=%t/editd/{name}\n"));
    for line in [&sockets[0], &sockets[1], "DirectoryMode=0700\n", "SocketMode=0600\n"] {
        assert!(socket.contains(line), "{line} in {socket}");
    }
}
