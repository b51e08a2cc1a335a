use std::io::{self, Read};

use super::Stop;

/// A reader that fails once it is time to stop: what is searched may be large, or never end.
pub(super) struct Guarded<'a, R> {
    pub(super) source: R,
    pub(super) stop: &'a Stop<'a>,
}

impl<R: Read> Read for Guarded<'_, R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_due() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.source.read(bytes)
    }
}
