//! Generates requests as models write them, with the expected outcome of each, and judges the results.
//!
//! All cases are generated from a seed and none is stored. A case is a base text, the edits of one call, and
//! either the expected bytes or an expected refusal. The expectation is generated together with the request
//! from the intended change; it never comes from the matcher.

mod anchored;
mod ask;
mod change;
#[path = "../../daemon/mod.rs"]
mod daemon;
mod judge;
mod kinds;
mod meant;
mod offers;
mod plain;
mod plainer;
mod refactorings;
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
use offers::Offers;
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
    /// Refactorings of real files, by the whole program.
    Refactorings,
}

impl Part {
    pub(crate) const ALL: [Self; 4] = [Self::Text, Self::Anchored, Self::Symbols, Self::Refactorings];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Anchored => "anchored",
            Self::Symbols => "symbols",
            Self::Refactorings => "refactorings",
        }
    }

    /// Returns the required share of right cases, in tenths of a percent.
    pub(crate) fn target(self) -> usize {
        match self {
            Self::Text => 970,
            Self::Anchored | Self::Symbols => 980,
            Self::Refactorings => 990,
        }
    }

    /// Returns the names of its kinds.
    pub(crate) fn kinds(self) -> Vec<&'static str> {
        match self {
            Self::Text => kinds::KINDS.iter().map(|kind| kind.name).collect(),
            Self::Anchored => anchored::KINDS.iter().map(|kind| kind.name).collect(),
            Self::Symbols => symbols::KINDS.iter().map(|kind| kind.name).collect(),
            Self::Refactorings => refactorings::KINDS.iter().map(|kind| kind.name).collect(),
        }
    }
}

/// Runs the kinds of a part.
pub(crate) fn run(part: Part, run: &Run) -> Report {
    let (mut plainer, mut offers) = (Plainer::default(), Offers::new(run.show));
    match part {
        Part::Text => {
            let report = tallied(run, kinds::KINDS, |name, number, case: &Case| {
                plainer.count(case);
                offers.count(name, number, case);
                tally(name, number, case)
            });
            Report { plainer: plainer.table() + &offers.table(), ..report }
        }
        Part::Anchored => tallied(run, anchored::KINDS, tally),
        Part::Symbols => tallied(run, symbols::KINDS, tally),
        Part::Refactorings => {
            let session = refactorings::Session::start();
            tallied(run, refactorings::KINDS, |name, number, case| {
                refactorings::tally(&session, name, number, case)
            })
        }
    }
}

/// Verdict of a case, with a description if it is another one than right.
struct Tally {
    verdict: Verdict,
    must_refuse: bool,
    text: String,
}

fn tally<C: Judge>(name: &str, number: usize, case: &C) -> Tally {
    let judged = judge(case);
    let is_right = judged.verdict == Verdict::Right;
    let text = if is_right { String::new() } else { shown(name, number, case, &judged) };
    Tally { verdict: judged.verdict, must_refuse: matches!(case.outcome(), Outcome::Refused), text }
}

fn tallied<C>(run: &Run, kinds: &[Kind<C>], mut tally: impl FnMut(&str, usize, &C) -> Tally) -> Report {
    let wanted = |name: &str| run.kind.as_ref().is_none_or(|kind| kind == name);
    let (mut rows, mut harmed, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for kind in kinds.iter().filter(|kind| wanted(kind.name)) {
        let mut row = Row { name: kind.name, ..Row::default() };
        for number in 0..run.cases {
            let Some(case) = drawn(run, kind, number) else { continue };
            let tally = tally(kind.name, number, &case);
            row.must_refuse = tally.must_refuse;
            row.count(tally.verdict);
            let list = match tally.verdict {
                Verdict::Right => continue,
                Verdict::Refused => &mut refused,
                Verdict::Damaged | Verdict::Wrong => &mut harmed,
            };
            if list.len() < run.show {
                list.push(tally.text);
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
