use rstest::rstest;
use serde_json::{Value, json};

use editd_text::{PositionEncoding, Text};

use super::*;

fn hunk(id: &str, path: &str, line: u32, lines: u32) -> PendingHunk {
    let (id, path, own_text, other_text) = (id.to_owned(), path.into(), String::new(), "new\n".to_owned());
    PendingHunk { id, path, kind: None, conflicted: false, line, lines, own_text, other_text }
}

/// A proposal by ada that replaces lines 3 and 4 of `/a`, inserts before line 9 of `/a`, and replaces line 1
/// of
/// `/b`.
fn waiting() -> Vec<PendingProposal> {
    let hunks = vec![hunk("h1", "/a", 3, 2), hunk("h2", "/a", 9, 0), hunk("h3", "/b", 1, 1)];
    let (id, author, label) = ("p1".to_owned(), "ada".to_owned(), Some("Fix  the\ntotal".to_owned()));
    vec![PendingProposal { id, revision: 2, author, label, landed: false, hunks, decided: Vec::new() }]
}

fn at(first: u32, last: u32) -> CodeActionQuery {
    CodeActionQuery { first, last, ..CodeActionQuery::default() }
}

fn titles(actions: &[Value]) -> Vec<&str> {
    actions.iter().map(|action| action["title"].as_str().unwrap()).collect()
}

const GO: [&str; 3] = [
    "editd: go to the next change",
    "editd: go to the previous change",
    "editd: show the diff (ada: Fix the total)",
];

