use rstest::rstest;

use crate::{Edit, EditRefusalKind, Offer, Options, find};

const PYTHON: &str = "import os


class Renderer:
    def render(self, names):
        found = self.find(names)
        if not found:
            raise KeyError(names)
        template_rendered.send(self, names=names)
        return found

    def find(self, names):
        for name in names:
            if name in self.cache:
                return self.cache[name]
        return None
";

fn refused(base: &str, edits: &[Edit]) -> Vec<EditRefusalKind> {
    let options = Options { offers: true, ..Options::default() };
    let refused = find(base, edits, &options).expect_err("a refusal");
    refused.into_iter().map(|refusal| refusal.kind).collect()
}

/// Returns the offer for an edit that is refused.
fn offer(base: &str, old: &str, new: &str) -> Option<Offer> {
    refused(base, &[Edit::new(old, new)])[0].offer().cloned()
}

/// Returns the text after the offer for an edit was accepted.
fn accepted(base: &str, old: &str, new: &str) -> Option<String> {
    let offer = offer(base, old, new)?;
    let found = find(base, &[offer.edit], &Options { fuzzy: false, ..Options::default() });
    Some(found.expect("the offered edit has a match").plan.apply(base))
}

#[rstest]
#[case::another_word_in_a_kept_line(
    "        if not found:
            raise LookupError(names)
        template_rendered.send(self, names=names)
",
    "        if not found:
            raise LookupError(names)
        log(names)
        template_rendered.send(self, names=names)
",
    ("        template_rendered", "        log(names)\n        template_rendered")
)]
#[case::another_word_that_the_file_has_elsewhere(
    "        for name in found:
            if name in self.cache:
                return self.cache[name]
",
    "        for name in found:
            if name in self.cache:
                hits.add(name)
                return self.cache[name]
",
    ("                return self.cache", "                hits.add(name)\n                return self.cache")
)]
#[case::another_word_in_a_changed_line(
    "            raise KeyError(names)
        templates_rendered.send(self, names=names)
        return found
",
    "            raise KeyError(names)
        templates_rendered.send(self, names=list(names))
        return found
",
    ("names=names)", "names=list(names))")
)]
#[case::a_single_line(
    "templates_rendered.send(self, names=names)",
    "templates_rendered.send(self, names=list(names))",
    ("self, names=names)", "self, names=list(names))")
)]
#[case::words_that_the_file_has_otherwise(
    "        if not found:
            raise KeyError(name)
",
    "        if not found:
            raise KeyError(missing)
",
    ("KeyError(names)", "KeyError(missing)")
)]
#[case::a_line_that_is_replaced_as_a_whole(
    "        if not found :
            raise LookupError(key)
",
    "        if not found :
            pass
",
    ("raise KeyError(names)", "pass")
)]
#[case::a_removed_line(
    "    def find(self, names):
        for name in all_names:
            if name in self.cache:
                return self.cache[name]
        return None
",
    "    def find(self, names):
        for name in all_names:
            if name in self.cache:
                return self.cache[name]
",
    ("        return None\n", "")
)]
#[case::lost_indentation_below_a_first_line_that_has_none(
    "class Renderer:
def render(self, name):
",
    "class Printer:
def render(self, name):
",
    ("class Renderer", "class Printer")
)]
#[case::another_indentation(
    "def find(self, names):
    for each in names:
        if name in self.cache:
            return self.cache[name]
",
    "def find(self, names):
    for each in names:
        if name in self.cache:
            log(name)
            return self.cache[name]
",
    ("                return self.cache[name]", "                log(name)\n                return self.cache[name]")
)]
fn the_nearest_place_is_offered(#[case] old: &str, #[case] new: &str, #[case] (from, to): (&str, &str)) {
    let wanted = PYTHON.replacen(from, to, 1);
    assert_ne!(wanted, PYTHON);
    assert_eq!(accepted(PYTHON, old, new).as_deref(), Some(&*wanted));
    // So are texts with other line ends and a byte order mark.
    let windows = |text: &str| format!("\u{FEFF}{}", text.replace('\n', "\r\n"));
    assert_eq!(accepted(&windows(PYTHON), old, new), Some(windows(&wanted)));
}

