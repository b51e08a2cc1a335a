use super::*;

const LARGEST: u64 = 1000;
const SESSION: SessionId = SessionId(1);

fn id(uri: &str) -> BufferId {
    BufferId { session: SESSION, uri: uri.to_owned() }
}

fn opened(text: &str) -> (Buffers, BufferId) {
    let mut buffers = Buffers::new(LARGEST);
    let buffer = Buffer {
        id: id("file:///a"),
        path: "/a".into(),
        key: FileKey::path("/a"),
        encoding: PositionEncoding::Utf16,
        text: text.into(),
        mark: Mark::default(),
        version: 1,
        loaded: None,
        dirty: None,
        touched: false,
        focused: 0,
        selection: None,
        blocked_reason: None,
    };
    buffers.open(buffer);
    (buffers, id("file:///a"))
}

fn at(line: usize, character: usize) -> Position {
    Position { line, character }
}

fn typed(start: Position, end: Position, text: &str) -> Vec<TextChange> {
    vec![TextChange { range: Some((start, end)), text: text.to_owned() }]
}

fn text(buffers: &Buffers, id: &BufferId) -> String {
    buffers.get(id).expect("it is open").text.to_string()
}

#[test]
fn changes_are_applied_in_sequence_in_the_editors_encoding() {
    let (mut buffers, id) = opened("a😀b\nc\n");
    let mut changes = typed(at(0, 3), at(0, 4), "B");
    changes.extend(typed(at(0, 4), at(1, 0), "!"));
    buffers.change(&id, 2, changes);
    assert_eq!(text(&buffers, &id), "a😀B!c\n");
    assert_eq!(buffers.get(&id).unwrap().blocked_reason, None);
}

#[test]
fn an_invalid_change_leaves_a_document_out_of_step_until_its_full_text() {
    for (version, start, end) in [(1, at(0, 0), at(0, 0)), (2, at(7, 0), at(7, 0)), (2, at(1, 0), at(0, 0))] {
        let (mut buffers, id) = opened("a\nb\n");
        buffers.change(&id, version, typed(start, end, "x"));
        assert_eq!(buffers.get(&id).unwrap().blocked_reason, Some(BlockedReason::OutOfStep));
        buffers.change(&id, 3, vec![TextChange { range: None, text: "whole".into() }]);
        assert_eq!((text(&buffers, &id).as_str(), buffers.get(&id).unwrap().blocked_reason), ("whole", None));
    }
}

#[test]
fn a_position_after_the_last_line_is_the_end() {
    let (mut buffers, id) = opened("a\nb");
    buffers.change(&id, 2, typed(at(1, 0), at(2, 0), "c"));
    assert_eq!((text(&buffers, &id).as_str(), buffers.get(&id).unwrap().blocked_reason), ("a\nc", None));
}

#[test]
fn ambiguous_line_breaks_are_detected() {
    for odd in ["a\rb", "\r", "a\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}"] {
        assert!(has_ambiguous_line_breaks(odd), "{odd:?}");
        let (mut buffers, id) = opened("a\n");
        buffers.change(&id, 2, typed(at(0, 0), at(0, 0), odd));
        assert_eq!(buffers.get(&id).unwrap().blocked_reason, Some(BlockedReason::LineEnds));
    }
    for plain in ["", "a\r\nb\n", "é", "…", "→"] {
        assert!(!has_ambiguous_line_breaks(plain), "{plain:?}");
    }
}

#[test]
fn unsaved_text_is_reported_by_the_editor_or_detected() {
    let (mut buffers, id) = opened("a\n");
    assert_eq!(buffers.get(&id).unwrap().is_unchanged(), None);
    buffers.get_mut(&id).unwrap().settle(Loaded { text: "a\n".into(), disk: LastObserved::NotYet });
    assert_eq!(buffers.get(&id).unwrap().is_unchanged(), Some(true));
    buffers.change(&id, 2, typed(at(0, 0), at(0, 0), "b"));
    assert_eq!(buffers.get(&id).unwrap().is_unchanged(), Some(false));
    buffers.get_mut(&id).unwrap().save();
    assert_eq!(buffers.get(&id).unwrap().is_unchanged(), Some(true));
    buffers.get_mut(&id).unwrap().set_dirty(true, 2);
    assert_eq!(buffers.get(&id).unwrap().is_unchanged(), Some(false));
    buffers.get_mut(&id).unwrap().set_dirty(false, 1);
    assert_eq!(buffers.get(&id).unwrap().is_unchanged(), Some(false), "the report was about an older text");
}

