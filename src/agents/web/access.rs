//! Checks of the host and the origin of a request.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;

use super::body::refusal;

/// Names under which a program on this machine reaches a server, each with its port.
const HOSTS: [&str; 2] = ["127.0.0.1", "localhost"];

/// Refuses requests that come from another page or were sent to another host name.
///
/// A page whose name resolves to the loopback interface is of the same origin as this server for a browser, but
/// its requests have that name as their host.
pub(super) async fn check(State(port): State<u16>, request: Request, next: Next) -> Response {
    let authority = request.uri().authority().map(axum::http::uri::Authority::as_str);
    if !is_own_host(request.headers(), authority, port) {
        let sentence = format!("Open this server as http://127.0.0.1:{port}; it has no other name.");
        return refusal(StatusCode::FORBIDDEN, &sentence);
    }
    if !is_own_origin(request.headers(), port) {
        return refusal(StatusCode::FORBIDDEN, "Send this request from a page of this server.");
    }
    next.run(request).await
}

/// Returns `true` if the request names this server exactly once as its host.
fn is_own_host(headers: &HeaderMap, authority: Option<&str>, port: u16) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
    let is_own = |name: &str| HOSTS.iter().any(|own| name.eq_ignore_ascii_case(&format!("{own}:{port}")));
    // A request to a proxy has the host in its first line, too.
    host.to_str().is_ok_and(is_own) && authority.is_none_or(is_own)
}

/// Returns `true` if the request has no origin or that of this server.
fn is_own_origin(headers: &HeaderMap, port: u16) -> bool {
    let is_own =
        |origin: &str| HOSTS.iter().any(|own| origin.eq_ignore_ascii_case(&format!("http://{own}:{port}")));
    headers.get_all(header::ORIGIN).iter().all(|origin| origin.to_str().is_ok_and(is_own))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(header::HeaderName, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name, header::HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn hosts_other_than_this_server_are_refused() {
        let is_own = |hosts: &[&'static str], authority: Option<&str>| {
            let pairs: Vec<_> = hosts.iter().map(|host| (header::HOST, *host)).collect();
            is_own_host(&headers(&pairs), authority, 8000)
        };
        assert!(is_own(&["127.0.0.1:8000"], None) && is_own(&["LocalHost:8000"], None));
        for host in ["127.0.0.1", "127.0.0.1:80", "door.example:8000", "localhost.:8000", "[::1]:8000", ""] {
            assert!(!is_own(&[host], None), "{host}");
        }
        assert!(!is_own(&[], None));
        assert!(!is_own(&["127.0.0.1:8000", "127.0.0.1:8000"], None));
        assert!(!is_own(&["127.0.0.1:8000"], Some("door.example")));
    }

    #[test]
    fn origins_other_than_this_server_are_refused() {
        let is_own = |origins: &[&'static str]| {
            let pairs: Vec<_> = origins.iter().map(|origin| (header::ORIGIN, *origin)).collect();
            is_own_origin(&headers(&pairs), 8000)
        };
        assert!(is_own(&[]) && is_own(&["http://127.0.0.1:8000"]) && is_own(&["http://localhost:8000"]));
        for origin in ["null", "https://127.0.0.1:8000", "http://127.0.0.1:8001", "http://door.example"] {
            assert!(!is_own(&[origin]), "{origin}");
        }
        assert!(!is_own(&["http://127.0.0.1:8000", "http://door.example"]));
    }
}
