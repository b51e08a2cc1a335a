//! Typical changes of a few lines.

use super::super::plain::{indent, renamed, words};
use super::super::rng::Rng;
use super::super::sources::{File, Grouping};
use super::super::vocabulary::{noun, number, verb};
use super::{Part, Step};

/// Changes some of the lines that are still kept, if possible.
pub(super) fn alter(rng: &mut Rng, file: &File, steps: &mut Vec<Step>) {
    match rng.below(16) {
        0..=2 => rename(rng, file, steps),
        3..=5 => value(rng, steps),
        6..=7 => insert(rng, file, steps),
        8 => branch(rng, file, steps),
        9..=10 => remove(rng, steps),
        11..=12 => wrap(rng, file, steps),
        13 => signature(rng, steps),
        14 => comment(rng, file, steps),
        _ => reword(rng, steps),
    }
}

/// Returns the steps that are still kept and not blank.
fn kept(steps: &[Step]) -> Vec<usize> {
    let wanted = |step: &Step| step.part == Part::Keep && !step.text.trim().is_empty();
    (0..steps.len()).filter(|&at| wanted(&steps[at])).collect()
}

/// Replaces a kept line. The new line has no trailing whitespace.
pub(super) fn replace(steps: &mut Vec<Step>, at: usize, text: &str) {
    if text.trim_end() != steps[at].text.trim_end() {
        steps[at].part = Part::Cut;
        steps.insert(at + 1, put(text));
    }
}

pub(super) fn put(text: &str) -> Step {
    Step { part: Part::Put, text: text.trim_end().to_owned() }
}

fn is_name(word: &str) -> bool {
    word.len() >= 4 && word.is_ascii() && !word.starts_with(|c: char| c.is_ascii_digit())
}

fn rename(rng: &mut Rng, file: &File, steps: &mut Vec<Step>) {
    let all: Vec<String> = kept(steps)
        .iter()
        .flat_map(|&at| words(&steps[at].text))
        .filter(|(_, word)| is_name(word))
        .map(|(_, word)| word.to_owned())
        .collect();
    let Some(from) = rng.any(&all) else { return };
    let to = format!("{}_{}", verb(rng), noun(rng));
    if file.lines.iter().any(|line| line.text.contains(&to)) {
        return;
    }
    for at in kept(steps).into_iter().rev() {
        let text = renamed(&steps[at].text, from, &to);
        replace(steps, at, &text);
    }
}

fn value(rng: &mut Rng, steps: &mut Vec<Step>) {
    let numbers: Vec<(usize, String)> = kept(steps)
        .into_iter()
        .flat_map(|at| words(&steps[at].text).into_iter().map(move |(_, word)| (at, word)))
        .filter(|(_, word)| word.bytes().all(|byte| byte.is_ascii_digit()))
        .map(|(at, word)| (at, word.to_owned()))
        .collect();
    if let Some((at, from)) = rng.any(&numbers) {
        let text = renamed(&steps[*at].text, from, &number(rng));
        replace(steps, *at, &text);
    }
}

/// Changes a name or a number in kept lines. Indentation is preserved.
pub(crate) fn words_changed(rng: &mut Rng, file: &File, steps: &mut Vec<Step>) {
    if rng.percent(50) { rename(rng, file, steps) } else { value(rng, steps) }
}

/// Returns `true` if this indentation consists of whole levels of the file. Blocks do not appear next to
/// aligned lines.
pub(crate) fn is_indented(file: &File, blanks: &str) -> bool {
    blanks.replace(file.unit, "").is_empty()
}

/// Returns a position for new lines, with their indentation.
pub(crate) fn gap(rng: &mut Rng, file: &File, steps: &[Step]) -> Option<(usize, String)> {
    let at = *rng.any(&kept(steps))?;
    if !is_indented(file, indent(&steps[at].text)) {
        return None;
    }
    let opens = |text: &str| text.trim_end().ends_with(['{', ':', '(', '[', '>']);
    let text = &steps[at].text;
    // New lines have the indentation of the line that they precede or follow. They do not follow an opening
    // line.
    let before = rng.percent(40) || opens(text);
    Some((if before { at } else { at + 1 }, indent(text).to_owned()))
}

fn insert(rng: &mut Rng, file: &File, steps: &mut Vec<Step>) {
    let Some((at, indent)) = gap(rng, file, steps) else { return };
    for _ in 0..=rng.below(3) {
        steps.insert(at, put(&format!("{indent}{}", file.statement(rng))));
    }
}

