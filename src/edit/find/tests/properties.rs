//! Properties that hold for all texts.

use proptest::prelude::*;
use proptest::strategy::Strategy;

use super::*;
use editd_text::lines;

/// Texts with equal and similar lines, with all kinds of line endings.
fn texts() -> impl Strategy<Value = String> {
    let line = "[ \t]{0,3}(a|b|“c”|\"c\"|ﬁ|dd)[ab]{0,2}[ \t]{0,2}";
    let end = prop_oneof![4 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\r"), 1 => Just("")];
    proptest::collection::vec((line, end), 0..8)
        .prop_map(|lines| lines.into_iter().flat_map(|(line, end)| [line, end.to_owned()]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_text_found_once_is_replaced_literally(
        base in "[ab\n“”\"\t ]{0,30}", from in 0..30_usize, length in 1..8_usize, new in "[xy\n\"]{0,6}",
    ) {
        let old: String = base.chars().skip(from).take(length).collect();
        let open_end = old.ends_with('\n') && !base.ends_with('\n') && base.ends_with(old.trim_end_matches('\n'));
        let hits = (0..base.len()).filter(|&at| base.as_bytes()[at..].starts_with(old.as_bytes())).count();
        prop_assume!(!old.is_empty() && hits == 1 && old != new && !open_end);
        // A match within the indentation of a line may be widened to the whole line.
        let before = base[..base.find(&old).unwrap_or_default()].rsplit('\n').next().unwrap_or_default();
        let indented = !before.is_empty() && before.trim().is_empty();
        prop_assume!(!indented || !new.is_empty() && !new.contains('\n'));
        // Whole lines are removed with their line ending.
        prop_assume!(!new.is_empty());
        prop_assert_eq!(one(&base, &old, &new), (base.replacen(&old, &new, 1), super::Strategy::Exact));
    }

    #[test]
    fn a_sequence_equals_its_edits_one_by_one(
        base in texts(), edits in proptest::collection::vec(("[ab\n]{1,3}", "[abx\n]{0,3}"), 2..5),
        fuzzy in any::<bool>(),
    ) {
        let edits: Vec<_> = edits.into_iter().map(|(old, new)| Edit::new(old, new)).collect();
        let single = Options { fuzzy, ..Options::default() };
        let options = Options { sequential: true, ..single.clone() };
        let Ok(found) = find(&base, &edits, &options) else { return Ok(()) };
        let step = |text: String, edit: &Edit| match find(&text, std::slice::from_ref(edit), &single) {
            Ok(found) => found.plan.apply(&text),
            Err(_) => text,
        };
        prop_assert_eq!(found.plan.apply(&base), edits.iter().fold(base.clone(), step));
        prop_assert_eq!(found.plan.invert(&base).apply(&found.plan.apply(&base)), base);
    }

    #[test]
    fn bytes_outside_the_matched_lines_are_unchanged(base in texts(), old in texts(), new in texts()) {
        let Ok((result, matches, _)) = apply(&base, &[Edit::new(old, new)]) else { return Ok(()) };
        let all: Vec<_> = lines(&base).collect();
        let head = &base[..all[matches[0].start_line - 1].start];
        let tail = &base[all[matches[0].end_line - 1].end()..];
        prop_assert!(result.starts_with(head), "{result:?} lost {head:?}");
        prop_assert!(result.ends_with(tail), "{result:?} lost {tail:?}");
    }

    #[test]
    fn characters_around_a_changed_word_stay_as_in_the_file(
        words in proptest::collection::vec(("[a-z]{1,4}", 0..4_usize, 0..3_usize), 2..12), changed in 0..12_usize,
    ) {
        // Every separator as in the request, and as it may be in the file.
        let signs = [[" ", " ", "\u{a0}"], ["'", "\u{2018}", "\u{2019}"], ["\"", "“", "”"], [" - ", " – ", "\u{a0}— "]];
        let changed = changed % words.len();
        let line = |word: &str, as_file: bool| -> String {
            let piece = |(at, (text, sign, form)): (usize, &(String, usize, usize))| {
                let text = if at == changed { word } else { text };
                [text, signs[*sign][if as_file { *form } else { 0 }]].concat()
            };
            words.iter().enumerate().map(piece).collect::<Vec<_>>().concat() + "|"
        };
        let (old, new) = (&words[changed].0, "CHANGED");
        let base = format!("0\n{}\n1\n", line(old, true));
        let (result, ..) = apply(&base, &[Edit::new(line(old, false), line(new, false))]).unwrap();
        prop_assert_eq!(result, format!("0\n{}\n1\n", line(new, true)));
    }

    #[test]
    fn any_request_gets_an_answer(
        base in texts(),
        edits in proptest::collection::vec((texts(), texts(), 0..4_u32), 0..4),
        sequential in any::<bool>(), fuzzy in any::<bool>(),
    ) {
        let count = |number| match number {
            0 => Count::One,
            1 => Count::All,
            number => Count::Exactly(number - 1),
        };
        let edit = |(old, new, number): (String, String, u32)| Edit { count: count(number), ..Edit::new(old, new) };
        let edits: Vec<_> = edits.into_iter().map(edit).collect();
        let options = Options { fuzzy, sequential, ..Options::default() };
        match find(&base, &edits, &options) {
            Ok(found) => {
                prop_assert!(found.plan.fits(&base) && !found.plan.is_empty());
                prop_assert_ne!(found.plan.apply(&base), base);
            }
            Err(refused) => prop_assert!(!refused.is_empty()),
        }
    }

    #[test]
    fn line_endings_of_the_request_do_not_matter(base in texts(), old in texts(), new in texts()) {
        let dos = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n").replace('\n', "\r\n");
        let as_given = apply(&base, &[Edit::new(&*old, &*new)]).map(|(result, ..)| result).ok();
        let as_dos = apply(&base, &[Edit::new(dos(&old), dos(&new))]).map(|(result, ..)| result).ok();
        prop_assert_eq!(as_given, as_dos);
    }

    #[test]
    fn the_order_of_independent_edits_does_not_matter(
        words in proptest::collection::hash_set("[a-f]{3}", 2..6), turn in 0..5_usize,
    ) {
        let words: Vec<_> = words.into_iter().collect();
        let base = words.join("\n") + "\n";
        let mut edits: Vec<_> = words.iter().map(|word| Edit::new(word, word.to_uppercase())).collect();
        let expected = base.to_uppercase();
        prop_assert_eq!(&apply(&base, &edits).unwrap().0, &expected);
        let turn = turn % edits.len();
        edits.rotate_left(turn);
        prop_assert_eq!(&apply(&base, &edits).unwrap().0, &expected);
    }

    #[test]
    fn appending_a_line_to_a_match_keeps_the_file(base in texts(), old in texts()) {
        // Unchanged lines keep the file's bytes, so the added line is the only change.
        prop_assume!(old.ends_with('\n') && !old.trim().is_empty());
        let new = format!("{old}zzz\n");
        let Ok((result, ..)) = apply(&base, &[Edit::new(old, new)]) else { return Ok(()) };
        let without: String = lines(&result).filter(|line| !line.content.ends_with("zzz"))
            .flat_map(|line| [line.content, line.ending.as_str()]).collect();
        prop_assert!(without == base || without.trim_end() == base.trim_end(), "{result:?} from {base:?}");
    }

    #[test]
    fn many_edits_match_like_a_single_one(base in texts(), old in texts(), new in texts()) {
        // Enough edits for lines to be looked up by key, and for short texts to be searched together.
        let mut edits = vec![Edit::new("idle", "idle"); 100];
        edits.push(Edit::new(old, new));
        let alone = apply(&base, &edits[100..]).map(|(result, ..)| result).map_err(|mut refused| refused.remove(0).kind);
        let among = apply(&base, &edits).map(|(result, ..)| result).map_err(|mut refused| refused.remove(0).kind);
        prop_assert_eq!(alone, among);
    }
}
