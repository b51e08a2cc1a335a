//! Tokens that allow requests.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use parking_lot::Mutex;

use editd_disk::fill_randomly;

use super::body::refusal;

/// Number of random bytes in a token.
const BYTES: usize = 32;

/// A secret that a client shows with each request.
#[derive(Clone)]
pub struct Token(Arc<str>);

impl Token {
    /// Creates a random token.
    pub fn new() -> std::io::Result<Self> {
        let mut bytes = [0; BYTES];
        fill_randomly(&mut bytes)?;
        Ok(Self(BASE64_URL_SAFE_NO_PAD.encode(bytes).into()))
    }

    /// Returns the text of the token, in characters that need no escapes in a URL.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Returns `true` if the text is this token. The time does not depend on where they differ.
    pub fn matches(&self, text: &str) -> bool {
        // Hashes are compared in constant time.
        blake3::hash(self.0.as_bytes()) == blake3::hash(text.as_bytes())
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Token(…)")
    }
}

/// A token that is exchanged once for another one.
#[derive(Debug)]
pub struct OneTimeToken {
    token: Token,
    is_used: Mutex<bool>,
}

/// The result of an attempt to exchange a one-time token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redeemed {
    /// The token is valid, and is used from now on.
    Now,
    /// The token was valid and was used earlier.
    Earlier,
    /// The text is another one.
    Never,
}

impl OneTimeToken {
    /// Creates a random token.
    pub fn new() -> std::io::Result<Self> {
        Ok(Self { token: Token::new()?, is_used: Mutex::new(false) })
    }

    /// Returns the text of the token.
    pub fn text(&self) -> &str {
        self.token.text()
    }

    /// Uses the token if the text is this token.
    pub fn redeem(&self, text: &str) -> Redeemed {
        if !self.token.matches(text) {
            return Redeemed::Never;
        }
        if std::mem::replace(&mut *self.is_used.lock(), true) { Redeemed::Earlier } else { Redeemed::Now }
    }
}

/// Refuses requests without the token as `Authorization: Bearer TOKEN`.
pub async fn require_token(State(token): State<Token>, request: Request, next: Next) -> Response {
    let mut values = request.headers().get_all(header::AUTHORIZATION).iter();
    let shown = match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok().and_then(bearer),
        _ => None,
    };
    if shown.is_some_and(|shown| token.matches(shown)) {
        return next.run(request).await;
    }
    let sentence = "Open the address that the command printed, or run the command again for a new one.";
    let mut response = refusal(StatusCode::UNAUTHORIZED, sentence);
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

/// Returns the token of an `Authorization` header.
fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_differ() {
        let (one, other) = (Token::new().unwrap(), Token::new().unwrap());
        assert_eq!(one.text().len(), 43);
        assert!(one.matches(one.text()) && !one.matches(other.text()) && !one.matches(""));
        assert!(!one.matches(&one.text()[1..]));
        assert!(!format!("{one:?}").contains(one.text()));
    }

    #[test]
    fn a_one_time_token_is_redeemed_once() {
        let token = OneTimeToken::new().unwrap();
        assert_eq!(token.redeem("x"), Redeemed::Never);
        assert_eq!(token.redeem(token.text()), Redeemed::Now);
        assert_eq!(token.redeem(token.text()), Redeemed::Earlier);
        assert_eq!(token.redeem("x"), Redeemed::Never);
    }

    #[test]
    fn only_bearer_tokens_are_read() {
        assert_eq!(bearer("Bearer x"), Some("x"));
        assert_eq!(bearer("bearer x"), Some("x"));
        assert_eq!(bearer("Basic x"), None);
        assert_eq!(bearer("x"), None);
    }
}
