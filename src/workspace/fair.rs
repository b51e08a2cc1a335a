//! Fair eviction from lists that several clients share: none takes the place of another.

use std::collections::HashMap;
use std::hash::Hash;

/// Returns the position of the item to remove from a full list, whose items are in the order of their age. It is the
/// oldest one of the session with the most items, of the author with the most.
pub fn to_evict<A: Eq + Hash, S: Eq + Hash>(owners: impl Iterator<Item = (A, S)> + Clone) -> Option<usize> {
    let (mut of_author, mut of_session) = (HashMap::new(), HashMap::new());
    for (author, session) in owners.clone() {
        *of_session.entry((author, session)).or_insert(0_usize) += 1;
    }
    for ((author, _), count) in &of_session {
        *of_author.entry(author).or_insert(0_usize) += count;
    }
    let weight = |owner: &(A, S)| (of_author.get(&owner.0).copied(), of_session.get(owner).copied());
    let weights: Vec<_> = owners.map(|owner| weight(&owner)).collect();
    let most = weights.iter().max()?;
    weights.iter().position(|weight| weight == most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_with_the_most_loses_its_oldest() {
        let evicted = |owners: &[(&'static str, u32)]| to_evict(owners.iter().copied());
        assert_eq!(evicted(&[]), None);
        assert_eq!(evicted(&[("robin", 1), ("eve", 1), ("eve", 2), ("eve", 2)]), Some(2));
        assert_eq!(evicted(&[("robin", 1), ("robin", 1), ("eve", 1), ("eve", 2), ("eve", 3)]), Some(2));
        assert_eq!(evicted(&[("robin", 1), ("eve", 1)]), Some(0));
    }
}
