//! A real Neovim with the plugin. Tests type keys like a user and read the screen.

use std::fs;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use rmpv::Value as Packed;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Machine, PATIENCE, installed};

/// Columns and lines of the screen.
pub(crate) const SCREEN: (u64, u64) = (80, 24);

/// A Neovim version installed by `scripts/install-editors`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Release {
    /// A version that the plugin supports.
    Current,
    /// 0.10, which is too old for the plugin.
    Old,
}

pub(crate) struct Nvim {
    process: Child,
    input: BufWriter<ChildStdin>,
    arrivals: Receiver<Packed>,
    last_id: u64,
    home: TempDir,
}

impl Nvim {
    /// Starts Neovim with these files open, and waits until the plugin is connected to the daemon.
    pub(crate) fn open(machine: &Machine, files: &[PathBuf]) -> Self {
        Self::with_options(machine, "", files)
    }

    /// Like [`Nvim::open`], with additional plugin options in Lua, such as `keymaps = true`.
    pub(crate) fn with_options(machine: &Machine, options: &str, files: &[PathBuf]) -> Self {
        let mut nvim = Self::start(machine, Release::Current, options, files);
        nvim.until_connected();
        nvim
    }

    /// Starts Neovim without waiting for the plugin.
    pub(crate) fn start(machine: &Machine, release: Release, options: &str, files: &[PathBuf]) -> Self {
        let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/nvim");
        let path = format!("vim.opt.runtimepath:prepend([[{}]])\n", plugin.display());
        Self::launch(machine, release, (None, files), |_| configuration(options) + &path)
    }

    /// Like [`Nvim::open`], started in this folder.
    pub(crate) fn open_in(machine: &Machine, folder: &Path, files: &[PathBuf]) -> Self {
        let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/nvim");
        let path = format!("vim.opt.runtimepath:prepend([[{}]])\n", plugin.display());
        let launch = (Some(folder), files);
        let mut nvim = Self::launch(machine, Release::Current, launch, |_| configuration("") + &path);
        nvim.until_connected();
        nvim
    }

    /// Starts Neovim after `install` has installed the plugin in the home folder. The returned text of
    /// `install` is appended to `init.lua`.
    pub(crate) fn installed(
        machine: &Machine,
        release: Release,
        files: &[PathBuf],
        install: impl FnOnce(&Path) -> String,
    ) -> Self {
        Self::launch(machine, release, (None, files), |home| configuration("") + &install(home))
    }

