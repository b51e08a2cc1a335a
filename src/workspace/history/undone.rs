use std::collections::HashMap;
use std::sync::Arc;

/// Which transactions are undone at present.
///
/// An undo is a transaction itself and can be undone, which puts back what it had undone. So each new one
/// flips those that hang on it, one after the other.
#[derive(Debug, Default)]
pub struct Undone {
    /// By which ones that hold; more than one where a change was undone, put back, undone in another way, and
    /// then the putting back was undone too.
    by: HashMap<Arc<str>, Vec<Arc<str>>>,
    /// What undos undid.
    undoes: HashMap<Arc<str>, Arc<str>>,
}

impl Undone {
    /// Takes note of an undo that happened.
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
            // Whether `target` holds has changed, and with it whether what it undid does.
            let Some(next) = self.undoes.get(&target).filter(|_| was_undone != is_undone) else { return };
            (actor, target, holds) = (target.clone(), next.clone(), !is_undone);
        }
    }

    /// The undo by which a transaction is undone, if it is.
    pub fn by(&self, id: &str) -> Option<&Arc<str>> {
        self.by.get(id)?.last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_undo_of_an_undo_puts_back() {
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
        fn it_is_as_if_it_were_worked_out_anew(choices in prop::collection::vec(any::<prop::sample::Index>(), 1..20)) {
            let mut undone = Undone::default();
            // Transaction 0 is a change; every further one undoes one that holds.
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
