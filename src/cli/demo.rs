//! `editd demo`: a scripted agent on a real socket and a scripted person at a terminal, with their own folder
//! and daemon. Only the requests are scripted; all output shows the real messages.

mod narrator;
mod sandbox;

use std::fs;
use std::io::{IsTerminal, Write};
use std::sync::Arc;

use serde_json::{Value, json};

use editd_daemon::transport::{CallError, Client};
use editd_protocol::{Edit, Method, ProposalMethod, Read};

use super::{CliError, End, paint, stream};

use narrator::Narrator;
use sandbox::{Sandbox, Signals};

const AGENT: &str = "robin";
const FILE: &str = "cart.py";
const TEXT: &str = "\
def total(items):
    \"\"\"What the customer\u{2019}s items cost.\"\"\"
    return sum(item.price for item in items)

def label(item):
    return f\"{item.name}: {item.price}\"
";
/// Time that the agent waits for the outcome of the review, which has already ended.
const WAIT_MS: u64 = 5000;

type Step = fn(&mut Demo) -> Result<(), CliError>;

/// The steps with their titles and explanations.
const STEPS: [(&str, &str, Step); 5] = [
    (
        "The agent reads a file",
        "An agent can only change files that it has read through editd, which remembers what each agent has read.",
        Demo::read,
    ),
    (
        "An edit that is nearly right",
        "Models misremember spaces and quotes: robin omits the indentation and types a straight ' where the file has \u{2019}. Only one place in the file matches, so editd applies the edit there, and keeps the file's own indentation and typography.",
        Demo::tolerate,
    ),
    (
        "You change the file, too",
        "Now you open the file, make it accept None for items, and save. robin has not read your change, so editd refuses its next edit and shows it what you changed. robin reads that and sends the edit again.",
        Demo::refuse,
    ),
    (
        "You review the agent's change",
        "For its next change robin asks for a review. (You can configure that for every change; with an editor connected you review there.) You accept the first of two hunks, and reject the second with a comment.",
        Demo::review,
    ),
    (
        "You undo a change",
        "You can undo the changes of any agent, and later changes stay. The history lists changes with their authors, newest first.",
        Demo::undo,
    ),
];

/// `editd demo`.
pub(crate) fn demo(no_pause: bool, keep: bool) -> Result<End, CliError> {
    let signals = Signals::register()?;
    let sandbox = Sandbox::create(keep)?;
    signals.end(&sandbox);
    let pauses = !no_pause && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let result = run(&sandbox, Narrator::new(sandbox.project(), pauses));
    // If a signal ended the demo, this call does not return, and the resulting error is not reported.
    sandbox.end();
    result?;
    if keep {
        writeln!(stream::stdout(), "The folder was kept: {}", paint::path(&sandbox.folder))?;
    }
    Ok(End::Done)
}

/// Runs all steps, or until the user quits.
fn run(sandbox: &Arc<Sandbox>, narrator: Narrator) -> Result<(), CliError> {
    fs::write(sandbox.project().join(FILE), TEXT)?;
    let mut demo = Demo { agent: sandbox.agent(AGENT)?, sandbox: sandbox.clone(), narrator };
    Narrator::print(
        "editd is a daemon through which agents edit your files. Here an agent, robin, changes a file of yours. All requests and answers are real; long ones are cut.",
    )?;
    for (title, about, step) in STEPS {
        if !demo.narrator.begin_step(title, about)? {
            return Ok(());
        }
        step(&mut demo)?;
    }
    Narrator::print(
        "\nThat is the end of the demo; its daemon and its files were temporary. Next: `editd connect claude` (or codex, gemini, opencode, pi) or `editd mcp --help` to connect agents, `editd --help` for everything else.",
    )?;
    Ok(())
}

struct Demo {
    sandbox: Arc<Sandbox>,
    agent: Client,
    narrator: Narrator,
}

