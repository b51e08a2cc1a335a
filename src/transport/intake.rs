use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// Bytes of messages that each connection may have in memory without asking: what people and models send
/// is smaller, so it never waits for what others send.
const OWN_BYTES: usize = 256 << 10;
/// What room is counted in, in bytes.
const UNIT: usize = 1 << 10;

/// Room for messages in memory, over all connections.
///
/// A message takes room as its bytes arrive and gives it back when it is answered. Where there is none left,
/// its connection waits unread. So that messages that are half there cannot wait for each other for ever, one
/// of them at a time may go on beyond the bound.
#[derive(Clone, Debug)]
pub(crate) struct Intake {
    shared: Arc<Semaphore>,
    beyond: Arc<Semaphore>,
    /// Held by who takes a large message apart. That is nothing but computing: as many at a time as there are
    /// processors would leave none to those who have small requests.
    apart: Arc<Semaphore>,
}

/// One connection's way to the room.
#[derive(Clone, Debug)]
pub(crate) struct Share {
    own: Arc<Semaphore>,
    intake: Intake,
}

/// The room of one message, given back when this is dropped.
#[derive(Debug)]
pub(crate) struct Room {
    share: Share,
    /// Bytes that it is enough for.
    bytes: usize,
    /// What is held, to be dropped.
    held: Vec<OwnedSemaphorePermit>,
    is_beyond: bool,
}

impl Intake {
    /// Room for so many bytes, besides what each connection has of its own.
    pub(crate) fn new(bytes: usize) -> Self {
        let shared = Semaphore::new((bytes / UNIT).min(Semaphore::MAX_PERMITS));
        let one = || Arc::new(Semaphore::new(1));
        Self { shared: Arc::new(shared), beyond: one(), apart: one() }
    }

    pub(crate) fn share(&self) -> Share {
        Share { own: Arc::new(Semaphore::new(OWN_BYTES / UNIT)), intake: self.clone() }
    }
}

impl Share {
    /// For a message of which nothing has come.
    pub(crate) fn room(&self) -> Room {
        Room { share: self.clone(), bytes: 0, held: Vec::new(), is_beyond: false }
    }
}

impl Room {
    /// Waits for the turn to take a large message apart; it is over when what is given goes.
    pub(crate) async fn turn_to_take_apart(&self) -> Option<OwnedSemaphorePermit> {
        // It is never closed.
        self.share.intake.apart.clone().acquire_owned().await.ok()
    }

    /// Waits until there is room for a message of so many bytes; says how long it had to.
    pub(crate) async fn make(&mut self, bytes: usize) -> Duration {
        if bytes <= self.bytes || self.is_beyond {
            return Duration::ZERO;
        }
        // At least twice as much as before, so that this is done a few times only.
        let wanted = (bytes - self.bytes).max(self.bytes).div_ceil(UNIT);
        self.bytes += wanted * UNIT;
        let wanted = u32::try_from(wanted).unwrap_or(u32::MAX);
        let Share { own, intake } = self.share.clone();
        if let Ok(permit) = own.try_acquire_many_owned(wanted) {
            self.held.push(permit);
            return Duration::ZERO;
        }
        let since = Instant::now();
        let permit = tokio::select! {
            biased;
            permit = intake.shared.acquire_many_owned(wanted) => permit,
            permit = intake.beyond.acquire_owned() => {
                self.is_beyond = true;
                permit
            }
        };
        // Neither is ever closed.
        self.held.extend(permit);
        since.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    const MIB: usize = 1 << 20;

    #[tokio::test]
    async fn a_small_message_never_waits() {
        let intake = Intake::new(MIB);
        let mut large: Vec<Room> = (0..2).map(|_| intake.share().room()).collect();
        for room in &mut large {
            room.make(MIB).await;
        }
        let share = intake.share();
        let mut rooms: Vec<Room> = (0..64).map(|_| share.room()).collect();
        for room in &mut rooms {
            assert!(room.make(OWN_BYTES / 64).now_or_never().is_some());
        }
        assert!(share.room().make(1).now_or_never().is_none(), "its own room is bounded too");
        assert!(intake.share().room().make(1).now_or_never().is_some());
    }

    #[tokio::test]
    async fn large_messages_wait_for_each_other_and_one_may_always_go_on() {
        let intake = Intake::new(2 * MIB);
        let mut rooms: Vec<Room> = (0..4).map(|_| intake.share().room()).collect();
        for room in &mut rooms[..2] {
            room.make(MIB).await;
        }
        // Full: the third is the one that goes on beyond the bound, the fourth waits.
        assert!(rooms[2].make(MIB).now_or_never().is_some());
        assert!(rooms[2].make(100 * MIB).now_or_never().is_some());
        assert!(rooms[3].make(MIB).now_or_never().is_none());
        rooms.remove(2);
        assert!(rooms[2].make(100 * MIB).now_or_never().is_some());
    }

    #[tokio::test]
    async fn what_is_answered_makes_room_again() {
        let intake = Intake::new(MIB);
        for _ in 0..10 {
            let mut room = intake.share().room();
            assert!(room.make(MIB).now_or_never().is_some() && !room.is_beyond);
        }
    }

    #[tokio::test]
    async fn large_messages_are_taken_apart_one_at_a_time() {
        let intake = Intake::new(MIB);
        let (first, second) = (intake.share().room(), intake.share().room());
        let turn = first.turn_to_take_apart().await;
        assert!(second.turn_to_take_apart().now_or_never().is_none());
        drop(turn);
        assert!(second.turn_to_take_apart().now_or_never().is_some());
    }
}
