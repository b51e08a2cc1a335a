//! Refactorings of real files, sent to a daemon as an agent sends them.
//!
//! A case is a folder with files, one request, and the files that are meant. They are made by removing, inserting and
//! replacing lines and words, by the rules in the documentation and without a parser. A file is read before the
//! request, and each file of the folder is compared after it.

mod certain;
mod data;
mod indents;
mod lines;
mod moves;
mod refused;
mod refused_moves;
mod renames;
mod replacements;
mod scan;
mod session;
mod several;
mod statements;
mod texts;
mod wraps;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use editd_edit::{Deadline, Labels, diff_texts};
use serde_json::{Value, json};

use super::Tally;
use super::judge::Verdict;
use super::kinds::{Kind, kinds};
use super::rng::Rng;
use super::vocabulary::{noun, verb};
pub(crate) use session::Session;

kinds! {
    Kind<Case>;
    renames: function_renamed method_renamed renamed_in_comments;
    moves: symbol_moved_after symbol_moved_before symbol_copied symbols_moved method_moved_out
        symbol_moved_to_line symbol_moved_to_file symbol_moved_beside_in_file symbols_moved_to_end symbol_moved_to_new_file
        symbols_copied_to_new_file symbol_moved_to_other_unit;
    data: entry_moved entry_copied_to_file key_moved key_moved_to_level;
    lines: lines_moved lines_copied lines_moved_to_file lines_moved_to_end lines_moved_to_new_file
        lines_moved_and_reindented lines_copied_beside_symbol;
    wraps: lines_wrapped body_wrapped data_wrapped;
    indents: lines_indented lines_outdented symbol_indented file_reindented lines_with_other_levels;
    replacements: word_in_symbol word_in_lines text_in_symbol text_in_lines regex_in_file regex_in_symbol
        word_and_regex words_counted;
    several: edits_of_several_files rename_and_others glob_of_words glob_counted_unread glob_of_regex
        moves_in_one_call;
    refused: wrong_count name_is_taken name_is_keyword unknown_symbol rename_of_data wrap_cuts_statement
        outdented_too_far text_outside_of_scope group_is_missing pattern_matches_nothing glob_without_files
        glob_without_matches glob_unread glob_with_wrong_count one_of_several_fails unread_lines changed_by_others
        overlapping_edits;
    refused_moves: moved_into_itself moved_beside_itself moved_where_it_is unknown_place unknown_part
        create_existing file_is_missing only_statement_moved lines_beyond_the_end;
}

/// Texts by path.
pub(crate) type Tree = BTreeMap<String, String>;

/// The effect that a request is meant to have.
#[derive(Clone, Debug)]
pub(crate) enum Meant {
    /// Any of these results. There are several only where the documentation leaves them open.
    Becomes(Vec<Tree>),
    /// A refusal of one of these kinds, and no change.
    Refused(&'static [&'static str]),
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    before: Tree,
    /// Lines of a file that are read. All other files are read as a whole.
    shown: BTreeMap<String, (usize, usize)>,
    /// Files that another program writes after the read.
    others: Tree,
    request: Value,
    meant: Meant,
}

impl Case {
    pub(crate) fn of(before: Tree, request: Value, results: Vec<Tree>) -> Option<Self> {
        let changes = !results.is_empty() && results.iter().all(|tree| *tree != before);
        changes.then(|| Self::new(before, request, Meant::Becomes(results)))
    }

    /// Returns a case with one file.
    pub(crate) fn one(text: &texts::Text, request: Value, results: &[Vec<String>]) -> Option<Self> {
        let name = text.name("one");
        let tree = |lines: &[String]| Tree::from([(name.clone(), joined(lines))]);
        Self::of(tree(&text.lines), request, results.iter().map(|lines| tree(lines)).collect())
    }

