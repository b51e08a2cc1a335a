//! A sample of the fidelity measure: nothing may come out that nobody asked for.

#[path = "../../benches/fidelity/measure/mod.rs"]
mod measure;

use measure::{Part, Run, run};

/// Cases of each kind; `cargo bench --bench fidelity` has many more.
const CASES: usize = 5;
/// The anchored form may be this large compared with the other one, in tenths of a percent.
const ANCHORED_SIZE: usize = 450;

#[test]
fn no_request_of_a_sample_does_harm() {
    for part in Part::ALL {
        let report = run(part, &Run { seed: 1, cases: CASES, shipped: false, kind: None, show: 3 });
        let harmful: Vec<_> = report.rows.iter().filter(|row| row.harm() > 0).map(|row| row.name).collect();
        assert!(harmful.is_empty(), "{harmful:?} did harm:\n{}\n{}", report.shown, report.table);
        let right = report.per_mille();
        assert!(right >= part.target(), "too little comes out right:\n{}\n{}", report.shown, report.table);
    }
}

#[test]
fn every_kind_can_be_drawn_and_is_drawn_alike_again() {
    for (part, kinds) in Part::ALL.into_iter().zip([60, 80, 18, 70]) {
        let again = || run(part, &Run { seed: 7, cases: 1, shipped: false, kind: None, show: 0 });
        let (one, other) = (again(), again());
        let empty: Vec<_> = one.rows.iter().filter(|row| row.cases() == 0).map(|row| row.name).collect();
        assert!(empty.is_empty(), "no case could be drawn for {empty:?}");
        assert!(one.rows.len() >= kinds, "{} has all its kinds", part.name());
        assert_eq!(one.rows.len(), part.kinds().len());
        assert_eq!((one.table, one.plainer), (other.table, other.plainer), "a seed gives the same cases");
    }
}

#[test]
fn line_numbers_take_fewer_characters_than_old_text() {
    let sizes = measure::sizes(&Run { seed: 1, cases: CASES, shipped: false, kind: None, show: 0 });
    assert!(sizes.per_mille() <= ANCHORED_SIZE, "{}", sizes.table());
}
