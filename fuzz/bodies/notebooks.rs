//! Builds a notebook, or text similar to one, and operations on its cells.

use editd_edit::Deadline;
use editd_edit::notebook::{CellOp, CellRef, CellType, NotebookError, edit_cells, is_notebook};

/// Building blocks of notebooks.
const TOKENS: [&str; 32] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\n",
    "\r\n",
    " ",
    "\t",
    "\"",
    "\\",
    "null",
    "NaN",
    "0",
    "-1.5e3",
    "\"a\\n\"",
    "\"\\u00e9\"",
    "é",
    "\"cells\":",
    "\"source\":",
    "\"cell_type\":\"code\"",
    "\"outputs\":[]",
    "\"id\":\"a\"",
    "\"nbformat\":4",
    "\"nbformat_minor\":5",
    "{\"source\":[\"x\"]}",
    "{\"source\":\"x\",\"cell_type\":\"raw\"}",
    "\"execution_count\":1",
    "\"attachments\":{}",
    "\"metadata\":{ }",
    "\u{feff}",
];
const SOURCES: [&str; 6] = ["", "a", "a\nb\n", "\"\\\t", "é\u{2028}😀", "x\r\ny"];

/// Runs the operations encoded in the bytes. Panics if an invariant is violated.
pub fn run(data: &[u8]) {
    let mut input = Input { data, at: 0 };
    let ops: Vec<CellOp> = (0..=input.below(4)).map(|_| input.op()).collect();
    let text = input.text();
    match edit_cells(&text, &ops, Deadline::NONE) {
        Ok(change) => {
            assert!(is_notebook(&text) && change.plan.fits(&text), "the plan fits its base");
            let result = change.plan.apply(&text);
            assert!(is_notebook(&result), "the result is a notebook");
            assert_eq!(change.plan.invert(&text).apply(&result), text, "the plan can be inverted");
        }
        Err(NotebookError::Unreadable(unreadable)) => {
            assert!(
                !is_notebook(&text) && unreadable.line >= 1,
                "only an unreadable notebook is refused as unreadable"
            );
        }
        Err(NotebookError::TimedOut) => panic!("there is no deadline"),
        Err(NotebookError::Cells(refusals)) => {
            assert!(refusals.iter().all(|refusal| refusal.op < ops.len()), "refusals refer to operations");
        }
    }
}

/// Reads decisions from bytes; zeros when the bytes are used up.
struct Input<'a> {
    data: &'a [u8],
    at: usize,
}

impl Input<'_> {
    fn below(&mut self, end: usize) -> usize {
        let byte = self.data.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(byte) % end
    }

    fn place(&mut self) -> CellRef {
        match self.below(5) {
            4 => CellRef::Id("a".to_owned()),
            index => CellRef::Index(index),
        }
    }

    fn cell_type(&mut self) -> CellType {
        [CellType::Code, CellType::Markdown, CellType::Raw][self.below(3)]
    }

    fn source(&mut self) -> String {
        SOURCES[self.below(SOURCES.len())].to_owned()
    }

    fn op(&mut self) -> CellOp {
        match self.below(4) {
            0 => CellOp::Delete { cell: self.place() },
            1 => {
                CellOp::Insert { at: Some(self.place()), cell_type: self.cell_type(), source: self.source() }
            }
            _ => CellOp::Replace {
                cell: self.place(),
                cell_type: (self.below(2) == 0).then(|| self.cell_type()),
                source: (self.below(3) > 0).then(|| self.source()),
                clear_outputs: self.below(2) == 0,
            },
        }
    }

    /// Decodes the rest of the bytes: literally, as tokens, or as tokens in the cells of a notebook.
    fn text(&mut self) -> String {
        let form = self.below(3);
        let rest = self.data.get(self.at..).unwrap_or_default();
        if form == 0 {
            return String::from_utf8_lossy(rest).into_owned();
        }
        let tokens: String = rest.iter().map(|byte| TOKENS[usize::from(*byte) % TOKENS.len()]).collect();
        if form == 1 {
            tokens
        } else {
            format!("{{\"nbformat\":4,\"nbformat_minor\":5,\"cells\":[{tokens}]}}")
        }
    }
}