    /// Starts Neovim in a folder, by default one of its own, with these files open.
    fn launch(
        machine: &Machine,
        release: Release,
        (folder, files): (Option<&Path>, &[PathBuf]),
        configure: impl FnOnce(&Path) -> String,
    ) -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        let init = home.path().join("init.lua");
        fs::write(&init, configure(home.path())).expect("a configuration");
        let mut command = Command::new(program(release));
        command.args(["--embed", "-i", "NONE", "-u"]).arg(&init).args(files);
        command.current_dir(folder.unwrap_or(home.path())).envs(machine.surroundings());
        for kind in ["CONFIG", "DATA", "STATE", "CACHE"] {
            command.env(format!("XDG_{kind}_HOME"), home.path().join(kind));
        }
        let errors = fs::File::create(home.path().join("stderr")).expect("a file for stderr");
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .expect("a running Neovim");
        let input = BufWriter::new(process.stdin.take().expect("its input"));
        let mut output = BufReader::new(process.stdout.take().expect("its output"));
        let (sender, arrivals) = channel();
        thread::spawn(move || {
            while let Ok(message) = rmpv::decode::read_value(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut nvim = Self { process, input, arrivals, last_id: 0, home };
        let rgb = Packed::Map(vec![("rgb".into(), true.into())]);
        nvim.call("nvim_ui_attach", vec![SCREEN.0.into(), SCREEN.1.into(), rgb]);
        nvim
    }

    /// Waits until the plugin is connected and the daemon has all open buffers.
    pub(crate) fn until_connected(&mut self) {
        self.until("Neovim is connected", |nvim| {
            let connected = nvim.lua("return require('editd.client').state() == 'connected'");
            // Neovim can be connected to a daemon that ends, and connects again then.
            (connected == json!(true) && nvim.is_answered()).then_some(())
        });
    }

    /// Types keys without waiting for their effect.
    pub(crate) fn keys(&mut self, keys: &str) {
        self.call("nvim_input", vec![keys.into()]);
    }

    /// Runs Lua code. Its result must be representable in JSON.
    pub(crate) fn lua(&mut self, code: &str) -> Value {
        self.lua_with(code, &Value::Null)
    }

    /// Runs Lua code with an argument in `...`.
    pub(crate) fn lua_with(&mut self, code: &str, argument: &Value) -> Value {
        let wrapped = format!(
            "local result = (function(...) {code}\nend)(vim.json.decode(..., {{ luanil = {{ object = true }} }}))\n\
             return vim.json.encode(result)"
        );
        let arguments = Packed::Array(vec![argument.to_string().into()]);
        let answer = self.call("nvim_exec_lua", vec![wrapped.into(), arguments]);
        let json = answer.as_str().unwrap_or("null");
        serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"))
    }

    /// Quits Neovim as a user does, and waits until it has exited.
    pub(crate) fn quit(&mut self) {
        let quit = Packed::Array(vec![2.into(), "nvim_input".into(), Packed::Array(vec![":qa!<CR>".into()])]);
        rmpv::encode::write_value(&mut self.input, &quit).expect("a notification");
        self.input.flush().expect("Neovim accepts notifications");
        super::eventually("Neovim to exit", || self.process.try_wait().expect("a child"));
    }

    /// Waits until the daemon has processed all messages from Neovim.
    pub(crate) fn settle(&mut self) {
        assert!(self.is_answered(), "the daemon answers Neovim");
    }

    /// Waits until the daemon has processed all messages from Neovim. Returns `false` if the connection ends before.
    fn is_answered(&mut self) -> bool {
        let ask = "
            local done
            require('editd.client').request('editd/status', {}, function(err) done = err or true end)
            vim.wait(10000, function() return done ~= nil end, 2)
            return done == true";
        self.lua(ask) == json!(true)
    }

    /// Types keys, and waits until the buffer and the daemon have this text.
    pub(crate) fn types(&mut self, keys: &str, text: &str) {
        self.keys(keys);
        self.holds(text);
        self.settle();
    }

    /// Returns the text of the current buffer as sent over LSP.
    pub(crate) fn text(&mut self) -> String {
        let text = self.lua("return require('editd.document').text(0)");
        text.as_str().expect("a text").to_owned()
    }

    /// Returns the text of the buffer of a file.
    pub(crate) fn text_of(&mut self, path: &Path) -> String {
        let text = self.lua_with("return require('editd.document').text(vim.fn.bufnr(...))", &json!(path));
        text.as_str().expect("a text").to_owned()
    }

    /// Waits until the current buffer has this text.
    pub(crate) fn holds(&mut self, text: &str) {
        self.until(&format!("the buffer has {text:?}"), |nvim| (nvim.text() == text).then_some(()));
    }

    pub(crate) fn is_modified(&mut self) -> bool {
        self.lua("return vim.bo.modified") == json!(true)
    }

    pub(crate) fn mode(&mut self) -> String {
        self.lua("return vim.api.nvim_get_mode().mode").as_str().expect("a mode").to_owned()
    }

    /// Returns the lines of the screen, without trailing spaces.
    pub(crate) fn screen(&mut self) -> Vec<String> {
        let read = "
            vim.cmd.redraw()
            local lines = {}
            for row = 1, vim.o.lines do
              local cells = {}
              for col = 1, vim.o.columns do
                cells[col] = vim.fn.screenstring(row, col)
              end
              lines[row] = (table.concat(cells):gsub('%s+$', ''))
            end
            return lines";
        let lines = self.lua(read);
        let lines = lines.as_array().expect("lines").iter();
        lines.map(|line| line.as_str().expect("a line").to_owned()).collect()
    }

    /// Waits until a line of the screen contains this text, and returns that line.
    pub(crate) fn sees(&mut self, text: &str) -> String {
        self.until(&format!("{text:?} is shown"), |nvim| {
            nvim.screen().into_iter().find(|line| line.contains(text))
        })
    }

    /// Waits until no line of the screen contains this text.
    pub(crate) fn sees_no(&mut self, text: &str) {
        self.until(&format!("{text:?} is no longer shown"), |nvim| {
            nvim.screen().iter().all(|line| !line.contains(text)).then_some(())
        });
    }

    /// Like [`eventually`](super::eventually), but shows the screen on a timeout.
    pub(crate) fn until<T>(&mut self, what: &str, mut probe: impl FnMut(&mut Self) -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = probe(self) {
                return found;
            }
            if Instant::now() >= deadline {
                let text = self.text();
                panic!(
                    "timeout waiting until {what}; the buffer: {text:?}; the screen:\n{}",
                    self.screen().join("\n")
                );
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Returns the line and column of a text on the screen, from 1.
    pub(crate) fn position_of(&mut self, text: &str) -> (usize, usize) {
        self.sees(text);
        let screen = self.screen();
        let row = screen.iter().position(|line| line.contains(text)).expect("a line that was just shown");
        let before = screen[row].split(text).next().expect("the text before it");
        (row + 1, before.chars().count() + 1)
    }

    /// Returns the highlight attribute of a screen cell. Cells with equal highlighting have equal numbers.
    pub(crate) fn attribute_at(&mut self, (row, column): (usize, usize)) -> i64 {
        let attribute = self.lua_with(
            "local at = ... vim.cmd.redraw() return vim.fn.screenattr(at[1], at[2])",
            &json!([row, column]),
        );
        attribute.as_i64().expect("an attribute")
    }

    /// Returns the message history.
    pub(crate) fn messages(&mut self) -> String {
        let messages = self.lua("return vim.api.nvim_exec2('messages', { output = true }).output");
        messages.as_str().expect("messages").to_owned()
    }

    fn call(&mut self, method: &str, arguments: Vec<Packed>) -> Packed {
        self.last_id += 1;
        let request = Packed::Array(vec![0.into(), self.last_id.into(), method.into(), arguments.into()]);
        rmpv::encode::write_value(&mut self.input, &request).expect("a request");
        self.input.flush().expect("Neovim accepts requests");
        loop {
            match self.arrivals.recv_timeout(PATIENCE) {
                Ok(message) => {
                    if let Some(answer) = self.answer(&message, method) {
                        return answer;
                    }
                }
                Err(RecvTimeoutError::Timeout) => panic!("Neovim does not answer {method}"),
                Err(RecvTimeoutError::Disconnected) => panic!("Neovim exited: {}", self.errors()),
            }
        }
    }

    /// Returns the result if the message answers the last request. Other messages are screen updates.
    fn answer(&self, message: &Packed, method: &str) -> Option<Packed> {
        let [kind, id, error, result] = message.as_array()?.as_slice() else { return None };
        if kind.as_u64() != Some(1) || id.as_u64() != Some(self.last_id) {
            return None;
        }
        assert!(error.is_nil(), "{method}: {error}");
        Some(result.clone())
    }

    fn errors(&self) -> String {
        fs::read_to_string(self.home.path().join("stderr")).unwrap_or_default()
    }
}

impl Drop for Nvim {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        if thread::panicking() {
            let _ = writeln!(std::io::stderr(), "--- Neovim's errors ---\n{}", self.errors());
        }
    }
}

fn program(release: Release) -> PathBuf {
    installed(if release == Release::Old { "nvim-old" } else { "nvim" })
}

/// Returns a typical `init.lua`, independent of the tester's own.
fn configuration(options: &str) -> String {
    format!(
        "vim.g.editd = {{ cmd = {{ {:?}, 'lsp' }}, {options} }}\n\
         vim.o.swapfile = false\n\
         vim.o.ruler = false\n\
         vim.cmd('filetype plugin indent on | syntax on')\n",
        env!("CARGO_BIN_EXE_editd"),
    )
}
