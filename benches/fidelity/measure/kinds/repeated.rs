//! Edits that are applied already, or occur twice in one call.

use editd_edit::Edit;

use super::super::ask::{Ask, AskLine, Case};
use super::super::change::{self, Part};
use super::super::plain::{bare, count, lf};
use super::super::rng::Rng;
use super::drift::{comments, drift, has_context};
use super::shapes::{self, is_fresh, real, with_new};
use super::{draft_of, plainly::stands_once};

/// Two identical edits: applied once, or refused.
pub(super) fn same_edit_twice(rng: &mut Rng) -> Option<Case> {
    let file = real(rng);
    let (file, change, mut ask) = draft_of(rng, file, &(1..=12))?;
    let literal = rng.percent(60);
    if !literal {
        let blanks = " ".repeat(1 + rng.below(4));
        super::indents::deepen(&mut ask, &blanks);
    }
    let case = if literal {
        let once = stands_once(&file, &ask) && ask.old_text() != ask.new_text();
        Case::becomes(&file, std::slice::from_ref(&change), vec![ask.edit()]).filter(|_| once)?
    } else {
        Case::tolerated(&file, &change, &ask)?
    };
    let edits: Vec<Edit> = vec![case.edits[0].clone(), case.edits[0].clone()];
    Some(Case { edits, ..case.or_refused() })
}

/// The inserted text already follows the location; the context before it is altered.
pub(super) fn insertion_is_there(rng: &mut Rng) -> Option<Case> {
    let file = real(rng);
    let change = with_new(rng, &file, 20, shapes::same_depth)?;
    let mut ask = Ask::verbatim(rng, &change);
    if !has_context(&file, &change, &ask) || !is_fresh(&change) || change.count(Part::Put) == 0 {
        return None;
    }
    let notes = comments(&file, &ask);
    drift(rng, &file, &mut ask, &notes)?;
    let done = change::result(&file, std::slice::from_ref(&change))?;
    refused(done, &ask)
}

/// Like [`insertion_is_there`], at the end of the block, so that the old text is contiguous.
pub(super) fn appended_is_there(rng: &mut Rng) -> Option<Case> {
    let file = real(rng);
    let change = change::block(rng, &file, &(6..=20))?;
    let mut ask = Ask::verbatim(rng, &change);
    if !has_context(&file, &change, &ask) {
        return None;
    }
    let notes = comments(&file, &ask);
    drift(rng, &file, &mut ask, &notes)?;
    let behind = &file.lines[change.lines().end..];
    let told = behind.iter().take_while(|line| !line.text.trim().is_empty()).take(1 + rng.below(3));
    let there: Vec<_> = told.map(|line| line.text.clone()).collect();
    // A single bracket line may be intended twice.
    if bare(&there.concat()).len() < 8 {
        return None;
    }
    let put = |text: String| AskLine { part: Part::Put, old: String::new(), new: text };
    ask.lines.extend(there.into_iter().map(put));
    refused(file.text(), &ask)
}

fn refused(base: String, ask: &Ask) -> Option<Case> {
    let there = count(&lf(&base), &lf(&ask.old_text())) > 0;
    (!there).then(|| Case::refused(base, vec![ask.edit()]))
}
