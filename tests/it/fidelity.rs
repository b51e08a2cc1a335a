//! A sample of the fidelity measure: nothing may come out that nobody asked for.

#[path = "../../benches/fidelity/measure/mod.rs"]
mod measure;

/// Cases of each kind; `cargo bench --bench fidelity` has many more.
const CASES: usize = 8;
/// What is right in the least, in tenths of a percent.
const TARGET: usize = 970;

#[test]
fn no_request_of_a_sample_does_harm() {
    let report = measure::run(&measure::Run { seed: 1, cases: CASES, shipped: false, kind: None, show: 3 });
    let harmful: Vec<_> = report.rows.iter().filter(|row| row.harm() > 0).map(|row| row.name).collect();
    assert!(harmful.is_empty(), "{harmful:?} did harm:\n{}\n{}", report.shown, report.table);
    assert!(report.per_mille() >= TARGET, "too little comes out right:\n{}\n{}", report.shown, report.table);
}

#[test]
fn every_kind_can_be_drawn_and_is_drawn_alike_again() {
    let run = || measure::run(&measure::Run { seed: 7, cases: 1, shipped: false, kind: None, show: 0 });
    let (one, other) = (run(), run());
    let empty: Vec<_> = one.rows.iter().filter(|row| row.cases() == 0).map(|row| row.name).collect();
    assert!(empty.is_empty(), "no case could be drawn for {empty:?}");
    assert!(one.rows.len() >= 60, "the measure has all its kinds");
    assert_eq!((one.table, one.plainer), (other.table, other.plainer), "a seed always gives the same cases");
}
