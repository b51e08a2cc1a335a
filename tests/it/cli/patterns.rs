//! `editd edit --old` with a scope or a pattern.

use std::process::Output;

use rstest::rstest;

use crate::support::{Machine, Workspace};

const CODE: &str = "class A:\n    def f(self):\n        rv = 1\n        return rv\n\nrv = 2\n";

fn said(output: &Output) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[rstest]
#[case::words_of_a_symbol(&["--symbol", "A.f", "--old", "rv", "--new", "value", "--word", "--all"], CODE.replace("        rv", "        value").replace("return rv", "return value"))]
#[case::lines(&["--lines", "3:4", "--old", "rv", "--new", "value", "--expect", "2"], CODE.replace("        rv", "        value").replace("return rv", "return value"))]
#[case::a_pattern(&["--old", r"rv = (\d)", "--new", "rv = $1$1", "--regex", "--all"], CODE.replace('1', "11").replace('2', "22"))]
#[case::indented(&["--lines", "3:4", "--indent", "1"], CODE.replace("        r", "            r"))]
#[case::to_the_left(&["--lines", "3:4", "--indent", "-1"], CODE.replace("        r", "    r"))]
#[case::another_width(&["--indent-from", "4", "--indent-to", "2"], CODE.replace("    ", "  "))]
#[case::wrapped(
    &["--symbol", "A.f", "--wrap-before", "if a:", "--wrap-after", "b()"],
    CODE.replace("        rv = 1\n        return rv\n", "        if a:\n            rv = 1\n            return rv\n        b()\n"),
)]
fn the_text_is_replaced_where_it_is_meant(#[case] arguments: &[&str], #[case] after: String) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.py", CODE));
    let path = workspace.absolute("a.py");
    let output = machine.run(&[&["edit", &path, "--yes"], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(workspace.text("a.py"), after);
}

#[rstest]
#[case::pattern(&["--old", "(", "--new", "x", "--regex"], "--old is invalid")]
#[case::group(&["--old", "rv", "--new", "$7", "--regex"], "--new is invalid")]
#[case::outside(&["--symbol", "A.f", "--old", "rv = 2", "--new", "x"], "--lines or --symbol")]
#[case::count(&["--old", "rv", "--new", "x", "--expect", "2"], "--expect says 2")]
fn refusals_name_the_options(#[case] arguments: &[&str], #[case] words: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.py", CODE));
    let path = workspace.absolute("a.py");
    let output = machine.run(&[&["edit", &path, "--yes"], arguments].concat());
    assert_eq!((output.status.code(), said(&output).contains(words)), (Some(1), true), "{}", said(&output));
    assert_eq!(workspace.text("a.py"), CODE);
}

#[rstest]
#[case(&["--symbol", "A.f", "--lines", "1", "--old", "rv", "--new", "x"])]
#[case(&["--symbol", "A.f", "--op", "body", "--old", "rv", "--new", "x"])]
#[case(&["--after", "1", "--old", "rv", "--new", "x"])]
#[case(&["--old", "rv", "--symbol", "A.f"])]
#[case(&["--lines", "1", "--indent", "1", "--new", "x"])]
#[case(&["--lines", "1", "--indent", "1", "--wrap-before", "x"])]
#[case(&["--lines", "1", "--indent-from", "2"])]
#[case(&["--indent", "1"])]
#[case(&["--lines", "1", "--new", "x", "--word"])]
#[case(&["--lines", "1", "--after", "2", "--new", "x"])]
fn options_that_exclude_each_other_are_usage_errors(#[case] arguments: &[&str]) {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.py", CODE));
    let path = workspace.absolute("a.py");
    let output = machine.run(&[&["edit", &path, "--yes"], arguments].concat());
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
}
