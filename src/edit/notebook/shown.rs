//! The cells of a notebook, decoded for reading.

use std::ops::Range;

use super::Unreadable;
use super::model::{Cell, Notebook};
use super::scan::{elements, members, unquoted};

/// A cell, decoded for reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownCell {
    /// Id of the cell, if it has one.
    pub id: Option<String>,
    /// Type of the cell, if it has one.
    pub cell_type: Option<String>,
    /// Source of the cell.
    pub source: String,
    /// Execution count, if the cell was run.
    pub execution_count: Option<u64>,
    /// Outputs of the cell.
    pub outputs: Vec<ShownOutput>,
}

/// An output of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownOutput {
    /// `stream`, `execute_result`, `display_data` or `error`.
    pub kind: String,
    /// Plain text of the output; for an error, the traceback. Without terminal colors.
    pub text: Option<String>,
    /// MIME types of the other representations, such as `image/png`.
    pub others: Vec<String>,
}

/// Returns the cells of a notebook, in order.
///
/// ```
/// use editd_edit::notebook::decode_cells;
///
/// let text = r#"{"cells": [{"cell_type": "raw", "metadata": {}, "source": ["a\n", "b"]}], "nbformat": 4}"#;
/// assert_eq!(decode_cells(text).unwrap()[0].source, "a\nb");
/// ```
pub fn decode_cells(text: &str) -> Result<Vec<ShownCell>, Unreadable> {
    let notebook = Notebook::parse(text)?;
    Ok(notebook.cells.iter().map(|cell| decoded(text, cell)).collect())
}

fn decoded(text: &str, cell: &Cell<'_>) -> ShownCell {
    let outputs = cell.get("outputs").and_then(|value| elements(text, value).ok()).unwrap_or_default();
    ShownCell {
        id: cell.id.clone(),
        cell_type: cell.kind.clone(),
        source: cell.get("source").and_then(|value| joined(text, value)).unwrap_or_default(),
        execution_count: cell.get("execution_count").and_then(|value| text[value.clone()].parse().ok()),
        outputs: outputs.iter().filter_map(|output| output_of(text, output)).collect(),
    }
}

fn output_of(text: &str, output: &Range<usize>) -> Option<ShownOutput> {
    let fields = members(text, output).ok()?;
    let value = |name: &str| Some(&fields.iter().find(|member| member.name == name)?.value);
    let string = |name| joined(text, value(name)?);
    let kind = string("output_type")?;
    let (mut decoded, mut others) = (string("text"), Vec::new());
    if let Some(data) = value("data").and_then(|data| members(text, data).ok()) {
        for member in &data {
            match joined(text, &member.value).filter(|_| member.name == "text/plain") {
                Some(plain) => decoded = Some(plain),
                None => others.push(member.name.clone().into_owned()),
            }
        }
    }
    if kind == "error" {
        let trace = value("traceback").and_then(|value| elements(text, value).ok()).unwrap_or_default();
        let lines: Vec<_> = trace.iter().filter_map(|line| joined(text, line)).collect();
        let summary = || Some(format!("{}: {}", string("ename")?, string("evalue")?));
        decoded = if lines.is_empty() { summary() } else { Some(lines.join("\n")) };
    }
    Some(ShownOutput { kind, text: decoded.map(|text| strip_colors(&text)), others })
}

/// Returns a text that is written as one string or as a list of lines.
fn joined(text: &str, value: &Range<usize>) -> Option<String> {
    let string = |span: &Range<usize>| {
        let string = &text[span.clone()];
        string.starts_with('"').then(|| unquoted(string))
    };
    if let Some(whole) = string(value) {
        return Some(whole.into_owned());
    }
    elements(text, value).ok()?.iter().map(string).collect()
}

/// Removes terminal escape sequences: they can double the size and carry no information for a reader of text.
fn strip_colors(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| ('@'..='~').contains(&c)).map_or(part.len(), |end| end + 1);
        plain.push_str(&part[end..]);
    }
    plain
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn notebook(cells: &str) -> String {
        format!(r#"{{"cells": [{cells}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 5}}"#)
    }

    #[test]
    fn a_cell_is_returned_with_its_outputs() {
        let text = notebook(
            r#"{"cell_type": "code", "id": "a", "metadata": {}, "execution_count": 7, "source": ["x\n", "y"], "outputs": [
              {"output_type": "stream", "name": "stdout", "text": ["1\n", "\u001b[31m2\u001b[0m"]},
              {"output_type": "display_data", "metadata": {}, "data": {"image/png": "AAAA", "text/plain": ["<Figure>"]}},
              {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\u001b[0;31mE\u001b[0m", "v"]},
              {"output_type": "error", "ename": "E", "evalue": "v", "traceback": []}]}"#,
        );
        let output = |kind: &str, text: &str, others: &[&str]| ShownOutput {
            kind: kind.to_owned(),
            text: Some(text.to_owned()),
            others: others.iter().map(|&other| other.to_owned()).collect(),
        };
        let outputs = vec![
            output("stream", "1\n2", &[]),
            output("display_data", "<Figure>", &["image/png"]),
            output("error", "E\nv", &[]),
            output("error", "E: v", &[]),
        ];
        let (id, cell_type) = (Some("a".to_owned()), Some("code".to_owned()));
        let cell = ShownCell { id, cell_type, source: "x\ny".to_owned(), execution_count: Some(7), outputs };
        assert_eq!(decode_cells(&text), Ok(vec![cell]));
    }

    #[rstest]
    #[case::not_run(r#"{"cell_type": "code", "execution_count": null, "source": "x", "outputs": []}"#, "x")]
    #[case::no_source(r#"{"cell_type": "code"}"#, "")]
    #[case::odd_source(r#"{"source": ["a", 1]}"#, "")]
    #[case::odd_outputs(r#"{"source": "a", "outputs": [1, {}, {"output_type": 3}]}"#, "a")]
    fn missing_or_malformed_members_are_skipped(#[case] cell: &str, #[case] source: &str) {
        let cells = decode_cells(&notebook(cell)).unwrap();
        assert_eq!((cells[0].source.as_str(), cells[0].outputs.len()), (source, 0));
    }

    #[rstest]
    #[case("\u{1b}[1;31mred\u{1b}[0m", "red")]
    #[case("\u{1b}[", "")]
    #[case("plain", "plain")]
    fn colors_are_removed(#[case] text: &str, #[case] plain: &str) {
        assert_eq!(strip_colors(text), plain);
    }
}
