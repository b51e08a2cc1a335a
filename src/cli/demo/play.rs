//! The steps. The requests are written here; whatever is answered comes from the daemon.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::cli::Complaint;
use crate::protocol::{Edit, Method, ProposalMethod, Read};
use crate::transport::{CallError, Client};

use super::stage::Stage;
use super::tell::Teller;
use super::{Then, person};

const AGENT: &str = "robin";
const FILE: &str = "cart.py";
const TEXT: &str = "\
def total(items):
    \"\"\"What the customer\u{2019}s items cost.\"\"\"
    return sum(item.price for item in items)

def label(item):
    return f\"{item.name}: {item.price}\"
";
/// How long the agent waits for what was decided already.
const WAIT_MS: u64 = 5000;

/// Plays it all, or until nobody wants to see more.
pub(super) fn play(stage: &Stage, tell: Teller) -> Result<(), Complaint> {
    fs::write(stage.project().join(FILE), TEXT)?;
    let mut play = Play { agent: stage.agent(AGENT)?, stage, tell };
    Teller::say(
        "editd stands between agents and your files. Here an agent, robin, works on a small file of yours. What robin sends and what editd answers is real; long answers are shortened.",
    )?;
    let steps = [Play::read, Play::tolerate, Play::refuse, Play::review, Play::undo];
    for step in steps {
        if step(&mut play)? == Then::Quit {
            return Ok(());
        }
    }
    Teller::say(
        "\nThat was it; daemon and files were made for it. Next: `editd mcp --help` to give agents their tools, `editd --help` for all the rest.",
    )?;
    Ok(())
}

struct Play<'s> {
    stage: &'s Stage,
    agent: Client,
    tell: Teller,
}

type Step = Result<Then, Complaint>;

impl Play<'_> {
    fn read(&mut self) -> Step {
        let about =
            "An agent can only change what it has read through editd, which remembers what it was given.";
        if self.tell.step("The agent reads a file", about)? == Then::Quit {
            return Ok(Then::Quit);
        }
        let params = json!({ "path": FILE });
        let read = self.send::<Read>(&params)?;
        self.tell.answered(&read, &[("text", "/text"), ("hash", "/hash")])?;
        Ok(Then::GoOn)
    }

    fn tolerate(&mut self) -> Step {
        let about = "Models misremember blanks and quotes: robin leaves the indentation out and types a straight ' where the file has \u{2019}. There is one place that this can mean, so editd takes it, and keeps the file's own indentation and typography.";
        if self.tell.step("An edit that is nearly right", about)? == Then::Quit {
            return Ok(Then::Quit);
        }
        let edited = self.send::<Edit>(&json!({
            "label": "Name the currency",
            "path": FILE,
            "oldText": "\"\"\"What the customer's items cost.\"\"\"\nreturn sum(item.price for item in items)\n",
            "newText": "\"\"\"What the customer's items cost, in euros.\"\"\"\nreturn sum(item.price for item in items)\n",
        }))?;
        let worth =
            [("state", "/state"), ("found by", "/files/0/matches/0/strategy"), ("diff", "/files/0/diff")];
        self.tell.answered(&edited, &worth)?;
        Ok(Then::GoOn)
    }

    fn refuse(&mut self) -> Step {
        let about = "Now you open the file, let it take None for items, and save. robin has not seen that, so its next edit is refused, with what you changed. It looks at that and sends the edit again.";
        if self.tell.step("You change the file, too", about)? == Then::Quit {
            return Ok(Then::Quit);
        }
        let path = self.file();
        fs::write(&path, fs::read_to_string(&path)?.replace("in items)", "in items or [])"))?;
        let mut params = json!({
            "label": "A comma in labels",
            "path": FILE,
            "oldText": "{item.name}: {item.price}",
            "newText": "{item.name}, {item.price}",
        });
        self.tell.sent(AGENT, Edit::NAME, &params)?;
        match self.agent.request(Edit::NAME, &params) {
            Err(CallError::Refused(error)) => {
                let worth =
                    [("kind", "/kind"), ("message", "/message"), ("hint", "/hint"), ("diff", "/diff")];
                self.tell.refused(&error, &worth)?;
                params["baseHash"] = error.data.unwrap_or_default()["currentHash"].take();
            }
            Err(error) => return Err(error.into()),
            Ok(_) => return Err(Complaint::failed("editd let an edit of a file pass that had changed")),
        }
        self.tell.sent_again(AGENT, "baseHash", &params["baseHash"])?;
        let edited = self.agent.request(Edit::NAME, &params)?;
        self.tell.answered(
            &edited,
            &[("state", "/state"), ("added", "/files/0/added"), ("removed", "/files/0/removed")],
        )?;
        Ok(Then::GoOn)
    }

    fn review(&mut self) -> Step {
        let about = "For its next change robin asks for a review. (You can have that for every change; in an editor you review there.) You take the first of two hunks, and say why not to the second.";
        if self.tell.step("You review what the agent wants", about)? == Then::Quit {
            return Ok(Then::Quit);
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
        self.tell.answered(&waiting, &[("state", "/state"), ("id", "/id")])?;
        self.run(&["review"], &["y", "c", "No currency in labels, please.", "n"])?;
        let decided = self.send::<ProposalMethod>(&json!({ "id": waiting["id"], "waitMs": WAIT_MS }))?;
        let worth = [
            ("state", "/state"),
            ("first hunk", "/files/0/hunks/0/state"),
            ("second hunk", "/files/0/hunks/1/state"),
            ("you said", "/comments/0/text"),
        ];
        self.tell.answered(&decided, &worth)?;
        Ok(Then::GoOn)
    }

    fn undo(&mut self) -> Step {
        let about = "Every change can be taken back, whoever made it, and what came later stays. The history says what was changed and by whom, newest first.";
        if self.tell.step("You take a change back", about)? == Then::Quit {
            return Ok(Then::Quit);
        }
        self.run(&["undo"], &["y"])?;
        self.run(&["log"], &[])?;
        Ok(Then::GoOn)
    }

    /// Sends a request of the agent, and shows it.
    fn send<M: Method>(&mut self, params: &Value) -> Result<Value, Complaint> {
        self.tell.sent(AGENT, M::NAME, params)?;
        Ok(self.agent.request(M::NAME, params)?)
    }

    /// Has the person run a command and answer its questions.
    fn run(&self, arguments: &[&str], answers: &[&str]) -> Result<(), Complaint> {
        Teller::typed(&format!("editd {}", arguments.join(" ")))?;
        person::run(self.stage, arguments, answers, Teller::columns())
    }

    fn file(&self) -> PathBuf {
        self.stage.project().join(FILE)
    }
}
