//! A shell on a terminal of its own, which is told one command after the other.

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

/// How a line ends in which a person is asked.
pub(super) const QUESTIONS: &[&str] = &["[y/N] ", ",q,?]? ", "author: "];
/// Around the exit code, after the output of a command.
const MARK: char = '\u{1e}';
/// The longest that a command may say nothing.
const SILENCE: Duration = Duration::from_secs(60);
const SIZE: Winsize = Winsize { ws_row: 40, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };

pub(super) struct Shell {
    process: Child,
    /// Where it reads its commands, so that the terminal is left to them.
    commands: File,
    keyboard: File,
    shown: Receiver<Vec<u8>>,
}

/// What a command did.
pub(super) struct Ran {
    pub(super) shown: String,
    pub(super) code: i32,
}

impl Shell {
    /// Starts bash with what `command` has of surroundings; it reads its commands from a pipe in `folder`.
    pub(super) fn start(folder: &Path, surroundings: impl FnOnce(&mut Command)) -> Self {
        let script = folder.join("commands");
        mknodat(CWD, &script, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a named pipe");
        // Also for reading, so that it opens before bash does.
        let commands = File::options().read(true).write(true).open(&script).expect("a named pipe opens");
        let (screen, terminal) = terminal();
        let mut command = Command::new("setsid");
        command.args(["--ctty", "--wait", "bash"]).arg(&script);
        command.stdin(copy(&terminal)).stdout(copy(&terminal)).stderr(terminal);
        surroundings(&mut command);
        let process = command.spawn().expect("setsid and bash can be run");
        let keyboard = screen.try_clone().expect("a second handle");
        Self { process, commands, keyboard, shown: listen(screen) }
    }

    /// Runs a command to its end. Questions are answered one by one, and those without an answer with the end of input.
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
        // Its terminal goes with it, and so do its children.
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

/// Both ends of a new terminal.
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

/// What is shown, as it comes, until the terminal is nobody's any more.
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
