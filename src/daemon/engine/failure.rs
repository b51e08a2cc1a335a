//! The error of a request, and refusals for errors of the disk.

use editd_disk::{DiskError, DiskErrorKind};
use editd_workspace::{Invalid, Refusal, RefusalKind};

/// The result of a request, or of a part of it.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// The error of a request.
#[derive(Debug)]
pub enum Failure {
    /// The request was refused. This is a regular answer.
    Refused(Vec<Refusal>),
    /// The parameters are invalid.
    Invalid(Invalid),
    /// The daemon is stopping or has a bug, or the request was cancelled.
    Fault(String),
}

impl Failure {
    /// A failure that is a bug of editd.
    pub(crate) fn bug() -> Self {
        Self::Fault("The request failed because of a bug in editd; the log has the details.".to_owned())
    }

    /// The failure of a request that the daemon no longer starts, because it is stopping.
    pub(crate) fn stopping() -> Self {
        Self::Fault("The daemon is stopping.".to_owned())
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(vec![refusal])
    }
}

impl From<Invalid> for Failure {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}

/// Returns the refusal for a disk error.
pub(crate) fn refusal_of(error: &DiskError) -> RefusalKind {
    match &error.kind {
        DiskErrorKind::OutsideRoot => RefusalKind::OutsideWorkspace { roots: Vec::new() },
        DiskErrorKind::NotFound => RefusalKind::Missing,
        DiskErrorKind::NotAFile { what } => RefusalKind::NotAFile { what: (*what).to_owned() },
        DiskErrorKind::ReadOnly => RefusalKind::ReadOnly,
        DiskErrorKind::TooLarge { size, limit } => RefusalKind::TooLarge { limit: *limit, size: *size },
        DiskErrorKind::Exists => RefusalKind::Exists,
        DiskErrorKind::Recovering { transaction } => {
            RefusalKind::Recovering { transaction: transaction.clone() }
        }
        DiskErrorKind::NoSpace { required, available } => disk(error, *required, *available),
        _ => disk(error, None, None),
    }
}

fn disk(error: &DiskError, required: Option<u64>, available: Option<u64>) -> RefusalKind {
    RefusalKind::Disk {
        operation: error.operation,
        errno: error.errno,
        detail: error.source.as_ref().map_or_else(|| error.kind.to_string(), ToString::to_string),
        required,
        available,
    }
}

/// Collects all values, or all refusals. A refusal that names no change gets its own index.
pub(crate) fn collect_all<T>(results: impl Iterator<Item = Result<T, Refusal>>) -> Result<Vec<T>> {
    let (mut values, mut refusals) = (Vec::new(), Vec::new());
    for (index, result) in results.enumerate() {
        match result {
            Ok(value) => values.push(value),
            Err(refusal) => refusals.push(Refusal { change: refusal.change.or(Some(index)), ..refusal }),
        }
    }
    if refusals.is_empty() { Ok(values) } else { Err(Failure::Refused(refusals)) }
}
