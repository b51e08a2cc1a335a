//! Context that differs slightly from the file.

use super::super::ask::{Ask, AskLine, Case};
use super::super::change::{Change, Part, is_unique};
use super::super::plain::{bare, common_ends, indent, words};
use super::super::rng::Rng;
use super::super::sources::{File, Grouping};
use super::super::vocabulary::{noun, verb};
use super::blanks::{has_no_doubles, in_place};
use super::{Draft, LONG, draft};

/// Returns `true` if all other regions share at most two lines in five with the block.
pub(super) fn stands_apart(file: &File, change: &Change) -> bool {
    let block: Vec<String> = file.lines[change.lines()].iter().map(|line| bare(&line.text)).collect();
    let lines: Vec<String> = file.lines.iter().map(|line| bare(&line.text)).collect();
    let told = block.iter().filter(|line| !line.is_empty()).count();
    let starts = (0..=lines.len() - block.len()).filter(|&start| start != change.at);
    let mut common = starts.map(|start| {
        let pairs = block.iter().zip(&lines[start..]);
        pairs.filter(|(one, other)| one == other && !one.is_empty()).count()
    });
    common.all(|common| common * 5 <= told * 2)
}

/// Returns a draft with enough context to tolerate one wrong line.
pub(super) fn with_context(rng: &mut Rng) -> Option<Draft> {
    let (file, change, ask) = draft(rng, &LONG)?;
    has_context(&file, &change, &ask).then_some((file, change, ask))
}

pub(super) fn has_context(file: &File, change: &Change, ask: &Ask) -> bool {
    let telling = |at: &usize| bare(&ask.lines[*at].old).len() >= 8;
    let context = ask.kept().iter().filter(|at| telling(at)).count();
    ask.old_lines().len() >= 5
        && context >= 4
        && is_unique(file, change)
        && has_no_doubles(file, change)
        && stands_apart(file, change)
}

pub(super) fn context_line_dropped(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = with_context(rng)?;
    let at = *rng.any(&ask.sheltered())?;
    ask.lines.remove(at);
    Case::tolerated(&file, &change, &ask)
}

/// Returns a line that is neither in the file nor in the request.
pub(super) fn invented(rng: &mut Rng, file: &File, beside: &str) -> Option<AskLine> {
    let text = format!("{}{}", indent(beside), file.statement(rng));
    let known = bare(&file.text()).contains(&bare(&text));
    (!known).then(|| AskLine { part: Part::Keep, old: text.clone(), new: text })
}

pub(super) fn context_line_invented(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = with_context(rng)?;
    let at = *rng.any(&ask.sheltered())?;
    let line = invented(rng, &file, &ask.lines[at].old.clone())?;
    ask.lines.insert(at, line);
    Case::tolerated(&file, &change, &ask)
}

/// Returns a kept line with one word replaced, so that most of the line is unchanged.
pub(super) fn misremembered(rng: &mut Rng, line: &str, to: &str) -> Option<String> {
    let body = line.trim();
    let wanted = |(_, word): &(usize, &str)| word.len() >= 3 && word.len() * 3 <= body.len();
    let names: Vec<_> = words(line).into_iter().filter(wanted).collect();
    let (at, word) = *rng.any(&names)?;
    let text = format!("{}{to}{}", &line[..at], &line[at + word.len()..]);
    let (head, tail) = common_ends(line, &text);
    let alike = (head + tail) * 10 >= line.len().max(text.len()) * 7;
    (alike && text != line).then_some(text)
}

/// Replaces a word in one of these lines of a request.
pub(super) fn drift(rng: &mut Rng, file: &File, ask: &mut Ask, lines: &[usize]) -> Option<()> {
    let at = *rng.any(lines)?;
    let to = if rng.percent(50) { noun(rng) } else { verb(rng) };
    let text = misremembered(rng, &ask.lines[at].old, &to)?;
    if bare(&file.text()).contains(&bare(&text)) {
        return None;
    }
    ask.misremember(at, &text);
    Some(())
}

/// Returns `true` if a line is a comment.
pub(super) fn is_comment(file: &File, line: &str) -> bool {
    let text = line.trim();
    let signs = [file.language.comment.0.trim(), "/*", "\"\"\"", "<!--"];
    // In other languages, a star begins a list item.
    let inside = file.language.grouping == Grouping::Braces && text.starts_with("* ");
    inside || signs.iter().any(|sign| text.starts_with(sign))
}

/// Returns the kept lines that are comments.
pub(super) fn comments(file: &File, ask: &Ask) -> Vec<usize> {
    ask.kept().into_iter().filter(|at| is_comment(file, &ask.lines[*at].old)).collect()
}

pub(super) fn context_comment_reworded(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = with_context(rng)?;
    let comments = comments(&file, &ask);
    drift(rng, &file, &mut ask, &comments)?;
    Case::tolerated(&file, &change, &ask)
}

/// Some of the lines are changed already.
pub(super) fn half_applied(rng: &mut Rng) -> Option<Case> {
    let (file, change, ask) = with_context(rng)?;
    let replaced = change.replaced();
    if !in_place(&change) || replaced.len() < 2 {
        return None;
    }
    let mut done = file.clone();
    let share = 1 + rng.below(replaced.len() - 1);
    let mut line = change.at;
    let mut left = share;
    for (at, step) in change.steps.iter().enumerate() {
        if step.part == Part::Cut && left > 0 {
            done.lines[line].text.clone_from(&change.steps[at + 1].text);
            left -= 1;
        }
        line += usize::from(step.part != Part::Put);
    }
    Case::tolerated_in(&done, &file, &change, &ask)
}
