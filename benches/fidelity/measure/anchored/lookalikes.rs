//! Requests that look like slips but are meant as they are: nothing may be taken away or added.

use editd_edit::LinePlace;

use super::super::meant;
use super::super::plain::indent;
use super::super::rng::Rng;
use super::super::sources::{self, File, Grouping, LANGUAGES, Line};
use super::super::stored::{self, Fashion};
use super::super::vocabulary::{noun, verb};
use super::borders::{Reach, blocks, inside};
use super::slips::{MARKS, numbered};
use super::{Case, Draft, Hunk, Place, Put, joined, put};

/// Returns the only case of a hunk, whose new lines are written as they are.
fn as_meant(rng: &mut Rng, file: File, hunk: Hunk) -> Option<Case> {
    let draft = Draft { file, hunks: vec![hunk] };
    let put = put(rng, draft.hunk());
    draft.case(vec![put])
}

/// Returns the position of a line that is a whole statement.
fn statement_line(rng: &mut Rng, file: &File) -> Option<usize> {
    let whole = |text: &str| {
        let text = text.trim();
        text.ends_with(';') && !text.starts_with(['}', '*', '/', '#'])
            || text.ends_with(')') && text.contains('(')
    };
    let found: Vec<_> = (0..file.lines.len()).filter(|&at| whole(&file.lines[at].text)).collect();
    rng.any(&found).copied()
}

/// Inserts a call once more, after or before the equal line.
pub(super) fn duplicated_call(rng: &mut Rng) -> Option<Case> {
    let file = meant::file(rng);
    let at = statement_line(rng, &file)?;
    let text = file.lines[at].text.clone();
    let after = rng.percent(50);
    let hunk = if after { Hunk::new(at + 1..at + 1, &[text]) } else { Hunk::new(at..at, &[text]) };
    let place = if after { LinePlace::After(at + 1) } else { LinePlace::Before(at + 1) };
    let draft = Draft { file, hunks: vec![hunk] };
    let put = Put { place: Place::At(place), ..put(rng, draft.hunk()) };
    draft.case(vec![put])
}

/// Replaces a line with a call that is equal to the line before it, and another one.
pub(super) fn duplicated_call_replaced(rng: &mut Rng) -> Option<Case> {
    let file = meant::file(rng);
    let at = statement_line(rng, &file)?;
    let next = file.lines.get(at + 1)?.text.clone();
    let text = file.lines[at].text.clone();
    if indent(&next) != indent(&text) || !next.trim_end().ends_with([';', ')']) || next.trim() == text.trim()
    {
        return None;
    }
    let other = format!("{}{}", indent(&text), file.statement(rng));
    as_meant(rng, file, Hunk::new(at + 1..at + 2, &[text, other]))
}

/// Generates a table whose rows begin with the numbers of their lines, or a stored one with other numbers.
fn table(rng: &mut Rng) -> File {
    if rng.percent(40) {
        return File { bom: false, ..stored::file(rng, Fashion::Numbers) };
    }
    let mark = *rng.pick(&["\t", "\t", "|", " | ", ": "]);
    let row = |rng: &mut Rng, at: usize| format!("{}{mark}{}{mark}{}", at + 1, noun(rng), verb(rng));
    let size = 15 + rng.below(30);
    plain_file((0..size).map(|at| row(rng, at)).collect())
}

fn begins_with_number(text: &str) -> bool {
    text.trim_start().starts_with(|c: char| c.is_ascii_digit())
}

/// Generates a draft that changes rows of a table.
fn rows(rng: &mut Rng) -> Option<Draft> {
    let file = table(rng);
    let at = rng.below(file.lines.len());
    let size = (1 + rng.below(4)).min(file.lines.len() - at);
    let old: Vec<_> = file.lines[at..at + size].iter().map(|line| line.text.clone()).collect();
    if !old.iter().all(|line| begins_with_number(line)) {
        return None;
    }
    let new: Vec<_> = old.iter().map(|line| format!("{} {}", line.trim_end(), noun(rng))).collect();
    Some(Draft { file, hunks: vec![Hunk { lines: at..at + size, new }] })
}

pub(super) fn rows_with_numbers(rng: &mut Rng) -> Option<Case> {
    let draft = rows(rng)?;
    as_meant(rng, draft.file.clone(), draft.hunk().clone())
}

