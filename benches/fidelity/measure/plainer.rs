//! Applies the same requests with simpler methods, like tools that search for the exact text.

use std::fmt::Write as _;

use editd_edit::{Count, Edit};

use super::ask::{Case, Outcome};

/// Results of one method.
#[derive(Default)]
pub(crate) struct Tally {
    right: [usize; 2],
    refused: usize,
    wrong: [usize; 2],
}

/// Results of both methods: the first occurrence, and the only occurrence.
#[derive(Default)]
pub(crate) struct Plainer {
    first: Tally,
    only: Tally,
}

impl Plainer {
    pub(crate) fn count(&mut self, case: &Case) {
        self.first.count(case, carried_out(case, false));
        self.only.count(case, carried_out(case, true));
    }

    pub(crate) fn table(&self) -> String {
        let mut text =
            String::from("\nby searching for the exact text:    to be applied            to be refused\n");
        let heads = ["right", "refused", "wrong", "refused", "wrong"];
        let [right, refused, wrong, kept, harmed] = heads;
        let _ = writeln!(text, "{:<34} {right:>7} {refused:>8} {wrong:>6}   {kept:>7} {harmed:>6}", "");
        for (name, tally) in
            [("first occurrence", &self.first), ("only occurrence, else refused", &self.only)]
        {
            let Tally { right: [right, kept], refused, wrong: [wrong, harmed] } = tally;
            let _ = writeln!(text, "{name:<34} {right:>7} {refused:>8} {wrong:>6}   {kept:>7} {harmed:>6}");
        }
        text
    }
}

impl Tally {
    fn count(&mut self, case: &Case, got: Option<String>) {
        let got = got.filter(|got| *got != case.base);
        match (&case.outcome, got) {
            (Outcome::Becomes { text, .. } | Outcome::BecomesOrRefused { text, .. }, Some(got))
                if *text == got =>
            {
                self.right[0] += 1;
            }
            (Outcome::Becomes { .. } | Outcome::BecomesOrRefused { .. }, Some(_)) => self.wrong[0] += 1,
            (Outcome::Becomes { .. }, None) => self.refused += 1,
            (Outcome::BecomesOrRefused { .. }, None) => self.right[0] += 1,
            (Outcome::Refused, Some(_)) => self.wrong[1] += 1,
            (Outcome::Refused, None) => self.right[1] += 1,
        }
    }
}

/// Returns the text after all edits in order, or `None` if one of them cannot be applied.
fn carried_out(case: &Case, only_occurrence: bool) -> Option<String> {
    case.edits.iter().try_fold(case.base.clone(), |text, edit| replaced(&text, edit, only_occurrence))
}

fn replaced(text: &str, edit: &Edit, only_occurrence: bool) -> Option<String> {
    let occurrences = if edit.old.is_empty() { 0 } else { text.matches(&edit.old).count() };
    let fits = match edit.count {
        _ if occurrences == 0 => false,
        Count::One => !only_occurrence || occurrences == 1,
        Count::Exactly(wanted) => !only_occurrence || occurrences == wanted as usize,
        Count::All => true,
    };
    let most = if edit.count == Count::One { 1 } else { occurrences };
    fits.then(|| text.replacen(&edit.old, &edit.new, most))
}
