use std::collections::HashSet;

use rstest::rstest;
use strum::VariantNames;

use super::samples::all;
use super::*;
use crate::ChangeForm;

const ALL: [Audience; 6] = [
    Audience::Wire,
    Audience::Tools(ChangeForm::Edits),
    Audience::Tools(ChangeForm::Content),
    Audience::Tools(ChangeForm::Patch),
    Audience::Tools(ChangeForm::Cells),
    Audience::CommandLine,
];

fn sentences(quoted: &str, audience: Audience) -> Vec<String> {
    all(quoted).iter().flat_map(|refusal| [refusal.message(audience), refusal.hint(audience)]).collect()
}

fn has_wire_names(sentence: &str) -> bool {
    let is_camel = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_lowercase()) && word.contains(|c: char| c.is_ascii_uppercase())
    };
    sentence.contains("editd/") || sentence.split(|c: char| !c.is_alphanumeric()).any(is_camel)
}

#[test]
fn the_command_line_gets_no_names_of_the_protocol() {
    let wrong = sentences("it", Audience::CommandLine);
    let wrong: Vec<_> = wrong.into_iter().filter(|it| has_wire_names(it) || it.contains("he user")).collect();
    assert!(wrong.is_empty(), "the reader is the user, who passes options: {wrong:#?}");
    assert!(sentences("it", Audience::Wire).iter().any(|it| has_wire_names(it)));
}

#[test]
fn tools_get_no_names_of_methods() {
    for audience in ALL.into_iter().filter(|it| matches!(it, Audience::Tools(_))) {
        let wrong: Vec<_> =
            sentences("it", audience).into_iter().filter(|it| it.contains("editd/")).collect();
        assert!(wrong.is_empty(), "{audience:?}: {wrong:#?}");
    }
}

/// A name of a file, a comment or a text of a user may contain any words of our own sentences.
#[rstest]
#[case::names_of_the_wire("`oldText` `newText` editd/read changes[0]")]
#[case::parts_of_sentences("send `literal: true` or ask the user to do it by hand")]
#[case::other_parts("user policy `editd/find` looks; `regions` edits[0] would leave")]
fn quoted_text_is_the_same_for_all_audiences(#[case] quoted: &str) {
    for audience in ALL {
        let (plain, quoting) = (sentences("\u{2603}", audience), sentences(quoted, audience));
        for (plain, quoting) in plain.iter().zip(quoting) {
            assert_eq!(quoting, plain.replace('\u{2603}', quoted), "{audience:?}");
        }
    }
}

#[test]
fn every_kind_has_texts_and_a_sample() {
    let kinds: HashSet<_> = all("it").iter().map(|refusal| std::mem::discriminant(&refusal.kind)).collect();
    assert_eq!(kinds.len(), RefusalKind::VARIANTS.len());
    assert!(!sentences("it", Audience::Wire).contains(&"The request was refused.".to_owned()));
}
