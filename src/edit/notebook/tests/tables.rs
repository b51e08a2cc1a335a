//! Exact bytes: unchanged parts keep their bytes, and new parts follow the style of the file.

use rstest::rstest;

use crate::notebook::*;

/// A notebook as Jupyter writes it.
const JUPYTER: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Größe\n",
    "text"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "calc",
   "metadata": {"tags": [ "a" ]},
   "outputs": [
    {
     "data": {"x": NaN},
     "output_type": "display_data"
    }
   ],
   "source": [
    "a = 1\n",
    "b = 2\n",
    "print(a)"
   ]
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
"##;

fn index(index: usize) -> CellRef {
    CellRef::Index(index)
}

fn id(id: &str) -> CellRef {
    CellRef::Id(id.to_owned())
}

fn source(cell: CellRef, source: &str) -> CellOp {
    CellOp::Replace { cell, cell_type: None, source: Some(source.to_owned()), clear_outputs: false }
}

fn retype(cell: CellRef, cell_type: CellType) -> CellOp {
    CellOp::Replace { cell, cell_type: Some(cell_type), source: None, clear_outputs: false }
}

fn clear(cell: CellRef) -> CellOp {
    CellOp::Replace { cell, cell_type: None, source: None, clear_outputs: true }
}

fn insert(at: Option<CellRef>, cell_type: CellType, source: &str) -> CellOp {
    CellOp::Insert { at, cell_type, source: source.to_owned() }
}

fn delete(cell: CellRef) -> CellOp {
    CellOp::Delete { cell }
}

#[track_caller]
fn changed(text: &str, ops: &[CellOp]) -> (String, Vec<String>) {
    let change = edit_cells(text, ops, Deadline::NONE).unwrap();
    let result = change.plan.apply(text);
    assert!(is_notebook(&result), "{result}");
    assert_eq!(change.plan.invert(text).apply(&result), text);
    (result, change.warnings)
}

/// Replaces each part of a text, which must occur exactly once.
fn with(text: &str, parts: &[(&str, &str)]) -> String {
    parts.iter().fold(text.to_owned(), |text, (old, new)| {
        assert_eq!(text.matches(old).count(), 1, "{old}");
        text.replace(old, new)
    })
}

#[rstest]
#[case::a_line("a = 1\nb = 3\nprint(a)", &[("\"b = 2\\n\"", "\"b = 3\\n\"")])]
#[case::fewer_lines("a = 1\nprint(a)", &[("\n    \"b = 2\\n\",", "")])]
#[case::more_lines("a = 1\nb = 2\nc = \"3\"\t\\\nprint(a)", &[
    ("\"b = 2\\n\",", "\"b = 2\\n\",\n    \"c = \\\"3\\\"\\t\\\\\\n\","),
])]
#[case::none("", &[("[\n    \"a = 1\\n\",\n    \"b = 2\\n\",\n    \"print(a)\"\n   ]", "[]")])]
#[case::another_end("a = 1\nb = 2\nprint(a)\n", &[("\"print(a)\"", "\"print(a)\\n\"")])]
#[case::crlf("a = 1\r\nb = 2\r\nprint(b)", &[("print(a)", "print(b)")])]
#[case::umlauts_and_controls("ü\u{1}😀", &[
    ("\"a = 1\\n\",\n    \"b = 2\\n\",\n    \"print(a)\"", "\"ü\\u0001😀\""),
])]
fn a_source_is_replaced_line_by_line(#[case] wanted: &str, #[case] parts: &[(&str, &str)]) {
    for cell in [id("calc"), index(1)] {
        assert_eq!(changed(JUPYTER, &[source(cell, wanted)]).0, with(JUPYTER, parts));
    }
}

#[test]
fn an_equal_source_changes_nothing() {
    let change = edit_cells(JUPYTER, &[source(index(0), "# Größe\ntext")], Deadline::NONE).unwrap();
    assert!(change.plan.is_empty());
    assert_eq!(change.warnings, ["cells[0] changes nothing"]);
}

const NEW_CODE: &str = r#"  {
   "cell_type": "code",
   "execution_count": null,
   "id": "ID",
   "metadata": {},
   "outputs": [],
   "source": [
    "x\n",
    "y"
   ]
  }"#;