/// Inserts a row after the one before it, with the next number.
pub(super) fn rows_inserted(rng: &mut Rng) -> Option<Case> {
    let file = table(rng);
    let at = 1 + rng.below(file.lines.len());
    let before = file.lines[at - 1].text.clone();
    let digits: String = before.trim_start().chars().take_while(char::is_ascii_digit).collect();
    let next = digits.parse::<usize>().ok()? + 1;
    let new = before.replacen(&digits, &next.to_string(), 1) + " " + &noun(rng);
    as_meant(rng, file, Hunk::new(at..at, &[new]))
}

/// Line numbers before rows that begin with numbers themselves: one number is removed, the other stays.
pub(super) fn numbers_copied_of_rows(rng: &mut Rng) -> Option<Case> {
    let draft = rows(rng)?;
    let new = Some(joined(&numbered(rng, draft.hunk(), &MARKS[..1])));
    let put = Put { new, ..put(rng, draft.hunk()) };
    draft.case(vec![put])
}

/// Wraps a body into a block whose opening line equals the one around it.
pub(super) fn nested_equal_block(rng: &mut Rng) -> Option<Case> {
    let inside = inside(rng, Reach::Whole)?;
    let (unit, head) = (inside.draft.file.unit, inside.line(inside.block.opening));
    let deep = |line: &String| if line.trim().is_empty() { line.clone() } else { format!("{unit}{line}") };
    let step = indent(&inside.line(inside.block.body.start)) == format!("{}{unit}", indent(&head));
    let body = inside.block.body.clone();
    let old: Vec<_> = body.clone().map(|at| inside.line(at)).collect();
    let closing = inside.block.closing.map(|at| inside.line(at));
    let new: Vec<_> = [head].iter().chain(&old).chain(&closing).map(deep).collect();
    step.then(|| as_meant(rng, inside.draft.file.clone(), Hunk { lines: body, new }))?
}

/// Inserts a block, or puts it into the place of the last line, before a line that closes the outer one.
pub(super) fn block_before_closing(rng: &mut Rng) -> Option<Case> {
    let inside = inside(rng, Reach::Whole)?;
    let (file, closing) = (&inside.draft.file, inside.block.closing?);
    let last = inside.line(closing - 1);
    let first = inside.line(inside.block.body.start);
    if indent(&last) != indent(&first) || last.trim().starts_with(['}', ')']) {
        return None;
    }
    let (header, footer) = super::super::change::frame(rng, file);
    let depth = indent(&first);
    let statement = file.statement(rng);
    let new = [
        format!("{depth}{header}"),
        format!("{depth}{}{statement}", file.unit),
        format!("{depth}{}", footer.unwrap_or("}")),
    ];
    let whole = last.trim_end().ends_with(';');
    let lines = if whole && rng.percent(50) { closing - 1..closing } else { closing..closing };
    as_meant(rng, file.clone(), Hunk::new(lines, &new))
}

/// Adds a closing brace that the file lacks, before the one of the outer block.
pub(super) fn missing_brace_added(rng: &mut Rng) -> Option<Case> {
    let mut file = meant::file(rng);
    let all = blocks(&file);
    let closings: Vec<_> = all.iter().filter_map(|block| block.closing).collect();
    let nested: Vec<_> = closings.iter().filter(|&&at| closings.contains(&(at + 1))).copied().collect();
    let at = *rng.any(&nested)?;
    let brace = file.lines.remove(at).text;
    file.blocks.clear();
    let last = file.lines[at - 1].text.clone();
    let hunk = if rng.percent(50) && !last.trim().is_empty() {
        Hunk::new(at - 1..at, &[last.trim_end().to_owned(), brace])
    } else {
        Hunk::new(at..at, &[brace])
    };
    as_meant(rng, file, hunk)
}

