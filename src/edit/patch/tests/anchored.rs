use super::super::*;
use crate::{LineEdit, LineOrigin, LinePlace, LineRange};

fn parsed(text: &str) -> Vec<FilePatch> {
    parse(text, None).expect("a patch")
}

fn edits(file: &FilePatch) -> Vec<LineHunkEdit> {
    let PatchChange::Lines { hunks, .. } = &file.change else { panic!("{:?}", file.change) };
    hunks.iter().map(|hunk| hunk.edit.clone()).collect()
}

fn lines(place: LinePlace, new: Option<&str>) -> LineHunkEdit {
    LineHunkEdit::Lines(LineEdit {
        place,
        new: new.map(str::to_owned),
        first: None,
        last: None,
        origin: LineOrigin::Written,
    })
}

fn range(start: usize, end: usize) -> LineRange {
    LineRange { start, end }
}

#[test]
fn rows_replace_lines_and_are_inserted_between_them() {
    let text = "Here it is:\n[src/a.rs#1A2b3c]\nPUT 12.=15:\n+one\n+\n++two\nPUT >3:\n+- task\nPUT <1:\n+x\nPUT >$:\n+end\n";
    let files = parsed(text);
    assert_eq!(files.len(), 1);
    assert_eq!((files[0].path.as_str(), files[0].line), ("src/a.rs", 2));
    assert_eq!(files[0].tag, "1a2b3c".parse().ok());
    assert_eq!(
        edits(&files[0]),
        [
            lines(LinePlace::Lines(range(12, 15)), Some("one\n\n+two\n")),
            lines(LinePlace::After(3), Some("- task\n")),
            lines(LinePlace::Before(1), Some("x\n")),
            lines(LinePlace::End, Some("end\n")),
        ]
    );
}

#[test]
fn cut_lines_are_put_elsewhere_also_in_another_file() {
    let text = "[a.py#111111]\nCUT 1.=3 @it\nCUT 9\nPUT >20\n[b.py#222222]\nPUT <1 @it\nPUT 4-5 @it\n";
    let files = parsed(text);
    let take = |clip, lines| LineHunkEdit::Take { clip, lines };
    let put = |clip, place| LineHunkEdit::Put { clip, place };
    assert_eq!(edits(&files[0]), [take(0, range(1, 3)), take(1, range(9, 9)), put(1, LinePlace::After(20))]);
    assert_eq!(edits(&files[1]), [put(0, LinePlace::Before(1)), put(0, LinePlace::Lines(range(4, 5)))]);
}

#[test]
fn files_are_removed_and_renamed() {
    let files = parsed("[a b.txt#111111]\nREM\n[b.txt#222222]\nPUT 1:\n+x\nMV \"new dir/b.txt\"\n");
    assert_eq!(files[0].change, PatchChange::Delete { hunks: Vec::new() });
    let PatchChange::Lines { hunks, to } = &files[1].change else { panic!("{files:?}") };
    assert_eq!((hunks.len(), to.as_deref()), (1, Some("new dir/b.txt")));
}

#[test]
fn an_envelope_and_fences_are_skipped() {
    let body = "[a.txt#111111]\nPUT 2:\n+x\n";
    for text in [
        format!("*** Begin Patch\n{body}*** End Patch\n"),
        format!("```\n{body}```\n"),
        body.replace('\n', "\r\n"),
        // The colon is often forgotten, and rows prove that it is meant.
        body.replace(':', ""),
    ] {
        let files = parsed(&text);
        assert_eq!(edits(&files[0]), [lines(LinePlace::Lines(range(2, 2)), Some("x\n"))], "{text}");
    }
    let unnamed = "[a.txt]\nPUT 2:\n+x\n";
    assert!(parse(unnamed, None).is_err(), "it may be a section of another format");
    assert_eq!(parse(unnamed, Some(PatchFormat::Anchored)).expect("a patch")[0].tag, None);
}

#[test]
fn errors_name_the_line() {
    for (body, line, expected) in [
        ("PUT x:\n+a\n", 2, "lines such as"),
        ("PUT 5.=2:\n+a\n", 2, "the last line comes before"),
        ("PUT >2:\n", 3, "begins with `+`"),
        ("PUT >2 @it\n", 2, "`CUT … @it`"),
        ("PUT 2*:\n+a\n", 2, "the first and the last line"),
        ("PUT <0:\n+a\n", 2, "from 1"),
        ("PUT 1:\n+a\nREM\n", 4, "`REM`"),
        ("REM\nPUT 1:\n+a\n", 3, "`REM`"),
        ("DEL 3\n", 2, "`PUT`"),
        ("PUT 1:\n+a\n-b\n", 4, "`PUT`"),
    ] {
        let error = parse(&format!("[a.txt#111111]\n{body}"), None).expect_err(body);
        assert_eq!(error.line, line, "{body}");
        assert!(error.expected.contains(expected), "{body}: {}", error.expected);
    }
}
