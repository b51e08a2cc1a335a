//! Instructions for models about the server as a whole. They mention only served tools.

use super::tools::Tool;

/// The tools that are served.
pub(super) struct Served(pub(super) Vec<&'static Tool>);

impl Served {
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|tool| tool.name == name)
    }

    fn changes(&self) -> bool {
        self.0.iter().any(|tool| tool.changes)
    }
}

/// A sentence and the condition under which it applies.
type Sentence = (fn(&Served) -> bool, &'static str);

const SENTENCES: [Sentence; 6] = [
    (
        |_| true,
        "editd works on files together with the people who have them open: unsaved text in an editor counts as the content of the file.",
    ),
    (
        |served| served.has("read") && served.changes(),
        "Read a file before you change it. A change is refused if others have changed the file since; after your own change you need not read again.",
    ),
    (
        |served| served.changes(),
        "A refusal has changed nothing (only after `outcome_unknown` you must check) and says in `hint` what to send next. Prefer these tools to shell commands for changing text: they preserve line endings and encodings, never overwrite what others typed, and can be undone.",
    ),
    (
        |served| served.changes() && served.has("proposal_status"),
        "The state `pending` means that a person decides: ask `proposal_status` for the decision, and do not make the change in another way in the meantime.",
    ),
    (
        |served| served.has("changes"),
        "After a formatter, a build or a long pause, `changes` shows what others did to the files you have read.",
    ),
    (|served| !served.changes(), "This server only reads."),
];

/// Returns the instructions for a set of tools.
pub(super) fn guide(served: &Served) -> String {
    let applicable = SENTENCES.iter().filter(|(applies, _)| applies(served));
    applicable.map(|(_, sentence)| *sentence).collect::<Vec<_>>().join(" ")
}
