//! New lines beside a line whose indentation differs, while others are indented as in the file.

use rstest::rstest;

use super::tolerant::{found_by, refused};
use super::*;

#[rstest]
#[case::after_the_line(
    "def f():\n    if x:\n        body\n",
    "    if x:\n    body\n",
    "    if x:\n    body\n    added\n",
    "def f():\n    if x:\n        body\n        added\n"
)]
#[case::before_the_line(
    "def f():\n    if x:\n        body\n",
    "    if x:\n    body\n",
    "    if x:\n    added\n    body\n",
    "def f():\n    if x:\n        added\n        body\n"
)]
#[case::before_a_closer(
    "fn f() {\n    if x {\n        body();\n    }\n}\n",
    "    if x {\n    body();\n    }\n",
    "    if x {\n    body();\n    added();\n    }\n",
    "fn f() {\n    if x {\n        body();\n        added();\n    }\n}\n"
)]
#[case::a_depth_of_its_own(
    "def f():\n    a()\n    b()\n    c()\n",
    "    a()\n     b()\n    c()\n",
    "    a()\n     b()\n     added()\n    c()\n",
    "def f():\n    a()\n    b()\n    added()\n    c()\n"
)]
#[case::elsewhere(
    "def f():\n    if x:\n        body\n    c()\n",
    "    if x:\n    body\n    c()\n",
    "    if x:\n    body\n    c()\n    added()\n",
    "def f():\n    if x:\n        body\n    c()\n    added()\n"
)]
fn a_new_line_follows_the_line_that_it_touches(
    #[case] base: &str,
    #[case] old: &str,
    #[case] new: &str,
    #[case] expected: &str,
) {
    found_by(Strategy::Indentation, base, old, new, expected);
}

#[rstest]
#[case::deeper_where_the_units_differ(
    "head\n  one\n    two\n  three\nhead\n    w0\n      w1\n\n    end\ntail\n",
    "    w0\n        w1\n\n    end\n",
    "    w0\n        w1\n            new1\n        new0\n\n    end\n"
)]
#[case::between_two_depths(
    "def f():\n    if x:\n        body\n    c()\n",
    "    if x:\n    body\n    c()\n",
    "    if x:\n    body\n    added()\n    c()\n"
)]
#[case::inside_the_line(
    "def f():\n    if x:\n        for y in z:\n            body\n",
    "    if x:\n    for y in z:\n            body\n",
    "    if x:\n    for y in z:\n        added\n            body\n"
)]
fn a_new_line_that_may_belong_to_either_depth_is_refused(
    #[case] base: &str,
    #[case] old: &str,
    #[case] new: &str,
) {
    assert!(matches!(refused(base, old, new), EditRefusalKind::NotFound { .. }));
}

#[test]
fn spaces_stay_spaces_after_a_shift_by_whole_tabs() {
    let base = "struct s {\n\tint a;\n\tint b;\n};\n  note\n  note\n\tif (x)\n\t\tgo(a);\n";
    let (old, new) = ("\t\tif (x)\n\t\t\tgo(a);\n", "\t\tif (x)\n\t\t\tgo(a,\n\t             b);\n");
    let expected = base.replace("go(a);\n", "go(a,\n             b);\n");
    found_by(Strategy::Indentation, base, old, new, &expected);
    let (old, new) = ("if (x)\n\tgo(a);\n", "if (x)\n\tgo(a,\n             b);\n");
    let expected = base.replace("go(a);\n", "go(a,\n\t             b);\n");
    found_by(Strategy::Indentation, base, old, new, &expected);
}

#[test]
fn levels_of_spaces_fill_tabs_after_a_shift_by_whole_tabs() {
    let base = "f ()\n{\n  int a;\n  int b;\n\n  for (;;)\n    {\n      if (x)\n\t{\n\t  go (a);\n\t}\n    }\n}\n\ng ()\n{\n\tint a;\n\n\tif (y)\n\t  {\n\t    stop (a);\n\t    if (z)\n\t      {\n\t\tgo (a);\n\t      }\n\t  }\n}\n";
    let (old, new) = (
        "if (y)\n  {\n    stop (a);\n",
        "if (y)\n  {\n    while (a)\n      {\n        a--;\n      }\n    stop (a);\n",
    );
    let expected = base
        .replace("\t    stop (a);\n", "\t    while (a)\n\t      {\n\t\ta--;\n\t      }\n\t    stop (a);\n");
    found_by(Strategy::Indentation, base, old, new, &expected);
}
