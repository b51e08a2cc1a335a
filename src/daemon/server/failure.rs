use crate::engine::Failure;
use crate::protocol::{Code, RpcError, refusal_error};
use crate::workspace::Audience;

impl Failure {
    /// Converts to a JSON-RPC error, worded for its readers.
    pub fn error(self, audience: Audience) -> RpcError {
        match self {
            Self::Refused(refusals) => refusal_error(&refusals, audience),
            Self::Invalid(invalid) => invalid.error(audience),
            Self::Fault(message) => RpcError::new(Code::Internal, message),
        }
    }
}
