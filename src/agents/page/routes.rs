//! The requests of the page.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::web::{Redeemed, refusal, require_token};
use editd_daemon::transport::was_enforced;
use editd_protocol::{
    DOCUMENT_CONTENT, Decide, HistoryMethod, Method, ProposalMethod, Proposals, Reopen, Reviewers, Undo,
};

use super::answers::{no_daemon, read_json, refused, result};
use super::daemon::Failure;
use super::preferences::Preferences;
use super::{Notice, Page, assets, colours, events};

/// Maximum size of a request with a text.
pub(super) const MAX_BODY: usize = 8 * 1024 * 1024;
/// Maximum size of a request with a token or preferences only.
const MAX_SMALL: usize = 1024;

/// Methods of the daemon that the page uses. Others are not forwarded.
const METHODS: [&str; 8] = [
    Proposals::NAME,
    ProposalMethod::NAME,
    Decide::NAME,
    Reopen::NAME,
    Reviewers::NAME,
    HistoryMethod::NAME,
    Undo::NAME,
    DOCUMENT_CONTENT,
];

/// Those of the methods that change a proposal.
const CHANGING: [&str; 3] = [Decide::NAME, Reopen::NAME, Undo::NAME];

/// Returns all routes.
pub(super) fn routes(page: Arc<Page>, port: u16) -> Router {
    let token = page.session.clone();
    let of_session = Router::new()
        .route("/call", post(call))
        .route("/colours", post(colours::colours))
        .route("/events", get(events::events))
        .route("/preferences", post(set_preferences))
        .route_layer(middleware::from_fn_with_state(token, require_token));
    let not_found = format!("There is no such page. Open http://127.0.0.1:{port}/.");
    Router::new()
        .route("/", get(assets::index))
        .route("/page.js", get(assets::script))
        .route("/page.css", get(assets::style))
        .route("/session", post(session))
        .merge(of_session)
        .fallback(move || async move { refusal(StatusCode::NOT_FOUND, &not_found) })
        .method_not_allowed_fallback(|| async {
            let sentence = "Use the method that the page uses: GET to read, POST to change.";
            refusal(StatusCode::METHOD_NOT_ALLOWED, sentence)
        })
        .with_state(page)
}

#[derive(Deserialize)]
struct Exchange {
    once: String,
}

/// Exchanges the token in the address for the token of the session.
async fn session(State(page): State<Arc<Page>>, body: Body) -> Response {
    let Exchange { once } = match read_json(body, MAX_SMALL).await {
        Ok(exchange) => exchange,
        Err(response) => return response,
    };
    match page.once.redeem(&once) {
        Redeemed::Now => {
            (page.noticed)(Notice::Opened);
            let root = page.root.as_ref().map(|root| root.to_string_lossy());
            let preferences = Preferences::read(&page.state_dir);
            // Browsers write what a tab stores to the disk, where commands that must not decide reviews can read it.
            let stored = !was_enforced(&page.state_dir);
            let token = page.session.text();
            Json(json!({ "token": token, "root": root, "preferences": preferences, "stored": stored }))
                .into_response()
        }
        Redeemed::Earlier => {
            (page.noticed)(Notice::OpenedAgain);
            let sentence = "This address was already opened; run `editd review --web` again for a new one.";
            refusal(StatusCode::GONE, sentence)
        }
        Redeemed::Never => {
            let sentence =
                "This address is not valid; open the one that `editd review --web` prints, or run it again.";
            refusal(StatusCode::UNAUTHORIZED, sentence)
        }
    }
}

/// Stores the preferences of the person.
async fn set_preferences(State(page): State<Arc<Page>>, body: Body) -> Response {
    let preferences: Preferences = match read_json(body, MAX_SMALL).await {
        Ok(preferences) => preferences,
        Err(response) => return response,
    };
    if preferences.write(&page.state_dir).is_ok() {
        return Json(json!({})).into_response();
    }
    let sentence = "The preference cannot be stored; check the state folder with `editd doctor`.";
    refusal(StatusCode::INTERNAL_SERVER_ERROR, sentence)
}

#[derive(Deserialize)]
struct Call {
    method: String,
    #[serde(default)]
    params: Value,
}

/// Calls a method of the daemon.
async fn call(State(page): State<Arc<Page>>, body: Body) -> Response {
    let Call { method, params } = match read_json(body, MAX_BODY).await {
        Ok(call) => call,
        Err(response) => return response,
    };
    if !METHODS.contains(&method.as_str()) {
        return refusal(StatusCode::FORBIDDEN, "Call one of the methods that the page uses.");
    }
    match page.daemon.call(&method, &params).await {
        Ok(answer) => {
            if CHANGING.contains(&method.as_str()) {
                page.daemon.report(&answer);
            }
            result(&answer)
        }
        Err(Failure::Refused(error)) => refused(&error),
        Err(Failure::Lost) => no_daemon(),
    }
}
