//! Shares of authors in the space of the history: who holds how much, and what goes first when room is needed. Pure.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::time::SystemTime;

use editd_text::ContentHash;
use editd_workspace::Role;
use editd_workspace::history::{DISK, TERMINAL};

use super::segment::SegmentName;

/// Bytes that a segment counts besides its contents: a folder is not free, so many tiny segments are not either.
const FOLDER: u64 = 4096;

/// A part of the space with its own rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Pot {
    /// Segments of versions that did not tell authors apart.
    Shared,
    /// Changes of people and other programs, and rescued texts. Agents never take their place.
    People,
    /// Changes of agents.
    Agents,
}

/// The author of all entries of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Owner {
    pot: Pot,
    /// Start of the hash of the author's name.
    author: u64,
}

impl Owner {
    /// The owner of segments with entries of all authors.
    pub(super) const SHARED: Self = Self { pot: Pot::Shared, author: 0 };

    pub(super) fn of(author: &str, role: Role) -> Self {
        let is_person = role == Role::Editor || [DISK, TERMINAL].contains(&author);
        let mut start = [0; 8];
        start.copy_from_slice(&ContentHash::of(author.as_bytes()).as_bytes()[..8]);
        Self { pot: if is_person { Pot::People } else { Pot::Agents }, author: u64::from_be_bytes(start) }
    }

    /// Parses the form that [`Display`](fmt::Display) prints.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (pot, author) = text.split_at_checked(1)?;
        let pot = match pot {
            "p" => Pot::People,
            "a" => Pot::Agents,
            _ => return None,
        };
        Some(Self { pot, author: u64::from_str_radix(author, 16).ok()? })
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pot = match self.pot {
            Pot::Shared => return Ok(()),
            Pot::People => 'p',
            Pot::Agents => 'a',
        };
        write!(f, "{pot}{:016x}", self.author)
    }
}

/// Extent of a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// Size in bytes of what goes only with the segment: its lines and small images.
    pub(super) lines: u64,
    /// Size in bytes of the images that can be removed alone.
    pub(super) images: u64,
    /// Time at which the last line was added.
    pub(super) changed: SystemTime,
}

impl Extent {
    pub(super) fn size(&self) -> u64 {
        FOLDER + self.lines + self.images
    }
}

/// Contents that have to go to make room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Removal {
    /// The large images of a segment.
    Images(SegmentName),
    /// A whole segment.
    Segment(SegmentName),
}

/// All segments, by owner.
#[derive(Debug, Default)]
pub(super) struct Shares {
    segments: BTreeMap<SegmentName, Extent>,
    owners: HashMap<Owner, Holding>,
    /// Owners by pot and size, so that the largest is found at once.
    by_size: BTreeSet<(Pot, u64, Owner)>,
    totals: HashMap<Pot, u64>,
}

#[derive(Debug, Default)]
struct Holding {
    bytes: u64,
    segments: BTreeSet<SegmentName>,
}

