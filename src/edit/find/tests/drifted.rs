//! Drifted context: how much drift is tolerated, and when a line counts as a different one.

use rstest::rstest;

use super::tolerant::{found_by, refused};
use super::*;

const TOTAL: &str = "fn total(items: &[Item]) -> u32 {\n    // Adds all prices up.\n    let mut sum = 0;\n    for item in items {\n        sum += item.price;\n    }\n    sum\n}\n\nfn other() {}\n";

#[rstest]
#[case::reworded_comment(("Adds all prices up.", "Add up all the prices."), ("sum += item.price", "sum += item.cost"))]
#[case::misremembered_type(("items: &[Item]) ->", "items: Vec<Item>) ->"), ("sum += item.price", "sum += item.cost"))]
#[case::missing_comment(("    // Adds all prices up.\n", ""), ("sum += item.price", "sum += item.cost"))]
#[case::invented_line(("    let mut sum", "    let start = now();\n    let mut sum"), ("sum += item.price", "sum += item.cost"))]
#[case::a_slip_in_a_name(("let mut sum = 0", "let mut sums = 0"), ("item.price", "item.cost"))]
#[case::surplus_blank_line(("    for item", "\n    for item"), ("sum += item.price", "sum += item.cost"))]
fn a_little_drift_in_unchanged_lines_is_tolerated(#[case] drift: (&str, &str), #[case] change: (&str, &str)) {
    let block = TOTAL.split("\n\n").next().unwrap().replace(drift.0, drift.1);
    let expected = TOTAL.replace(change.0, change.1);
    found_by(Strategy::DriftedContext, TOTAL, &block, &block.replace(change.0, change.1), &expected);
}

#[rstest]
#[case::a_changed_line_differs(("item.price", "item.cost"), ("item.cost", "item.worth"))]
#[case::another_function(("fn total", "fn count"), ("item.price", "item.cost"))]
#[case::a_name_that_the_file_has(("let mut sum = 0", "let mut other = 0"), ("item.price", "item.cost"))]
#[case::a_name_that_a_new_line_has(("let mut sum = 0", "let mut sums = 0"), ("sum += item.price", "sums += item.cost"))]
#[case::two_names(("for item in items", "for each in things"), ("item.price", "item.cost"))]
#[case::a_name_and_a_number(("let mut sum = 0", "let mut sums = 1"), ("item.price", "item.cost"))]
#[case::a_quoted_name(("let mut sum = 0", "let mut sum = '0'"), ("item.price", "item.cost"))]
#[case::too_much(("let mut sum = 0;\n    for item in items", "let mut all = 1;\n    for it in many"), ("item.price", "item.cost"))]
#[case::surplus_line_at_an_insertion(("    // Adds all prices up.\n", ""), ("u32 {\n", "u32 {\n    log();\n"))]
fn more_drift_is_refused(#[case] drift: (&str, &str), #[case] change: (&str, &str)) {
    let block = TOTAL.split("\n\n").next().unwrap().replace(drift.0, drift.1);
    assert!(matches!(
        refused(TOTAL, &block, &block.replace(change.0, change.1)),
        EditRefusalKind::NotFound { .. }
    ));
}

#[test]
fn drift_between_similar_blocks_is_refused() {
    let twin = |name: &str| TOTAL.replace("total", name).replace("fn other() {}\n", "");
    let base = twin("total") + &twin("amount").replace("prices", "costs");
    let block = twin("total").replace("Adds all prices", "Adds all values").replace("fn total", "fn amount");
    let new = block.replace("item.price", "item.cost");
    assert!(matches!(
        refused(&base, &block, &new),
        EditRefusalKind::NotFound { .. } | EditRefusalKind::Ambiguous { .. }
    ));
}

#[test]
fn short_blocks_do_not_drift() {
    let (old, new) = ("a = 1\n# Remark\nb = 2\n", "a = 1\n# Remark one\nb = 3\n");
    assert!(matches!(refused("a = 1\n# Remarks\nb = 2\n", old, new), EditRefusalKind::NotFound { .. }));
}

#[test]
fn half_of_an_edit_may_be_applied_already() {
    let base = "fn f() {\n    one(2);\n    keep();\n    // Some words here.\n    two(1);\n}\n";
    let old = "fn f() {\n    one(1);\n    keep();\n    // Some words here.\n    two(1);\n}\n";
    let new = old.replace("(1)", "(2)");
    found_by(Strategy::DriftedContext, base, old, &new, &base.replace("two(1)", "two(2)"));
}

#[test]
fn an_edit_that_was_made_in_other_words_counts_as_applied() {
    let (old, new) = (TOTAL.replace("Adds all", "Add up all the"), "item.cost");
    let done = TOTAL.replace("item.price", new);
    let kind = refused(&done, &old, &old.replace("item.price", new));
    assert!(matches!(kind, EditRefusalKind::NotFound { already_applied: true, .. }), "{kind:?}");
}

/// Four functions, of which the third is separated by one or two blank lines or none.
fn functions(before: &str, after: &str) -> String {
    let function = |name: &str| format!("def {name}_function():\n    return compute_{name}()\n");
    [
        function("alpha"),
        "\n".into(),
        function("beta"),
        before.into(),
        function("gamma"),
        after.into(),
        function("delta"),
    ]
    .concat()
}

#[rstest]
#[case::the_extra_line_is_before_the_lines("\n\n", "\n")]
#[case::the_extra_line_is_after_them("\n", "\n\n")]
fn no_blank_line_is_left_over_by_a_removal(#[case] before: &str, #[case] after: &str) {
    let base = functions(before, after);
    let old = functions("\n", "\n");
    let new = old.replace("def gamma_function():\n    return compute_gamma()\n\n", "");
    assert!(matches!(refused(&base, &old, &new), EditRefusalKind::NotFound { .. }));
    // A change elsewhere keeps all of them.
    let (old, new) = (&old, old.replace("compute_alpha", "find_alpha"));
    found_by(Strategy::DriftedContext, &base, old, &new, &base.replace("compute_alpha", "find_alpha"));
}

#[test]
fn no_blank_line_is_added_where_the_file_has_none() {
    let (base, old) = (functions("", "\n"), functions("\n", "\n"));
    let added = "def added_function():\n    return compute_added()\n\n";
    let new = old.replace("def gamma", &format!("{added}def gamma"));
    assert!(matches!(refused(&base, &old, &new), EditRefusalKind::NotFound { .. }));
    let new = old.replace("compute_alpha", "find_alpha");
    found_by(Strategy::DriftedContext, &base, &old, &new, &base.replace("compute_alpha", "find_alpha"));
}
