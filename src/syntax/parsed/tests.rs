use proptest::prelude::*;

use super::*;
use crate::new_errors;
use editd_edit::Splice;

/// Files in several languages, with one that a grammar reads by indentation.
const FILES: [(Language, &str); 7] = [
    (Language::Rust, include_str!("../../edit/plan.rs")),
    (Language::TypeScript, include_str!("../../../editors/vscode/src/review/places.ts")),
    (Language::Python, include_str!("../../../docs/examples/agent.py")),
    (Language::Bash, include_str!("../../../scripts/test")),
    (Language::C, include_str!("../../../tests/it/syntax/samples/list.c")),
    (Language::Json, include_str!("../../../editors/vscode/package.json")),
    (Language::Markdown, include_str!("../../../CONTRIBUTING.md")),
];

/// Texts that change the structure of a file, or only its words.
const PIECES: [&str; 16] =
    ["{", "}", "(", "\"", "`", "/*", "*/", "\n", "\n\n    ", "\r", "\t", "x", "é", "word", "# ", "\r\n"];

/// Random changes of a text, some beside each other.
fn plan(text: &str, changes: &[(prop::sample::Index, usize, usize)]) -> Plan {
    let boundary = |at: usize| editd_text::floor_char_boundary(text, at.min(text.len()));
    let splices = changes.iter().map(|(at, removed, piece)| {
        let start = boundary(at.index(text.len()));
        Splice { range: start..boundary(start + removed).max(start), text: PIECES[*piece].to_owned() }
    });
    // Overlapping changes are no plan.
    let mut kept: Vec<Splice> = Vec::new();
    for splice in splices {
        if kept
            .iter()
            .all(|other| splice.range.end < other.range.start || other.range.end < splice.range.start)
        {
            kept.push(splice);
        }
    }
    Plan::new(text.len(), kept).expect("splices of the text")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// A tree that was followed over changes finds the errors that one of the whole text finds, and the symbols.
    #[test]
    fn a_followed_tree_is_that_of_the_whole_text(
        file in 0..FILES.len(),
        rounds in prop::collection::vec(
            prop::collection::vec((any::<prop::sample::Index>(), 0_usize..30, 0..PIECES.len()), 1..4),
            1..6,
        ),
    ) {
        let (language, text) = FILES[file];
        let mut before = ParsedText::new(text.to_owned(), language);
        let mut free = FreeParts::default();
        for (round, changes) in rounds.into_iter().enumerate() {
            let plan = plan(before.text(), &changes);
            let mut after = before.changed(&plan);
            prop_assert_eq!(after.text(), plan.apply(before.text()));
            // Trees are followed over one change or several. Parsing may take too long on a busy machine.
            if round % 3 == 1 {
                before = after;
                continue;
            }
            let expected = new_errors(before.text(), after.text(), language, Deadline::NONE);
            let found = after.new_errors(&mut before, &mut free, Deadline::NONE);
            if let (Some(expected), Some(found)) = (expected, found) {
                prop_assert_eq!(found, expected);
            }
            let mut whole = ParsedText::new(after.text().to_owned(), language);
            let mut other = before.replaced(after.text().to_owned());
            let parsed = [&mut whole, &mut after, &mut other].map(|text| {
                let has_error = text.tree(Budget::new(MAX_TIME, Deadline::NONE)).map(|tree| tree.root_node().has_error());
                has_error.map(|has_error| (has_error, text.outline(Deadline::NONE)))
            });
            if let [Ok((false, Ok(outline))), Ok((followed, Ok(same))), Ok((replaced, Ok(also)))] = &parsed {
                prop_assert!(!followed && !replaced);
                prop_assert_eq!(same.symbols(), outline.symbols());
                prop_assert_eq!(also.symbols(), outline.symbols());
            }
            before = after;
        }
    }
}
