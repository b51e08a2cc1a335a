//! Accepts the offers for refused requests, and compares the results with what was meant.

use std::fmt::Write as _;

use editd_edit::{Edit, Options, find};

use super::ask::{Case, Outcome};
use super::table::diff;

/// Results of the offers for refused requests.
#[derive(Default)]
pub(crate) struct Offers {
    kinds: Vec<(String, Row)>,
    /// The first offers other than meant.
    shown: String,
    left: usize,
}

/// Refused requests of a kind.
#[derive(Default)]
struct Row {
    /// With a meaning that is known: offered as meant, offered otherwise, not offered.
    right: usize,
    wrong: usize,
    none: usize,
    /// Without a known meaning: with an offer, and without one.
    seen: usize,
    refused: usize,
}

impl Offers {
    /// Creates results that show a number of offers other than meant.
    pub(crate) fn new(show: usize) -> Self {
        Self { left: show, ..Self::default() }
    }

    pub(crate) fn count(&mut self, name: &str, number: usize, case: &Case) {
        let options = Options { offers: true, ..case.options.clone() };
        let Err(refused) = find(&case.base, &case.edits, &options) else { return };
        let mut edits = case.edits.clone();
        let mut is_complete = true;
        for refusal in &refused {
            match (refusal.kind.offer(), edits.get_mut(refusal.edit)) {
                (Some(offer), Some(edit)) => *edit = offer.edit.clone(),
                _ => is_complete = false,
            }
        }
        let accepted = is_complete.then(|| find(&case.base, &edits, &case.options).ok()).flatten();
        let got = accepted.map(|found| found.plan.apply(&case.base));
        let meant = match &case.outcome {
            Outcome::Becomes { text, .. } | Outcome::BecomesOrRefused { text, .. } => Some(text),
            Outcome::Refused => case.meant.as_ref(),
        };
        if self.kinds.last().is_none_or(|(last, _)| last != name) {
            self.kinds.push((name.to_owned(), Row::default()));
        }
        let Some((_, row)) = self.kinds.last_mut() else { return };
        match (meant, got) {
            (Some(_), None) => row.none += 1,
            (Some(meant), Some(got)) if *meant == got => row.right += 1,
            (None, None) => row.refused += 1,
            (meant, Some(got)) => {
                *(if meant.is_some() { &mut row.wrong } else { &mut row.seen }) += 1;
                if self.left > 0 {
                    self.left -= 1;
                    let _ = writeln!(self.shown, "\n==== offer for {name} {number}");
                    self.shown.extend(case.edits.iter().map(described));
                    let (title, before) = match meant {
                        Some(meant) => ("meant to offered", meant),
                        None => ("nothing meant; the offer", &case.base),
                    };
                    let _ = writeln!(self.shown, "---- {title}\n{}", diff(before, &got));
                }
            }
        }
    }

    pub(crate) fn table(&self) -> String {
        let [right, wrong, none, seen, refused] = ["as meant", "otherwise", "none", "offer", "none"];
        let mut text = format!(
            "{}\n{:<30} meaning known                   unknown\n",
            self.shown, "offers for refused requests"
        );
        let _ = writeln!(text, "{:<30} {right:>9} {wrong:>9} {none:>9}   {seen:>7} {refused:>7}", "");
        let mut all = Row::default();
        for (name, row) in &self.kinds {
            all.add(row);
            text.push_str(&row.line(name));
        }
        text + &all.line("all")
    }
}

impl Row {
    fn add(&mut self, other: &Self) {
        self.right += other.right;
        self.wrong += other.wrong;
        self.none += other.none;
        self.seen += other.seen;
        self.refused += other.refused;
    }

    fn line(&self, name: &str) -> String {
        let Self { right, wrong, none, seen, refused } = self;
        format!("{name:<30} {right:>9} {wrong:>9} {none:>9}   {seen:>7} {refused:>7}\n")
    }
}

fn described(edit: &Edit) -> String {
    format!("---- old\n{}\n---- new\n{}\n", edit.old, edit.new)
}
