//! Properties that hold for every operation on every notebook.

use proptest::prelude::*;

use crate::notebook::model::Notebook;
use crate::notebook::*;

/// The style of a generated notebook.
#[derive(Debug, Clone)]
struct JsonStyle {
    line: &'static str,
    step: &'static str,
    colon: &'static str,
    minor: u8,
}

fn style() -> impl Strategy<Value = JsonStyle> {
    let line = prop::sample::select(vec!["\n", "\r\n", ""]);
    let step = prop::sample::select(vec![" ", "  ", "\t"]);
    let colon = prop::sample::select(vec![": ", ":"]);
    (line, step, colon, 4_u8..6).prop_map(|(line, step, colon, minor)| JsonStyle { line, step, colon, minor })
}

/// Generates a cell: its type, its source as JSON, and whether it has been run.
fn cell() -> impl Strategy<Value = (&'static str, &'static str, bool)> {
    let types = prop::sample::select(vec!["code", "markdown", "raw"]);
    let sources = prop::sample::select(vec![
        "[]",
        "\"\"",
        "[\"a\\n\", \"b\"]",
        "\"a\\nb\"",
        "[\"\\u00e9\\n\"]",
        "[ \"x\" ,\"y\" ]",
        "null",
    ]);
    (types, sources, any::<bool>())
}

fn notebook_text(style: &JsonStyle, cells: &[(&str, &str, bool)]) -> String {
    let at = |depth: usize| {
        if style.line.is_empty() {
            String::new()
        } else {
            format!("{}{}", style.line, style.step.repeat(depth))
        }
    };
    let member = |name: &str, value: &str| format!("\"{name}\"{}{value}", style.colon);
    let one = |(index, (kind, source, ran)): (usize, &(&str, &str, bool))| {
        let mut members = vec![member("cell_type", &format!("\"{kind}\""))];
        if *kind == "code" {
            members.push(member("execution_count", if *ran { "7" } else { "null" }));
            members.push(member("outputs", if *ran { "[{\"text\": [\"}],\"]}]" } else { "[]" }));
        }
        if style.minor == 5 {
            members.push(member("id", &format!("\"c{index}\"")));
        }
        members.push(member("source", source));
        let lead = at(3);
        format!("{{{lead}{}{}}}", members.join(&format!(",{lead}")), at(2))
    };
    let cells: Vec<_> = cells.iter().enumerate().map(one).collect();
    let (lead, gap) = (at(2), format!(",{}", at(2)));
    let list = if cells.is_empty() { String::new() } else { format!("{lead}{}{}", cells.join(&gap), at(1)) };
    let top = [
        member("cells", &format!("[{list}]")),
        member("nbformat", "4"),
        member("nbformat_minor", &style.minor.to_string()),
    ];
    format!("{{{}{}{}}}", at(1), top.join(&format!(",{}", at(1))), at(0))
}

/// Generates an operation. The test maps indices out of range back into the range of cells.
fn op() -> impl Strategy<Value = (u8, usize, Option<CellType>, Option<String>, bool)> {
    let types =
        prop::option::of(prop::sample::select(vec![CellType::Code, CellType::Markdown, CellType::Raw]));
    (0_u8..3, 0_usize..8, types, prop::option::of("[aé\"\\\\\n\t]{0,6}"), any::<bool>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn cells_without_an_operation_keep_their_bytes(
        style in style(), cells in prop::collection::vec(cell(), 0..5), requested in prop::collection::vec(op(), 1..5),
    ) {
        let text = notebook_text(&style, &cells);
        let notebook = Notebook::parse(&text).unwrap();
        prop_assert_eq!(notebook.cells.len(), cells.len());
        let mut touched = vec![false; cells.len()];
        let mut ops = Vec::new();
        for (kind, at, cell_type, source, clear_outputs) in requested {
            let source_or = source.clone().unwrap_or_default();
            if kind == 0 {
                let at = Some(CellRef::Index(at % (cells.len() + 1)));
                ops.push(CellOp::Insert { at, cell_type: cell_type.unwrap_or(CellType::Code), source: source_or });
            } else if !cells.is_empty() && !std::mem::replace(&mut touched[at % cells.len()], true) {
                let cell = CellRef::Index(at % cells.len());
                ops.push(match kind {
                    1 => CellOp::Delete { cell },
                    _ => CellOp::Replace { cell, cell_type, source, clear_outputs },
                });
            }
        }
        let change = edit_cells(&text, &ops, Deadline::NONE).unwrap();
        let result = change.plan.apply(&text);
        prop_assert_eq!(change.plan.invert(&text).apply(&result), text.as_str());
        let after = Notebook::parse(&result).unwrap();
        let inserted = ops.iter().filter(|op| matches!(op, CellOp::Insert { .. })).count();
        let deleted = ops.iter().filter(|op| matches!(op, CellOp::Delete { .. })).count();
        prop_assert_eq!(after.cells.len(), cells.len() + inserted - deleted);
        let mut rest = after.cells.iter().map(|cell| &result[cell.span.clone()]);
        for (cell, touched) in notebook.cells.iter().zip(touched) {
            let bytes = &text[cell.span.clone()];
            prop_assert!(touched || rest.any(|other| other == bytes), "{bytes} is missing in {result}");
        }
        for cell in &after.cells {
            let runs = cell.get("outputs").is_some() && cell.get("execution_count").is_some();
            prop_assert_eq!(runs, cell.is(CellType::Code), "{}", result);
            prop_assert_eq!(cell.id.is_some(), style.minor == 5);
        }
        let bare = |text: &str| text[..text.find("\"cells\"").unwrap()].to_owned();
        prop_assert_eq!(bare(&result), bare(&text));
    }

    #[test]
    fn no_text_causes_a_panic(text in "[{}\\[\\],:\"a\\\\un0-9 .eE\n-]{0,40}") {
        let whole = format!("{{\"nbformat\":4,\"cells\":[{text}]}}");
        for text in [text, whole] {
            let op = CellOp::Insert { at: Some(CellRef::Index(0)), cell_type: CellType::Raw, source: String::new() };
            if let Ok(change) = edit_cells(&text, &[op], Deadline::NONE) {
                prop_assert!(is_notebook(&change.plan.apply(&text)));
            }
        }
    }
}
