use std::io;

use parking_lot::Mutex;

use editd_daemon::transport::{Client, Outgoing};

/// Ends the work on an event from another thread, by closing its connection.
#[derive(Debug, Default)]
pub struct Abort(Mutex<State>);

#[derive(Debug, Default)]
enum State {
    #[default]
    Unconnected,
    Connected(Outgoing),
    Aborted,
}

impl Abort {
    /// Ends the work. Its answer is that the tool goes on.
    pub fn abort(&self) {
        if let State::Connected(connection) = std::mem::replace(&mut *self.0.lock(), State::Aborted) {
            connection.close();
        }
    }

    /// Remembers the connection of the work. Closes it if the work is aborted already.
    pub(super) fn watch(&self, client: &Client) -> io::Result<()> {
        let connection = client.closer()?;
        let mut state = self.0.lock();
        match *state {
            State::Aborted => connection.close(),
            _ => *state = State::Connected(connection),
        }
        Ok(())
    }

    pub(super) fn is_aborted(&self) -> bool {
        matches!(*self.0.lock(), State::Aborted)
    }
}
