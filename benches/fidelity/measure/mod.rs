//! The measure: requests as models word them, each with what must come of it.
//!
//! Everything is drawn from a seed; nothing of it is kept. A case is a base text, the edits of one call,
//! and the bytes that must come out, or that it must be refused. What is expected is made together with
//! the request, from the change that is meant; it never comes from the matcher.

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

/// How often a case is drawn again before it is given up.
const TRIES: usize = 4000;

/// What to run.
pub(crate) struct Run {
    pub(crate) seed: u64,
    /// Cases of each kind.
    pub(crate) cases: usize,
    /// Whether texts of the project itself are changed too. They differ from commit to commit.
    pub(crate) shipped: bool,
    /// Only the kind of this name.
    pub(crate) kind: Option<String>,
    /// Cases to show that did not come out right.
    pub(crate) show: usize,
}

/// What came of it.
pub(crate) struct Report {
    pub(crate) rows: Vec<Row>,
    pub(crate) table: String,
    /// Cases that did not come out right, those that did harm first.
    pub(crate) shown: String,
    /// What plainer means make of the same requests, for comparison.
    pub(crate) plainer: String,
}

impl Report {
    /// The share of cases that came out right, in tenths of a percent.
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
            let shelf = match judged.verdict {
                Verdict::Right => continue,
                Verdict::Refused => &mut refused,
                Verdict::Damaged | Verdict::Wrong => &mut harmed,
            };
            if shelf.len() < run.show {
                shelf.push(shown(kind.name, number, &case, &judged));
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