impl Demo {
    fn read(&mut self) -> Result<(), CliError> {
        let read = self.send::<Read>(&json!({ "path": FILE }))?;
        Ok(self.narrator.answered(&read, &[("text", "/text"), ("hash", "/hash")])?)
    }

    fn tolerate(&mut self) -> Result<(), CliError> {
        let edited = self.send::<Edit>(&json!({
            "label": "Name the currency",
            "path": FILE,
            "oldText": "\"\"\"What the customer's items cost.\"\"\"\nreturn sum(item.price for item in items)\n",
            "newText": "\"\"\"What the customer's items cost, in euros.\"\"\"\nreturn sum(item.price for item in items)\n",
        }))?;
        let parts =
            [("state", "/state"), ("found by", "/files/0/matches/0/strategy"), ("diff", "/files/0/diff")];
        Ok(self.narrator.answered(&edited, &parts)?)
    }

    fn refuse(&mut self) -> Result<(), CliError> {
        let path = self.sandbox.project().join(FILE);
        fs::write(&path, fs::read_to_string(&path)?.replace("in items)", "in items or [])"))?;
        let mut params = json!({
            "label": "A comma in labels",
            "path": FILE,
            "oldText": "{item.name}: {item.price}",
            "newText": "{item.name}, {item.price}",
        });
        self.narrator.sent(AGENT, Edit::NAME, &params)?;
        match self.agent.request(Edit::NAME, &params) {
            Err(CallError::Refused(error)) => {
                let parts =
                    [("kind", "/kind"), ("message", "/message"), ("hint", "/hint"), ("diff", "/diff")];
                self.narrator.refused(&error, &parts)?;
                params["baseHash"] = error.data.unwrap_or_default()["currentHash"].take();
            }
            Err(error) => return Err(error.into()),
            Ok(_) => return Err(CliError::failed("editd accepted an edit of a file that had changed")),
        }
        self.narrator.sent_again(AGENT, "baseHash", &params["baseHash"])?;
        let edited = self.agent.request(Edit::NAME, &params)?;
        Ok(self.narrator.answered(
            &edited,
            &[("state", "/state"), ("added", "/files/0/added"), ("removed", "/files/0/removed")],
        )?)
    }

    fn review(&mut self) -> Result<(), CliError> {
        let waiting = self.send::<Edit>(&json!({
            "label": "Counts and currency",
            "path": FILE,
            "edits": [
                { "oldText": "item.price for", "newText": "item.price * item.count for" },
                { "oldText": "{item.price}", "newText": "{item.price:.2f} EUR" },
            ],
            "review": true,
        }))?;
        self.narrator.answered(&waiting, &[("state", "/state"), ("id", "/id")])?;
        self.run(&["review"], &["y", "c", "No currency in labels, please.", "n"])?;
        let decided = self.send::<ProposalMethod>(&json!({ "id": waiting["id"], "waitMs": WAIT_MS }))?;
        let parts = [
            ("state", "/state"),
            ("first hunk", "/files/0/hunks/0/state"),
            ("second hunk", "/files/0/hunks/1/state"),
            ("comment", "/comments/0/text"),
        ];
        Ok(self.narrator.answered(&decided, &parts)?)
    }

    fn undo(&mut self) -> Result<(), CliError> {
        self.run(&["undo"], &["y"])?;
        self.run(&["log"], &[])
    }

    /// Sends a request as the agent and shows it.
    fn send<M: Method>(&mut self, params: &Value) -> Result<Value, CliError> {
        self.narrator.sent(AGENT, M::NAME, params)?;
        Ok(self.agent.request(M::NAME, params)?)
    }

    /// Runs a command as the person, with the answers to its questions.
    fn run(&self, arguments: &[&str], answers: &[&str]) -> Result<(), CliError> {
        Narrator::typed(&format!("editd {}", arguments.join(" ")))?;
        sandbox::type_answers(&self.sandbox, arguments, answers, Narrator::columns())
    }
}
