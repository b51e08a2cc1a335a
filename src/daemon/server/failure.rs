use crate::engine::Failure;
use editd_protocol::{Code, RpcError, invalid_params, refusal_error};
use editd_workspace::Audience;

impl Failure {
    /// Converts to a JSON-RPC error, worded for its readers.
    pub fn error(self, audience: Audience) -> RpcError {
        match self {
            Self::Refused(refusals) => refusal_error(&refusals, audience),
            Self::Invalid(invalid) => invalid_params(invalid, audience),
            Self::Fault(message) => RpcError::new(Code::Internal, message),
        }
    }
}
