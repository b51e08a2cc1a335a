use std::io::{self, ErrorKind, Write};

/// An output whose reader may go away: that is no failure of what the command did.
pub(crate) struct Tolerant<W>(W);

/// Standard output, with colours where they are wanted.
pub(crate) fn stdout() -> Tolerant<anstream::AutoStream<io::Stdout>> {
    Tolerant(anstream::stdout())
}

/// Standard output for a file's text, which is nobody's colours.
pub(crate) fn raw_stdout() -> Tolerant<io::Stdout> {
    Tolerant(io::stdout())
}

/// Standard error, with colours where they are wanted.
pub(crate) fn stderr() -> Tolerant<anstream::AutoStream<io::Stderr>> {
    Tolerant(anstream::stderr())
}

impl<W: Write> Write for Tolerant<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(bytes.len()),
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0.flush() {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            flushed => flushed,
        }
    }
}
