//! Random decisions about what a command has changed.

use proptest::prelude::*;
use serde_json::json;

use crate::support::Outcome;

use super::landed::landed;
use super::scene::{Scene, states};

/// A block of lines that a command keeps or changes, and the decision about the change.
#[derive(Clone, Debug)]
struct Block {
    earlier: Vec<String>,
    later: Vec<String>,
    is_kept: bool,
}

impl Block {
    fn is_change(&self) -> bool {
        self.earlier != self.later
    }

    fn decided(&self) -> &[String] {
        if self.is_kept { &self.later } else { &self.earlier }
    }
}

fn lines() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[a-z\\u{e9}\\u{1f600}\\t]{0,6}", 0..4)
}

/// Blocks in which changed ones are separated by lines that occur only once, so that each is a hunk.
fn blocks() -> impl Strategy<Value = Vec<Block>> {
    let block = (lines(), lines(), any::<bool>()).prop_map(|(earlier, later, is_kept)| Block {
        earlier,
        later,
        is_kept,
    });
    prop::collection::vec(block, 1..6).prop_map(|changed| {
        let mut blocks = Vec::new();
        for (number, block) in changed.into_iter().enumerate() {
            let apart = |part: &str| vec![format!("{part} {number} apart"), format!("{part} {number} lines")];
            let (before, after) = (apart("before"), apart("after"));
            // Lines of both sides differ, so that no line in between is common.
            let mark = |lines: Vec<String>, side: &str| {
                lines.into_iter().map(|line| format!("{line}{side}")).collect()
            };
            blocks.push(Block { earlier: before.clone(), later: before, is_kept: true });
            blocks.push(Block {
                earlier: mark(block.earlier, " was"),
                later: mark(block.later, " is"),
                ..block
            });
            blocks.push(Block { earlier: after.clone(), later: after, is_kept: true });
        }
        blocks
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, max_shrink_iters: 40, ..ProptestConfig::default() })]
    #[test]
    fn each_hunk_is_as_it_was_or_as_it_is(
        blocks in blocks(),
        crlf in any::<bool>(),
        bom in any::<bool>(),
        is_typed in any::<bool>(),
    ) {
        let text = |side: fn(&Block) -> &[String], typed: bool| {
            let mut lines: Vec<_> = blocks.iter().flat_map(side).map(String::as_str).collect();
            if typed {
                lines.insert(1, "typed");
            }
            let ending = if crlf { "\r\n" } else { "\n" };
            let mark = if bom { "\u{feff}" } else { "" };
            lines.iter().fold(mark.to_owned(), |text, line| text + line + ending)
        };
        let (earlier, later) = (text(|it| &it.earlier, false), text(|it| &it.later, false));
        prop_assume!(earlier != later);
        let mut scene = Scene::new(&[("a.txt", &earlier)]);
        let review = landed(&mut scene, |workspace| workspace.put("a.txt", &later));
        if is_typed {
            scene.workspace.put("a.txt", text(|it| &it.later, true));
        }
        let kept: Vec<_> = blocks.iter().filter(|it| it.is_change()).map(|it| it.is_kept).collect();
        prop_assert_eq!(states(&review).len(), kept.len(), "{:#}", review);
        let named = |wanted: bool| -> Vec<String> {
            let of = kept.iter().enumerate().filter(|it| *it.1 == wanted);
            of.map(|(at, _)| format!("h{}", at + 1)).collect()
        };
        scene.decide(&review, json!({ "accept": named(true), "reject": named(false) })).done();
        prop_assert_eq!(scene.workspace.text("a.txt"), text(Block::decided, is_typed));
    }
}
