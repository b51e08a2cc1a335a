//! The names that the built-in rules are about, in lower case. A name with `/` is a sequence of names; `*`
//! stands for any characters in one name, once in each.

mod lists;

use super::classes::Class;

pub use lists::GIT_FILES;
use lists::{AGENTS, AT_HOME, BUILDS, INSTRUCTION_FOLDERS, INSTRUCTIONS};

/// What marks the top of a work tree: folders where version control keeps its own state.
pub const METADATA: [&str; 4] = [".git", ".jj", ".hg", ".svn"];

/// The rule about them.
pub(super) const VERSION_CONTROL: &str = "version_control";

/// Where a family's names mean what they say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// Anywhere, whatever lies around it.
    Everywhere,
    /// In the home folder.
    Home,
    /// In a workspace: not above its top.
    Workspace,
    /// As the last name of a path in a workspace.
    File,
    /// In a workspace, but not as an example without secrets.
    Secrets,
    /// As the last name of a path in a workspace; one that begins with `id_` has no extension.
    SecretFile,
    /// In a workspace, as a folder of settings of which the path leads to anything but instructions.
    Settings,
    /// In a workspace, as a folder of settings of which the path leads to instructions.
    Instructions,
}

/// Names with one rule.
#[derive(Debug)]
pub(super) struct Family {
    /// The rule's name on the wire.
    pub(super) rule: &'static str,
    /// What such a file is, to follow "it".
    pub(super) what: &'static str,
    pub(super) extent: Extent,
    /// For what changes a file that is there.
    pub(super) class: Class,
    /// For what makes one.
    pub(super) creating: Class,
    /// For reading one.
    pub(super) reading: Class,
    pub(super) names: &'static [&'static str],
}

const fn family(rule: &'static str, class: Class, extent: Extent, what: &'static str) -> Family {
    Family { rule, what, extent, class, creating: class, reading: Class::Allow, names: &[] }
}

/// Returns whether names below a folder of an agent's settings lead to a text that the agent only reads.
///
/// Texts that define commands, skills, workflows or other agents are settings: their headers grant tools, and
/// some agents run commands that stand in them. So only the places of plain instructions are listed.
pub(super) fn is_instructions(below: &[String]) -> bool {
    match below {
        [name] => name == GUIDELINES || INSTRUCTIONS.iter().any(|wanted| is_like(wanted, name)),
        [folder, .., name] => {
            let is_text = is_like("*.md", name) || is_like("*.mdc", name);
            is_text && INSTRUCTION_FOLDERS.iter().any(|wanted| is_like(wanted, folder))
        }
        [] => false,
    }
}

/// Returns whether a name is that of an example, which people fill in elsewhere.
pub(super) fn is_example(name: &str) -> bool {
    [".example", ".sample", ".template", ".dist"].iter().any(|end| name.ends_with(end))
}

/// Returns whether a name is the wanted one, in which one `*` stands for anything.
pub(super) fn is_like(wanted: &str, name: &str) -> bool {
    match wanted.split_once('*') {
        None => wanted == name,
        Some((head, tail)) => is_between(head, tail, name),
    }
}

/// Returns whether a name begins and ends so, with anything between.
pub(super) fn is_between(head: &str, tail: &str, name: &str) -> bool {
    name.len() >= head.len() + tail.len() && name.starts_with(head) && name.ends_with(tail)
}

/// Too common a name to say much anywhere else.
const GUIDELINES: &str = "guidelines.md";

const OBEYED: &str = "instructs agents";

const STARTUP: &str = "holds commands that the system runs by itself";