#[rstest]
#[case::another_key(r#"lodash = "4.17""#, r#"lodash = "5.0""#)]
#[case::another_condition(
    "        if found > MAX:
            raise KeyError(names)
",
    "        if found > MAX:
            raise LookupError(names)
"
)]
#[case::a_negated_condition("        if is_found:\n", "        if is_found and names:\n")]
#[case::code_that_the_author_forgot("template_rendered.send(self)", "template_rendered.send(self, now)")]
#[case::a_changed_word_beside_another_one(
    "    def render(self, name):\n        found = self.find(names)\n",
    "    def render(self, name, depth):\n        found = self.find(names)\n"
)]
#[case::an_inserted_line_with_a_name_that_the_file_has_not(
    "        if not found:
            raise KeyError(missing)
        template_rendered.send(self, names=names)
",
    "        if not found:
            raise KeyError(missing)
        log(missing)
        template_rendered.send(self, names=names)
"
)]
#[case::nothing_like_it("def save(self):\n    self.file.write(self.text)\n", "def save(self):\n    pass\n")]
#[case::applied_already("        return found_all\n\n    def find(", "        return found\n\n    def find(")]
#[case::a_changed_line_is_absent(
    "        found = self.find(names)
        found = sorted(found)
        if not found:
            raise KeyError(names)
",
    "        found = self.find(names)
        if not found:
            raise KeyError(names)
"
)]
#[case::an_indentation_that_does_not_follow(
    "    def find(self, names):
      for each in names:
        if name in self.cache:
",
    "    def find(self, names):
      for each in names:
       log(each)
       if name in self.cache:
"
)]
fn nothing_is_offered(#[case] old: &str, #[case] new: &str) {
    assert_eq!(offer(PYTHON, old, new), None);
}

#[test]
fn of_two_places_that_are_as_near_none_is_offered() {
    let one = "    if ready:\n        start(one)\n        wait(10)\n        stop()\n";
    let base = format!("def f():\n{one}\ndef g():\n{}", one.replace("one", "two"));
    let old = "    if ready:\n        launch(three)\n        wait(10)\n        stop()\n";
    assert_eq!(offer(&base, old, &old.replace("10", "20")), None);
    let far = format!("def f():\n{one}\ndef g():\n    return other(things)\n");
    assert_eq!(accepted(&far, old, &old.replace("10", "20")), Some(far.replace("10", "20")));
}

#[test]
fn the_diff_shows_what_an_acceptance_changes() {
    let old = "        if not found:\n            raise LookupError(names)\n        template_rendered.send(self, names=names)\n";
    let shown = offer(PYTHON, old, &old.replace("        if not", "        # None\n        if not"));
    let diff = shown.map(|offer| offer.diff).unwrap_or_default();
    assert_eq!(
        diff,
        "@@ -4,6 +4,7 @@
 class Renderer:
     def render(self, names):
         found = self.find(names)
+        # None
         if not found:
             raise KeyError(names)
         template_rendered.send(self, names=names)
"
    );
}

#[test]
fn offers_are_only_made_on_request_and_for_tolerant_matching() {
    let old = "        if not found:\n            raise LookupError(names)\n        return found\n";
    let edits = [Edit::new(old, old.replace("return found", "return sorted(found)"))];
    let refused = find(PYTHON, &edits, &Options::default()).expect_err("a refusal");
    assert_eq!(refused[0].kind.offer(), None);
}

#[test]
fn all_edits_of_a_call_are_offered_beside_those_that_match() {
    let old = "        if not found:\n            raise LookupError(names)\n        template_rendered.send";
    let edits = [
        Edit::new("import os", "import sys"),
        Edit::new(old, old.replace("        template", "        log()\n        template")),
    ];
    let refused = refused(PYTHON, &edits);
    assert_eq!(refused.len(), 1);
    assert!(refused[0].offer().is_some(), "{refused:?}");
}
