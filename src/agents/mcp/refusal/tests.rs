use std::collections::BTreeSet;

use serde_json::Value;

use crate::mcp::tools::{Selection, Tool};
use editd_edit::{ConflictRegion, EditRefusalKind, Occurrence};
use editd_protocol::{TOOLS, refusal_error};
use editd_syntax::SymbolRefusal;
use editd_workspace::{Audience, ChangeForm, Refusal, RefusalKind, refusal_samples};

use super::*;

/// Names that hints may contain in addition to declared parameters: data of refusals, and parameters of other
/// named tools.
const OTHERS: [&str; 14] = [
    "cells",
    "closest",
    "currentHash",
    "diff",
    "encoding",
    "errors",
    "offset",
    "op",
    "excerpt",
    "id",
    "occurrences",
    "raw",
    "regions",
    "roots",
];

fn tool(name: &str) -> &'static Tool {
    let selection = Selection::new(vec![name.to_owned()], false).expect("a tool");
    selection.tools()[0]
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
    let of_edits = |wanted: fn(&Refusal) -> bool| {
        refusal_samples::of_edits("it").into_iter().filter(wanted).collect::<Vec<_>>()
    };
    let is_of_cells = |refusal: &Refusal| matches!(refusal.kind, RefusalKind::Cells(_));
    let is_of_content = |refusal: &Refusal| {
        matches!(&refusal.kind, RefusalKind::Edit(EditRefusalKind::Placeholder { .. }))
            && refusal.edit.is_none()
    };
    let is_of_edits = |refusal: &Refusal| {
        matches!(refusal.kind, RefusalKind::Edit(_)) && refusal.edit.is_some() && refusal.patch_line.is_none()
    };
    let own = [
        ("edit", ChangeForm::Edits, of_edits(is_of_edits)),
        ("write", ChangeForm::Content, of_edits(is_of_content)),
        ("apply_patch", ChangeForm::Patch, of_edits(|refusal| refusal.patch_line.is_some())),
        ("notebook_edit", ChangeForm::Cells, of_edits(is_of_cells)),
    ];
    let mut wrong = Vec::new();
    for (name, form, own) in own {
        let tool = tool(name);
        assert!(!own.is_empty(), "{name}");
        let mut known: BTreeSet<_> = OTHERS.into_iter().chain(TOOLS).map(str::to_owned).collect();
        declared(&Value::Object(tool.accepted_schema()), &mut known);
        let of_files = refusal_samples::of_files("it").into_iter();
        let of_files = of_files.filter(|refusal| refusal.patch_line.is_none() || name == "apply_patch");
        for refusal in of_files.chain(own) {
            let hint = refusal.hint(Audience::Tools(form));
            let unknown = named_in(&hint).into_iter().filter(|it| !known.contains(it) && it != "it");
            wrong.extend(unknown.map(|it| (name, it, hint.clone())));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_misspelled_parameter_gets_a_suggestion() {
    let known = ["path", "oldText", "newText", "baseHash"].map(str::to_owned);
    let said = |name| unknown_parameter("edit", name, &known);
    assert!(said("old_txt").contains("; did you mean `oldText`? There are `path`"), "{}", said("old_txt"));
    assert!(said("hash").contains("did you mean `baseHash`"), "{}", said("hash"));
    assert!(said("file").starts_with("`edit` has no parameter `file`: there are `path`"), "{}", said("file"));
}

/// Fills the texts and lists of a refusal.
fn enlarge(kind: &mut RefusalKind, text: &str) {
    match kind {
        RefusalKind::Unread { excerpt, .. } => *excerpt = Some(text.to_owned()),
        RefusalKind::Stale { diff, .. } => *diff = Some(text.to_owned()),
        RefusalKind::Conflict { regions } => {
            let region = ConflictRegion {
                base: text.to_owned(),
                base_line: 1,
                ours: text.to_owned(),
                ours_line: 1,
                theirs: text.to_owned(),
                theirs_line: 1,
            };
            *regions = vec![region; 20];
        }
        RefusalKind::OutsideWorkspace { roots } => *roots = vec!["/folder".repeat(12).into(); 100],
        RefusalKind::Symbol(
            SymbolRefusal::Unknown { candidates, .. } | SymbolRefusal::Ambiguous { candidates, .. },
        ) => repeat(candidates, 20),
        RefusalKind::NewErrors(errors) => repeat(errors, 100),
        RefusalKind::Edit(
            EditRefusalKind::NotFound { closest, .. } | EditRefusalKind::MissingContext { closest, .. },
        ) => repeat(closest, 3),
        RefusalKind::Edit(
            EditRefusalKind::Ambiguous { occurrences } | EditRefusalKind::CountMismatch { occurrences, .. },
        ) => {
            occurrences.listed =
                vec![Occurrence { start_line: 1, end_line: 300, excerpt: text.to_owned() }; 10];
        }
        _ => {}
    }
}

fn repeat<T: Clone>(items: &mut Vec<T>, count: usize) {
    *items = items.iter().cycle().take(items.len() * count).cloned().collect();
}

#[test]
fn refusals_of_all_kinds_are_short() {
    let text = "a line of a file that has some length\n".repeat(300);
    let path = format!("{}it.rs", "folder/".repeat(12));
    let mut wrong = Vec::new();
    for mut refusal in refusal_samples::all("it") {
        refusal.path = Some(path.clone().into());
        enlarge(&mut refusal.kind, &text);
        for count in [1, 30] {
            let error = refusal_error(&vec![refusal.clone(); count], Audience::Tools(ChangeForm::Edits));
            let answer = of_error(&error, None);
            for size in [answer.text.len(), answer.data.to_string().len()] {
                if size > REFUSAL {
                    wrong.push((count, size, refusal.name()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
