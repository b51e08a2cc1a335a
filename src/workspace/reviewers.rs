//! Reviewers: the connected clients that show proposals to a person, and those that are expected back.
//!
//! A reviewer whose connection ends without a goodbye, because the daemon was stopped or killed or because the editor
//! crashed, is expected back: until then, changes in its places wait for a review. What is known of reviewers is
//! stored, so that the next daemon knows it from its first request on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::session::SessionId;

/// Time in which a reviewer that may come back, such as a window that reloads, is expected back after its goodbye.
pub const RETURN: Duration = Duration::from_secs(30);
/// Maximum number of reviewers that are expected back. Beyond that, the one that was lost first is forgotten.
const MAX_EXPECTED: usize = 1024;
/// Maximum number of places for which it is known when their reviewer left.
const MAX_LEFT: usize = 256;

/// A client that shows proposals to a person, with what it watches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reviewer {
    /// Name of the client, such as `Neovim`.
    pub name: String,
    /// Roots of the client, and the files that it has open outside of them.
    pub places: Vec<PathBuf>,
}

/// A reviewer that is not connected and is expected back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedReviewer {
    /// The client and the places where changes wait for it.
    pub reviewer: Reviewer,
    /// Time of its disconnection.
    pub since: SystemTime,
    /// Time until which it is expected; `None` means until it is back or a person dismisses it.
    pub until: Option<SystemTime>,
}

impl ExpectedReviewer {
    /// Returns `true` if changes still wait for the reviewer. A clock that was set back does not end the wait early.
    fn is_awaited(&self, now: SystemTime) -> bool {
        self.until.is_none_or(|until| now < until || now < self.since)
    }
}

/// The way in which the connection of a reviewer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// The client said goodbye.
    Closed,
    /// The client said goodbye, but may come back at once, for instance because its window reloads.
    MayReturn,
    /// The daemon ends, or the connection ended without a goodbye.
    Lost,
}

/// The state of all reviewers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reviewers {
    connected: BTreeMap<SessionId, Connected>,
    expected: Vec<ExpectedReviewer>,
    /// Places whose reviewer has left, with the time from which on changes may have been made without a review.
    left: BTreeMap<PathBuf, SystemTime>,
    revision: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Connected {
    reviewer: Reviewer,
    away_since: Option<SystemTime>,
}

/// The part of the state that the next daemon has to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredReviewers {
    /// Grows with each change.
    pub revision: u64,
    /// Connected reviewers.
    pub connected: Vec<Reviewer>,
    /// Reviewers that are expected back.
    pub expected: Vec<ExpectedReviewer>,
    /// Places whose reviewer has left, with the time.
    pub left: Vec<(PathBuf, SystemTime)>,
}

impl Reviewers {
    /// Takes over what the previous daemon has stored. Its connected reviewers are expected back, and may have been
    /// away from `now` on: without a daemon, nothing is changed.
    pub fn restore(&mut self, stored: StoredReviewers, now: SystemTime) {
        let StoredReviewers { revision, connected, expected, left } = stored;
        self.revision = revision;
        self.expected = expected;
        self.left = left.into_iter().collect();
        for reviewer in connected {
            self.expect(ExpectedReviewer { reviewer, since: now, until: None });
        }
    }

    /// Adds the session of a reviewer. Reviewers that were expected in its places are back.
    pub fn connect(&mut self, id: SessionId, reviewer: Reviewer) {
        let away_since = self.away_since(&reviewer.places);
        let is_back = |place: &PathBuf| reviewer.places.iter().any(|back| place.starts_with(back));
        for expected in &mut self.expected {
            expected.reviewer.places.retain(|place| !is_back(place));
        }
        self.expected.retain(|expected| !expected.reviewer.places.is_empty());
        self.left.retain(|place, _| !is_back(place));
        self.connected.insert(id, Connected { reviewer, away_since });
        self.revision += 1;
    }

