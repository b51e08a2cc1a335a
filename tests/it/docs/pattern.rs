//! What a document shows, compared with what came out.

use std::collections::BTreeMap;

use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;

/// What differs from run to run: the letters of a transaction or proposal, an age with the blanks that fill its
/// column, a size in memory, a process; and what the writer left out.
const VARIABLE: &str = r"(?P<id>\b[tp][0-9a-f]{6})-\d|(?P<age> *\b\d+ (?:s|min|h|d)\b)|(?P<size>\b\d+\.\d MiB)|(?P<process>process \d+)|(?P<rest>…)";

/// Which real ids stand for those in the document.
#[derive(Default)]
pub(super) struct Ids(BTreeMap<String, String>);

impl Ids {
    /// A command of the document with the ids of this run.
    pub(super) fn real(&self, command: &str) -> String {
        self.0.iter().fold(command.to_owned(), |text, (shown, real)| text.replace(shown, real))
    }

    /// Whether what came out is what is shown; learns the ids from it.
    pub(super) fn matches(&mut self, shown: &str, came: &str) -> bool {
        let (pattern, ids) = pattern_of(shown);
        let regex = Regex::new(&pattern).expect("a pattern is made of escaped text");
        let mut found = regex.create_captures();
        regex.captures(came, &mut found);
        found.is_match() && ids.iter().enumerate().all(|(at, id)| self.learn(id, group(&found, at + 1, came)))
    }

    /// The same id is the same each time, and two are two.
    fn learn(&mut self, shown: &str, real: &str) -> bool {
        let is_taken = self.0.iter().any(|(other, known)| known == real && other != shown);
        !is_taken && self.0.entry(shown.to_owned()).or_insert_with(|| real.to_owned()) == real
    }
}

/// The pattern, with a group for each of these ids.
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

/// As itself in a pattern.
fn escaped(text: &str) -> String {
    // Escaped, `<` and `>` would be edges of words.
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
fn what_differs_from_run_to_run_is_known(#[case] shown: &str, #[case] came: &str, #[case] same: bool) {
    assert_eq!(Ids::default().matches(shown, came), same);
}

#[test]
fn ids_are_those_of_this_run_in_later_commands() {
    let mut ids = Ids::default();
    assert!(ids.matches("t5f4b89-3  ada\n", "tabcdef-3  ada\n"));
    assert_eq!(ids.real("editd undo t5f4b89-3"), "editd undo tabcdef-3");
    assert!(!ids.matches("t5f4b89-4\n", "t123456-4\n"));
}
