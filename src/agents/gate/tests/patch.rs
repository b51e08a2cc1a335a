//! Patches that are rewritten for the tools of Codex and opencode.

use super::*;

fn call(patch: &str) -> ToolCall {
    let event = json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "turn_id": "t", "cwd": "/shop", "tool_use_id": "1",
        "tool_name": "apply_patch", "tool_input": { "command": patch },
    });
    match AgentProgram::Codex.decode(&event).unwrap().unwrap().step {
        Step::Before(call) => *call,
        other => panic!("{other:?}"),
    }
}

fn prepared(path: &str, before: Option<&str>, after: Option<&str>) -> NativeFile {
    let text = |text: Option<&str>| text.map(str::to_owned);
    NativeFile { path: path.to_owned(), new_path: None, before: text(before), after: text(after) }
}

fn update(chunk: &str) -> String {
    format!("*** Begin Patch\n*** Update File: a.py\n{chunk}*** End Patch\n")
}

fn rewritten(patch: &str, files: &[NativeFile]) -> Option<String> {
    rewrite(&call(patch), files).map(|input| input["command"].as_str().unwrap().to_owned())
}

/// Applies an update as the tools do: each chunk is searched from the end of the chunk before, with its lines as
/// they are, then without blanks at their ends, then without blanks on both sides; the first place counts.
fn apply(before: &str, patch: &str) -> String {
    let lines: Vec<_> = before.lines().collect();
    let (mut result, mut next) = (Vec::new(), 0);
    for chunk in patch.split("@@\n").skip(1) {
        let chunk: Vec<_> = chunk.lines().filter(|line| !line.starts_with("***")).collect();
        let of = |signs: &[char]| -> Vec<&str> {
            chunk.iter().filter(|line| line.starts_with(signs)).map(|line| &line[1..]).collect()
        };
        let (old, new) = (of(&[' ', '-']), of(&[' ', '+']));
        let forms: [fn(&str) -> &str; 3] = [|line| line, str::trim_end, str::trim];
        let place = forms.iter().find_map(|form| {
            let fits = |at: &usize| {
                let found = lines.get(*at..at + old.len());
                found.is_some_and(|found| found.iter().zip(&old).all(|(a, b)| form(a) == form(b)))
            };
            (next..=lines.len()).find(fits)
        });
        let at = place.unwrap_or_else(|| panic!("a place for {old:?} in {before:?}"));
        result.extend(&lines[next..at]);
        result.extend(new);
        next = at + old.len();
    }
    result.extend(&lines[next..]);
    result.iter().flat_map(|line| [line, "\n"]).collect()
}

#[rstest]
#[case::as_sent("a\nb\nc\n", "a\nB\nc\n", "@@\n-b\n+B\n", None)]
#[case::indentation(
    "if a:\n    b\n",
    "if a:\n    c\n",
    "@@\n-  b\n+  c\n",
    Some("@@\n if a:\n-    b\n+    c\n")
)]
#[case::first_of_two("x\ny\nx\n", "x\ny\nz\n", "@@ y\n-x\n+z\n", Some("@@\n x\n y\n-x\n+z\n"))]
#[case::blank_elsewhere("x \nx\n", "x \nz\n", "@@\n-x\n+z\n", Some("@@\n x \n-x\n+z\n"))]
#[case::carriage_returns("a\r\nb\r\n", "a\r\nB\r\n", "@@\n-b\n+B\n", None)]
fn a_patch_is_rewritten_unless_the_tool_would_write_the_prepared_text(
    #[case] before: &str,
    #[case] after: &str,
    #[case] chunk: &str,
    #[case] expected: Option<&str>,
) {
    let files = [prepared("/shop/a.py", Some(before), Some(after))];
    assert_eq!(rewritten(&update(chunk), &files), expected.map(update));
}

#[test]
fn files_are_named_as_the_model_named_them() {
    let patch = "*** Begin Patch\n*** Update File: a.py\n*** Move to: lib/b.py\n@@\n-  x\n+  y\n*** Delete File: c.py\n\
                 *** Add File: d.py\n+one\n*** End Patch\n";
    let moved = NativeFile {
        new_path: Some("/shop/lib/b.py".to_owned()),
        ..prepared("/shop/a.py", Some("x\n"), Some("y\n"))
    };
    let files =
        [moved, prepared("/shop/c.py", Some("c\n"), None), prepared("/shop/d.py", None, Some("one\ntwo\n"))];
    let expected = "*** Begin Patch\n*** Update File: a.py\n*** Move to: lib/b.py\n@@\n-x\n+y\n\
                    *** Delete File: c.py\n*** Add File: d.py\n+one\n+two\n*** End Patch\n";
    assert_eq!(rewritten(patch, &files).as_deref(), Some(expected));
}

#[rstest]
#[case::moved_to_itself("*** Move to: a.py\n@@\n-b\n+B\n")]
#[case::no_header("-b\n+B\n")]
#[case::two_sections("@@\n-b\n+B\n*** Update File: a.py\n@@\n-c\n+c\n")]
fn a_form_that_a_tool_gets_wrong_is_rewritten(#[case] chunks: &str) {
    let files = [prepared("/shop/a.py", Some("a\nb\nc\n"), Some("a\nB\nc\n"))];
    let expected = update("@@\n a\n-b\n+B\n c\n");
    assert_eq!(rewritten(&update(chunks), &files).as_deref(), Some(&*expected));
}

proptest! {
    #[test]
    fn a_rewritten_patch_leads_to_the_prepared_text(
        before in "(([ab ]{0,2})\n){1,24}", after in "(([ab ]{0,2})\n){1,24}", kept in 0..20_usize,
    ) {
        let shared: String = before.split_inclusive('\n').take(kept).collect();
        let after = shared + &after;
        prop_assume!(before != after);
        let files = [prepared("/shop/a.py", Some(&before), Some(&after))];
        let patch = rewritten(&update("@@\n-nothing like it\n+x\n"), &files).unwrap();
        prop_assert_eq!(apply(&before, &patch), after, "{}", patch);
    }
}
