//! Runs a command on a new pseudo-terminal and types answers to its prompts.

use std::path::Path;
use std::process::{Command, Stdio};

use super::{Machine, TESTERS};

/// Runs a command on a new pseudo-terminal, answers each prompt, and returns output and exit code.
const DRIVER: &str = r"
import fcntl, os, pty, re, select, struct, sys, termios, time
columns, count = int(sys.argv[1]), int(sys.argv[2])
answers, argv = [it.encode() for it in sys.argv[3:3 + count]], sys.argv[3 + count:]
question = re.compile(rb'[yY]/[nN]|\[[yt],[nt],[^\]]*\]\? $|author: $|to quit\. $')
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 40, columns, 0, 0))
    os.execv(argv[0], argv)
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
    /// Complete output of the terminal, including colors.
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

/// Runs editd in a folder, with an answer to each prompt.
pub(crate) fn converse(
    machine: &Machine,
    folder: &Path,
    arguments: &[&str],
    answers: &[&str],
    environment: &[(&str, &str)],
) -> Typed {
    converse_on(Screen { columns: 80, environment }, machine, folder, arguments, answers)
}

/// Width of the terminal in columns, and additional environment variables.
#[derive(Clone, Copy)]
pub(crate) struct Screen<'s> {
    pub(crate) columns: usize,
    pub(crate) environment: &'s [(&'s str, &'s str)],
}

pub(crate) fn converse_on(
    screen: Screen<'_>,
    machine: &Machine,
    folder: &Path,
    arguments: &[&str],
    answers: &[&str],
) -> Typed {
    let program = [&[env!("CARGO_BIN_EXE_editd")], arguments].concat();
    drive(screen, machine, folder, &program, answers)
}

/// Runs a shell command line in which `editd` is the program under test.
pub(crate) fn shell(machine: &Machine, folder: &Path, line: &str, answers: &[&str]) -> Typed {
    let programs = Path::new(env!("CARGO_BIN_EXE_editd")).parent().expect("a folder").display().to_string();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap_or_default());
    let screen = Screen { columns: 80, environment: &[("PATH", &path), ("MANPAGER", "cat")] };
    drive(screen, machine, folder, &["/bin/sh", "-c", line], answers)
}

fn drive(screen: Screen<'_>, machine: &Machine, folder: &Path, program: &[&str], answers: &[&str]) -> Typed {
    let mut command = Command::new("python3");
    command.args(["-c", DRIVER, &screen.columns.to_string(), &answers.len().to_string()]);
    command.args(answers).args(program);
    for name in TESTERS {
        command.env_remove(name);
    }
    command.current_dir(folder).envs(machine.surroundings());
    command.envs(screen.environment.iter().copied()).stdin(Stdio::null());
    let output = command.output().expect("python3 drives the terminal");
    let code = output.status.code().expect("an exit code");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.is_empty(), "the terminal's driver: {errors}");
    Typed { shown: String::from_utf8_lossy(&output.stdout).into_owned(), code }
}

/// Removes colors and carriage returns from terminal output.
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
