//! A command on a terminal of its own, and a person who types an answer.

use std::process::{Command, Stdio};

use super::Machine;

/// Runs a command on a new pseudo-terminal, answers when it is asked, and passes on output and exit code.
const DRIVER: &str = r"
import os, pty, re, select, sys, time
answer, argv = sys.argv[1].encode(), sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    os.execv(argv[0], argv)
shown, answered, deadline = b'', False, time.monotonic() + 25
while True:
    left = deadline - time.monotonic()
    if left <= 0:
        os.kill(pid, 9)
        sys.exit('no end in time after: %r' % shown)
    if not select.select([terminal], [], [], left)[0]:
        continue
    try:
        more = os.read(terminal, 65536)
    except OSError:
        break
    if not more:
        break
    shown += more
    if not answered and re.search(rb'[yY]/[nN]', re.sub(rb'\x1b\[[0-9;]*[A-Za-z]', b'', shown)):
        os.write(terminal, answer)
        answered = True
status = os.waitpid(pid, 0)[1]
sys.stdout.buffer.write(shown)
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(status))
";

pub(crate) struct Typed {
    /// All that the terminal showed, colours included.
    pub(crate) shown: String,
    pub(crate) code: i32,
}

pub(crate) fn type_into(
    machine: &Machine,
    arguments: &[&str],
    answer: &str,
    environment: &[(&str, &str)],
) -> Typed {
    let mut command = Command::new("python3");
    command.args(["-c", DRIVER, answer, env!("CARGO_BIN_EXE_editd")]).args(arguments);
    command.current_dir(machine.home()).envs(machine.surroundings()).env_remove("NO_COLOR");
    command.envs(environment.iter().copied()).stdin(Stdio::null());
    let output = command.output().expect("python3 drives the terminal");
    let code = output.status.code().expect("an exit code");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(complaint.is_empty(), "the terminal's driver: {complaint}");
    Typed { shown: String::from_utf8_lossy(&output.stdout).into_owned(), code }
}

/// What was shown, without colours and carriage returns.
pub(crate) fn plain(shown: &str) -> String {
    let mut plain = String::new();
    let mut rest = shown;
    while let Some((before, after)) = rest.split_once("\x1b[") {
        plain.push_str(before);
        let end = after.find(|character: char| character.is_ascii_alphabetic());
        rest = &after[end.map_or(after.len(), |end| end + 1)..];
    }
    plain.push_str(rest);
    plain.replace('\r', "")
}
