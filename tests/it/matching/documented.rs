//! The examples of `docs/matching.md` are true.

use editd::edit::{Edit, Options, Strategy, find};

const DOCUMENT: &str = include_str!("../../../docs/matching.md");

/// What stands in a fence, with the signs for what cannot be seen as what they mean.
fn meant(shown: &str) -> String {
    shown.replace('→', "\t").replace('·', " ").replace("␍\n", "\r\n")
}

#[test]
fn every_tier_has_a_worked_example() {
    let mut tiers = Vec::new();
    for section in DOCUMENT.split("\n### ").skip(1) {
        let strategy = section.split('`').nth(1).expect("a tier in its heading");
        let examples: Vec<_> = section.split("```file\n").skip(1).collect();
        for example in &examples {
            let file = example.split("```").next().expect("a file");
            let fence = |name: &str| {
                let start = example.split_once(&format!("```{name}\n")).expect(name).1;
                meant(start.split_once("```").expect(name).0)
            };
            let (file, edit) = (meant(file), Edit::new(fence("old"), fence("new")));
            let found = find(&file, &[edit], &Options::default()).expect(strategy);
            assert_eq!(found.plan.apply(&file), fence("result"), "{strategy}");
            assert_eq!(found.matches[0].strategy.name(), strategy);
        }
        assert!(!examples.is_empty(), "{strategy} has an example");
        tiers.push(strategy);
    }
    assert_eq!(tiers, Strategy::ALL.map(Strategy::name), "in the order in which they are tried");
}
