//! The examples of `docs/matching.md`, for the tests and for the bench of matching.

use editd_edit::{Edit, EditRefusalKind, Options, Strategy, find};

pub(crate) const DOCUMENT: &str = include_str!("../../docs/matching.md");

/// Replaces the visible symbols for whitespace in a fence with the characters they stand for.
fn with_real_whitespace(shown: &str) -> String {
    shown.replace('→', "\t").replace('·', " ").replace("␍\n", "\r\n")
}

/// An example: the file, the edit, and the expected outcome.
pub(crate) struct Example {
    pub(crate) file: String,
    pub(crate) edit: Edit,
    /// Resulting file, or the name of the refusal.
    outcome: Result<String, String>,
}

impl Example {
    fn read(shown: &str) -> Self {
        let fence = |name: &str| {
            let start = shown.split_once(&format!("```{name}\n"))?.1;
            Some(with_real_whitespace(start.split_once("```")?.0))
        };
        let text = |name: &str| fence(name).unwrap_or_else(|| panic!("{name} in {shown}"));
        let outcome = fence("refused").map_or_else(|| Ok(text("result")), |name| Err(name.trim().to_owned()));
        Self { file: text("file"), edit: Edit::new(text("old"), text("new")), outcome }
    }

    /// Returns all examples in a part of the document.
    pub(crate) fn all(part: &str) -> Vec<Self> {
        part.split("```file\n").skip(1).map(|shown| Self::read(&format!("```file\n{shown}"))).collect()
    }

    /// Runs the example and returns the tier that matched.
    pub(crate) fn run(&self) -> Option<Strategy> {
        match (find(&self.file, std::slice::from_ref(&self.edit), &Options::default()), &self.outcome) {
            (Ok(found), Ok(text)) => {
                assert_eq!(found.plan.apply(&self.file), *text);
                Some(found.matches[0].strategy)
            }
            (Err(refused), Err(name)) => {
                let is_named =
                    matches!(refused[0].kind, EditRefusalKind::NotFound { .. }) && name == "not_found";
                assert!(is_named, "{refused:?}");
                None
            }
            (got, expected) => panic!("{got:?} for {expected:?}"),
        }
    }

    /// Returns the file of the example in the middle of a longer text.
    pub(crate) fn within(&self, text: &str) -> String {
        let middle = text[..text.len() / 2].rfind('\n').map_or(0, |end| end + 1);
        [&text[..middle], "// The example begins.\n", &self.file, "// The example ends.\n", &text[middle..]]
            .concat()
    }
}

/// Returns the tiers in the order of the document, each with its examples.
pub(crate) fn tiers() -> Vec<(&'static str, Vec<Example>)> {
    let (part, _) = DOCUMENT.split_once("\n## Placeholders").expect("a section after the tiers");
    let tier = |section: &'static str| {
        let name = section.split('`').nth(1).expect("a tier in its heading");
        (name, Example::all(section))
    };
    part.split("\n### ").skip(1).map(tier).collect()
}