#[rstest]
#[case::at_the_top(Some(index(0)), " \"cells\": [\n", "{}{NEW},\n")]
#[case::between(Some(index(1)), "    \"text\"\n   ]\n  },\n", "{}{NEW},\n")]
#[case::after_an_id(Some(id("intro")), "    \"text\"\n   ]\n  },\n", "{}{NEW},\n")]
#[case::at_the_end(Some(index(2)), "    \"print(a)\"\n   ]\n  }", "{},\n{NEW}")]
#[case::after_the_last(Some(id("calc")), "    \"print(a)\"\n   ]\n  }", "{},\n{NEW}")]
fn a_new_cell_has_the_style_of_the_others(
    #[case] at: Option<CellRef>,
    #[case] place: &str,
    #[case] form: &str,
) {
    let (result, warnings) = changed(JUPYTER, &[insert(at, CellType::Code, "x\ny")]);
    let new_id = warnings[0].strip_prefix("cells[0]: the new cell has the id ").expect("an id");
    assert!(new_id.len() == 8 && new_id.chars().all(|c| c.is_ascii_hexdigit()), "{new_id}");
    let new = NEW_CODE.replace("ID", new_id);
    assert_eq!(result, with(JUPYTER, &[(place, &form.replace("{}", place).replace("{NEW}", &new))]));
}

#[test]
fn several_new_cells_keep_their_order_and_get_unique_ids() {
    let ops = [
        insert(Some(index(1)), CellType::Raw, "same"),
        insert(Some(id("intro")), CellType::Raw, "same"),
        insert(Some(index(1)), CellType::Markdown, ""),
    ];
    let (result, warnings) = changed(JUPYTER, &ops);
    let notebook = Notebook::parse(&result).unwrap();
    let types: Vec<_> = notebook.cells.iter().filter_map(|cell| cell.kind.clone()).collect();
    assert_eq!(types, ["markdown", "raw", "raw", "markdown", "code"]);
    let ids: std::collections::HashSet<_> =
        notebook.cells.iter().filter_map(|cell| cell.id.clone()).collect();
    assert_eq!((ids.len(), warnings.len()), (5, 3));
    assert!(result.contains("\"source\": []"), "an empty source is an empty list here");
    assert_eq!(changed(JUPYTER, &ops).0, result, "the same request makes the same ids");
}

#[rstest]
#[case::the_first(&[0], 1)]
#[case::the_last(&[1], 1)]
#[case::all(&[0, 1], 0)]
fn a_deleted_cell_takes_its_comma_along(#[case] gone: &[usize], #[case] left: usize) {
    let ops: Vec<_> = gone.iter().map(|cell| delete(index(*cell))).collect();
    let (result, _) = changed(JUPYTER, &ops);
    let (start, end) =
        (JUPYTER.find("  {\n   \"cell_type\": \"code\"").unwrap(), JUPYTER.find("\n ],\n \"meta").unwrap());
    let cells = [&JUPYTER[14..start - 2], &JUPYTER[start..end]];
    let kept = (0..2)
        .find(|cell| !gone.contains(cell))
        .map(|cell| format!("\n{}\n ", cells[cell].trim_start_matches('\n')));
    let expected = format!("{{\n \"cells\": [{}]{}", kept.unwrap_or_default(), &JUPYTER[end + 3..]);
    assert_eq!(result, expected);
    assert_eq!(result.matches("cell_type").count(), left);
}

#[test]
fn code_that_becomes_text_loses_outputs_and_count() {
    let (result, warnings) = changed(JUPYTER, &[retype(index(1), CellType::Markdown)]);
    let outputs =
        &JUPYTER[JUPYTER.find("   \"outputs\"").unwrap()..JUPYTER.find("   \"source\": [\n    \"a").unwrap()];
    let parts = [("\"code\"", "\"markdown\""), ("   \"execution_count\": 3,\n", ""), (outputs, "")];
    assert_eq!(result, with(JUPYTER, &parts));
    assert_eq!(warnings, ["cells[0]: the outputs were removed, because only code cells have outputs"]);
}

#[test]
fn text_that_becomes_code_gets_outputs_and_count() {
    let (result, _) = changed(JUPYTER, &[retype(index(0), CellType::Code)]);
    let parts = [
        ("\"markdown\",\n", "\"code\",\n   \"execution_count\": null,\n"),
        ("   \"source\": [\n    \"# G", "   \"outputs\": [],\n   \"source\": [\n    \"# G"),
    ];
    assert_eq!(result, with(JUPYTER, &parts));
    let attached = JUPYTER.replace("\"id\": \"intro\"", "\"attachments\": {\"a\": 1},\n   \"id\": \"intro\"");
    let (result, warnings) = changed(&attached, &[retype(index(0), CellType::Code)]);
    assert!(!result.contains("attachments") && warnings[0].contains("attachments"));
    assert_eq!(
        changed(JUPYTER, &[retype(index(0), CellType::Raw)]).0,
        with(JUPYTER, &[("\"markdown\"", "\"raw\"")])
    );
}

