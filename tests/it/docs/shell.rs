//! A shell on a pseudo-terminal that runs commands one by one.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::support::plain;

/// Endings of questions.
pub(super) const QUESTIONS: &[&str] = &["[y/N] ", ",q,?]? ", "author: "];
/// Encloses the exit code after the output of a command.
const MARK: char = '\u{1e}';
/// Longest time without output from a command.
const SILENCE: Duration = Duration::from_secs(60);
const SIZE: Winsize = Winsize { ws_row: 40, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };

pub(super) struct Shell {
    process: Child,
    /// Named pipe from which bash reads commands, so that the commands have the terminal for themselves.
    commands: File,
    keyboard: File,
    shown: Receiver<Vec<u8>>,
}

/// The result of a command.
pub(super) struct Ran {
    pub(super) shown: String,
    pub(super) code: i32,
}

impl Shell {
    /// Starts bash in the given environment. It reads its commands from a named pipe in `folder`.
    pub(super) fn start(folder: &Path, environment: impl FnOnce(&mut Command)) -> Self {
        let script = folder.join("commands");
        mknodat(CWD, &script, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a named pipe");
        // Opened for reading, too, so that opening does not wait for bash.
        let commands = File::options().read(true).write(true).open(&script).expect("a named pipe opens");
        let (screen, terminal) = terminal();
        let mut command = Command::new("setsid");
        command.args(["--ctty", "--wait", "bash"]).arg(&script);
        command.stdin(copy(&terminal)).stdout(copy(&terminal)).stderr(terminal);
        environment(&mut command);
        let process = command.spawn().expect("setsid and bash can be run");
        let keyboard = screen.try_clone().expect("a second handle");
        Self { process, commands, keyboard, shown: listen(screen) }
    }

    /// Runs a command to its end. Answers its questions in order, and ends the input if no answer is left.
    pub(super) fn run(
        &mut self,
        command: &str,
        mut answers: impl Iterator<Item = String>,
    ) -> Result<Ran, String> {
        write!(self.commands, "{command}\nprintf '{MARK}%d{MARK}' $?\n").expect("bash takes commands");
        let (mut bytes, mut answered) = (Vec::new(), 0);
        loop {
            let more = self.shown.recv_timeout(SILENCE).map_err(|error| {
                let what =
                    if error == RecvTimeoutError::Timeout { "does not end" } else { "ended the shell" };
                format!("`{}` {what}; it showed:\n{}", command.trim(), text(&bytes))
            })?;
            bytes.extend(more);
            let shown = text(&bytes);
            if let Some(ran) = ended(&shown) {
                return Ok(ran);
            }
            if shown.len() > answered && QUESTIONS.iter().any(|question| shown.ends_with(question)) {
                let typed = answers.next().map_or("\u{4}".to_owned(), |answer| answer + "\n");
                self.keyboard.write_all(typed.as_bytes()).expect("a terminal takes what is typed");
                answered = shown.len();
            }
        }
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        // Its children end when the terminal is closed.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn ended(shown: &str) -> Option<Ran> {
    let (shown, code) = shown.strip_suffix(MARK)?.rsplit_once(MARK)?;
    Some(Ran { shown: shown.to_owned(), code: code.parse().ok()? })
}

fn text(bytes: &[u8]) -> String {
    plain(&String::from_utf8_lossy(bytes))
}

/// Opens a pseudo-terminal and returns both ends.
fn terminal() -> (File, OwnedFd) {
    let screen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&screen).and_then(|()| unlockpt(&screen)).expect("its other end can be opened");
    tcsetwinsize(&screen, SIZE).expect("it has a size");
    let name = ptsname(&screen, Vec::new()).expect("it has a name").into_string().expect("of ASCII");
    (screen.into(), File::options().read(true).write(true).open(name).expect("its other end").into())
}

fn copy(terminal: &OwnedFd) -> OwnedFd {
    terminal.try_clone().expect("a second handle")
}

/// Forwards output until the terminal is closed.
fn listen(mut screen: File) -> Receiver<Vec<u8>> {
    let (sender, shown) = channel();
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count) = screen.read(&mut buffer) {
            if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    shown
}
