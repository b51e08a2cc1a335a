//! Runs cases and judges their results.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use editd::edit::{EditRefusal, Plan, find};

use super::ask::{Case, Outcome};

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

pub(crate) fn judge(case: &Case) -> Judged {
    let run = || find(&case.base, &case.edits, &case.options).map(|found| found.plan);
    match (catch_unwind(AssertUnwindSafe(run)), &case.outcome) {
        (Err(_), _) => Judged { verdict: Verdict::Wrong, got: Err("a panic".to_owned()) },
        (Ok(Err(refusals)), outcome) => {
            let applied = matches!(outcome, Outcome::Becomes { .. });
            let verdict = if applied { Verdict::Refused } else { Verdict::Right };
            Judged { verdict, got: Err(named(&refusals)) }
        }
        (Ok(Ok(plan)), outcome) => {
            let got = plan.apply(&case.base);
            let verdict = match outcome {
                Outcome::Becomes { text, .. } | Outcome::BecomesOrRefused { text, .. } if *text == got => {
                    Verdict::Right
                }
                Outcome::Becomes { lines, .. } | Outcome::BecomesOrRefused { lines, .. }
                    if stays_within(&case.base, &plan, lines) =>
                {
                    Verdict::Damaged
                }
                _ => Verdict::Wrong,
            };
            Judged { verdict, got: Ok(got) }
        }
    }
}

fn named(refusals: &[EditRefusal]) -> String {
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
