//! A command on a terminal of its own, and a person who types an answer.

use std::path::Path;
use std::process::{Command, Stdio};

use super::Machine;

/// Runs a command on a new pseudo-terminal of 80 columns, answers each time it is asked, and passes on output and
/// exit code.
const DRIVER: &str = r"
import fcntl, os, pty, re, select, struct, sys, termios, time
count = int(sys.argv[1])
answers, argv = [it.encode() for it in sys.argv[2:2 + count]], sys.argv[2 + count:]
question = re.compile(rb'[yY]/[nN]|\[[yt],n,[^\]]*\]\? $|author: $')
pid, terminal = pty.fork()
if pid == 0:
    os.execv(argv[0], argv)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 40, 80, 0, 0))
shown, seen, deadline = b'', 0, time.monotonic() + 25
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
    plain = re.sub(rb'\x1b\[[0-9;]*[A-Za-z]', b'', shown)
    if answers and question.search(plain, seen):
        os.write(terminal, answers.pop(0))
        seen = len(plain)
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
    converse(machine, &machine.home(), arguments, &[answer], environment)
}

/// The same in a folder, with an answer to each question.
pub(crate) fn converse(
    machine: &Machine,
    folder: &Path,
    arguments: &[&str],
    answers: &[&str],
    environment: &[(&str, &str)],
) -> Typed {
    let mut command = Command::new("python3");
    command.args(["-c", DRIVER, &answers.len().to_string()]).args(answers);
    command.arg(env!("CARGO_BIN_EXE_editd")).args(arguments);
    command.current_dir(folder).envs(machine.surroundings()).env_remove("NO_COLOR");
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
