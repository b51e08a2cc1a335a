//! The identity with which a client starts a session.

use std::path::{Path, PathBuf};

use editd_protocol::NAME;
use editd_workspace::Audience;

/// Client name, roots and options with which a session is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// `clientInfo.name`, which becomes the author.
    pub name: String,
    /// Roots, in order.
    pub roots: Vec<PathBuf>,
    /// `true` if a missing root directly in the home folder is a file to be created.
    pub new_file: bool,
    /// Name of the session, if it spans several connections.
    pub session: Option<String>,
    /// `true` if the session outlives the connection.
    pub resumes: bool,
    /// `true` if the session has the rights of an agent, also on the socket for editors.
    pub as_agent: bool,
    /// `true` if proposals are shown to a person. Works on the socket for editors only.
    pub reviews: bool,
    /// Readers of the daemon's messages.
    pub audience: Audience,
}

impl Identity {
    /// Identity of this program itself, with at most one root.
    pub fn own(root: Option<&Path>) -> Self {
        Self {
            name: NAME.to_owned(),
            roots: root.into_iter().map(Path::to_owned).collect(),
            new_file: true,
            session: None,
            resumes: false,
            as_agent: false,
            reviews: false,
            audience: Audience::Wire,
        }
    }
}