/// All families. Where several are about one path, the strictest counts, then the first.
pub(super) const FAMILIES: [Family; 17] = [
    Family {
        names: &METADATA,
        ..family(
            VERSION_CONTROL,
            Class::Never,
            Extent::Everywhere,
            "belongs to version control, which runs what stands there or loses history by it",
        )
    },
    Family {
        reading: Class::OptIn,
        names: &[
            ".ssh",
            ".gnupg",
            ".aws",
            ".kube",
            ".password-store",
            ".config/gcloud",
            ".config/gh",
            ".docker/config.json",
            ".netrc",
            "_netrc",
            ".pgpass",
            ".git-credentials",
            ".vault-token",
            "id_rsa",
            "id_dsa",
            "id_ecdsa",
            "id_ecdsa_sk",
            "id_ed25519",
            "id_ed25519_sk",
        ],
        ..family("keys", Class::Never, Extent::Everywhere, "holds keys or decides who may log in")
    },
    Family { names: AT_HOME, ..family("startup", Class::Never, Extent::Home, STARTUP) },
    Family { names: AT_HOME, ..family("startup", Class::OptIn, Extent::Workspace, STARTUP) },
    Family {
        reading: Class::OptIn,
        names: &[".env*", ".npmrc", ".pypirc"],
        ..family("secrets", Class::OptIn, Extent::Secrets, "usually holds secrets")
    },
    Family {
        reading: Class::OptIn,
        names: &["id_*", "*.key", "*.pem", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx"],
        ..family("secrets", Class::OptIn, Extent::SecretFile, "usually holds secrets")
    },
    Family {
        names: &[
            ".vscode",
            "*.code-workspace",
            ".idea",
            ".zed",
            ".fleet",
            ".nova",
            ".exrc",
            ".nvimrc",
            ".nvim.lua",
            ".lvimrc",
            ".dir-locals.el",
            ".dir-locals-2.el",
            "*.sublime-project",
        ],
        ..family(
            "editor_config",
            Class::OptIn,
            Extent::Workspace,
            "configures an editor, which can run programs by it",
        )
    },
    Family {
        names: AGENTS,
        ..family(
            "agent_config",
            Class::Review,
            Extent::Settings,
            "configures agents, which can run programs by it",
        )
    },
    Family { names: AGENTS, ..family("agent_instructions", Class::Tagged, Extent::Instructions, OBEYED) },
    Family { names: INSTRUCTIONS, ..family("agent_instructions", Class::Tagged, Extent::File, OBEYED) },
    Family {
        names: &[".devcontainer", ".devcontainer.json"],
        ..family(
            "container_config",
            Class::OptIn,
            Extent::Workspace,
            "configures a container, which runs programs by it",
        )
    },
    Family {
        names: &[
            ".github/workflows",
            ".github/hooks",
            ".github/actions",
            ".gitlab-ci.yml",
            ".gitlab-ci.yaml",
            ".gitlab/ci",
            ".circleci",
            ".buildkite",
            ".travis.yml",
            ".drone.yml",
            ".woodpecker",
            ".woodpecker.yml",
            ".forgejo/workflows",
            ".gitea/workflows",
            "azure-pipelines.yml",
            "bitbucket-pipelines.yml",
            "jenkinsfile",
            ".appveyor.yml",
            "appveyor.yml",
            ".cirrus.yml",
        ],
        ..family(
            "ci",
            Class::Review,
            Extent::Workspace,
            "tells a server what to run, often with secrets at hand",
        )
    },
    Family {
        names: &[
            ".gitattributes",
            ".gitmodules",
            ".gitconfig",
            ".config/git",
            ".lfsconfig",
            ".hgrc",
            ".hgsub",
            ".husky",
            ".githooks",
            ".pre-commit-config.yaml",
            ".pre-commit-hooks.yaml",
            ".lefthook",
            "lefthook.yml",
            "lefthook.yaml",
            ".lefthook.yml",
            "lefthook-local.yml",
            ".overcommit.yml",
        ],
        ..family("hooks", Class::OptIn, Extent::Workspace, "decides what version control runs")
    },
    Family {
        names: &["head"],
        creating: Class::OptIn,
        ..family(
            "bare_repository",
            Class::Allow,
            Extent::File,
            "makes a folder a repository in git's eyes, together with two folders beside it",
        )
    },
    Family {
        names: &[
            ".npmrc",
            ".yarnrc*",
            ".yarn/plugins",
            ".yarn/releases",
            ".pnpmfile*",
            "bunfig.toml",
            ".cargo/config*",
            "rust-toolchain*",
            ".pypirc",
            ".pip/pip.conf",
            "pip.conf",
            ".bundle/config",
            ".gemrc",
            ".mvn",
            ".config/pip",
        ],
        ..family(
            "package_config",
            Class::OptIn,
            Extent::Workspace,
            "decides where packages come from or what their tools run",
        )
    },
    Family {
        names: &["node_modules", "bower_components", ".venv", "site-packages"],
        ..family(
            "dependencies",
            Class::OptIn,
            Extent::Workspace,
            "is an installed dependency, whose changes nobody reviews",
        )
    },
    Family {
        names: BUILDS,
        ..family("executable_config", Class::Tagged, Extent::File, "is run or obeyed by programs")
    },
];
