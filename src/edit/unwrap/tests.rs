use rstest::rstest;

use super::*;

#[rstest]
#[case("if (a &lt; b &amp;&amp; c) {", Some("if (a < b && c) {"))]
#[case("say(&quot;it&#39;s&quot;)", Some("say(\"it's\")"))]
#[case("&amp;lt;", Some("&lt;"))]
#[case("<p>a &lt; b</p>", None)]
#[case("a &lt; b && c", None)]
#[case("a&nbsp;b", None)]
#[case("plain", Some("plain"))]
fn entities_are_decoded_if_all_of_the_text_is_escaped(#[case] text: &str, #[case] expected: Option<&str>) {
    assert_eq!(decode(text).as_deref(), expected);
}

#[rstest]
#[case(r#"say(\"a\")\nnext()"#, Some("say(\"a\")\nnext()"))]
#[case(r"a\tb\\n", Some("a\tb\\n"))]
#[case(r"caf\u00e9", Some("café"))]
#[case(r#"say("a\n")"#, None)]
#[case(r"\d+", None)]
#[case("plain \"text\"", Some("plain \"text\""))]
fn everything_is_unescaped(#[case] text: &str, #[case] expected: Option<&str>) {
    assert_eq!(unescape_all(text).as_deref(), expected);
}

#[rstest]
#[case(r#"say(\"a\n\")"#, Some("say(\"a\\n\")"))]
#[case(r#"say(\"a\", "b")"#, None)]
#[case(r"say(\'a\')", Some("say('a')"))]
#[case("plain", Some("plain"))]
#[case("say(\"plain\")", Some("say(\"plain\")"))]
fn quotes_are_unescaped(#[case] text: &str, #[case] expected: Option<&str>) {
    assert_eq!(unescape_quotes(text).as_deref(), expected);
}

#[rstest]
#[case(r"a\\d+\\n", Some(r"a\d+\n"))]
#[case(r"a\\d+\n", None)]
#[case("plain", Some("plain"))]
fn backslashes_are_halved(#[case] text: &str, #[case] expected: Option<&str>) {
    assert_eq!(unescape_backslashes(text).as_deref(), expected);
}

#[rstest]
#[case::tab("12\ta\n13\t  b\n", "12\ta\n13\t  c\n", "a\n  b\n", "a\n  c\n")]
#[case::arrow("    12→a\n    13→\n    14→b", "x\ny", "a\n\nb", "x\ny")]
#[case::bar(" 9 | a\n10 |\n11 |   b\n", "9 | a\n", "a\n\n  b\n", "a\n")]
#[case::tight_bar("9|a\n10|  b\n", "a\n", "a\n  b\n", "a\n")]
#[case::colon("7: a\n8:   b\n", "", "a\n  b\n", "")]
#[case::indented("2:  if\n3:    b\n", "  c\n", "  if\n    b\n", "  c\n")]
#[case::stars("8 |    * a\n9 |    */\n", "   * b\n   */\n", "   * a\n   */\n", "   * b\n   */\n")]
#[case::letter("L8: a\nL9:   b\n", "c\n", "a\n  b\n", "c\n")]
#[case::grep("7:a\n8:  b\n", "7:a\n7:c\n", "a\n  b\n", "a\nc\n")]
#[case::empty_lines_lose_the_separator("1\ta\n2\n3\tb\n", "a\n", "a\n\nb\n", "a\n")]
#[case::columns_of_the_file("1\t7\tx\n2\t3\ty", "7\tX\n3\ty", "7\tx\n3\ty", "7\tX\n3\ty")]
#[case::columns_that_count_up("1\t1\tx\n2\t2\ty", "1\tX\n2\ty", "1\tx\n2\ty", "1\tX\n2\ty")]
#[case::columns_all_changed("1\t1\tx\n2\t2\ty", "1\tX\n2\tY", "1\tx\n2\ty", "1\tX\n2\tY")]
#[case::columns_behind_numbers("1\t7\tx\n2\t3\ty", "1\t7\tX\n2\t3\ty", "7\tx\n3\ty", "7\tX\n3\ty")]
#[case::padded_columns("5\t   34\tname", "   35\tname", "   34\tname", "   35\tname")]
#[case::one_key("2:80: http", "80: https", "80: http", "80: https")]
#[case::an_empty_last_line_goes("2\tb\n3\t", "", "b\n\n", "")]
#[case::a_key_comes_in("2: port", "80: http", "port", "80: http")]
fn numbers_are_removed(
    #[case] old: &str,
    #[case] new: &str,
    #[case] old_after: &str,
    #[case] new_after: &str,
) {
    assert_eq!(remove_numbers(old, new)[0], (old_after.to_owned(), new_after.to_owned()));
}

#[rstest]
#[case::not_on_every_line("1\ta\nb\n", "c")]
#[case::not_in_order("1\ta\n3\tb\n", "c")]
#[case::not_the_same_separator("1\ta\n2: b\n", "c")]
#[case::here_and_there_in_the_new_text("1\ta\n2\tb\n", "1\ta\nc\n")]
#[case::counted_from_one_in_the_new_text("12\ta\n13\tb\n", "1\ta\n2\tc\n")]
#[case::no_number("a\n", "b")]
#[case::nothing("", "")]
fn other_numbers_are_text(#[case] old: &str, #[case] new: &str) {
    assert_eq!(remove_numbers(old, new), []);
}