#[test]
fn outputs_are_cleared_only_on_request() {
    let (result, _) = changed(JUPYTER, &[clear(id("calc"))]);
    let start = JUPYTER.find("[\n    {\n     \"data\"").unwrap();
    let outputs = &JUPYTER[start..JUPYTER[start..].find("\n   ],\n").unwrap() + start + 5];
    assert_eq!(result, with(JUPYTER, &[(outputs, "[]"), ("count\": 3", "count\": null")]));
    assert!(
        edit_cells(JUPYTER, &[clear(id("intro"))], Deadline::NONE).unwrap().plan.is_empty(),
        "text cells have no outputs"
    );
    assert!(
        edit_cells(&result, &[clear(id("calc"))], Deadline::NONE).unwrap().plan.is_empty(),
        "already cleared"
    );
}

#[rstest]
#[case::one_line(
    r#"{"cells":[{"cell_type":"raw","metadata":{},"source":["a"]}],"nbformat":4,"nbformat_minor":4}"#,
    r#"{"cells":[{"cell_type":"raw","metadata":{},"source":["a\n","b"]},{"cell_type":"raw","metadata":{},"source":["c\n","d"]}],"nbformat":4,"nbformat_minor":4}"#,
)]
#[case::one_line_with_spaces(
    r#"{"nbformat": 4, "nbformat_minor": 2, "cells": [{"metadata": {}, "cell_type": "raw", "source": "a"}]}"#,
    r#"{"nbformat": 4, "nbformat_minor": 2, "cells": [{"metadata": {}, "cell_type": "raw", "source": "a\nb"}, {"cell_type": "raw", "metadata": {}, "source": "c\nd"}]}"#,
)]
#[case::tabs_and_crlf(
    "{\r\n\t\"cells\": [\r\n\t\t{\r\n\t\t\t\"cell_type\": \"raw\",\r\n\t\t\t\"metadata\": {},\r\n\t\t\t\"source\": []\r\n\t\t}\r\n\t],\r\n\t\"nbformat\": 4\r\n}",
    "{\r\n\t\"cells\": [\r\n\t\t{\r\n\t\t\t\"cell_type\": \"raw\",\r\n\t\t\t\"metadata\": {},\r\n\t\t\t\"source\": [\r\n\t\t\t\t\"a\\n\",\r\n\t\t\t\t\"b\"\r\n\t\t\t]\r\n\t\t},\r\n\t\t{\r\n\t\t\t\"cell_type\": \"raw\",\r\n\t\t\t\"metadata\": {},\r\n\t\t\t\"source\": [\r\n\t\t\t\t\"c\\n\",\r\n\t\t\t\t\"d\"\r\n\t\t\t]\r\n\t\t}\r\n\t],\r\n\t\"nbformat\": 4\r\n}"
)]
#[case::a_missing_source(
    "{\"nbformat\":4,\"cells\":[ {\"cell_type\":\"raw\"} ]}",
    "{\"nbformat\":4,\"cells\":[ {\"cell_type\":\"raw\",\"source\":[\"a\\n\",\"b\"]},{\"cell_type\":\"raw\",\"metadata\":{},\"source\":[\"c\\n\",\"d\"]} ]}"
)]
fn the_style_of_the_file_is_kept(#[case] text: &str, #[case] expected: &str) {
    let ops = [source(index(0), "a\nb"), insert(Some(index(1)), CellType::Raw, "c\nd")];
    assert_eq!(changed(text, &ops).0, expected);
}

#[rstest]
#[case(
    "{\n  \"cells\": [],\n  \"nbformat\": 4\n}\n",
    "{\n  \"cells\": [\n    {\n      \"cell_type\": \"raw\",\n      \"metadata\": {},\n      \"source\": [\n        \"c\"\n      ]\n    }\n  ],\n  \"nbformat\": 4\n}\n"
)]
#[case(
    "{\"cells\": [], \"nbformat\": 4}",
    "{\"cells\": [{\"cell_type\": \"raw\", \"metadata\": {}, \"source\": [\"c\"]}], \"nbformat\": 4}"
)]
fn an_empty_notebook_needs_no_position(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(changed(text, &[insert(None, CellType::Raw, "c")]).0, expected);
}

