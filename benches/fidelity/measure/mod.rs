//! Generates requests as models write them, with the expected outcome of each, and judges the results.
//!
//! All cases are generated from a seed and none is stored. A case is a base text, the edits of one call, and
//! either the expected bytes or an expected refusal. The expectation is generated together with the request
//! from the intended change; it never comes from the matcher.

mod ask;
mod change;
mod judge;
mod kinds;
mod plain;
mod plainer;
mod rng;
mod sources;
mod stored;
mod table;
mod vocabulary;

pub(crate) use kinds::KINDS;

use ask::{Case, Outcome};
use judge::{Verdict, judge};
use plainer::Plainer;
use rng::Rng;
use table::{Row, shown, total};

/// Maximum number of attempts to generate a case.
const TRIES: usize = 4000;

/// Parameters of a run.
pub(crate) struct Run {
    pub(crate) seed: u64,
    /// Cases of each kind.
    pub(crate) cases: usize,
    /// Includes texts of the project itself. They differ between commits.
    pub(crate) shipped: bool,
    /// Only the kind of this name.
    pub(crate) kind: Option<String>,
    /// Maximum number of cases to show with another verdict than right.
    pub(crate) show: usize,
}

/// Results of a run.
pub(crate) struct Report {
    pub(crate) rows: Vec<Row>,
    pub(crate) table: String,
    /// Cases with another verdict than right, harmful ones first.
    pub(crate) shown: String,
    /// Results of simpler methods on the same requests, for comparison.
    pub(crate) plainer: String,
}

impl Report {
    /// Returns the share of right cases, in tenths of a percent.
    pub(crate) fn per_mille(&self) -> usize {
        total(&self.rows, "all", |_| true).per_mille()
    }
}

pub(crate) fn run(run: &Run) -> Report {
    let wanted = |name: &str| run.kind.as_ref().is_none_or(|kind| kind == name);
    let (mut rows, mut harmed, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    let mut plainer = Plainer::default();
    for kind in KINDS.iter().filter(|kind| wanted(kind.name)) {
        let mut row = Row { name: kind.name, ..Row::default() };
        for number in 0..run.cases {
            let Some(case) = drawn(run, kind, number) else { continue };
            let judged = judge(&case);
            row.must_refuse = matches!(case.outcome, Outcome::Refused);
            row.count(judged.verdict);
            plainer.count(&case);
            let list = match judged.verdict {
                Verdict::Right => continue,
                Verdict::Refused => &mut refused,
                Verdict::Damaged | Verdict::Wrong => &mut harmed,
            };
            if list.len() < run.show {
                list.push(shown(kind.name, number, &case, &judged));
            }
        }
        rows.push(row);
    }
    harmed.append(&mut refused);
    harmed.truncate(run.show);
    Report { table: table::table(&rows), rows, shown: harmed.concat(), plainer: plainer.table() }
}

fn drawn(run: &Run, kind: &kinds::Kind, number: usize) -> Option<Case> {
    let mut rng = Rng::new(run.seed, kind.name, number, run.shipped);
    (0..TRIES).find_map(|_| (kind.draw)(&mut rng))
}
