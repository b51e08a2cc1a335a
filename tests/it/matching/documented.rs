//! Runs the examples of `docs/matching.md`.

use editd::edit::{Edit, EditRefusalKind, Options, Strategy, find};

const DOCUMENT: &str = include_str!("../../../docs/matching.md");

/// Replaces the visible symbols for whitespace in a fence with the characters they stand for.
fn with_real_whitespace(shown: &str) -> String {
    shown.replace('→', "\t").replace('·', " ").replace("␍\n", "\r\n")
}

/// An example: the file, the edit, and the expected outcome.
struct Example {
    file: String,
    edit: Edit,
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
    fn all(part: &str) -> Vec<Self> {
        part.split("```file\n").skip(1).map(|shown| Self::read(&format!("```file\n{shown}"))).collect()
    }

    /// Runs the example and returns the tier that matched.
    fn run(&self) -> Option<Strategy> {
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
}

#[test]
fn every_tier_has_a_correct_example() {
    let (tiers_part, _) = DOCUMENT.split_once("\n## Placeholders").expect("a section after the tiers");
    let mut tiers = Vec::new();
    for section in tiers_part.split("\n### ").skip(1) {
        let strategy = section.split('`').nth(1).expect("a tier in its heading");
        let examples = Example::all(section);
        assert!(!examples.is_empty(), "{strategy} has an example");
        for example in examples {
            assert_eq!(example.run().map(Strategy::name), Some(strategy));
        }
        tiers.push(strategy);
    }
    assert_eq!(tiers, Strategy::NAMES.map(|(_, name)| name), "in the order in which they are tried");
}

#[test]
fn the_examples_of_replacements_are_correct() {
    let (_, part) = DOCUMENT.split_once("\n## Replacement text").expect("the section");
    let (part, _) = part.split_once("\n## ").expect("a section after it");
    let examples = Example::all(part);
    assert!(examples.len() >= 6);
    for example in examples {
        example.run();
    }
}
