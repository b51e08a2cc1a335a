//! The files of the page. `npm run page` in `editors/vscode` bundles them from `editors/page`.

use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;

pub(super) async fn index() -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/html; charset=utf-8")], include_str!("assets/index.html"))
}

pub(super) async fn script() -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/javascript; charset=utf-8")], include_str!("assets/page.js"))
}

pub(super) async fn style() -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/css; charset=utf-8")], include_str!("assets/page.css"))
}