    pub(crate) fn refused(before: Tree, request: Value, kinds: &'static [&'static str]) -> Self {
        Self::new(before, request, Meant::Refused(kinds))
    }

    fn new(before: Tree, request: Value, meant: Meant) -> Self {
        Self { before, shown: BTreeMap::new(), others: Tree::new(), request, meant }
    }

    /// Returns the case with Windows line endings in all files, in some cases.
    pub(crate) fn in_any_ending(mut self, rng: &mut Rng) -> Self {
        if rng.percent(90) {
            return self;
        }
        let convert = |tree: &mut Tree| tree.values_mut().for_each(|text| *text = text.replace('\n', "\r\n"));
        convert(&mut self.before);
        if let Meant::Becomes(results) = &mut self.meant {
            results.iter_mut().for_each(convert);
        }
        self
    }

    /// Returns the files after the change of another program.
    fn current(&self) -> Tree {
        let mut current = self.before.clone();
        current.extend(self.others.clone());
        current
    }
}

/// Runs a case and judges it.
pub(crate) fn tally(session: &Session, name: &str, number: usize, case: &Case) -> Tally {
    let current = case.current();
    let (answer, after) = session.run(case);
    let verdict = match (&answer, &case.meant) {
        (Err(_), _) if after != current => Verdict::Wrong,
        (Err(kind), Meant::Refused(kinds)) if kinds.contains(&kind.split(':').next().unwrap_or_default()) => {
            Verdict::Right
        }
        // Nothing has changed, and it should have, or the reason is another one.
        (Err(_), _) => Verdict::Refused,
        (Ok(()), Meant::Becomes(results)) if results.contains(&after) => Verdict::Right,
        (Ok(()), Meant::Becomes(results)) if only_these_differ(&current, &results[0], &after) => {
            Verdict::Damaged
        }
        (Ok(()), _) => Verdict::Wrong,
    };
    let must_refuse = matches!(case.meant, Meant::Refused(_));
    let text = if verdict == Verdict::Right {
        String::new()
    } else {
        shown(name, number, case, verdict, &answer, &after)
    };
    Tally { verdict, must_refuse, text }
}

/// Returns `true` if all files are as before except those that are meant to change.
fn only_these_differ(before: &Tree, meant: &Tree, after: &Tree) -> bool {
    let paths = before.keys().chain(after.keys());
    paths.into_iter().all(|path| before.get(path) == after.get(path) || before.get(path) != meant.get(path))
}

/// Describes a case as diffs.
fn shown(
    name: &str,
    number: usize,
    case: &Case,
    verdict: Verdict,
    answer: &Result<(), String>,
    after: &Tree,
) -> String {
    let mut text = format!("\n==== {name} {number}: {verdict:?}\n{}\n", case.request);
    let diff = |text: &mut String, title: &str, one: &Tree, other: &Tree| {
        let paths: std::collections::BTreeSet<_> = one.keys().chain(other.keys()).collect();
        for path in paths.into_iter().filter(|path| one.get(*path) != other.get(*path)) {
            let [old, new] = [one, other].map(|tree| tree.get(path).map_or("", String::as_str));
            let labels = Labels { old: Some(path), new: Some(path) };
            let diff = diff_texts(old, new, labels, Deadline::NONE).unified;
            let _ = writeln!(text, "---- {title}\n{}", diff.replace('\r', "␍").replace('\t', "⇥"));
        }
    };
    let current = case.current();
    match &case.meant {
        Meant::Becomes(results) => {
            diff(&mut text, "base to expected", &current, &results[0]);
            if answer.is_ok() {
                diff(&mut text, "expected to got", &results[0], after);
            }
        }
        Meant::Refused(kinds) => {
            let _ = writeln!(text, "---- to be refused as {kinds:?}");
            diff(&mut text, "base to got", &current, after);
        }
    }
    if let Err(reason) = answer {
        let _ = writeln!(text, "---- got {reason}");
    }
    text
}

/// Returns the text of lines.
pub(crate) fn joined(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}

/// Returns a name that does not occur in any of these texts.
pub(crate) fn fresh(rng: &mut Rng, texts: &[&[String]]) -> String {
    loop {
        let name = format!("{}_{}", verb(rng), noun(rng));
        if !texts.iter().copied().flatten().any(|line| line.contains(&name)) {
            return name;
        }
    }
}

/// Returns a range of lines as a request writes it.
pub(crate) fn spelled(lines: &std::ops::Range<usize>) -> Value {
    json!(format!("{}-{}", lines.start + 1, lines.end))
}
