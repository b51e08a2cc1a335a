//! The steps of the demo. The requests are scripted; the answers come from the daemon.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::cli::CliError;
use crate::protocol::{Edit, Method, ProposalMethod, Read};
use crate::transport::{CallError, Client};

use super::narrator::Narrator;
use super::sandbox::Sandbox;
use super::{Next, person};

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

/// Runs all steps, or until the user quits.
pub(super) fn run(sandbox: &Sandbox, narrator: Narrator) -> Result<(), CliError> {
    fs::write(sandbox.project().join(FILE), TEXT)?;
    let mut demo = Demo { agent: sandbox.agent(AGENT)?, sandbox, narrator };
    Narrator::print(
        "editd is a daemon through which agents edit your files. Here an agent, robin, works on a small file of yours. All requests and answers are real; long answers are shortened.",
    )?;
    let steps = [Demo::read, Demo::tolerate, Demo::refuse, Demo::review, Demo::undo];
    for step in steps {
        if step(&mut demo)? == Next::Quit {
            return Ok(());
        }
    }
    Narrator::print(
        "\nThat is the end of the demo; its daemon and its files were temporary. Next: `editd mcp --help` to give agents their tools, `editd --help` for everything else.",
    )?;
    Ok(())
}

struct Demo<'s> {
    sandbox: &'s Sandbox,
    agent: Client,
    narrator: Narrator,
}

type Step = Result<Next, CliError>;

impl Demo<'_> {
    fn read(&mut self) -> Step {
        let about = "An agent can only change files that it has read through editd, which remembers what each agent has read.";
        if self.narrator.step("The agent reads a file", about)? == Next::Quit {
            return Ok(Next::Quit);
        }
        let params = json!({ "path": FILE });
        let read = self.send::<Read>(&params)?;
        self.narrator.answered(&read, &[("text", "/text"), ("hash", "/hash")])?;
        Ok(Next::Continue)
    }

    fn tolerate(&mut self) -> Step {
        let about = "Models misremember spaces and quotes: robin omits the indentation and types a straight ' where the file has \u{2019}. Only one place in the file matches, so editd applies the edit there, and keeps the file's own indentation and typography.";
        if self.narrator.step("An edit that is nearly right", about)? == Next::Quit {
            return Ok(Next::Quit);
        }
        let edited = self.send::<Edit>(&json!({
            "label": "Name the currency",
            "path": FILE,
            "oldText": "\"\"\"What the customer's items cost.\"\"\"\nreturn sum(item.price for item in items)\n",
            "newText": "\"\"\"What the customer's items cost, in euros.\"\"\"\nreturn sum(item.price for item in items)\n",
        }))?;
        let parts =
            [("state", "/state"), ("found by", "/files/0/matches/0/strategy"), ("diff", "/files/0/diff")];
        self.narrator.answered(&edited, &parts)?;
        Ok(Next::Continue)
    }

    fn refuse(&mut self) -> Step {
        let about = "Now you open the file, make it accept None for items, and save. robin has not read your change, so editd refuses its next edit and shows it what you changed. robin reads that and sends the edit again.";
        if self.narrator.step("You change the file, too", about)? == Next::Quit {
            return Ok(Next::Quit);
        }
        let path = self.file();
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
        self.narrator.answered(
            &edited,
            &[("state", "/state"), ("added", "/files/0/added"), ("removed", "/files/0/removed")],
        )?;
        Ok(Next::Continue)
    }

    fn review(&mut self) -> Step {
        let about = "For its next change robin asks for a review. (You can configure that for every change; with an editor connected you review there.) You accept the first of two hunks, and reject the second with a comment.";
        if self.narrator.step("You review the agent's change", about)? == Next::Quit {
            return Ok(Next::Quit);
        }
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
        self.narrator.answered(&decided, &parts)?;
        Ok(Next::Continue)
    }

    fn undo(&mut self) -> Step {
        let about = "You can undo the changes of any agent, and later changes stay. The history lists changes with their authors, newest first.";
        if self.narrator.step("You undo a change", about)? == Next::Quit {
            return Ok(Next::Quit);
        }
        self.run(&["undo"], &["y"])?;
        self.run(&["log"], &[])?;
        Ok(Next::Continue)
    }

    /// Sends a request as the agent and shows it.
    fn send<M: Method>(&mut self, params: &Value) -> Result<Value, CliError> {
        self.narrator.sent(AGENT, M::NAME, params)?;
        Ok(self.agent.request(M::NAME, params)?)
    }

    /// Runs a command as the person, with the answers to its questions.
    fn run(&self, arguments: &[&str], answers: &[&str]) -> Result<(), CliError> {
        Narrator::typed(&format!("editd {}", arguments.join(" ")))?;
        person::run(self.sandbox, arguments, answers, Narrator::columns())
    }

    fn file(&self) -> PathBuf {
        self.sandbox.project().join(FILE)
    }
}