/// Returns the header and footer of a block in the file's language.
pub(crate) fn frame(rng: &mut Rng, file: &File) -> (String, Option<&'static str>) {
    let (verb, noun) = (verb(rng), noun(rng));
    match (file.language.grouping, file.language.name) {
        (Grouping::Braces, "rust" | "go") => (format!("if {verb}_{noun} {{"), Some("}")),
        (Grouping::Braces, _) => (format!("if ({verb}_{noun}) {{"), Some("}")),
        (Grouping::Indents, _) => (format!("if {verb}_{noun}:"), None),
        (Grouping::Neither, "html") => (format!("<div class=\"{verb}-{noun}\">"), Some("</div>")),
        (Grouping::Neither, "yaml") => (format!("{verb}_{noun}:"), None),
        (Grouping::Neither, _) => (format!("({verb}_{noun}"), Some(")")),
    }
}

fn branch(rng: &mut Rng, file: &File, steps: &mut Vec<Step>) {
    let Some((at, indent)) = gap(rng, file, steps) else { return };
    let (header, footer) = frame(rng, file);
    let mut lines = vec![format!("{indent}{header}")];
    lines.push(format!("{indent}{}{}", file.unit, file.statement(rng)));
    lines.extend(footer.map(|footer| format!("{indent}{footer}")));
    steps.splice(at..at, lines.iter().map(|line| put(line)));
}

fn remove(rng: &mut Rng, steps: &mut [Step]) {
    let kept = kept(steps);
    let Some(&from) = rng.any(&kept) else { return };
    let most = 1 + rng.below(3);
    for step in steps[from..].iter_mut().take(most).take_while(|step| step.part == Part::Keep) {
        step.part = Part::Cut;
    }
}

fn wrap(rng: &mut Rng, file: &File, steps: &mut Vec<Step>) {
    let kept = kept(steps);
    let Some(&from) = rng.any(&kept) else { return };
    let outer = indent(&steps[from].text).to_owned();
    if !is_indented(file, &outer) {
        return;
    }
    let deep = |step: &&Step| {
        let inside = step.text.trim().is_empty() || step.text.starts_with(&outer);
        step.part == Part::Keep && inside
    };
    let mut length = steps[from..].iter().take(1 + rng.below(6)).take_while(deep).count();
    while length > 0 && steps[from + length - 1].text.trim().is_empty() {
        length -= 1;
    }
    let (header, footer) = frame(rng, file);
    let body: Vec<Step> = steps.splice(from..from + length, []).collect();
    let inner = |step: &Step| match step.text.trim() {
        "" => put(""),
        _ => put(&format!("{}{}", file.unit, step.text)),
    };
    let mut wrapped = vec![put(&format!("{outer}{header}"))];
    wrapped.extend(body.iter().map(inner));
    wrapped.extend(footer.map(|footer| put(&format!("{outer}{footer}"))));
    let cut = body.into_iter().map(|step| Step { part: Part::Cut, ..step });
    steps.splice(from..from, cut.chain(wrapped));
}

fn signature(rng: &mut Rng, steps: &mut Vec<Step>) {
    let mut kept = kept(steps);
    kept.retain(|&at| steps[at].text.contains('(') && steps[at].text.contains(')'));
    let Some(&at) = rng.any(&kept) else { return };
    let text = &steps[at].text;
    let close = text.rfind(')').unwrap_or(text.len());
    let comma = if text[..close].ends_with('(') { "" } else { ", " };
    let text = format!("{}{comma}{}{}", &text[..close], noun(rng), &text[close..]);
    replace(steps, at, &text);
}

fn comment(rng: &mut Rng, file: &File, steps: &mut Vec<Step>) {
    let Some(&at) = rng.any(&kept(steps)) else { return };
    let (before, behind) = file.language.comment;
    let said = format!("{} the {} first", verb(rng), noun(rng));
    let text = format!("{}{before}{said}{behind}", indent(&steps[at].text));
    steps.insert(at, put(&text));
}

/// Replaces one word of one line.
fn reword(rng: &mut Rng, steps: &mut Vec<Step>) {
    let Some(&at) = rng.any(&kept(steps)) else { return };
    let text = steps[at].text.clone();
    let names: Vec<_> = words(&text).into_iter().filter(|(_, word)| is_name(word)).collect();
    if let Some((start, word)) = rng.any(&names) {
        let text = format!("{}{}{}", &text[..*start], noun(rng), &text[start + word.len()..]);
        replace(steps, at, &text);
    }
}
