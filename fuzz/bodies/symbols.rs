//! Builds a file from bytes and applies an operation to one of its symbols, and checks invariants of both.

use editd_edit::{Deadline, Plan};
use editd_syntax::{Language, Outline, SymbolEdit, SymbolOp, SymbolPath, edit_symbol, new_errors, outline};

/// Parts of files, in the syntax of many languages.
const TOKENS: [&str; 56] = [
    "fn a() {", "}", "\n", "\n", "\n\n", "    ", "\t", " ", "def b(x):", "return 1", "class C", " {", "(", ")", "[", "]",
    "const d = 1;", "let e = () => {", "export ", "impl C ", "#[test]", "@dec", "// note", "# note", "/* x", "*/", "\"", "'", "`",
    "\"k\": 1", ",", "key: ", "- item", "[table]", "f = 2", "# Title", "## Sub", "===", "<p id=\"g\">", "</p>", "<!--", ".h {",
    "function M.i:j()", "end", "struct k {", "};", "int *l(void)", ";", "func (m *T) N()", "type O struct", "é", "😀", "\u{feff}",
    "\r\n", "\r", "x",
];
const NAMES: [&str; 16] = [
    "a.rs", "a.py", "a.ts", "a.tsx", "a.js", "a.go", "a.java", "a.c", "a.json", "a.yaml", "a.html", "a.css", "a.sh", "a.toml",
    "a.md", "a.lua",
];
const OPS: [SymbolOp; 6] = [
    SymbolOp::Replace,
    SymbolOp::Body,
    SymbolOp::Before,
    SymbolOp::After,
    SymbolOp::Delete,
    SymbolOp::RenameHere,
];

/// Runs the operation encoded in the bytes. Panics if an invariant is violated.
pub fn run(data: &[u8]) {
    let mut input = Input { data, at: 0 };
    let Some(language) = Language::of_path(NAMES[input.below(NAMES.len())].as_ref()) else { return };
    let op = OPS[input.below(OPS.len())];
    let chosen = input.below(256);
    let new = input.text(6);
    let text = input.text(200);
    let Ok(outline) = outline(&text, language, Deadline::NONE) else { return };
    check_outline(&text, &outline);
    let Some(symbol) = outline.symbols().get(chosen % outline.symbols().len().max(1)) else { return };
    let name = format!("{}@{}", outline.path(symbol), symbol.lines.start);
    if outline.resolve(&SymbolPath::parse(&name)) != Ok(symbol) {
        return;
    }
    let Ok(change) = edit_symbol(&text, &outline, &SymbolEdit::new(name, op, new)) else { return };
    let inside = |at: usize| symbol.range.start <= at && at <= symbol.range.end;
    let plan = Plan::new(text.len(), change.splices.clone()).expect("the splices form a plan");
    assert!(plan.fits(&text), "no splice cuts a character");
    if op == SymbolOp::Delete {
        assert!(change.splices.iter().all(|splice| splice.text.is_empty()), "nothing is inserted");
    } else {
        let mut ranges = change.splices.iter().map(|splice| &splice.range);
        assert!(ranges.all(|range| inside(range.start) && inside(range.end)), "only the symbol changes");
    }
    let after = plan.apply(&text);
    assert_eq!(new_errors(&text, &text, language, Deadline::NONE).unwrap_or_default(), [], "no text has new errors");
    let _ = new_errors(&text, &after, language, Deadline::NONE);
    if op == SymbolOp::Delete {
        check_deletion(&text, &after, symbol.range.clone());
    }
}

fn check_outline(text: &str, outline: &Outline) {
    let mut before = 0;
    for symbol in outline.symbols() {
        assert!(symbol.range.start < symbol.range.end && symbol.range.end <= text.len(), "{symbol:?}");
        assert!(text.get(symbol.range.clone()).is_some(), "the range cuts no character");
        assert!(symbol.lines.start >= 1 && symbol.lines.start <= symbol.lines.end, "{symbol:?}");
        assert!(symbol.lines.end <= editd_text::lines(text).count(), "{symbol:?}");
        if let Some(body) = &symbol.body {
            assert!(text.get(body.clone()).is_some(), "the body cuts no character");
        }
        assert!(!symbol.name.is_empty() && symbol.signature.chars().count() <= 121, "{symbol:?}");
        let parent = symbol.parent.map_or(0, |parent| {
            assert!(parent < outline.symbols().len(), "{symbol:?}");
            outline.symbols()[parent].lines.start
        });
        before = before.max(parent);
    }
}

/// Checks that everything outside of the symbol stays, apart from blank lines and commas.
fn check_deletion(text: &str, after: &str, range: std::ops::Range<usize>) {
    let visible = |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != ',').collect::<String>();
    let outside = format!("{}{}", &text[..range.start], &text[range.end..]);
    assert_eq!(visible(&outside), visible(after), "only the symbol is deleted");
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

    fn text(&mut self, most: usize) -> String {
        let mut text = String::new();
        for _ in 0..self.below(most + 1) {
            if self.at >= self.data.len() {
                break;
            }
            text.push_str(TOKENS[self.below(TOKENS.len())]);
        }
        text
    }
}
