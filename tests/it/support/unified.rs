//! Applies a unified diff strictly: every context line must match at the line that the header gives.

pub(crate) fn apply_unified(old: &str, diff: &str) -> String {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let lines: Vec<&str> = diff.split_inclusive('\n').collect();
    let mut new = String::new();
    let mut at = 0;
    let mut in_hunk = false;
    for (index, line) in lines.iter().enumerate() {
        let without_end = lines.get(index + 1).is_some_and(|next| next.starts_with('\\'));
        let content = line.get(1..).unwrap_or_default();
        let content = if without_end { content.trim_end_matches('\n') } else { content };
        match (line.as_bytes()[0], in_hunk) {
            (b'@', _) => {
                let start = old_start(line);
                new.extend(old[at..start].iter().copied());
                (at, in_hunk) = (start, true);
            }
            (b'+', true) => new.push_str(content),
            (mark @ (b' ' | b'-'), true) => {
                assert_eq!(old.get(at), Some(&content), "line {} of the old text, in\n{diff}", at + 1);
                if mark == b' ' {
                    new.push_str(content);
                }
                at += 1;
            }
            _ => {}
        }
    }
    assert!(in_hunk, "a diff without a hunk:\n{diff}");
    new.extend(old[at..].iter().copied());
    new
}

/// Parses the 0-based start line of a hunk from `@@ -start,count +start,count @@`.
fn old_start(header: &str) -> usize {
    let range = header.strip_prefix("@@ -").and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    let (start, count) = range.split_once(',').unwrap_or((range, "1"));
    let start: usize = start.parse().unwrap_or_else(|_| panic!("not a hunk's header: {header}"));
    if count == "0" { start } else { start - 1 }
}

#[test]
fn a_diff_is_applied_at_its_line_numbers() {
    let old = "a\nb\nc\nd\ne\nf\ng\nh";
    let diff = "--- a\n+++ b\n@@ -1,2 +1,3 @@\n+0\n a\n-b\n+B\n@@ -7,2 +8,1 @@\n-g\n-h\n\\ No newline at end of file\n+H\n";
    assert_eq!(apply_unified(old, diff), "0\na\nB\nc\nd\ne\nf\nH\n");
    assert_eq!(
        apply_unified("", "--- /dev/null\n+++ b\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n"),
        "a"
    );
    assert_eq!(apply_unified("a\nb\n", "@@ -1,0 +2 @@\n+x\n"), "a\nx\nb\n");
    assert_eq!(apply_unified("--\n", "--- a\n+++ b\n@@ -1 +1 @@\n---\n+++\n"), "++\n");
}

#[test]
#[should_panic(expected = "of the old text")]
fn a_diff_that_does_not_match_panics() {
    apply_unified("a\nb\n", "@@ -1,2 +1,2 @@\n a\n-c\n+d\n");
}
