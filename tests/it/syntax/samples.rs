//! Samples in each language, in `samples`.

use std::fs;
use std::path::Path;

use editd_syntax::Language;

use super::files::File;

/// Returns the samples, each also with other line endings, a byte order mark, and without its last line
/// ending.
pub(crate) fn samples() -> Vec<File> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/syntax/samples");
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("samples").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let mut samples = Vec::new();
    for path in paths {
        let Some(language) = Language::of_path(&path) else { continue };
        let text = fs::read_to_string(&path).expect("a sample");
        let variants = [
            text.clone(),
            text.replace('\n', "\r\n"),
            text.trim_end().to_owned(),
            format!("\u{feff}{text}"),
            text.replace('\n', "\r"),
        ];
        samples.extend(variants.into_iter().map(|text| File { path: path.clone(), text, language }));
    }
    samples
}

/// Returns a sample by its name.
pub(crate) fn sample(name: &str) -> File {
    let found = samples().into_iter().find(|file| file.path.ends_with(name));
    found.unwrap_or_else(|| panic!("{name} is a sample"))
}
