//! The server of the review page, and requests to it over plain TCP.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::process::{Child, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::http::{self, HttpAnswer};
use crate::support::{Agent, Machine, Workspace, eventually};

/// A machine on which a person has run `editd review --web`.
pub(super) struct Page {
    pub(super) machine: Machine,
    pub(super) workspace: Workspace,
    pub(super) agent: Agent,
    server: Child,
    pub(super) port: u16,
    /// The token in the printed address.
    pub(super) once: String,
}

impl Page {
    /// Starts a daemon that asks for a review where it can, and the server.
    pub(super) fn start() -> Self {
        Self::configured("review = \"auto\"")
    }

    pub(super) fn configured(config: &str) -> Self {
        let machine = Machine::configured(config);
        let workspace = Workspace::with(&[("a.txt", "one\ntwo\nthree\n")]);
        let (server, port, once) = serve(&machine, &workspace);
        let agent = machine.agent(&workspace);
        Self { machine, workspace, agent, server, port, once }
    }

    /// Ends the server and starts another one.
    pub(super) fn restart(&mut self) {
        self.interrupt();
        (self.server, self.port, self.once) = serve(&self.machine, &self.workspace);
    }

    pub(super) fn connect(&self) -> TcpStream {
        http::connect(self.port)
    }

    /// Sends bytes and returns the answer.
    pub(super) fn send(&self, request: &[u8]) -> HttpAnswer {
        http::send(self.port, request)
    }

    /// Sends a request with these headers, besides `Host`.
    pub(super) fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> HttpAnswer {
        http::request(self.port, (method, path), headers, body)
    }

    /// Exchanges the token in the address for that of a session.
    pub(super) fn session(&self) -> String {
        self.exchange()["token"].as_str().expect("a token").to_owned()
    }

    /// Exchanges the token in the address for all that a page needs at first.
    pub(super) fn exchange(&self) -> Value {
        let answer = self.request("POST", "/session", &[], &json!({ "once": self.once }).to_string());
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    /// Calls a method of the daemon.
    pub(super) fn call(&self, token: &str, method: &str, params: &Value) -> HttpAnswer {
        let body = json!({ "method": method, "params": params }).to_string();
        self.request("POST", "/call", &[("Authorization", &format!("Bearer {token}"))], &body)
    }

    /// Opens the stream of events.
    pub(super) fn events(&self, token: &str) -> BufReader<TcpStream> {
        let mut stream = self.connect();
        let host = format!("127.0.0.1:{}", self.port);
        let text = format!("GET /events HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n");
        stream.write_all(text.as_bytes()).expect("a request");
        BufReader::new(stream)
    }

    pub(super) fn pid(&self) -> Pid {
        Pid::from_child(&self.server)
    }

    /// Ends the server as Ctrl-C does.
    pub(super) fn interrupt(&mut self) -> ExitStatus {
        kill_process(self.pid(), Signal::INT).expect("a signal can be sent");
        eventually("the server to end", || self.server.try_wait().expect("a child's state"))
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // It has ended if the test has ended it.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Starts the server. Returns its process, its port and the token in the printed address.
fn serve(machine: &Machine, workspace: &Workspace) -> (Child, u16, String) {
    let mut command = machine.command(&["review", "--web", "--no-open", "--output", "json"]);
    command.current_dir(workspace.root()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = command.spawn().expect("editd can be run");
    let mut line = String::new();
    let stdout = server.stdout.take().expect("a captured stdout");
    BufReader::new(stdout).read_line(&mut line).expect("a line");
    let printed: Value = serde_json::from_str(&line).expect("JSON");
    let address = printed["address"].as_str().expect("an address");
    let (base, once) = address.split_once("/#").expect("a token");
    let port = base.rsplit_once(':').expect("a port").1.parse().expect("a number");
    (server, port, once.to_owned())
}
