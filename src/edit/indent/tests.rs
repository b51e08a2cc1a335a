use proptest::prelude::*;

use crate::{Edit, Options, Strategy as Tier, find};

/// Lines as (level, word); an empty word is a blank line.
type Block = Vec<(usize, String)>;

fn written(block: &Block, unit: &str, depth: usize) -> String {
    let line = |(level, word): &(usize, String)| {
        if word.is_empty() { "\n".to_owned() } else { unit.repeat(level + depth) + word + "\n" }
    };
    block.iter().map(line).collect::<Vec<_>>().concat()
}

/// Blocks in which each line is at most one level deeper than the one before, with at least two levels.
fn blocks() -> impl Strategy<Value = Block> {
    proptest::collection::vec((0..3_usize, 0..6_usize), 1..7).prop_map(|steps| {
        let mut block = vec![(0, "w0".to_owned()), (1, "w1".to_owned())];
        for (at, (level, blank)) in steps.into_iter().enumerate() {
            let deepest = block.iter().rev().find(|line| !line.1.is_empty()).map_or(0, |line| line.0 + 1);
            let word = if blank == 0 { String::new() } else { format!("w{}", at + 2) };
            block.push((level.min(deepest), word));
        }
        block.push((0, "end".to_owned()));
        block
    })
}

/// Blocks with all lines on one level: the steps of the new lines determine the request's unit. A single line
/// would match literally inside the deeper one.
fn flat() -> impl Strategy<Value = Block> {
    (2..4_usize).prop_map(|lines| (0..lines).map(|at| (0, format!("w{at}"))).collect())
}

fn units() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("\t"), Just("  "), Just("    ")]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn new_text_gets_the_unit_and_depth_of_the_file(
        block in prop_oneof![blocks(), flat()], file in (units(), 0..3_usize), requested in (units(), 0..3_usize),
        inserted in proptest::collection::vec((0..8_usize, 0..2_usize), 1..3), removed in proptest::option::of(1..5_usize),
    ) {
        let mut changed = block.clone();
        if let Some(at) = removed.filter(|&at| at + 1 < changed.len() && changed[at - 1].0 + 1 > changed[at + 1].0) {
            changed.remove(at);
        }
        for (number, (at, deeper)) in inserted.into_iter().enumerate() {
            let at = at.min(changed.len() - 1);
            let level = changed[at].0 + deeper;
            changed.insert(at + 1, (level, format!("new{number}")));
        }
        let flat = block.iter().all(|(level, _)| *level == 0);
        if flat && file.0 != requested.0 && (file.1 != requested.1 || file.1 == 0) {
            // One depth proves another unit only if it is as many levels in both.
            return Ok(());
        }
        let head = format!("head\n{0}one\n{0}{0}two\n{0}three\nhead\n", file.0);
        let base = head.clone() + &written(&block, file.0, file.1) + "tail\n";
        let edit = Edit::new(written(&block, requested.0, requested.1), written(&changed, requested.0, requested.1));
        let found = find(&base, &[edit], &Options::default());
        if file.0 != requested.0 && found.is_err() {
            // Other units can be possible too: if a step of one is two of the other, and if the file itself
            // goes as much deeper at once as the request does.
            return Ok(());
        }
        let found = found.unwrap();
        if found.matches[0].strategy == Tier::Exact {
            // Two levels of two spaces equal one of four: an exact match is written literally.
            return Ok(());
        }
        let expected = head + &written(&changed, file.0, file.1) + "tail\n";
        prop_assert_eq!(found.plan.apply(&base), expected);
        prop_assert_eq!(found.matches[0].strategy, Tier::Indentation);
    }
}
