//! Generates requests as models write them, with the expected outcome of each, and judges the results.
//!
//! All cases are generated from a seed and none is stored. A case is a base text, the edits of one call, and
//! either the expected bytes or an expected refusal. The expectation is generated together with the request
//! from the intended change; it never comes from the matcher.

mod anchored;
mod ask;
mod change;
mod judge;
mod kinds;
mod meant;
mod plain;
mod plainer;
mod rng;
mod sizes;
mod sources;
mod stored;
mod symbols;
mod table;
mod vocabulary;

pub(crate) use sizes::sizes;

use ask::{Case, Outcome};
use judge::{Judge, Verdict, judge};
use kinds::Kind;
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

/// A part of the measure: the form of its requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// Old and new text.
    Text,
    /// Numbers of lines.
    Anchored,
    /// Names of symbols.
    Symbols,
}

impl Part {
    pub(crate) const ALL: [Self; 3] = [Self::Text, Self::Anchored, Self::Symbols];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Anchored => "anchored",
            Self::Symbols => "symbols",
        }
    }

    /// Returns the required share of right cases, in tenths of a percent.
    pub(crate) fn target(self) -> usize {
        if self == Self::Text { 970 } else { 980 }
    }

    /// Returns the names of its kinds.
    pub(crate) fn kinds(self) -> Vec<&'static str> {
        match self {
            Self::Text => kinds::KINDS.iter().map(|kind| kind.name).collect(),
            Self::Anchored => anchored::KINDS.iter().map(|kind| kind.name).collect(),
            Self::Symbols => symbols::KINDS.iter().map(|kind| kind.name).collect(),
        }
    }
}

/// Runs the kinds of a part.
pub(crate) fn run(part: Part, run: &Run) -> Report {
    let mut plainer = Plainer::default();
    match part {
        Part::Text => {
            let report = tallied(run, kinds::KINDS, |case: &Case| plainer.count(case));
            Report { plainer: plainer.table(), ..report }
        }
        Part::Anchored => tallied(run, anchored::KINDS, |_| ()),
        Part::Symbols => tallied(run, symbols::KINDS, |_| ()),
    }
}

fn tallied<C: Judge>(run: &Run, kinds: &[Kind<C>], mut each: impl FnMut(&C)) -> Report {
    let wanted = |name: &str| run.kind.as_ref().is_none_or(|kind| kind == name);
    let (mut rows, mut harmed, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for kind in kinds.iter().filter(|kind| wanted(kind.name)) {
        let mut row = Row { name: kind.name, ..Row::default() };
        for number in 0..run.cases {
            let Some(case) = drawn(run, kind, number) else { continue };
            let judged = judge(&case);
            row.must_refuse = matches!(case.outcome(), Outcome::Refused);
            row.count(judged.verdict);
            each(&case);
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
    Report { table: table::table(&rows), rows, shown: harmed.concat(), plainer: String::new() }
}

fn drawn<C>(run: &Run, kind: &Kind<C>, number: usize) -> Option<C> {
    let mut rng = Rng::new(run.seed, kind.name, number, run.shipped);
    (0..TRIES).find_map(|_| (kind.draw)(&mut rng))
}
