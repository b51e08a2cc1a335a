//! Runs the examples of `docs/matching.md`.

#[path = "../../support/examples.rs"]
mod examples;

use editd_edit::{Options, Strategy, find};

use examples::{DOCUMENT, Example, tiers};

#[test]
fn every_tier_has_a_correct_example() {
    let mut documented = Vec::new();
    for (strategy, examples) in tiers() {
        assert!(!examples.is_empty(), "{strategy} has an example");
        for example in examples {
            assert_eq!(example.run().map(Strategy::name), Some(strategy));
        }
        documented.push(strategy);
    }
    let mut named = Strategy::NAMES.map(|(_, name)| name).to_vec();
    // Edits that name lines or symbols are not matched.
    named.retain(|name| !matches!(*name, "lines" | "symbol" | "language_server"));
    assert_eq!(documented, named, "in the order in which they are tried");
}

/// The bench of matching relies on it.
#[test]
fn the_first_example_of_a_tier_matches_in_a_larger_text_too() {
    let text = "fn main() {\n    println!(\"begin\");\n}\n".repeat(20);
    for (strategy, examples) in tiers() {
        let found = find(&examples[0].within(&text), &[examples[0].edit.clone()], &Options::default());
        assert_eq!(found.map(|found| found.matches[0].strategy.name()), Ok(strategy));
    }
}

#[test]
fn names_follow_the_order_of_the_tiers() {
    for (at, (strategy, name)) in Strategy::NAMES.into_iter().enumerate() {
        assert_eq!((strategy as usize, strategy.name()), (at, name));
    }
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
