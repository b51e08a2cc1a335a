//! Comparison of the output in a document with the actual output.

use std::collections::BTreeMap;

use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;

/// Matches text that differs between runs: ids of transactions and proposals, ages with the spaces that pad
/// their column, memory sizes and process ids. Also matches the `…` of omitted text.
const VARIABLE: &str = r"(?P<id>\b[tp][0-9a-f]{6})-\d|(?P<age> *\b\d+ (?:s|min|h|d)\b)|(?P<size>\b\d+\.\d MiB)|(?P<process>process \d+)|(?P<rest>…)";

/// Maps ids in the document to ids of this run.
#[derive(Default)]
pub(super) struct Ids(BTreeMap<String, String>);

impl Ids {
    /// Replaces the ids in a command of the document with those of this run.
    pub(super) fn real(&self, command: &str) -> String {
        self.0.iter().fold(command.to_owned(), |text, (shown, real)| text.replace(shown, real))
    }

    /// Returns `true` if the actual output matches the document. Records the ids.
    pub(super) fn matches(&mut self, shown: &str, actual: &str) -> bool {
        let (pattern, ids) = pattern_of(shown);
        let regex = Regex::new(&pattern).expect("a pattern is made of escaped text");
        let mut found = regex.create_captures();
        regex.captures(actual, &mut found);
        found.is_match()
            && ids.iter().enumerate().all(|(at, id)| self.learn(id, group(&found, at + 1, actual)))
    }

    /// Records the real id of a documented id. Returns `false` if the mapping is not one to one.
    fn learn(&mut self, shown: &str, real: &str) -> bool {
        let is_taken = self.0.iter().any(|(other, known)| known == real && other != shown);
        !is_taken && self.0.entry(shown.to_owned()).or_insert_with(|| real.to_owned()) == real
    }
}

/// Returns the pattern, and the ids with a group each.
fn pattern_of(shown: &str) -> (String, Vec<String>) {
    let variable = Regex::new(VARIABLE).expect("a pattern");
    let (mut pattern, mut ids) = ("^".to_owned(), Vec::new());
    for line in shown.lines() {
        if line.trim() == "…" {
            pattern += r"(?:[^\n]*\n)*";
            continue;
        }
        let mut end = 0;
        for found in variable.captures_iter(line) {
            let span = |name| found.get_group_by_name(name);
            let (place, with) = if let Some(id) = span("id") {
                ids.push(line[id.range()].to_owned());
                (id, r"\b([tp][0-9a-f]{6})")
            } else if let Some(age) = span("age") {
                (age, r" *\d+ (?:s|min|h|d)")
            } else if let Some(size) = span("size") {
                (size, r"\d+\.\d MiB")
            } else if let Some(process) = span("process") {
                (process, r"process \d+")
            } else {
                (span("rest").expect("one of them is there"), r"[^\n]*")
            };
            pattern += &escaped(&line[end..place.start]);
            pattern += with;
            end = place.end;
        }
        pattern += &escaped(&line[end..]);
        pattern += r"\n";
    }
    (pattern + "$", ids)
}

fn group<'a>(found: &Captures, at: usize, text: &'a str) -> &'a str {
    &text[found.get_group(at).expect("a group that takes part").range()]
}

/// Escapes text for a pattern.
fn escaped(text: &str) -> String {
    // `\<` and `\>` would match word boundaries.
    let is_plain = |character: char| {
        character.is_alphanumeric() || matches!(character, '_' | '<' | '>') || !character.is_ascii()
    };
    text.chars().fold(String::new(), |mut escaped, character| {
        if !is_plain(character) {
            escaped.push('\\');
        }
        escaped.push(character);
        escaped
    })
}

#[rstest::rstest]
#[case::itself("a.b (c)\n", "a.b (c)\n", true)]
#[case::another("a.b\n", "axb\n", false)]
#[case::more("a\n", "a\nb\n", false)]
#[case::an_age("ada   5 s  x\n", "ada  12 min  x\n", true)]
#[case::one_id_twice("t5f4b89-1 t5f4b89-2\n", "tabcdef-1 tabcdef-2\n", true)]
#[case::not_the_same_twice("t5f4b89-1 t5f4b89-2\n", "tabcdef-1 t123456-2\n", false)]
#[case::two_ids_that_are_one("t5f4b89-1 t5f4b88-2\n", "tabcdef-1 tabcdef-2\n", false)]
#[case::another_number("t5f4b89-1\n", "tabcdef-2\n", false)]
#[case::left_out("a … d\n", "a b c d\n", true)]
#[case::left_out_lines("a\n…\nd\n", "a\nb\nc\nd\n", true)]
#[case::left_out_in_one_line("a …\nd\n", "a\nb\nd\n", false)]
fn variable_text_matches(#[case] shown: &str, #[case] actual: &str, #[case] same: bool) {
    assert_eq!(Ids::default().matches(shown, actual), same);
}

#[test]
fn later_commands_use_the_ids_of_this_run() {
    let mut ids = Ids::default();
    assert!(ids.matches("t5f4b89-3  ada\n", "tabcdef-3  ada\n"));
    assert_eq!(ids.real("editd undo t5f4b89-3"), "editd undo tabcdef-3");
    assert!(!ids.matches("t5f4b89-4\n", "t123456-4\n"));
}
