use proptest::prelude::*;

use super::*;

/// Files with many declarations.
const FILES: [(Language, &str); 8] = [
    (Language::Rust, include_str!("../../edit/plan.rs")),
    (Language::TypeScript, include_str!("../../../editors/vscode/src/review/places.ts")),
    (Language::JavaScript, include_str!("../../../editors/vscode/notices.mjs")),
    (Language::Lua, include_str!("../../../editors/nvim/lua/editd/document.lua")),
    (Language::Python, include_str!("../../../docs/examples/agent.py")),
    (Language::Bash, include_str!("../../../scripts/test")),
    (Language::C, include_str!("../../../tests/it/syntax/samples/list.c")),
    (Language::Go, include_str!("../../../tests/it/syntax/samples/queue.go")),
];

/// Texts that often break a file.
const PIECES: [&str; 18] = [
    "{", "}", "(", ")", "[", "]", "\"", "'", "`", "/*", "*/", "//", "\"\"\"", "end", "\n", "#if X\n",
    "<<EOF\n", "x",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The quick check finds a change free of errors only if the whole text has no new ones.
    #[test]
    fn the_quick_check_misses_no_errors(
        file in 0..FILES.len(),
        (at, removed, piece) in (any::<prop::sample::Index>(), 0_usize..40, 0..PIECES.len()),
    ) {
        let (language, text) = FILES[file];
        let before = text.repeat(60_000 / text.len() + 1);
        let start = floor_char_boundary(&before, at.index(before.len()));
        let end = floor_char_boundary(&before, (start + removed).min(before.len())).max(start);
        let after = format!("{}{}{}", &before[..start], PIECES[piece], &before[end..]);
        let budget = Budget::new(std::time::Duration::from_secs(60), Deadline::NONE);
        if is_free_of_errors(&before, &after, language, budget) {
            let whole = |text: &str| errors(&parse(text, language, budget).unwrap()).len();
            prop_assert!(whole(&after) <= whole(&before), "{language} {:?}", &after[start.saturating_sub(200)..]
                .chars().take(400).collect::<String>());
        }
    }
}
