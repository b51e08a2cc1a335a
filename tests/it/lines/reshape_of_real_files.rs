//! Lines of real source files that are wrapped and indented: the sources of the project and the samples of the tests.

use std::fs;
use std::path::{Path, PathBuf};

use editd_edit::{Deadline, LineRange, Plan, Reshape, StringLines, reshape};
use editd_syntax::{Language, SymbolPath, body_lines, new_errors, outline, string_lines};
use editd_text::indent_style;

use crate::symbols::renames_of_real_files::files;

/// Returns the lines of a block around statements.
fn block(language: Language) -> Option<(&'static str, &'static str)> {
    match language {
        Language::Python => Some(("if x:", "")),
        Language::Bash => Some(("if x; then", "fi")),
        Language::Lua => Some(("do", "end")),
        Language::C | Language::Java | Language::JavaScript | Language::TypeScript | Language::Tsx => {
            Some(("if (x) {", "}"))
        }
        Language::Go | Language::Rust => Some(("{", "}")),
        _ => None,
    }
}

fn applied(text: &str, range: LineRange, how: &Reshape, strings: &[StringLines]) -> Option<String> {
    let reshaped = reshape(text, range, how, strings).ok()?;
    Some(Plan::new(text.len(), reshaped.splices).expect("disjoint splices").apply(text))
}

/// Returns the lines without those that a wrap adds, and without indentation outside of strings.
fn code(text: &str, strings: &[StringLines]) -> Vec<String> {
    let is_string = |number: usize| {
        strings.iter().any(|it| !it.is_documentation && (it.lines.start..=it.lines.end).contains(&number))
    };
    let line = |(index, line): (usize, &str)| {
        if is_string(index + 1) { line.to_owned() } else { line.trim_start().to_owned() }
    };
    text.split('\n').enumerate().map(line).collect()
}

/// The body of each function is wrapped: no syntax error is new, and everything else is there as it was, strings
/// included.
#[test]
fn wrapped_bodies_are_valid_and_complete() {
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in ["src", "tests/it", "benches", "docs/examples", "editors/page", "packaging", "scripts"] {
        files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut found);
    }
    let is_chosen =
        |(index, path): &(usize, &PathBuf)| path.extension().is_none_or(|it| it != "rs") || index % 8 == 0;
    let (mut wrapped, mut left, mut moved_back) = (0, 0, 0);
    for (_, path) in found.iter().enumerate().filter(is_chosen) {
        let Some(language) = Language::of_path(path) else { continue };
        let Some((before, after)) = block(language) else { continue };
        let Ok(text) = fs::read_to_string(path) else { continue };
        let Ok(names) = outline(&text, language, Deadline::NONE) else { continue };
        let strings = string_lines(&text, language, Deadline::NONE).expect("a tree");
        let how = Reshape::Wrap { before: before.to_owned(), after: after.to_owned() };
        for symbol in names.symbols().iter().step_by(4) {
            let reference = format!("{}@{}", names.path(symbol), symbol.lines.start);
            let is_function = symbol.signature.contains('(');
            let place = format!("{}: {reference}", path.display());
            let body = body_lines(&text, &names, &SymbolPath::parse(&reference));
            let Ok(body) = body.map_err(|_| ()).and_then(|body| if is_function { Ok(body) } else { Err(()) })
            else {
                continue;
            };
            let Some(result) = applied(&text, body, &how, &strings) else {
                left += 1;
                continue;
            };
            // A body may be a list of declarations or of fields.
            if new_errors(&text, &result, language, Deadline::NONE) != Some(Vec::new()) {
                left += 1;
                continue;
            }
            wrapped += 1;
            let inside = string_lines(&result, language, Deadline::NONE).expect("a tree");
            let mut now = code(&result, &inside);
            assert_eq!(now.remove(body.start - 1), before, "{place}");
            if !after.is_empty() {
                assert_eq!(now.remove(body.end), after, "{place}");
            }
            assert_eq!(now, code(&text, &strings), "{place}");
            let indented = applied(&text, body, &Reshape::Indent(1), &strings).expect("lines");
            // A text of which only these lines are indented shows another level now.
            if indent_style(&indented) == indent_style(&text) {
                let back = applied(&indented, body, &Reshape::Indent(-1), &strings);
                assert_eq!(back.as_ref(), Some(&text), "{place}");
                moved_back += 1;
            }
        }
    }
    assert!(wrapped > 200 && left < wrapped / 10, "{wrapped} wrapped, {left} left");
    assert!(moved_back * 10 > wrapped * 9, "{moved_back} of {wrapped} indented and back");
}
