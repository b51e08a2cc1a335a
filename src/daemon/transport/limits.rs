//! Limits of the memory for messages of clients.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// Size of the messages that each connection may hold in memory outside the shared budget, in bytes. Messages
/// of users and models are smaller, so they never wait for those of others.
const OWN_BYTES: usize = 256 << 10;
/// Unit of reservations, in bytes.
const UNIT: usize = 1 << 10;

/// Memory budget for the messages of all connections.
///
/// A message reserves memory as its bytes arrive and releases it when it is answered. If the budget is
/// exhausted, the connection is not read until memory is free. One message at a time may exceed the budget,
/// so that incomplete messages cannot wait for each other forever.
#[derive(Clone, Debug)]
pub(crate) struct MemoryBudget {
    /// The part that belongs to one connection.
    own: Arc<Semaphore>,
    shared: Arc<Semaphore>,
    excess: Arc<Semaphore>,
    /// Held while a large message is parsed. Parsing is pure computation: if large messages occupied every
    /// processor, none would be left for small requests.
    parsing: Arc<Semaphore>,
}

/// The memory of one message. Dropping it releases the memory.
#[derive(Debug)]
pub(crate) struct Reservation {
    budget: MemoryBudget,
    /// Reserved size, in bytes.
    bytes: usize,
    /// Permits, released on drop.
    held: Vec<OwnedSemaphorePermit>,
    exceeds: bool,
}

impl MemoryBudget {
    /// Creates a shared budget, in addition to the own budget of each connection.
    pub(crate) fn new(bytes: usize) -> Self {
        let shared = Semaphore::new((bytes / UNIT).min(Semaphore::MAX_PERMITS));
        let one = || Arc::new(Semaphore::new(1));
        Self { own: own(), shared: Arc::new(shared), excess: one(), parsing: one() }
    }

    /// Returns the budget of a new connection.
    pub(crate) fn connection(&self) -> Self {
        Self { own: own(), ..self.clone() }
    }

    /// Returns an empty reservation for a new message.
    pub(crate) fn reservation(&self) -> Reservation {
        Reservation { budget: self.clone(), bytes: 0, held: Vec::new(), exceeds: false }
    }
}

fn own() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(OWN_BYTES / UNIT))
}

impl Reservation {
    /// Waits until a large message may be parsed. The permit must be held while it is parsed.
    pub(crate) async fn parse_permit(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed.
        self.budget.parsing.clone().acquire_owned().await.ok()
    }

    /// Waits until memory for a message of this size is reserved. Returns the waiting time.
    pub(crate) async fn reserve(&mut self, bytes: usize) -> Duration {
        if bytes <= self.bytes || self.exceeds {
            return Duration::ZERO;
        }
        // At least double the reservation, so that few steps suffice.
        let units = (bytes - self.bytes).max(self.bytes).div_ceil(UNIT);
        self.bytes += units * UNIT;
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        let budget = self.budget.clone();
        if let Ok(permit) = budget.own.try_acquire_many_owned(units) {
            self.held.push(permit);
            return Duration::ZERO;
        }
        let since = Instant::now();
        let permit = tokio::select! {
            biased;
            permit = budget.shared.acquire_many_owned(units) => permit,
            permit = budget.excess.acquire_owned() => {
                self.exceeds = true;
                permit
            }
        };
        // The semaphores are never closed.
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
        let budget = MemoryBudget::new(MIB);
        let mut large: Vec<Reservation> = (0..2).map(|_| budget.connection().reservation()).collect();
        for reservation in &mut large {
            reservation.reserve(MIB).await;
        }
        let connection = budget.connection();
        let mut reservations: Vec<Reservation> = (0..64).map(|_| connection.reservation()).collect();
        for reservation in &mut reservations {
            assert!(reservation.reserve(OWN_BYTES / 64).now_or_never().is_some());
        }
        assert!(
            connection.reservation().reserve(1).now_or_never().is_none(),
            "the own budget of a connection is limited too"
        );
        assert!(budget.connection().reservation().reserve(1).now_or_never().is_some());
    }

    #[tokio::test]
    async fn large_messages_wait_for_each_other_and_one_may_exceed_the_budget() {
        let budget = MemoryBudget::new(2 * MIB);
        let mut reservations: Vec<Reservation> = (0..4).map(|_| budget.connection().reservation()).collect();
        for reservation in &mut reservations[..2] {
            reservation.reserve(MIB).await;
        }
        // The budget is exhausted: the third message may exceed it, the fourth waits.
        assert!(reservations[2].reserve(MIB).now_or_never().is_some());
        assert!(reservations[2].reserve(100 * MIB).now_or_never().is_some());
        assert!(reservations[3].reserve(MIB).now_or_never().is_none());
        reservations.remove(2);
        assert!(reservations[2].reserve(100 * MIB).now_or_never().is_some());
    }

    #[tokio::test]
    async fn answered_messages_release_memory() {
        let budget = MemoryBudget::new(MIB);
        for _ in 0..10 {
            let mut reservation = budget.connection().reservation();
            assert!(reservation.reserve(MIB).now_or_never().is_some() && !reservation.exceeds);
        }
    }

    #[tokio::test]
    async fn large_messages_are_parsed_one_at_a_time() {
        let budget = MemoryBudget::new(MIB);
        let (first, second) = (budget.connection().reservation(), budget.connection().reservation());
        let permit = first.parse_permit().await;
        assert!(second.parse_permit().now_or_never().is_none());
        drop(permit);
        assert!(second.parse_permit().now_or_never().is_some());
    }
}