impl Shares {
    pub(super) fn names(&self) -> impl DoubleEndedIterator<Item = &SegmentName> {
        self.segments.keys()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    pub(super) fn get(&self, name: &SegmentName) -> Option<Extent> {
        self.segments.get(name).copied()
    }

    pub(super) fn extents(&self) -> impl Iterator<Item = (&SegmentName, &Extent)> {
        self.segments.iter()
    }

    /// Adds a segment, or replaces what is known about it.
    pub(super) fn put(&mut self, name: &SegmentName, extent: Extent) {
        let before = self.segments.insert(name.clone(), extent).map_or(0, |extent| extent.size());
        self.resize(name.owner, before, extent.size());
        self.owners.entry(name.owner).or_default().segments.insert(name.clone());
    }

    pub(super) fn remove(&mut self, name: &SegmentName) {
        let Some(extent) = self.segments.remove(name) else { return };
        self.resize(name.owner, extent.size(), 0);
        if let Some(holding) = self.owners.get_mut(&name.owner) {
            holding.segments.remove(name);
            if holding.segments.is_empty() {
                self.owners.remove(&name.owner);
                self.by_size.remove(&(name.owner.pot, 0, name.owner));
            }
        }
    }

    fn resize(&mut self, owner: Owner, before: u64, after: u64) {
        let holding = self.owners.entry(owner).or_default();
        self.by_size.remove(&(owner.pot, holding.bytes, owner));
        holding.bytes = holding.bytes + after - before;
        self.by_size.insert((owner.pot, holding.bytes, owner));
        let total = self.totals.entry(owner.pot).or_default();
        *total = *total + after - before;
    }

    /// Returns what goes next if all segments have to fit into `limit` bytes, or `None` if they do, or if nothing can
    /// be removed. `kept` is the segment that was just written.
    ///
    /// The pot of people has at most half of the space, and only people make room in it: agents have what it leaves.
    /// In a pot, the author who holds most loses first; the images before the lines, the oldest before the newer ones.
    pub(super) fn next_to_remove(&self, limit: u64, kept: Option<&SegmentName>) -> Option<Removal> {
        let total = |pot| self.totals.get(&pot).copied().unwrap_or_default();
        let (shared, people, agents) = (total(Pot::Shared), total(Pot::People), total(Pot::Agents));
        let half = limit / 2;
        let is_full = shared + people + agents > limit;
        let pots = [
            (people > half, Pot::People),
            (is_full && shared + people > half, Pot::Shared),
            (is_full, Pot::Agents),
            (is_full, Pot::Shared),
        ];
        pots.into_iter().filter(|(shrinks, _)| *shrinks).find_map(|(_, pot)| self.oldest_in(pot, kept))
    }

    fn oldest_in(&self, pot: Pot, kept: Option<&SegmentName>) -> Option<Removal> {
        let ends = |author| Owner { pot, author };
        let owners = self.by_size.range((pot, 0, ends(0))..=(pot, u64::MAX, ends(u64::MAX)));
        owners.rev().find_map(|(_, _, owner)| {
            let removable = || self.owners[owner].segments.iter().filter(|name| Some(*name) != kept);
            let has_images = |name: &&SegmentName| self.segments[*name].images > 0;
            let images = removable().find(has_images).map(|name| Removal::Images(name.clone()));
            images.or_else(|| removable().next().map(|name| Removal::Segment(name.clone())))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LIMIT: u64 = 1 << 20;

    fn name(number: u64, owner: Owner) -> SegmentName {
        SegmentName { number, nonce: "abc".to_owned(), owner }
    }

    fn extent(lines: u64, images: u64) -> Extent {
        Extent { lines, images, changed: SystemTime::UNIX_EPOCH }
    }

    fn remove(shares: &mut Shares, removal: Removal) {
        match removal {
            Removal::Images(name) => {
                let known = shares.get(&name).unwrap();
                assert!(known.images > 0);
                shares.put(&name, Extent { images: 0, ..known });
            }
            Removal::Segment(name) => shares.remove(&name),
        }
    }

    #[test]
    fn images_of_the_largest_author_go_first_and_oldest_first() {
        let (evil, good) = (Owner::of("evil", Role::Agent), Owner::of("good", Role::Agent));
        let mut shares = Shares::default();
        shares.put(&name(1, good), extent(10, 100_000));
        for number in 2..20 {
            shares.put(&name(number, evil), extent(10, 100_000));
        }
        let mut removed = Vec::new();
        while let Some(removal) = shares.next_to_remove(LIMIT, Some(&name(19, evil))) {
            removed.push(removal.clone());
            remove(&mut shares, removal);
        }
        let expected: Vec<_> = (2..12).map(|number| Removal::Images(name(number, evil))).collect();
        assert_eq!(removed, expected);
    }

    #[test]
    fn an_owner_is_read_back() {
        for owner in [Owner::of("a", Role::Agent), Owner::of("a", Role::Editor), Owner::of(DISK, Role::Agent)]
        {
            assert_eq!(Owner::parse(&owner.to_string()), Some(owner));
        }
        assert_ne!(Owner::of("a", Role::Agent), Owner::of("a", Role::Editor));
        assert_eq!((Owner::parse(""), Owner::parse("x1"), Owner::parse("p")), (None, None, None));
    }

    proptest! {
        #[test]
        fn no_agent_takes_the_place_of_people_or_of_a_smaller_author(
            segments in prop::collection::vec((0_usize..5, 0_u64..LIMIT / 16, 0_u64..LIMIT / 8), 1..60),
        ) {
            let owners = [
                Owner::of(DISK, Role::Agent), Owner::of("ada", Role::Editor), Owner::SHARED,
                Owner::of("one", Role::Agent), Owner::of("two", Role::Agent),
            ];
            let mut shares = Shares::default();
            for (number, (owner, lines, images)) in segments.into_iter().enumerate() {
                let current = name(number as u64, owners[owner]);
                shares.put(&current, extent(lines, images));
                while let Some(removal) = shares.next_to_remove(LIMIT, Some(&current)) {
                    let (Removal::Images(victim) | Removal::Segment(victim)) = &removal;
                    let pot = |pot| shares.totals.get(&pot).copied().unwrap_or_default();
                    match victim.owner.pot {
                        Pot::People => prop_assert!(current.owner.pot == Pot::People && pot(Pot::People) > LIMIT / 2),
                        Pot::Shared => prop_assert!(pot(Pot::Agents) == 0 || pot(Pot::Shared) + pot(Pot::People) > LIMIT / 2
                            || shares.owners.iter().all(|(owner, it)| owner.pot != Pot::Agents || it.segments.iter().all(|it| *it == current))),
                        Pot::Agents => {
                            let mine = shares.owners[&victim.owner].bytes;
                            let is_fair = |(owner, it): (&Owner, &Holding)| {
                                owner.pot != Pot::Agents || it.bytes <= mine || it.segments.iter().all(|it| *it == current)
                            };
                            prop_assert!(shares.owners.iter().all(is_fair));
                        }
                    }
                    remove(&mut shares, removal);
                }
                let total: u64 = shares.segments.values().map(Extent::size).sum();
                prop_assert_eq!(total, shares.totals.values().sum::<u64>());
                prop_assert!(total <= LIMIT + shares.get(&current).unwrap().size());
                prop_assert_eq!(shares.by_size.len(), shares.owners.len());
            }
        }
    }
}
