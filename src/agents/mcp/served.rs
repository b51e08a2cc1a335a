//! Texts for models that mention only served tools: the instructions, and hints.

use editd_protocol::TOOLS;

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
        "A refusal has changed nothing (only after `outcome_unknown` you must check) and says what to send next. Prefer these tools to shell commands for changing text: they preserve line endings and encodings, never overwrite what others typed, and can be undone.",
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

/// Removes the clauses that name tools which are not served. If nothing remains, returns a sentence that
/// names the missing tool.
pub(super) fn advice(text: &str, served: &Served) -> String {
    let Some(first) = missing(text, served) else { return text.to_owned() };
    let sentences = text.split_inclusive(". ").map(str::trim);
    let kept: Vec<String> = sentences.filter_map(|sentence| shortened(sentence, served)).collect();
    if kept.is_empty() {
        return format!("This needs the tool `{first}`, which is not served here: ask the user for it.");
    }
    kept.join(" ")
}

/// Returns a tool that the text names although it is not served.
fn missing(text: &str, served: &Served) -> Option<&'static str> {
    TOOLS.into_iter().find(|tool| !served.has(tool) && text.contains(&format!("`{tool}`")))
}

/// Returns the sentence without clauses that name a missing tool, or `None` if all clauses do.
fn shortened(sentence: &str, served: &Served) -> Option<String> {
    let sentence = match (served.has("edit"), served.has("write")) {
        (true, false) => sentence.replace("`edit` or `write`", "`edit`"),
        (false, true) => sentence.replace("`edit` or `write`", "`write`"),
        _ => sentence.to_owned(),
    };
    let mut text = String::new();
    let clauses = clauses(sentence.trim_end_matches('.')).into_iter();
    for (joint, clause) in clauses.filter(|(_, clause)| missing(clause, served).is_none()) {
        text.push_str(if text.is_empty() { "" } else { joint });
        text.push_str(clause);
    }
    let text = text.strip_prefix("or ").or(text.strip_prefix("and ")).unwrap_or(&text);
    let first = text.chars().next()?;
    Some(format!("{}{}.", first.to_uppercase(), &text[first.len_utf8()..]))
}

/// Splits a sentence into clauses, each with the separator before it.
fn clauses(sentence: &str) -> Vec<(&'static str, &str)> {
    const JOINTS: [&str; 2] = ["; ", ", or "];
    let mut found = vec![("", sentence)];
    while let Some((_, last)) = found.last_mut()
        && let Some((at, joint)) = JOINTS.iter().filter_map(|&joint| Some((last.find(joint)?, joint))).min()
    {
        let rest = &last[at + joint.len()..];
        *last = &last[..at];
        found.push((joint, rest));
    }
    found
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::mcp::tools::Selection;

    #[rstest]
    #[case::all_served("Use `edit` or `write`.", &[], "Use `edit` or `write`.")]
    #[case::one_of_two("Choose another path, or change the file with `edit` or `write`.", &["write"], "Choose another path, or change the file with `write`.")]
    #[case::a_clause("Choose another path, or change the file with `edit`.", &["write"], "Choose another path.")]
    #[case::the_first_clause("Send `currentHash`; or look with `changes`; or wait.", &["edit"], "Send `currentHash`; or wait.")]
    #[case::the_second_clause("Look with `changes`; or wait.", &["edit"], "Wait.")]
    #[case::a_sentence("Try again. For a folder use `list`.", &["read"], "Try again.")]
    #[case::nothing("Give it content: `write` does that.", &["edit"], "This needs the tool `write`, which is not served here: ask the user for it.")]
    fn only_served_tools_are_named(#[case] text: &str, #[case] names: &[&str], #[case] advised: &str) {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let tools = Selection { names, ..Selection::default() }.tools();
        assert_eq!(advice(text, &Served(tools)), advised);
    }
}