    /// Replaces the places that a connected reviewer watches.
    pub fn watch(&mut self, id: SessionId, places: Vec<PathBuf>) {
        let Some(known) = self.connected.get(&id).filter(|known| known.reviewer.places != places) else {
            return;
        };
        let (name, away_since) = (known.reviewer.name.clone(), known.away_since);
        self.connect(id, Reviewer { name, places });
        if let Some(known) = self.connected.get_mut(&id) {
            known.away_since = known.away_since.into_iter().chain(away_since).min();
        }
    }

    /// Ends the waits for reviewers that have not come back in time: from then on, changes were made without them.
    pub fn expire(&mut self, now: SystemTime) {
        let (over, expected): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.expected).into_iter().partition(|expected| !expected.is_awaited(now));
        self.expected = expected;
        for ExpectedReviewer { reviewer, since, until } in over {
            self.leave(reviewer.places, until.unwrap_or(since));
            self.revision += 1;
        }
    }

    /// Removes the session of a reviewer. Unless it said goodbye, it is expected back where no other reviewer is
    /// connected.
    pub fn disconnect(&mut self, id: SessionId, departure: Departure, now: SystemTime) {
        let Some(Connected { mut reviewer, .. }) = self.connected.remove(&id) else { return };
        self.revision += 1;
        reviewer.places.retain(|place| !self.is_connected(place));
        match departure {
            Departure::Closed => self.leave(reviewer.places, now),
            Departure::MayReturn => {
                self.expect(ExpectedReviewer { reviewer, since: now, until: Some(now + RETURN) });
            }
            Departure::Lost => self.expect(ExpectedReviewer { reviewer, since: now, until: None }),
        }
    }

    /// Returns a reviewer that is expected back and would show changes of one of these files.
    pub fn expected_for(&self, paths: &[&Path], now: SystemTime) -> Option<&ExpectedReviewer> {
        let watches = |expected: &&ExpectedReviewer| {
            let places = &expected.reviewer.places;
            paths.iter().any(|path| places.iter().any(|place| path.starts_with(place)))
        };
        self.expected(now).find(watches)
    }

    /// Returns the reviewers that are expected back.
    pub fn expected(&self, now: SystemTime) -> impl Iterator<Item = &ExpectedReviewer> {
        self.expected.iter().filter(move |expected| expected.is_awaited(now))
    }

    /// Returns the connected reviewers.
    pub fn connected(&self) -> impl Iterator<Item = &Reviewer> {
        self.connected.values().map(|connected| &connected.reviewer)
    }

    /// Stops expecting reviewers in a folder and below, or everywhere. Returns them with the places that were
    /// dismissed.
    pub fn dismiss(&mut self, folder: Option<&Path>, now: SystemTime) -> Vec<ExpectedReviewer> {
        self.expire(now);
        let is_meant =
            |place: &Path| folder.is_none_or(|folder| place.starts_with(folder) || folder.starts_with(place));
        let mut dismissed = Vec::new();
        for expected in &mut self.expected {
            let (gone, kept) = std::mem::take(&mut expected.reviewer.places)
                .into_iter()
                .partition(|place: &PathBuf| is_meant(place));
            expected.reviewer.places = kept;
            let name = expected.reviewer.name.clone();
            dismissed.push(ExpectedReviewer { reviewer: Reviewer { name, places: gone }, ..*expected });
        }
        self.expected.retain(|expected| !expected.reviewer.places.is_empty());
        dismissed.retain(|expected| !expected.reviewer.places.is_empty());
        for expected in &dismissed {
            self.leave(expected.reviewer.places.clone(), now);
        }
        self.revision += u64::from(!dismissed.is_empty());
        dismissed
    }

    /// Returns the time from which on changes may have been made without a review in the places of a session:
    /// before it connected if it is a reviewer, else until now.
    pub fn unreviewed_since(&self, id: SessionId, roots: &[PathBuf]) -> Option<SystemTime> {
        match self.connected.get(&id) {
            Some(connected) => connected.away_since,
            None => self.away_since(roots),
        }
    }

    /// Returns the time of the last change.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns what the next daemon has to know.
    pub fn stored(&self) -> StoredReviewers {
        StoredReviewers {
            revision: self.revision,
            connected: self.connected().cloned().collect(),
            expected: self.expected.clone(),
            left: self.left.iter().map(|(place, at)| (place.clone(), *at)).collect(),
        }
    }

    fn is_connected(&self, path: &Path) -> bool {
        self.connected().any(|reviewer| reviewer.places.iter().any(|place| path.starts_with(place)))
    }

    fn away_since(&self, places: &[PathBuf]) -> Option<SystemTime> {
        let overlaps =
            |left: &Path| places.iter().any(|place| left.starts_with(place) || place.starts_with(left));
        self.left.iter().filter(|(place, _)| overlaps(place)).map(|(_, at)| *at).min()
    }

    fn leave(&mut self, places: Vec<PathBuf>, now: SystemTime) {
        for place in places {
            self.left.entry(place).or_insert(now);
        }
        while self.left.len() > MAX_LEFT {
            let oldest = self.left.iter().min_by_key(|(_, at)| **at).map(|(place, _)| place.clone());
            oldest.and_then(|oldest| self.left.remove(&oldest));
        }
    }

    fn expect(&mut self, expected: ExpectedReviewer) {
        if expected.reviewer.places.is_empty() {
            return;
        }
        self.expected.retain(|known| known.reviewer != expected.reviewer);
        self.expected.push(expected);
        if self.expected.len() > MAX_EXPECTED {
            let forgotten = self.expected.remove(0);
            self.leave(forgotten.reviewer.places, forgotten.since);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: SessionId = SessionId(1);
    const TWO: SessionId = SessionId(2);

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + seconds)
    }

    fn reviewer(places: &[&str]) -> Reviewer {
        Reviewer { name: "Neovim".to_owned(), places: places.iter().map(PathBuf::from).collect() }
    }

    fn waits(reviewers: &Reviewers, path: &str, seconds: u64) -> bool {
        reviewers.expected_for(&[Path::new(path)], at(seconds)).is_some()
    }

    fn after(departure: Departure) -> Reviewers {
        let mut reviewers = Reviewers::default();
        reviewers.connect(ONE, reviewer(&["/shop"]));
        reviewers.disconnect(ONE, departure, at(0));
        reviewers
    }

    #[test]
    fn a_lost_reviewer_is_expected_until_one_is_back_in_its_places() {
        let mut reviewers = after(Departure::Lost);
        assert!(waits(&reviewers, "/shop/cart.py", 0) && waits(&reviewers, "/shop", 1_000_000));
        assert!(!waits(&reviewers, "/shopping/cart.py", 0));
        reviewers.connect(TWO, reviewer(&["/elsewhere"]));
        assert!(waits(&reviewers, "/shop/cart.py", 1));
        reviewers.connect(TWO, reviewer(&["/"]));
        assert!(!waits(&reviewers, "/shop/cart.py", 1));
    }

    #[test]
    fn a_closed_reviewer_is_not_expected_and_learns_since_when_it_was_away() {
        let mut reviewers = after(Departure::Closed);
        assert!(!waits(&reviewers, "/shop/cart.py", 0));
        assert_eq!(reviewers.unreviewed_since(TWO, &["/shop/src".into()]), Some(at(0)));
        reviewers.connect(TWO, reviewer(&["/shop"]));
        assert_eq!(reviewers.unreviewed_since(TWO, &[]), Some(at(0)));
        reviewers.watch(TWO, vec!["/shop".into(), "/notes.txt".into()]);
        assert_eq!(reviewers.unreviewed_since(TWO, &[]), Some(at(0)), "opening a file changes nothing");
        assert_eq!(
            reviewers.unreviewed_since(SessionId(3), &["/shop".into()]),
            None,
            "it was reported already"
        );
    }

    #[test]
    fn a_reviewer_that_may_return_is_expected_for_a_while() {
        let reviewers = after(Departure::MayReturn);
        assert!(waits(&reviewers, "/shop/a", 29) && !waits(&reviewers, "/shop/a", 30));
        assert!(
            reviewers.expected_for(&[Path::new("/shop/a")], at(0) - RETURN).is_some(),
            "a clock set back"
        );
    }

    #[test]
    fn a_reviewer_that_did_not_return_in_time_learns_since_when_changes_were_made_without_it() {
        let mut reviewers = after(Departure::MayReturn);
        reviewers.expire(at(29));
        assert_eq!(reviewers.unreviewed_since(TWO, &["/shop".into()]), None);
        reviewers.expire(at(31));
        assert_eq!(reviewers.unreviewed_since(TWO, &["/shop".into()]), Some(at(30)));
        reviewers.connect(TWO, reviewer(&["/shop"]));
        assert_eq!(reviewers.unreviewed_since(TWO, &[]), Some(at(30)));

        let mut reviewers = after(Departure::MayReturn);
        reviewers.connect(TWO, reviewer(&["/shop"]));
        reviewers.expire(at(31));
        assert_eq!(reviewers.unreviewed_since(TWO, &[]), None, "it was back in time");
    }

    #[test]
    fn a_reviewer_is_not_expected_where_another_one_is_connected() {
        let mut reviewers = Reviewers::default();
        reviewers.connect(ONE, reviewer(&["/shop", "/notes.txt"]));
        reviewers.connect(TWO, reviewer(&["/shop"]));
        reviewers.disconnect(ONE, Departure::Lost, at(0));
        assert!(!waits(&reviewers, "/shop/a", 0) && waits(&reviewers, "/notes.txt", 0));
        reviewers.disconnect(TWO, Departure::Closed, at(1));
        assert!(!waits(&reviewers, "/shop/a", 1));
    }

    #[test]
    fn all_connected_reviewers_are_expected_by_the_next_daemon() {
        let mut reviewers = after(Departure::Closed);
        reviewers.connect(ONE, reviewer(&["/shop"]));
        reviewers.connect(TWO, reviewer(&["/notes.txt"]));
        let mut next = Reviewers::default();
        next.restore(reviewers.stored(), at(5));
        assert!(waits(&next, "/shop/a", 5) && waits(&next, "/notes.txt", 5));
        assert!(next.revision() >= reviewers.revision());
    }

    #[test]
    fn a_person_dismisses_what_is_expected_in_a_folder() {
        let mut reviewers = Reviewers::default();
        reviewers.connect(ONE, reviewer(&["/shop", "/other"]));
        reviewers.disconnect(ONE, Departure::Lost, at(0));
        let dismissed = reviewers.dismiss(Some(Path::new("/shop/src")), at(3));
        assert_eq!(dismissed.len(), 1);
        assert_eq!(dismissed[0].reviewer, reviewer(&["/shop"]));
        assert!(!waits(&reviewers, "/shop/a", 4) && waits(&reviewers, "/other/a", 4));
        assert_eq!(reviewers.unreviewed_since(TWO, &["/shop".into()]), Some(at(3)));
        assert_eq!(reviewers.dismiss(None, at(5)).len(), 1);
        assert_eq!(reviewers.dismiss(None, at(6)), []);
    }

    #[test]
    fn what_is_remembered_is_limited() {
        let mut reviewers = Reviewers::default();
        for number in 0..3000 {
            reviewers.connect(ONE, reviewer(&[&format!("/lost/{number}")]));
            reviewers.disconnect(ONE, Departure::Lost, at(number));
        }
        assert_eq!((reviewers.expected(at(9)).count(), reviewers.left.len()), (MAX_EXPECTED, MAX_LEFT));
        assert!(waits(&reviewers, "/lost/2999", 9));
    }
}
