//! A ledger of rentals.

use std::collections::BTreeMap;
use std::fmt;

/// Number of entries that are kept.
const KEPT: usize = 1_000;

static NAMES: [&str; 2] = ["boats", "canoes"];

/// The identity of a boat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Boat(u32);

/// What happened to a boat.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// Somebody took it.
    Rented {
        /// Who.
        by: String,
        hours: u8,
    },
    Returned,
    /// With the cost.
    Damaged(f64),
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug)]
pub enum Error {
    Unknown(Boat),
    Full,
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(Boat(number)) => write!(formatter, "there is no boat {number}"),
            Self::Full => formatter.write_str("the ledger is full"),
        }
    }
}

/// Something that keeps events.
pub trait Store {
    /// The key of an event.
    type Key: Ord;

    const LIMIT: usize = KEPT;

    fn push(&mut self, boat: Boat, event: Event) -> Result<Self::Key>;

    /// Returns `true` if nothing was kept.
    fn is_empty(&self) -> bool {
        true
    }
}

#[derive(Default)]
pub struct Ledger<'a, T = ()>
where
    T: Clone,
{
    events: BTreeMap<(u32, usize), Event>,
    notes: Vec<(&'a str, T)>,
}

impl<'a, T: Clone> Ledger<'a, T> {
    pub fn note(&mut self, text: &'a str, with: T) -> &mut Self {
        self.notes.push((text, with));
        self
    }

    /// Returns the events of a boat.
    #[must_use]
    pub fn of(&self, Boat(number): Boat) -> impl Iterator<Item = &Event> {
        self.events.range((number, 0)..=(number, usize::MAX)).map(|(_, event)| event)
    }
}

impl<T: Clone> Store for Ledger<'_, T> {
    type Key = usize;

    fn push(&mut self, boat: Boat, event: Event) -> Result<usize> {
        if self.events.len() >= Self::LIMIT {
            return Err(Error::Full);
        }
        let key = self.of(boat).count();
        self.events.insert((boat.0, key), event);
        Ok(key)
    }
}

macro_rules! boats {
    ($($number:expr),* $(,)?) => {
        [$(Boat($number)),*]
    };
}

pub mod report {
    use super::{Boat, Event};

    /// Prints a line for an event.
    pub async fn line(Boat(number): Boat, event: &Event) -> String {
        format!("{number}: {event:?}")
    }

    pub(crate) unsafe fn raw(at: *const u8) -> u8 {
        unsafe { *at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boat_has_its_events() {
        let mut ledger = Ledger::<'_, ()>::default();
        let [boat] = boats![1];
        ledger.push(boat, Event::Returned).unwrap();
        assert_eq!(ledger.of(boat).count(), 1);
    }
}
