//! Hostile inputs: deep nesting, many symbols, large files.

use std::time::{Duration, Instant};

use editd_edit::Deadline;
use editd_syntax::{Language, MAX_SIZE, NoSyntax, SymbolPath, SymbolRefusal, new_errors, outline};
use strum::IntoEnumIterator as _;

/// Time for one call in a debug build on a busy machine, with the time limits of the calls included.
const PATIENCE: Duration = Duration::from_secs(6);

/// A language, and a function that returns one line of a file.
type LinesOf = (Language, fn(usize) -> String);

#[test]
fn deep_nesting_ends_within_the_limits() {
    let bombs = ["[", "(", "{", "<div id=a>", "{\"a\":", "- ", "(function () { ", "<!--", "#", "`"];
    for language in Language::iter() {
        for bomb in bombs {
            let text = bomb.repeat(100_000);
            let text = &text[..text.len().min(MAX_SIZE / 2)];
            let began = Instant::now();
            let outline = outline(text, language, Deadline::after(Duration::from_millis(20)));
            let errors = new_errors("", text, language, Deadline::NONE);
            let took = began.elapsed();
            assert!(
                took < PATIENCE,
                "{language} {bomb:?}: {took:?}, {:?}, {:?}",
                outline.err(),
                errors.map(|it| it.len())
            );
        }
    }
}

#[test]
fn deeply_nested_symbols_are_listed_to_a_depth() {
    let text = format!("{}1{}", "{\"a\":".repeat(5_000), "}".repeat(5_000));
    let outline = outline(&text, Language::Json, Deadline::NONE).expect("an outline");
    assert!((10..100).contains(&outline.symbols().len()), "{}", outline.symbols().len());
    let blocks = format!("{}fn x() {{}}{}", "mod a { ".repeat(3_000), " }".repeat(3_000));
    let outline = editd_syntax::outline(&blocks, Language::Rust, Deadline::NONE).expect("an outline");
    assert!((10..100).contains(&outline.symbols().len()), "{}", outline.symbols().len());
}

#[test]
fn fifty_thousand_symbols_are_listed_or_refused() {
    let files: [LinesOf; 6] = [
        (Language::Python, |at| format!("x{at} = 1\n")),
        (Language::Rust, |at| format!("fn f{at}() {{}}\n")),
        (Language::JavaScript, |at| format!("a.f{at} = () => 1;\n")),
        (Language::Toml, |at| format!("k{at} = 1\n")),
        (Language::Yaml, |at| format!("k{at}: 1\n")),
        (Language::Markdown, |at| format!("# h{at}\n")),
    ];
    for (language, line) in files {
        let text: String = (0..50_000).map(line).collect();
        let began = Instant::now();
        let outline = outline(&text, language, Deadline::NONE);
        let took = began.elapsed();
        assert!(took < PATIENCE, "{language}: {took:?}");
        match outline {
            Ok(outline) => {
                assert_eq!(outline.symbols().len(), 50_000, "{language}");
                let missing = outline.resolve(&SymbolPath::parse("nowhere_at_all"));
                assert!(matches!(missing, Err(SymbolRefusal::Unknown { .. })));
                assert!(began.elapsed() < PATIENCE * 2, "{language}: {:?}", began.elapsed());
            }
            Err(error) => assert_eq!(error, NoSyntax::TooSlow, "{language}"),
        }
    }
}

/// The scanners of these grammars abort the process if more blocks are nested than they can store.
#[test]
fn deeply_indented_files_are_not_offered() {
    let nested = |line: fn(usize) -> String, depth: usize| (0..depth).map(line).collect::<String>();
    let files: [LinesOf; 4] = [
        (Language::Yaml, |at| format!("{:at$}a:\n", "")),
        (Language::Yaml, |at| format!("{:at$}-\n", "")),
        (Language::Yaml, |at| format!("{0:at$}a:\n{0:at$}-\n", "")),
        (Language::Python, |at| format!("{:at$}if a:\n", "")),
    ];
    for (language, line) in files {
        for depth in [60, 119, 121, 250, 252, 254, 256, 399, 401, 500, 510, 600] {
            let text = format!("{}{:depth$}b: f'{{f'{{1}}'}}'\n", nested(line, depth), "");
            match outline(&text, language, Deadline::NONE) {
                Ok(_) | Err(NoSyntax::TooSlow) => assert!(depth <= 400, "{language} {depth}"),
                Err(error) => {
                    assert!(error == NoSyntax::TooDeep && depth > 119, "{language} {depth}: {error}");
                }
            }
        }
    }
    let line = format!("{}a", "- ".repeat(300));
    assert_eq!(outline(&line, Language::Yaml, Deadline::NONE), Err(NoSyntax::TooDeep));
}

#[test]
fn large_files_are_not_offered() {
    let text = "a = 1\n".repeat(MAX_SIZE / 6 + 1);
    let expected = NoSyntax::TooLarge { size: text.len() };
    assert_eq!(outline(&text, Language::Python, Deadline::NONE), Err(expected));
    let errors = |after: &str| new_errors(&text, after, Language::Python, Deadline::NONE);
    assert_eq!(errors(&format!("{text}b = (1\n")), None);
    // The lines around a change are parsed all the same.
    assert_eq!(errors(&format!("{text}b = 1\n")), Some(Vec::new()));
    assert_eq!(
        expected.to_string(),
        format!("the file has {} bytes; symbols are offered up to 1000000", text.len())
    );
}

#[test]
fn the_deadline_of_the_caller_counts() {
    let text = "fn a() { let x = [1, 2, 3]; }\n".repeat(20_000);
    let deadline = Deadline::after(Duration::ZERO);
    assert_eq!(outline(&text, Language::Rust, deadline), Err(NoSyntax::TooSlow));
}

#[test]
fn any_prefix_of_a_file_has_an_outline() {
    for file in super::samples::samples().iter().step_by(5) {
        for at in (0..file.text.len()).step_by(37).filter(|&at| file.text.is_char_boundary(at)) {
            let outline = outline(&file.text[..at], file.language, Deadline::NONE).expect("an outline");
            for symbol in outline.symbols() {
                assert!(symbol.range.end <= at && symbol.range.start < symbol.range.end, "{symbol:?}");
                assert!(
                    symbol.body.as_ref().is_none_or(|body| body.start <= body.end && body.end <= at),
                    "{symbol:?}"
                );
            }
        }
    }
}
