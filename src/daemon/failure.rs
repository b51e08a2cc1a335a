use crate::disk::{DiskError, DiskErrorKind};
use crate::protocol::{Code, Invalid, RpcError, refusal_error};
use crate::workspace::{Refusal, RefusalKind};

/// Why a request has no result.
#[derive(Debug)]
pub enum Failure {
    /// It was refused: an answer like any other.
    Refused(Vec<Refusal>),
    /// Its parameters do not fit.
    Invalid(Invalid),
    /// The daemon is ending or broken.
    Fault(String),
}

impl Failure {
    /// What should have answered did not, which is a mistake of the program.
    pub(crate) fn unanswered() -> Self {
        Self::Fault("The request failed for a reason that is a bug of editd; the log has more.".to_owned())
    }

    /// The daemon is ending.
    pub(crate) fn ending() -> Self {
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

impl From<Failure> for RpcError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(refusals) => refusal_error(&refusals),
            Failure::Invalid(invalid) => invalid.into(),
            Failure::Fault(message) => Self::new(Code::Internal, message),
        }
    }
}

/// What an error of the disk means to the author of a request.
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
