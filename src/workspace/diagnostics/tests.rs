use rstest::rstest;

use super::*;

fn item(line: usize, message: &str) -> Diagnostic {
    let (start, end) = (Position { line, character: 0 }, Position { line, character: 1 });
    Diagnostic { start, end, severity: Severity::Error, message: message.to_owned(), source: None }
}

fn report(items: Vec<Diagnostic>) -> Report {
    Report { version: Some(1), encoding: PositionEncoding::Utf16, items, number: 0 }
}

/// Parses reports: `12 unused` is the message `unused` in line 12, counted from 0.
fn parsed(items: &[&str]) -> Report {
    let parse = |item: &&str| {
        let (line, message) = item.split_once(' ').unwrap();
        self::item(line.parse().unwrap(), message)
    };
    report(items.iter().map(parse).collect())
}

#[rstest]
#[case::nothing("a\n", &[], "a\n", &[], &[])]
#[case::one_more("a\n", &[], "b\n", &["0 wrong"], &[0])]
#[case::the_same("a\n", &["0 wrong"], "a\n", &["0 wrong"], &[])]
#[case::moved_down("a\nb\n", &["1 wrong"], "x\ny\na\nb\n", &["3 wrong"], &[])]
#[case::moved_and_one_more("a\nb\n", &["1 wrong"], "x\na\nb\n", &["0 wrong", "2 wrong"], &[0])]
#[case::indented("a\nb\n", &["1 wrong"], "if:\n  a\n  b\n", &["2 wrong"], &[])]
#[case::another_message("a\n", &["0 wrong"], "a\n", &["0 worse"], &[0])]
#[case::the_line_changed("a\n", &["0 wrong"], "b\n", &["0 wrong"], &[0])]
#[case::twice_as_many("a\na\n", &["0 wrong"], "a\na\n", &["0 wrong", "1 wrong"], &[1])]
#[case::fewer("a\na\n", &["0 wrong", "1 wrong"], "a\n", &["0 wrong"], &[])]
#[case::after_the_text("a\n", &["9 wrong"], "a\n", &["99 wrong"], &[])]
fn a_diagnostic_is_new_if_its_line_did_not_have_it(
    #[case] before: &str,
    #[case] reported_before: &[&str],
    #[case] after: &str,
    #[case] reported_after: &[&str],
    #[case] fresh: &[usize],
) {
    let before = Before::of(&parsed(reported_before), Some(&Text::from(before)));
    assert_eq!(before.fresh(&parsed(reported_after), &Text::from(after)), fresh);
}

#[rstest]
#[case(&["0 wrong"], &["5 wrong"], &[])]
#[case(&["0 wrong"], &["4 wrong", "5 wrong"], &[1])]
#[case(&["0 wrong"], &["5 worse"], &[0])]
fn without_the_previous_text_only_messages_are_compared(
    #[case] before: &[&str],
    #[case] after: &[&str],
    #[case] fresh: &[usize],
) {
    assert_eq!(Before::of(&parsed(before), None).fresh(&parsed(after), &Text::from("a\nb\n")), fresh);
}

#[test]
fn severity_and_source_are_compared_too() {
    let text = Text::from("a\n");
    let before = Before::of(&parsed(&["0 wrong"]), Some(&text));
    let mut warning = item(0, "wrong");
    warning.severity = Severity::Warning;
    let mut linted = item(0, "wrong");
    linted.source = Some("lint".to_owned());
    assert_eq!(before.fresh(&report(vec![warning, linted, item(0, "wrong")]), &text), [0, 1]);
}

#[test]
fn a_report_lasts_until_replaced_or_its_document_or_editor_closes() {
    let mut reports = Reports::default();
    let (a, b) = (SessionId(1), SessionId(2));
    let (x, y) = (Path::new("/x"), Path::new("/y"));
    reports.insert(a, x, parsed(&["0 one", "1 two"]));
    reports.insert(a, y, parsed(&["0 one"]));
    reports.insert(b, x, parsed(&[]));
    assert_eq!((reports.count(), reports.sessions(x)), (3, vec![a, b]));
    let first = reports.of(a, x).unwrap().number;
    reports.insert(a, x, parsed(&["0 three"]));
    assert!(reports.of(a, x).unwrap().number > first);
    assert_eq!(reports.count(), 2);
    reports.remove(a, y);
    assert_eq!(reports.files(), [x]);
    reports.forget(a);
    assert_eq!((reports.count(), reports.sessions(x)), (0, vec![b]));
    reports.remove(a, x);
}

#[test]
fn the_memory_for_diagnostics_is_bounded() {
    let (mut reports, session) = (Reports::default(), SessionId(1));
    let many = || report((0..DIAGNOSTICS_PER_FILE + 5).map(|line| item(line, "wrong")).collect());
    reports.insert(session, Path::new("/many"), many());
    assert_eq!(reports.count(), DIAGNOSTICS_PER_FILE);
    let long = item(0, &"é".repeat(DIAGNOSTIC_MESSAGE_BYTES));
    reports.insert(session, Path::new("/long"), report(vec![long]));
    let stored = reports.of(session, Path::new("/long")).unwrap().items[0].message.clone();
    assert!(stored.len() <= DIAGNOSTIC_MESSAGE_BYTES + '…'.len_utf8() && stored.ends_with("é…"));
    let long = || report((0..1000).map(|line| item(line, &"x".repeat(DIAGNOSTIC_MESSAGE_BYTES))).collect());
    for file in 0..50 {
        reports.insert(session, &PathBuf::from(format!("/{file}")), long());
    }
    assert!(reports.by_session[&session].bytes <= DIAGNOSTICS_BYTES);
    for file in 0..DIAGNOSTICS_BYTES / ENTRY_BYTES {
        reports.insert(session, &PathBuf::from(format!("/none/{file}")), parsed(&[]));
    }
    assert!(reports.by_session[&session].bytes <= DIAGNOSTICS_BYTES);
    for file in reports.files() {
        reports.remove(session, &file);
    }
    assert_eq!(reports.by_session[&session].bytes, 0);
}