#[test]
fn an_expected_text_is_reached_even_if_more_is_typed() {
    let (mut buffers, id) = opened("a\n");
    let number = buffers.expect(id.clone(), "b a\n".into());
    assert!(!buffers.has_reached(number));
    buffers.change(&id, 2, typed(at(0, 0), at(0, 0), "b "));
    buffers.change(&id, 3, typed(at(0, 0), at(0, 0), "c"));
    assert!(buffers.has_reached(number));
    buffers.forget(number);
    assert!(!buffers.has_reached(number));
}

#[test]
fn documents_are_found_by_path_or_inode() {
    let (mut buffers, first) = opened("a\n");
    assert_eq!(buffers.of(Path::new("/a"), &FileKey::path("/a")).len(), 1);
    assert!(buffers.of(Path::new("/b"), &FileKey::path("/b")).is_empty());
    let key = FileKey::Inode { device: 1, inode: 2 };
    let linked = Buffer {
        id: id("file:///l"),
        path: "/l".into(),
        key: key.clone(),
        ..buffers.get(&first).unwrap().clone()
    };
    buffers.open(linked);
    assert_eq!(buffers.of(Path::new("/other"), &key).len(), 1);
    assert_eq!(buffers.of(Path::new("/l"), &key).len(), 1);
    buffers.close_all(SESSION);
    assert!(buffers.of(Path::new("/a"), &FileKey::path("/a")).is_empty());
}

#[test]
fn a_document_beyond_the_limit_is_tracked_as_open() {
    let (mut buffers, first) = opened("a\n");
    let like = buffers.get(&first).unwrap().clone();
    for number in 1..=OPEN_DOCUMENTS {
        let uri = id(&format!("file:///{number}"));
        buffers.open(Buffer { id: uri, path: format!("/{number}").into(), ..like.clone() });
    }
    let last = id(&format!("file:///{OPEN_DOCUMENTS}"));
    assert_eq!(buffers.get(&last).unwrap().blocked_reason, Some(BlockedReason::TooMany));
    buffers.change(&last, 2, vec![TextChange { range: None, text: "x".into() }]);
    assert_eq!(buffers.get(&last).unwrap().blocked_reason, Some(BlockedReason::TooMany));
    buffers.close(&first);
    buffers.open(Buffer { id: first.clone(), ..like });
    assert_eq!(buffers.get(&first).unwrap().blocked_reason, Some(BlockedReason::TooMany));
    buffers.close(&first);
    buffers.close(&last);
    let again = Buffer { id: first.clone(), ..buffers.get(&id("file:///1")).unwrap().clone() };
    buffers.open(again);
    assert_eq!(buffers.get(&first).unwrap().blocked_reason, None);
}

#[test]
fn a_text_that_grows_too_large_is_dropped_until_a_full_text_fits() {
    let (mut buffers, id) = opened("a\n");
    buffers.change(&id, 2, typed(at(0, 0), at(0, 0), &"x".repeat(1000)));
    assert_eq!(
        (text(&buffers, &id).as_str(), buffers.get(&id).unwrap().blocked_reason),
        ("", Some(BlockedReason::TooLarge))
    );
    buffers.change(&id, 3, typed(at(0, 0), at(0, 0), "y"));
    assert_eq!(buffers.get(&id).unwrap().blocked_reason, Some(BlockedReason::TooLarge));
    buffers.change(&id, 4, vec![TextChange { range: None, text: "small".into() }]);
    assert_eq!((text(&buffers, &id).as_str(), buffers.get(&id).unwrap().blocked_reason), ("small", None));
}
