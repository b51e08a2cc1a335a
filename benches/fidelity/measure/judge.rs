//! Runs cases and judges their results.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use editd_edit::{EditRefusal, Plan, find};

use super::ask::{Case, Outcome};

/// A request with its expected outcome.
pub(crate) trait Judge {
    fn outcome(&self) -> &Outcome;
    /// Returns the text that the request changes.
    fn text(&self) -> &str;
    /// Returns the plan of the request, or the name of its refusal.
    fn run(&self) -> Result<Plan, String>;
    /// Returns the request as text, for a person.
    fn request(&self) -> String;
}

impl Judge for Case {
    fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    fn text(&self) -> &str {
        &self.base
    }

    fn run(&self) -> Result<Plan, String> {
        let found = find(&self.base, &self.edits, &self.options);
        found.map(|found| found.plan).map_err(|refusals| named(&refusals))
    }

    fn request(&self) -> String {
        let shown = |edit: &editd_edit::Edit| format!("---- old\n{}\n---- new\n{}\n", edit.old, edit.new);
        self.edits.iter().map(shown).collect()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// The expected bytes, or an expected refusal.
    Right,
    /// Refused, although the intended change was clear.
    Refused,
    /// The right location, but other bytes than expected.
    Damaged,
    /// Another location, or applied instead of refused.
    Wrong,
}

/// A verdict with the resulting text, or the reason for a refusal.
pub(crate) struct Judged {
    pub(crate) verdict: Verdict,
    pub(crate) got: Result<String, String>,
}

pub(crate) fn judge(case: &impl Judge) -> Judged {
    let text = case.text();
    match (catch_unwind(AssertUnwindSafe(|| case.run())), case.outcome()) {
        (Err(_), _) => Judged { verdict: Verdict::Wrong, got: Err("a panic".to_owned()) },
        (Ok(Err(reason)), outcome) => {
            let applied = matches!(outcome, Outcome::Becomes { .. });
            let verdict = if applied { Verdict::Refused } else { Verdict::Right };
            Judged { verdict, got: Err(reason) }
        }
        (Ok(Ok(plan)), outcome) => {
            let got = plan.apply(text);
            let verdict = match outcome {
                Outcome::Becomes { text, .. } | Outcome::BecomesOrRefused { text, .. } if *text == got => {
                    Verdict::Right
                }
                Outcome::Becomes { lines, .. } | Outcome::BecomesOrRefused { lines, .. }
                    if stays_within(text, &plan, lines) =>
                {
                    Verdict::Damaged
                }
                _ => Verdict::Wrong,
            };
            Judged { verdict, got: Ok(got) }
        }
    }
}

/// Returns the names of refusals.
pub(crate) fn named(refusals: &[EditRefusal]) -> String {
    let name = |refusal: &EditRefusal| {
        let text = format!("{:?}", refusal.kind);
        text.split([' ', '{']).next().unwrap_or_default().to_owned()
    };
    refusals.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// Returns `true` if a plan changes only these lines.
fn stays_within(base: &str, plan: &Plan, lines: &[Range<usize>]) -> bool {
    let mut starts = vec![0];
    let bytes = base.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let ends = *byte == b'\n' || *byte == b'\r' && bytes.get(at + 1) != Some(&b'\n');
        starts.extend(ends.then_some(at + 1));
    }
    let start = |line: usize| starts.get(line).copied().unwrap_or(base.len());
    plan.splices().iter().all(|splice| {
        lines
            .iter()
            .any(|lines| start(lines.start) <= splice.range.start && splice.range.end <= start(lines.end))
    })
}
