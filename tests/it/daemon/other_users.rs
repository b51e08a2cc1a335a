//! Tests that another user of the machine is not served, even if the sockets' permissions let that user
//! connect.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::support::{Machine, Workspace};

const NOBODY: u32 = 65_534;

/// Connects, sends `initialize`, and prints the output until the connection ends.
const STRANGER: &str = r#"
import socket, sys
stream = socket.socket(socket.AF_UNIX)
stream.settimeout(20)
stream.connect(sys.argv[1])
try:
    stream.sendall(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"nobody"}}}\n')
    while True:
        more = stream.recv(65536)
        if not more:
            break
        sys.stdout.buffer.write(more)
except (BrokenPipeError, ConnectionResetError):
    pass
"#;

fn open_to_all(path: &Path, mode: u32) {
    fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("a mode");
}

#[test]
fn another_user_gets_no_answer_on_either_socket() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    open_to_all(machine.runtime().parent().expect("the machine's folder"), 0o755);
    open_to_all(&machine.runtime(), 0o755);
    for socket in [machine.agent_socket(), machine.editor_socket()] {
        open_to_all(&socket, 0o666);
        let mut command = Command::new("/usr/bin/python3");
        command.args(["-c", STRANGER]).arg(&socket).current_dir("/").uid(NOBODY).gid(NOBODY);
        let output = command.output().expect("python3 can be run");
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{complaint}");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(!printed.contains("\"result\""), "a stranger was served: {printed}");
    }
    machine.agent(&workspace).read("a.txt");
}