/// Adds a function at the top level, directly after the last line of a method.
pub(super) fn top_level_after_method(rng: &mut Rng) -> Option<Case> {
    let python = LANGUAGES.iter().find(|language| language.grouping == Grouping::Indents)?;
    let file = sources::built(rng, Some(python));
    let file = File { bom: false, ..file };
    let block = rng.any(&blocks(&file))?.clone();
    let next = file.lines[block.body.end..].iter().find(|line| !line.text.trim().is_empty());
    if !indent(&file.lines[block.opening].text).is_empty()
        || next.is_some_and(|line| !indent(&line.text).is_empty())
    {
        return None;
    }
    let mut new = vec![format!("def {}_{}():", verb(rng), noun(rng))];
    new.push(format!("{}{}", file.unit, file.statement(rng)));
    if rng.percent(70) {
        new.splice(0..0, [String::new(), String::new()]);
    }
    let at = block.body.end;
    as_meant(rng, file, Hunk { lines: at..at, new })
}

/// Returns a C file and a place between two statements of equal depth.
fn between_statements(rng: &mut Rng) -> Option<(File, usize)> {
    let language = LANGUAGES.iter().find(|language| language.name == "c")?;
    let file = File { bom: false, ..sources::built(rng, Some(language)) };
    let at = statement_line(rng, &file)?;
    let text = &file.lines[at].text;
    let level = file.lines.get(at + 1).is_some_and(|next| indent(&next.text) == indent(text));
    (level && !indent(text).is_empty()).then_some((file, at + 1))
}

pub(super) fn directives_at_column_0(rng: &mut Rng) -> Option<Case> {
    let (file, at) = between_statements(rng)?;
    let statement = format!("{}{}", indent(&file.lines[at - 1].text), file.statement(rng));
    let name = format!("HAVE_{}", noun(rng).to_uppercase());
    let new = match rng.below(3) {
        0 => vec![format!("#ifdef {name}"), statement, "#endif".to_owned()],
        1 => vec![format!("#define {name} 1")],
        _ => {
            vec![format!("#if {name}"), statement.clone(), "#else".to_owned(), statement, "#endif".to_owned()]
        }
    };
    as_meant(rng, file, Hunk { lines: at..at, new })
}

pub(super) fn label_at_column_0(rng: &mut Rng) -> Option<Case> {
    let (file, at) = between_statements(rng)?;
    let mut new = vec![format!("{}:", verb(rng))];
    if rng.percent(50) {
        new.push(format!("{}cleanup_{}();", indent(&file.lines[at - 1].text), noun(rng)));
    }
    as_meant(rng, file, Hunk { lines: at..at, new })
}

/// Inserts an item of the outer list between two items of a nested one.
pub(super) fn item_between_nested(rng: &mut Rng) -> Option<Case> {
    let mark = *rng.pick(&["- ", "* "]);
    let mut lines = Vec::new();
    for _ in 0..3 + rng.below(5) {
        lines.push(format!("{mark}{} the {}", verb(rng), noun(rng)));
        lines.extend((0..rng.below(5)).map(|_| format!("  {mark}{}", noun(rng))));
    }
    let nested = |at: &usize| lines[*at - 1..=*at].iter().all(|line| line.starts_with("  "));
    let places: Vec<_> = (1..lines.len()).filter(nested).collect();
    let at = *rng.any(&places)?;
    let mut new = vec![format!("{mark}{} every {}", verb(rng), noun(rng))];
    new.extend((0..rng.below(3)).map(|_| format!("  {mark}{}", noun(rng))));
    as_meant(rng, plain_file(lines), Hunk { lines: at..at, new })
}

/// Inserts the first rows of a table, whose numbers count up, below its head.
pub(super) fn first_rows_of_table(rng: &mut Rng) -> Option<Case> {
    let mut head = vec!["id".to_owned()];
    head.extend((0..=rng.below(3)).map(|_| noun(rng)));
    let first = 1 + rng.below(2);
    let row = |rng: &mut Rng, id: usize| {
        let cells = head[1..].iter().map(|_| noun(rng));
        [id.to_string()].into_iter().chain(cells).collect::<Vec<_>>().join("\t")
    };
    let new = (0..=rng.below(4)).map(|at| row(rng, first + at)).collect();
    as_meant(rng, plain_file(vec![head.join("\t")]), Hunk { lines: 1..1, new })
}

fn plain_file(lines: Vec<String>) -> File {
    let language = LANGUAGES.iter().find(|language| language.name == "markdown").unwrap_or(&LANGUAGES[0]);
    let lines = lines.into_iter().map(|text| Line { text, ending: "\n" }).collect();
    File { language, unit: "  ", bom: false, lines, blocks: Vec::new() }
}
