//! Renames in real source files: the sources of the project, the samples of the tests and the corpus of the benches.

use std::fs;
use std::path::{Path, PathBuf};

use editd_edit::{Deadline, Plan};
use editd_syntax::{
    Language, Outline, RenameRefusal, Renamed, SymbolEdit, SymbolKind, SymbolOp, edit_symbol, new_errors,
    outline, rename,
};

/// Maximum number of symbols of a file that are renamed: of Rust, of which there is much, and of other languages.
const SYMBOLS: (usize, usize) = (2, 20);

/// Maximum size of a file, in bytes.
const SIZE: u64 = 60_000;

/// Finds the files of a folder that are not large.
pub(crate) fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if fs::metadata(&path).is_ok_and(|it| it.len() <= SIZE) {
            found.push(path);
        }
    }
}

/// Returns the rename of a symbol, or `None` if it is refused.
fn renamed(
    text: &str,
    outline: &Outline,
    symbol: &str,
    new: &str,
) -> Option<Result<(String, Renamed), RenameRefusal>> {
    let change = edit_symbol(text, outline, &SymbolEdit::new(symbol, SymbolOp::Rename, new)).ok()?;
    let wanted = change.wanted?;
    let found = rename(text, outline.language(), &wanted, Deadline::NONE).ok()?;
    Some(found.map(|renamed| {
        let plan = Plan::new(text.len(), renamed.splices.clone()).expect("the places are disjoint");
        (plan.apply(text), renamed)
    }))
}

/// Returns whole words of a text.
fn count(text: &str, name: &str) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let whole = |at: &usize| {
        let before = text[..*at].chars().next_back().is_some_and(is_word);
        let after = text[at + name.len()..].chars().next().is_some_and(is_word);
        !(after || before && name.starts_with(is_word))
    };
    text.match_indices(name).map(|(at, _)| at).filter(whole).count()
}

/// Each symbol is renamed to a fresh name and back: the bytes are the same again, no syntax error is new, and each
/// occurrence of the name is either renamed or reported.
#[test]
fn a_rename_and_back_gives_the_same_bytes() {
    let mut found = Vec::new();
    for folder in [
        "src",
        "tests/it/syntax",
        "tests/it/symbols",
        "benches/fidelity/measure",
        "docs/examples",
        "editors/page",
    ] {
        files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut found);
    }
    let (mut done, mut refused) = (0, 0);
    let is_chosen =
        |(index, path): &(usize, &PathBuf)| path.extension().is_none_or(|it| it != "rs") || index % 8 == 0;
    for (_, path) in found.iter().enumerate().filter(is_chosen) {
        let Some(language) = Language::of_path(path) else { continue };
        let Ok(text) = fs::read_to_string(path) else { continue };
        let Ok(before) = outline(&text, language, Deadline::NONE) else { continue };
        let is_data = before.symbols().iter().all(|symbol| {
            matches!(
                symbol.kind,
                SymbolKind::Key | SymbolKind::Section | SymbolKind::Table | SymbolKind::Rule
            )
        });
        if is_data {
            continue;
        }
        let most = if language == Language::Rust { SYMBOLS.0 } else { SYMBOLS.1 };
        let step = before.symbols().len().div_ceil(most).max(1);
        for symbol in before.symbols().iter().step_by(step) {
            let reference = format!("{}@{}", before.path(symbol), symbol.lines.start);
            let place = format!("{}: {reference}", path.display());
            let new = format!("fresh_{}", done % 7);
            let Some(result) = renamed(&text, &before, &reference, &new) else { continue };
            let Ok((after, there)) = result else {
                refused += 1;
                continue;
            };
            done += 1;
            let reported = there.splices.len() + there.left.len();
            assert_eq!(count(&text, &there.old), reported, "{place}: all occurrences are reported");
            assert_eq!(new_errors(&text, &after, language, Deadline::NONE), Some(Vec::new()), "{place}");
            let is_expanded = there.splices.iter().any(|splice| splice.text != new);
            if is_expanded {
                continue;
            }
            let names = outline(&after, language, Deadline::NONE).expect("an outline");
            assert_eq!(names.symbols().len(), before.symbols().len(), "{place}");
            let at = before.symbols().iter().position(|other| other == symbol).expect("the symbol");
            let reference =
                format!("{}@{}", names.path(&names.symbols()[at]), names.symbols()[at].lines.start);
            match renamed(&after, &names, &reference, &there.old) {
                Some(Ok((again, back))) => {
                    assert_eq!(again, text, "{place}: {there:#?} {back:#?}");
                    assert_eq!(back.splices.len(), there.splices.len(), "{place}");
                }
                // Uses that were left have the old name, and it would hide them.
                Some(Err(
                    RenameRefusal::Taken { .. }
                    | RenameRefusal::Hidden { .. }
                    | RenameRefusal::Captured { .. },
                )) => {}
                other => panic!("{place}: {other:?}"),
            }
        }
    }
    assert!(done > 200 && refused < done / 2, "{done} renames, {refused} refused");
}