#[test]
fn actions_inside_a_hunk_are_sorted_by_scope() {
    let actions = code_actions(&waiting(), Path::new("/a"), &at(4, 4));
    let expected = [
        "editd: accept this change (ada: Fix the total)",
        "editd: reject this change (ada: Fix the total)",
        "editd: accept all 2 changes in this file (ada: Fix the total)",
        "editd: reject all 2 changes in this file (ada: Fix the total)",
        "editd: accept all 3 changes in 2 files: this one and b (ada: Fix the total)",
        "editd: reject all 3 changes in 2 files (ada: Fix the total)",
    ];
    assert_eq!(titles(&actions), [&expected[..], &GO].concat());
    let kinds: Vec<_> = actions.iter().map(|action| action["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds[..3], ["quickfix", "quickfix", "source.editd"]);
    let command = &actions[1]["command"];
    assert_eq!(command["command"], "editd.reject");
    assert_eq!(command["arguments"], json!([{ "id": "p1", "revision": 2, "hunks": ["h1"] }]));
    assert_eq!(actions[6]["command"]["arguments"], json!([{ "path": "/a", "line": 4 }]));
}

#[rstest]
#[case(2, 2, &[])]
#[case(3, 3, &["h1"])]
#[case(4, 7, &["h1"])]
#[case(5, 7, &[])]
#[case(8, 8, &["h2"])]
#[case(9, 9, &["h2"])]
#[case(10, 10, &[])]
#[case(0, 99, &["h1", "h2"])]
fn a_hunk_is_found_on_its_lines_and_an_insertion_on_both_adjacent_lines(
    #[case] first: u32,
    #[case] last: u32,
    #[case] expected: &[&str],
) {
    let wanted = CodeActionQuery { automatic: true, ..at(first, last) };
    let actions = code_actions(&waiting(), Path::new("/a"), &wanted);
    let hunks =
        actions.iter().step_by(2).map(|action| action["command"]["arguments"][0]["hunks"][0].as_str());
    assert_eq!(hunks.map(Option::unwrap).collect::<Vec<_>>(), expected);
}

#[test]
fn titles_name_the_changes_that_were_decided_the_other_way() {
    let mut one = waiting();
    one[0].decided = vec![
        DecidedHunk { id: "h4".to_owned(), path: "/a".into(), accepted: true },
        DecidedHunk { id: "h5".to_owned(), path: "/c".into(), accepted: true },
    ];
    let actions = code_actions(&one, Path::new("/a"), &at(0, 0));
    let expected = [
        "editd: accept all 2 changes in this file (ada: Fix the total)",
        "editd: reject 2 other changes in this file; 1 is applied (ada: Fix the total)",
        "editd: reject 2 other changes in this file, and 1 accepted before (ada: Fix the total)",
        "editd: accept all 3 changes in 2 files: this one and b (ada: Fix the total)",
        "editd: reject 3 other changes in 2 files; 2 are applied (ada: Fix the total)",
        "editd: reject 3 other changes in 2 files, and 2 accepted before (ada: Fix the total)",
    ];
    assert_eq!(titles(&actions), [&expected[..], &GO].concat());
    let arguments: Vec<_> = actions.iter().map(|action| &action["command"]["arguments"][0]).collect();
    assert_eq!(arguments[2]["hunks"], json!(["h1", "h2", "h4"]));
    assert_eq!(*arguments[4], json!({ "id": "p1", "revision": 2, "keepEarlier": true }));
    assert_eq!(arguments[5]["hunks"], json!(["h1", "h2", "h3", "h4", "h5"]));
    one[0].decided.iter_mut().for_each(|hunk| hunk.accepted = false);
    let actions = code_actions(&one, Path::new("/b"), &at(1, 1));
    let expected = [
        "editd: accept 3 other changes in 2 files: this one and a; 2 are not applied (ada: Fix the total)",
        "editd: accept 3 other changes in 2 files: this one and a, and 2 rejected before (ada: Fix the total)",
        "editd: reject all 3 changes in 2 files (ada: Fix the total)",
    ];
    assert_eq!(titles(&actions)[2..5], expected);
}

#[rstest]
#[case(&["/p/src/a.rs", "/p/src/b.rs"], "2 files: this one and b.rs")]
#[case(&["/p/src/a.rs", "/p/tests/a.rs", "/p/z.rs"], "3 files: this one, tests/a.rs and z.rs")]
#[case(&["/p/a", "/p/b", "/p/c", "/p/d"], "4 files: this one, b, c and d")]
#[case(&["/p/a", "/p/b", "/p/c", "/p/d", "/p/e", "/p/f"], "6 files: this one, b, c, d and 2 more")]
#[case(&["/p/a", "/p/\u{1b}[2J\u{202e}\n"], "2 files: this one and ⟨U+001B⟩[2J⟨U+202E⟩⟨U+000A⟩")]
#[case(&["/p/a", "/p/a folder with a very long name/another one/b"], "2 files: this one and …der with a very long name/another one/b")]
fn the_title_of_a_whole_proposal_names_the_other_files(#[case] paths: &[&str], #[case] files: &str) {
    let mut one = waiting();
    one[0].hunks = paths.iter().map(|path| hunk("h1", path, 1, 1)).collect();
    let actions = code_actions(&one, Path::new(paths[0]), &at(1, 1));
    let all = titles(&actions)[2];
    assert_eq!(all, format!("editd: accept all {} changes in {files} (ada: Fix the total)", paths.len()));
}

#[test]
fn the_only_change_of_a_file_is_not_offered_twice() {
    let actions = code_actions(&waiting(), Path::new("/b"), &at(1, 1));
    assert!(titles(&actions).iter().all(|title| !title.contains("in this file")), "{actions:?}");
    let actions = code_actions(&waiting(), Path::new("/b"), &at(7, 7));
    assert_eq!(titles(&actions)[0], "editd: accept the change in this file (ada: Fix the total)");
}

#[test]
fn a_file_without_hunks_offers_navigation_only() {
    assert_eq!(titles(&code_actions(&waiting(), Path::new("/c"), &at(0, 0))), GO[..2]);
    assert_eq!(code_actions(&[], Path::new("/c"), &at(0, 0)), [] as [Value; 0]);
}

#[rstest]
#[case(&["quickfix"], 2)]
#[case(&["source"], 7)]
#[case(&["source.editd"], 7)]
#[case(&["source.organizeImports"], 0)]
#[case(&["source.fixAll"], 0)]
#[case(&["quick"], 0)]
#[case(&[""], 9)]
#[case(&["refactor", "quickfix"], 2)]
fn only_requested_kinds_are_returned(#[case] only: &[&str], #[case] count: usize) {
    let only = Some(only.iter().map(|kind| (*kind).to_owned()).collect());
    assert_eq!(code_actions(&waiting(), Path::new("/a"), &CodeActionQuery { only, ..at(3, 3) }).len(), count);
}

#[test]
fn acceptance_is_tagged_as_generated_if_the_editor_supports_tags() {
    let actions = code_actions(&waiting(), Path::new("/a"), &CodeActionQuery { tags: true, ..at(3, 3) });
    let tagged: Vec<_> = actions.iter().map(|action| action["tags"] == json!([1])).collect();
    assert_eq!(tagged, [true, false, true, false, true, false, false, false, false]);
}

#[test]
fn conflicts_and_whole_file_changes_have_their_own_titles() {
    let mut waiting = waiting();
    waiting[0].hunks[0].conflicted = true;
    waiting[0].hunks[2].kind = Some("delete".to_owned());
    let actions = code_actions(&waiting, Path::new("/a"), &at(3, 3));
    assert_eq!(titles(&actions)[0], "editd: replace what is there now with this (ada: Fix the total)");
    assert_eq!(actions[0]["command"]["command"], "editd.take");
    let actions = code_actions(&waiting, Path::new("/b"), &at(1, 1));
    assert_eq!(titles(&actions)[1], "editd: do not delete this file (ada: Fix the total)");
}

#[test]
fn the_number_of_actions_is_limited() {
    let mut many: Vec<_> = (0..9).flat_map(|_| waiting()).collect();
    many[7].hunks[0].line = 20;
    many[7].label = Some("x".repeat(100));
    let actions = code_actions(&many, Path::new("/a"), &at(20, 20));
    let title = format!("editd: accept this change (ada: {}…)", "x".repeat(39));
    assert_eq!((actions.len(), titles(&actions)[0]), (2 + 6 + 6 + 2 + 3, title.as_str()));
}

#[test]
fn commands_round_trip() {
    let (id, path) = ("p1".to_owned(), "/a".to_owned());
    let hunks = |decision| {
        let argument = HunksArgument { id: id.clone(), revision: 1, hunks: vec!["h1".to_owned()] };
        Command::Hunks(decision, argument)
    };
    let commands = [
        hunks(Decision::Accept),
        hunks(Decision::Take),
        hunks(Decision::Reject),
        Command::File(Decision::Reject, FileArgument { id: id.clone(), revision: 1, path: path.clone() }),
        Command::All(Decision::Accept, AllArgument { id: id.clone(), revision: 1, keep_earlier: true }),
        Command::Go { forward: false, from: Some(Location { path, line: 3 }) },
        Command::Go { forward: true, from: None },
        Command::ShowDiff { id: Some(id) },
        Command::ShowDiff { id: None },
    ];
    for command in commands {
        let written = command.titled("t");
        let arguments = written["arguments"].as_array().unwrap().clone();
        let name = written["command"].as_str().unwrap();
        assert!(COMMANDS.contains(&name), "{name}");
        assert_eq!(Command::read(name, arguments), Ok(command));
    }
}

#[rstest]
#[case("editd.accept", json!([]), "arguments")]
#[case("editd.accept", json!([{ "id": "p1", "revision": 1 }]), "hunks")]
#[case("editd.rejectAll", json!([{ "id": "p1" }]), "revision")]
#[case("editd.next", json!([7]), "")]
#[case("editd.format", json!([]), "command")]
fn an_invalid_command_is_refused_with_its_field(
    #[case] name: &str,
    #[case] arguments: Value,
    #[case] field: &str,
) {
    let invalid = Command::read(name, arguments.as_array().unwrap().clone()).unwrap_err();
    assert!(invalid.field.contains(field) || invalid.problem.contains(field), "{invalid:?}");
}

#[test]
fn lenses_are_above_the_hunks() {
    let lenses = code_lenses(&waiting(), Path::new("/a"), 8);
    let shown: Vec<_> = lenses
        .iter()
        .map(|lens| {
            (lens["range"]["start"]["line"].as_u64().unwrap(), lens["command"]["title"].as_str().unwrap())
        })
        .collect();
    let title = "accept (ada: Fix the total)";
    assert_eq!(shown, [(3, title), (3, "reject"), (3, "diff"), (8, title), (8, "reject"), (8, "diff")]);
}

#[test]
fn a_hint_covers_the_lines_and_contains_the_new_text() {
    let text = Text::from("0\n1\n2\n3\r\n4😀\r\n5\n");
    let mut waiting = waiting();
    waiting[0].hunks[1].other_text = "x\n".repeat(10);
    let hints = hints(&waiting, Path::new("/a"), &text, PositionEncoding::Utf16);
    let range = |hint: &Value| {
        let at = |place: &Value| (place["line"].as_u64().unwrap(), place["character"].as_u64().unwrap());
        (at(&hint["range"]["start"]), at(&hint["range"]["end"]))
    };
    assert_eq!(range(&hints[0]), ((3, 0), (4, 3)));
    assert_eq!(
        range(&hints[1]),
        ((6, 0), (6, 0)),
        "a hunk past the end of the text is shown on the last line"
    );
    assert_eq!(hints[0]["message"], "ada wants this instead (Fix the total):\nnew");
    let message = hints[1]["message"].as_str().unwrap();
    assert!(message.starts_with("ada wants new lines before this one (Fix the total):\nx\n"), "{message}");
    assert!(message.ends_with("x\n… 2 more") && message.lines().count() == 10, "{message}");
}

#[test]
fn a_hint_shows_the_change_of_a_long_line() {
    let mut one = waiting();
    let line = |word: &str| format!("{}{word} {}\n", "word ".repeat(8_000), "more ".repeat(8_000));
    (one[0].hunks[2].own_text, one[0].hunks[2].other_text) = (line("old"), line("n\u{202e}ew"));
    let text = Text::from(&*format!("first\n{}", line("old")));
    let hints = hints(&one, Path::new("/b"), &text, PositionEncoding::Utf16);
    let message = hints[0]["message"].as_str().unwrap();
    assert!(message.contains("word n⟨U+202E⟩ew more ") && message.len() < 400, "{message}");
}

#[test]
fn a_hint_shows_control_characters_by_their_codes() {
    let mut one = waiting();
    one[0].hunks[2].other_text = "\tone\u{1b}[2J\u{9b}31m\u{7}\rtwo\u{202e}\r\n".to_owned();
    let text = Text::from("first\nsecond\n");
    let hints = hints(&one, Path::new("/b"), &text, PositionEncoding::Utf16);
    let message = hints[0]["message"].as_str().unwrap();
    let shown = "\tone⟨U+001B⟩[2J⟨U+009B⟩31m⟨U+0007⟩⟨U+000D⟩two⟨U+202E⟩";
    assert_eq!(message, format!("ada wants this instead (Fix the total):\n{shown}"));
}

#[test]
fn an_announcement_is_always_short() {
    let mut one = waiting();
    assert_eq!(
        announcement(&one).as_deref(),
        Some("editd: ada proposes 3 changes in 2 files (Fix the total)")
    );
    one[0].hunks.truncate(1);
    one[0].label = None;
    assert_eq!(announcement(&one).as_deref(), Some("editd: ada proposes 1 change in a"));
    one[0].label = Some("long ".repeat(40));
    let text = announcement(&one).unwrap();
    assert!(text.chars().count() == 56 && text.ends_with('…'), "{text}");
    assert_eq!(announcement(&[]), None);
}

fn landed() -> Vec<PendingProposal> {
    waiting().into_iter().map(|one| PendingProposal { landed: true, ..one }).collect()
}

#[test]
fn a_landed_change_is_kept_or_reverted() {
    let actions = code_actions(&landed(), Path::new("/a"), &at(4, 4));
    let expected = [
        "editd: keep this change (ada: Fix the total)",
        "editd: revert this change (ada: Fix the total)",
        "editd: keep all 2 changes in this file (ada: Fix the total)",
        "editd: revert all 2 changes in this file (ada: Fix the total)",
        "editd: keep all 3 changes in 2 files: this one and b (ada: Fix the total)",
        "editd: revert all 3 changes in 2 files: this one and b (ada: Fix the total)",
    ];
    assert_eq!(titles(&actions), [&expected[..], &GO].concat());
    assert_eq!(actions[1]["command"]["command"], "editd.reject");
    let lenses = code_lenses(&landed(), Path::new("/b"), 9);
    let lenses: Vec<_> = lenses.iter().map(|lens| lens["command"]["title"].as_str().unwrap()).collect();
    assert_eq!(lenses, ["keep (ada: Fix the total)", "revert", "diff"]);
}

#[test]
fn the_earlier_text_replaces_later_changes_only_if_the_user_chooses_so() {
    let mut landed = landed();
    landed[0].hunks[2].conflicted = true;
    let actions = code_actions(&landed, Path::new("/b"), &CodeActionQuery { automatic: true, ..at(1, 1) });
    let expected = [
        "editd: keep what is there now (ada: Fix the total)",
        "editd: replace what is there now with the earlier text (ada: Fix the total)",
    ];
    assert_eq!(titles(&actions), expected);
    let commands: Vec<_> =
        actions.iter().map(|action| action["command"]["command"].as_str().unwrap()).collect();
    assert_eq!(commands, ["editd.accept", "editd.take"]);
}

#[rstest]
#[case(2, "old\n", "ada has changed this (Fix the total). Before:\nold")]
#[case(1, "", "ada has added this line (Fix the total)")]
#[case(2, "", "ada has added these lines (Fix the total)")]
#[case(0, "old\n", "ada has deleted lines before this one (Fix the total). Before:\nold")]
fn a_hint_of_a_landed_change_contains_the_earlier_text(
    #[case] lines: u32,
    #[case] earlier: &str,
    #[case] expected: &str,
) {
    let mut landed = landed();
    landed[0].hunks[2] = PendingHunk { lines, other_text: earlier.to_owned(), ..hunk("h3", "/b", 1, 1) };
    let text = Text::from("one\ntwo\nthree\nfour\n");
    let hints = hints(&landed, Path::new("/b"), &text, PositionEncoding::Utf16);
    assert_eq!(hints[0]["message"], expected);
}

#[test]
fn a_landed_change_is_announced_as_made() {
    assert_eq!(announcement(&landed()).unwrap(), "editd: ada made 3 changes in 2 files (Fix the total)");
    let both = [waiting(), landed()].concat();
    assert_eq!(announcement(&both).unwrap(), "editd: 2 reviews wait for you");
}