#[rstest]
#[case(
    r#"{"cells":[{"source":"\u00e9"}],"nbformat":4}"#,
    r#"{"cells":[{"source":"\u00fc\ud83d\ude00\u2028"}],"nbformat":4}"#
)]
#[case(
    r#"{"cells":[{"source":"é"}],"nbformat":4}"#,
    "{\"cells\":[{\"source\":\"ü😀\u{2028}\"}],\"nbformat\":4}"
)]
#[case(
    r#"{"cells":[{"source":"\\u00e9 \u001b"}],"nbformat":4}"#,
    "{\"cells\":[{\"source\":\"ü😀\u{2028}\"}],\"nbformat\":4}"
)]
fn characters_are_escaped_where_the_file_escapes_them(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(changed(text, &[source(index(0), "ü😀\u{2028}")]).0, expected);
}

#[test]
fn escapes_in_unchanged_lines_are_kept() {
    let text = r#"{"cells":[{"\u0073ource":["\u0061\u000a","x\u000a","\/"]}],"nbformat":4}"#;
    let expected = text.replace(r"x\u000a", r"y\n");
    assert_eq!(changed(text, &[source(index(0), "a\ny\n/")]).0, expected);
}

#[test]
fn a_missing_cell_is_refused_with_a_list_of_cells() {
    let refused = |ops: &[CellOp]| match edit_cells(JUPYTER, ops, Deadline::NONE).unwrap_err() {
        NotebookError::Cells(refusals) => refusals,
        other => panic!("{other:?}"),
    };
    for op in [
        delete(id("none")),
        source(index(2), "x"),
        insert(Some(index(3)), CellType::Raw, ""),
        insert(None, CellType::Raw, ""),
    ] {
        let [CellRefusal { op: 0, kind: CellRefusalKind::NotFound { cells, total: 2, .. } }] =
            &refused(&[op])[..]
        else {
            panic!("not found");
        };
        assert_eq!(
            (cells[1].id.as_deref(), cells[1].lines),
            (Some("calc"), LineRange { start: 12, end: 28 })
        );
    }
    let both = refused(&[delete(index(1)), source(id("calc"), "x")]);
    let kind =
        CellRefusalKind::Contradiction { other_op: 0, cell: 1, lines: LineRange { start: 12, end: 28 } };
    assert_eq!(both, [CellRefusal { op: 1, kind }]);
    let doubled = JUPYTER.replace("intro", "calc");
    let NotebookError::Cells(refusals) =
        edit_cells(&doubled, &[delete(id("calc"))], Deadline::NONE).unwrap_err()
    else {
        panic!()
    };
    assert!(
        matches!(&refusals[0].kind, CellRefusalKind::Ambiguous { occurrences, .. } if occurrences.total == 2)
    );
    assert!(edit_cells(&doubled, &[delete(index(0))], Deadline::NONE).is_ok(), "an index is unambiguous");
}

#[rstest]
#[case::invalid_json("{\n \"cells\": [}\n", 2, "expected a value")]
#[case::empty("", 1, "expected a value")]
#[case::not_an_object("[]", 1, "expected an object")]
#[case::no_cells("{\"nbformat\": 4}", 1, "`cells` is missing")]
#[case::no_format("{\"cells\": []}", 1, "`nbformat` is missing or not a number")]
#[case::old("{\"nbformat\": 3, \"worksheets\": []}", 1, "`nbformat` is 3, but only 4 is supported")]
#[case::cells_not_a_list("{\"nbformat\": 4, \"cells\": {}}", 1, "expected an array")]
#[case::cell_not_an_object("{\"nbformat\": 4, \"cells\": [\n1]}", 2, "a cell is not an object")]
#[case::two_sources(
    "{\"nbformat\": 4, \"cells\": [{\"source\": 1,\n\"source\": 2}]}",
    2,
    "`source` appears twice"
)]
fn an_invalid_notebook_is_refused_with_its_line(
    #[case] text: &str,
    #[case] line: usize,
    #[case] reason: &str,
) {
    let expected = Unreadable { line, reason: reason.to_owned() };
    assert_eq!(
        edit_cells(text, &[delete(index(0))], Deadline::NONE),
        Err(NotebookError::Unreadable(expected))
    );
}

#[test]
fn a_huge_notebook_takes_linear_time() {
    let cell = "{\"cell_type\":\"raw\",\"metadata\":{},\"source\":[\"a\"]}";
    let text = format!("{{\"cells\":[{}],\"nbformat\":4}}", vec![cell; 50_000].join(","));
    let ops: Vec<_> = (0..1_000).map(|at| source(index(at * 50), "b")).collect();
    assert_eq!(changed(&text, &ops).0.matches("\"b\"").count(), 1_000);
    let absent: Vec<_> = (0..1_000).map(|_| delete(id("x"))).collect();
    assert!(edit_cells(&text, &absent, Deadline::NONE).is_err());
}
