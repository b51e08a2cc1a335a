use crate::engine::Failure;
use crate::protocol::{Code, RpcError, refusal_error};

impl From<Failure> for RpcError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(refusals) => refusal_error(&refusals),
            Failure::Invalid(invalid) => invalid.into(),
            Failure::Fault(message) => Self::new(Code::Internal, message),
        }
    }
}
