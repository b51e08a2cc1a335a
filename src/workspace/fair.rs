//! Fair eviction from lists that several clients share: none takes the place of another.

use std::collections::HashMap;
use std::hash::Hash;

/// Returns the position of the item to remove from a full list, whose items are in the order of their age. It is the
/// oldest one of the session with the most items, of the author or process with the most: a process that uses many names is
/// as large as all of them. An item is given with its author, its session and the process of its client, if known.
pub fn to_evict<A: Eq + Hash, S: Eq + Hash>(
    owners: impl Iterator<Item = (A, S, Option<i32>)> + Clone,
) -> Option<usize> {
    let (mut of_author, mut of_session) = (HashMap::new(), HashMap::new());
    let mut of_process = HashMap::new();
    for (author, session, process) in owners.clone() {
        if let Some(process) = process {
            *of_process.entry(process).or_insert(0_usize) += 1;
        }
        *of_session.entry((author, session)).or_insert(0_usize) += 1;
    }
    for ((author, _), count) in &of_session {
        *of_author.entry(author).or_insert(0_usize) += count;
    }
    let weight = |(author, session, process): (A, S, Option<i32>)| {
        let of_process = process.and_then(|process| of_process.get(&process).copied());
        (of_author.get(&author).copied().max(of_process), of_session.get(&(author, session)).copied())
    };
    let weights: Vec<_> = owners.map(weight).collect();
    let most = weights.iter().max()?;
    weights.iter().position(|weight| weight == most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_with_the_most_loses_its_oldest() {
        let evicted = |owners: &[(&'static str, u32)]| to_evict(owners.iter().map(|it| (it.0, it.1, None)));
        assert_eq!(evicted(&[]), None);
        assert_eq!(evicted(&[("robin", 1), ("eve", 1), ("eve", 2), ("eve", 2)]), Some(2));
        assert_eq!(evicted(&[("robin", 1), ("robin", 1), ("eve", 1), ("eve", 2), ("eve", 3)]), Some(2));
        assert_eq!(evicted(&[("robin", 1), ("eve", 1)]), Some(0));
    }

    #[test]
    fn a_process_with_many_names_is_one_client() {
        let owners = [("a", 1), ("robin", 2), ("robin", 2), ("b", 1), ("c", 1), ("d", 1)];
        assert_eq!(to_evict(owners.iter().map(|it| (it.0, (), Some(it.1)))), Some(0));
        let programs = [("eve", 1), ("robin", 2), ("eve", 3), ("eve", 4)];
        assert_eq!(to_evict(programs.iter().map(|it| (it.0, (), Some(it.1)))), Some(0));
    }
}
