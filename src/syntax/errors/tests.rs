use proptest::prelude::*;
use rstest::rstest;

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
        let parts = nearby_parts(&before, &after);
        if parts.is_some_and(|parts| FreeParts::default().contain(parts, language, Deadline::NONE)) {
            let found = new_errors_of_whole(&before, &after, language, Deadline::NONE).unwrap_or_default();
            prop_assert!(found.is_empty(), "{language} {found:?} {:?}", &after[start.saturating_sub(200)..]
                .chars().take(400).collect::<String>());
        }
    }
}

/// Texts that are valid alone although the rest of the file lacks what they pair with.
#[rstest]
#[case::directive(Language::C, "#ifdef A\nint a;\n#endif\n", "#endif", "#e{ndif")]
#[case::directive_with_a_gap(Language::C, "#ifdef A\nint a;\n# endif\n", "# endif", "# endi")]
#[case::here_document(Language::Bash, "cat <<EOF\none\nEOF\n", "EOF", "EOFs")]
fn a_pair_broken_by_a_change_is_found(
    #[case] language: Language,
    #[case] text: &str,
    #[case] old: &str,
    #[case] new: &str,
) {
    let fill = |line: &str| line.repeat(10_000 / line.len() + 1);
    let line = if language == Language::C { "int b;\n" } else { "b = 1\n" };
    let before = fill(line) + text + &fill(line);
    let at = before.rfind(old).expect("the old text");
    let after = format!("{}{new}{}", &before[..at], &before[at + old.len()..]);
    assert_eq!(nearby_parts(&before, &after), None);
}

/// A change of a file without errors, and the same change of this file with a wrong line elsewhere.
struct Scene {
    language: Language,
    clean: [String; 2],
    wrong: [String; 2],
}

/// Lines that are errors in all of these languages.
const WRONG: [&str; 3] = ["EXPORT(foo) bar baz = = 1", "a b (c d) = {e f} g;", "= = )"];

/// Texts that often leave a file right.
const RIGHT: [&str; 4] = ["", "// x", "x", "\n"];

impl Scene {
    /// Creates a scene from random numbers. Returns `None` if the wrong line would be in the change.
    fn new(file: usize, mut random: impl FnMut() -> usize) -> Option<Self> {
        let (language, text) = FILES[file];
        let starts: Vec<usize> = lines(text).map(|line| line.start).collect();
        let (wrong, error) = (WRONG[random() % WRONG.len()], starts[random() % starts.len()]);
        let start = floor_char_boundary(text, random() % text.len());
        let end = floor_char_boundary(text, (start + random() % 20).min(text.len())).max(start);
        let new = RIGHT.iter().chain(&PIECES).nth(random() % (RIGHT.len() + PIECES.len()))?;
        let changed = format!("{}{new}{}", &text[..start], &text[end..]);
        let moved = if error <= line_start(text, start) {
            error
        } else if error >= line_end(text, end).1 {
            error + new.len() - (end - start)
        } else {
            return None;
        };
        let with = |text: &str, at: usize| format!("{}{wrong}\n{}", &text[..at], &text[at..]);
        let wrong = [with(text, error), with(&changed, moved)];
        Some(Self { language, wrong, clean: [text.to_owned(), changed] })
    }

    /// Returns the new errors without and with the wrong line; `None` if parsing takes too long.
    fn new_errors(&self) -> Option<[Vec<SyntaxError>; 2]> {
        let found =
            |[before, after]: &[String; 2]| new_errors_of_whole(before, after, self.language, Deadline::NONE);
        Some([found(&self.clean)?, found(&self.wrong)?])
    }
}

/// An error elsewhere neither makes a right change look wrong nor hides a wrong one, with few exceptions beside it.
#[test]
fn an_old_error_does_not_matter_for_a_change_elsewhere() {
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let (mut right, mut found, mut missed) = (0, 0, Vec::new());
    for round in 0..480 {
        let Some(scene) = Scene::new(round % FILES.len(), &mut random) else { continue };
        let Some([expected, errors]) = scene.new_errors() else { continue };
        match (expected.is_empty(), errors.is_empty()) {
            (true, true) => right += 1,
            (true, false) => panic!("{}: {errors:?}\n{}", scene.language, scene.wrong[1]),
            (false, false) => found += 1,
            (false, true) => missed.push(expected),
        }
    }
    assert!(right > 100 && found > 200, "{right} {found}");
    assert!(missed.len() * 20 <= found, "{} of {found}: {missed:#?}", missed.len());
}
