use std::collections::BTreeSet;

use serde_json::Value;

use crate::mcp::tools::{Selection, Tool};
use crate::protocol::TOOLS;

use super::*;

const GENERAL: &str = include_str!("../../workspace/refusal/words.rs");
const OF_DISK: &str = include_str!("../../workspace/refusal/of_disk.rs");
const OF_EDIT: &str = include_str!("../../workspace/refusal/of_edit.rs");
const OF_CELL: &str = include_str!("../../workspace/refusal/of_cell.rs");
const OF_PATCH: &str = include_str!("../../workspace/refusal/of_patch.rs");
const OF_PROPOSAL: &str = include_str!("../../workspace/refusal/of_proposal.rs");
const OF_EDITOR: &str = include_str!("../../workspace/refusal/of_editor.rs");
const OF_REVIEW: &str = include_str!("../../workspace/refusal/of_review.rs");

/// Names that hints may contain in addition to declared parameters: data of refusals, and parameters of other
/// named tools.
const OTHERS: [&str; 10] =
    ["cells", "closest", "currentHash", "diff", "encoding", "id", "occurrences", "raw", "regions", "roots"];

fn tool(name: &str) -> &'static Tool {
    let selection = Selection::new(vec![name.to_owned()], false).expect("a tool");
    selection.tools()[0]
}

/// Extracts the sentences of a source file, with escapes decoded.
fn sentences(source: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let code: Vec<_> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n").replace("\\\"", "\u{1}");
    let literals = code.split('"').skip(1).step_by(2).map(|literal| literal.replace('\u{1}', "\""));
    literals.filter(|literal| literal.trim_end().ends_with('.')).collect()
}

/// Returns the sentences about patches, or the others.
fn of_edits(of_patch: bool) -> Vec<String> {
    sentences(OF_EDIT).into_iter().filter(|it| it.contains("hunk") == of_patch).collect()
}

/// Returns everything in a sentence that could be a parameter.
fn named_in(sentence: &str) -> Vec<String> {
    let quoted = sentence.split('`').skip(1).step_by(2);
    let names = quoted.map(|quoted| quoted.split(':').next().unwrap_or_default());
    names
        .filter(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic()))
        .map(str::to_owned)
        .collect()
}

fn declared(schema: &Value, found: &mut BTreeSet<String>) {
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        found.insert(name.clone());
        declared(inner, found);
        declared(&inner["items"], found);
    }
}

#[test]
fn hints_name_parameters_that_the_tool_declares() {
    let (of_contents, of_edits_alone): (Vec<_>, Vec<_>) =
        of_edits(false).into_iter().partition(|it| it.contains("lines that are not in the content"));
    let own = [
        ("edit", of_edits_alone),
        ("write", of_contents),
        ("apply_patch", [of_edits(true), sentences(OF_PATCH)].concat()),
        ("notebook_edit", sentences(OF_CELL)),
    ];
    let mut wrong = Vec::new();
    for (name, own) in own {
        let tool = tool(name);
        assert!(!own.is_empty(), "{name}");
        let mut known: BTreeSet<_> = OTHERS.into_iter().chain(TOOLS).map(str::to_owned).collect();
        declared(&Value::Object(tool.input_schema()), &mut known);
        // Most sentences apply to any change.
        let general = [GENERAL, OF_DISK, OF_PROPOSAL, OF_EDITOR].into_iter().flat_map(sentences);
        for sentence in general.chain(own) {
            let said = with_tool_names(&replaced(&sentence, reworded(tool)));
            wrong.extend(
                named_in(&said)
                    .into_iter()
                    .filter(|it| !known.contains(it))
                    .map(|it| (name, it, said.clone())),
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_replacement_applies_to_a_sentence() {
    let all = [GENERAL, OF_EDIT, OF_CELL, OF_PATCH, OF_PROPOSAL, OF_EDITOR, OF_REVIEW].concat();
    let all = all.replace("\\\"", "\"");
    for (theirs, _) in READING.iter().chain(&WRITING).chain(&PATCHING).chain(&CELLS) {
        assert!(all.contains(theirs), "no sentence contains {theirs:?}");
    }
}

#[test]
fn a_misspelled_parameter_gets_a_suggestion() {
    let known = ["path", "oldText", "newText", "baseHash"].map(str::to_owned);
    let said = |name| unknown_parameter("edit", name, &known);
    assert!(said("old_txt").contains("; did you mean `oldText`? There are `path`"), "{}", said("old_txt"));
    assert!(said("hash").contains("did you mean `baseHash`"), "{}", said("hash"));
    assert!(said("file").starts_with("`edit` has no parameter `file`: there are `path`"), "{}", said("file"));
}
