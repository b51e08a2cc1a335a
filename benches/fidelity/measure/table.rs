//! Output of the table and of failed cases.

use std::fmt::Write as _;

use editd_edit::{Deadline, Labels, diff_texts};

use super::ask::Outcome;
use super::judge::{Judge, Judged, Verdict};

/// Results of the cases of one kind.
#[derive(Default, Clone)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) must_refuse: bool,
    pub(crate) right: usize,
    pub(crate) refused: usize,
    pub(crate) damaged: usize,
    pub(crate) wrong: usize,
}

impl Row {
    pub(crate) fn cases(&self) -> usize {
        self.right + self.refused + self.damaged + self.wrong
    }

    /// Returns the number of harmful cases.
    pub(crate) fn harm(&self) -> usize {
        self.damaged + self.wrong
    }

    pub(crate) fn count(&mut self, verdict: Verdict) {
        *match verdict {
            Verdict::Right => &mut self.right,
            Verdict::Refused => &mut self.refused,
            Verdict::Damaged => &mut self.damaged,
            Verdict::Wrong => &mut self.wrong,
        } += 1;
    }

    /// Returns the share of right cases, in tenths of a percent, rounded down.
    pub(crate) fn per_mille(&self) -> usize {
        self.right * 1000 / self.cases().max(1)
    }

    fn add(&mut self, other: &Self) {
        self.right += other.right;
        self.refused += other.refused;
        self.damaged += other.damaged;
        self.wrong += other.wrong;
    }

    fn line(&self) -> String {
        let Self { name, right, refused, damaged, wrong, .. } = self;
        let (whole, tenth) = (self.per_mille() / 10, self.per_mille() % 10);
        let cases = self.cases();
        format!(
            "{name:<30} {cases:>7} {right:>7} {refused:>8} {damaged:>8} {wrong:>6} {whole:>5}.{tenth} %\n"
        )
    }
}

/// Returns the sum of the selected rows.
pub(crate) fn total(rows: &[Row], name: &'static str, wanted: impl Fn(&Row) -> bool) -> Row {
    let mut total = Row { name, ..Row::default() };
    rows.iter().filter(|row| wanted(row)).for_each(|row| total.add(row));
    total
}

/// Formats the table: kinds to be applied, kinds to be refused, and totals.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut text = String::new();
    for (title, must_refuse) in [("to be applied", false), ("to be refused", true)] {
        if !rows.iter().any(|row| row.must_refuse == must_refuse) {
            continue;
        }
        let heads = ["cases", "right", "refused", "damaged", "wrong", "right"];
        let [cases, right, refused, damaged, wrong, share] = heads;
        let _ = writeln!(
            text,
            "{title:<30} {cases:>7} {right:>7} {refused:>8} {damaged:>8} {wrong:>6} {share:>7}"
        );
        text.extend(rows.iter().filter(|row| row.must_refuse == must_refuse).map(Row::line));
        text.push_str(&total(rows, "all of these", |row| row.must_refuse == must_refuse).line());
        text.push('\n');
    }
    text + &total(rows, "all", |_| true).line()
}

/// Returns a diff of two texts with visible tabs and carriage returns.
pub(crate) fn diff(old: &str, new: &str) -> String {
    let labels = Labels { old: Some("one"), new: Some("other") };
    diff_texts(old, new, labels, Deadline::NONE).unified.replace('\r', "␍").replace('\t', "⇥")
}

/// Formats a failed case as diffs.
pub(crate) fn shown(name: &str, number: usize, case: &impl Judge, judged: &Judged) -> String {
    let mut text = format!("\n==== {name} {number}: {:?}\n", judged.verdict);
    text.push_str(&case.request().replace('\r', "␍").replace('\t', "⇥"));
    let expected = match case.outcome() {
        Outcome::Becomes { text, .. } | Outcome::BecomesOrRefused { text, .. } => text,
        Outcome::Refused => case.text(),
    };
    if expected != case.text() {
        let _ = writeln!(text, "---- base to expected\n{}", diff(case.text(), expected));
    }
    match &judged.got {
        Ok(got) => {
            let _ = writeln!(text, "---- expected to got\n{}", diff(expected, got));
        }
        Err(reason) => {
            let _ = writeln!(text, "---- got {reason}");
        }
    }
    text
}
