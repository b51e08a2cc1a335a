use axum::extract::ws::{Message, WebSocket};
use futures_util::{Sink, SinkExt, Stream, StreamExt, future};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};

/// Converts a WebSocket to the two directions of a connection. Each text is one message.
pub(super) fn split(
    socket: WebSocket,
) -> (
    impl Sink<ServerJsonRpcMessage, Error = axum::Error> + Send + Unpin + 'static,
    impl Stream<Item = ClientJsonRpcMessage> + Send + Unpin + 'static,
) {
    let (sender, receiver) = socket.split();
    let sender = sender.with(|message: ServerJsonRpcMessage| {
        future::ready(serde_json::to_string(&message).map(Message::from).map_err(axum::Error::new))
    });
    // The connection ends with an error, and messages that cannot be read are ignored.
    let messages = receiver.take_while(|message| future::ready(message.is_ok())).filter_map(|message| {
        let parsed = match message {
            Ok(Message::Text(text)) => serde_json::from_str(&text).ok(),
            _ => None,
        };
        future::ready(parsed)
    });
    (sender, messages)
}
