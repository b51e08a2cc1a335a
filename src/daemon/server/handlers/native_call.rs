//! Calls that arrive over another connection than that of the session to which they belong.

use std::sync::Arc;

use super::history::origin;
use crate::engine::{Failure, SessionContext};
use crate::server::{Daemon, decode};
use editd_protocol::{Invalid, NativeCallParams, NativeCallResult, NativeSessionParams, NativeSessionResult};

#[expect(clippy::unused_async, reason = "the table of methods awaits every handler")]
impl Daemon {
    /// `editd/nativeCall`.
    pub async fn native_call(
        &self,
        session: &Arc<SessionContext>,
        NativeCallParams { origin }: NativeCallParams,
    ) -> Result<NativeCallResult, Failure> {
        let origin = decode::origin(origin)?;
        let Some(tool_call) = origin.tool_call.clone() else {
            return Err(Invalid::new("origin.toolCall", "it is missing").into());
        };
        self.engine.announced.add(session, tool_call, origin);
        Ok(NativeCallResult {})
    }

    /// `editd/nativeSession`.
    pub async fn native_session(
        &self,
        session: &Arc<SessionContext>,
        NativeSessionParams { tool_call }: NativeSessionParams,
    ) -> Result<NativeSessionResult, Failure> {
        let call = self.engine.announced.get(&session.author, &tool_call);
        Ok(call.map_or_else(NativeSessionResult::default, |call| NativeSessionResult {
            session: Some(call.session.to_string()),
            origin: Some(origin(&call.origin)),
        }))
    }
}
