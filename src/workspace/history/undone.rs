use std::collections::HashMap;
use std::sync::Arc;

/// The transactions that are currently undone.
///
/// An undo is a transaction itself and can be undone, which restores what it had undone. A new undo can
/// therefore flip the state of several transactions along the chain.
#[derive(Debug, Default)]
pub struct Undone {
    /// Effective undos of each transaction. There is more than one if a change was undone, restored, undone
    /// in another way, and then the restoration was undone too.
    by: HashMap<Arc<str>, Vec<Arc<str>>>,
    /// The transaction that each undo undid.
    undoes: HashMap<Arc<str>, Arc<str>>,
}

impl Undone {
    /// Records an undo that happened.
    pub fn record(&mut self, undo: &Arc<str>, undone: &Arc<str>) {
        self.undoes.insert(undo.clone(), undone.clone());
        let (mut actor, mut target, mut holds) = (undo.clone(), undone.clone(), true);
        loop {
            let by = self.by.entry(target.clone()).or_default();
            let was_undone = !by.is_empty();
            if holds {
                by.push(actor);
            } else {
                by.retain(|other| *other != actor);
            }
            let is_undone = !by.is_empty();
            // `target` was undone or restored, so its own undo stops or starts to apply.
            let Some(next) = self.undoes.get(&target).filter(|_| was_undone != is_undone) else { return };
            (actor, target, holds) = (target.clone(), next.clone(), !is_undone);
        }
    }

    /// Returns the undo by which a transaction is undone, if it is.
    pub fn by(&self, id: &str) -> Option<&Arc<str>> {
        self.by.get(id)?.last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_undo_of_an_undo_restores_the_change() {
        let ids: Vec<Arc<str>> = ["a", "b", "c", "d"].map(Arc::from).to_vec();
        let mut undone = Undone::default();
        let expected: [&[usize]; 3] = [&[0], &[1], &[0, 2]];
        for (at, expected) in expected.into_iter().enumerate() {
            undone.record(&ids[at + 1], &ids[at]);
            let now: Vec<usize> = (0..4).filter(|at| undone.by(&ids[*at]).is_some()).collect();
            assert_eq!(now, expected);
        }
        assert_eq!(undone.by("a").map(AsRef::as_ref), Some("b"));
    }

    proptest! {
        #[test]
        fn the_recorded_state_equals_one_computed_from_scratch(choices in prop::collection::vec(any::<prop::sample::Index>(), 1..20)) {
            let mut undone = Undone::default();
            // The first transactions are changes; each later one undoes one that is in effect.
            let mut undoes: Vec<Option<usize>> = vec![None, None, None];
            let holds = |undoes: &[Option<usize>], id: usize| -> bool {
                fn holds(undoes: &[Option<usize>], id: usize) -> bool {
                    !(0..undoes.len()).any(|other| undoes[other] == Some(id) && holds(undoes, other))
                }
                holds(undoes, id)
            };
            for choice in choices {
                let open: Vec<usize> = (0..undoes.len()).filter(|id| holds(&undoes, *id)).collect();
                let target = open[choice.index(open.len())];
                let name = |id: usize| Arc::<str>::from(id.to_string());
                undone.record(&name(undoes.len()), &name(target));
                undoes.push(Some(target));
                for id in 0..undoes.len() {
                    prop_assert_eq!(undone.by(&id.to_string()).is_none(), holds(&undoes, id));
                }
            }
        }
    }
}
