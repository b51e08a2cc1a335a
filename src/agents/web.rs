//! HTTP servers for programs and people on this machine: on the loopback interface only, with tokens and limits.
//!
//! Every user of the machine can connect to the loopback interface, and so can every page in a browser. So a
//! server answers only requests that name it as their host and come from no other origin (`access`), limits what
//! a connection may hold and for how long (`server`), and routes with data require a [`Token`]. Answers forbid
//! the browser everything that a page of this program does not need (`headers`).
//!
//! ```no_run
//! use editd_agents::web::{Limits, Server, Token, refusal, require_token};
//! use axum::{Router, http::StatusCode, middleware, routing::get};
//! use tokio_util::sync::CancellationToken;
//!
//! # async fn serve() -> std::io::Result<()> {
//! let token = Token::new()?;
//! let server = Server::bind().await?;
//! println!("http://127.0.0.1:{} with the token {}", server.port(), token.text());
//! let router = Router::new()
//!     .route("/door", get(|| async { "The door is open." }))
//!     .layer(middleware::from_fn_with_state(token, require_token))
//!     .fallback(|| async { refusal(StatusCode::NOT_FOUND, "There is no such page.") });
//! server.serve(router, &Limits::default(), &CancellationToken::new()).await;
//! # Ok(())
//! # }
//! ```

mod access;
mod body;
mod headers;
mod server;
mod token;

pub use body::{read_body, refusal};
pub use server::{Limits, Server};
pub use token::{OneTimeToken, Redeemed, Token, require_token};
