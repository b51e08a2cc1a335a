//! The names that the built-in rules apply to, in lower case. A pattern with `/` is a sequence of names; `*`
//! matches any characters within one name and may occur once in each.

mod lists;

use super::classes::Class;

pub use lists::GIT_FILES;
use lists::{AGENTS, AT_HOME, BUILDS, INSTRUCTION_FOLDERS, INSTRUCTIONS};

/// Folders with version-control metadata, which mark the top of a work tree.
pub const METADATA: [&str; 4] = [".git", ".jj", ".hg", ".svn"];

/// Name of the rule for these folders.
pub(super) const VERSION_CONTROL: &str = "version_control";

/// The position in which a family's names apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// Anywhere in the path.
    Everywhere,
    /// Directly in the home folder.
    Home,
    /// In a workspace, not above its top.
    Workspace,
    /// As the last name of a path.
    File,
    /// In a workspace, unless the file is an example without secrets.
    Secrets,
    /// As the last name of a path in a workspace; a name that begins with `id_` must have no extension.
    SecretFile,
    /// A settings folder in a workspace, if the path leads to anything but instructions.
    Settings,
    /// A settings folder in a workspace, if the path leads to instructions.
    Instructions,
}

/// Names that share a rule.
#[derive(Debug)]
pub(super) struct Family {
    /// Name of the rule on the wire.
    pub(super) rule: &'static str,
    /// Description of such a file, to follow "it".
    pub(super) what: &'static str,
    pub(super) extent: Extent,
    /// Class for changing an existing file.
    pub(super) class: Class,
    /// Class for creating a file.
    pub(super) creating: Class,
    /// Class for reading a file.
    pub(super) reading: Class,
    pub(super) names: &'static [&'static str],
}

const fn family(rule: &'static str, class: Class, extent: Extent, what: &'static str) -> Family {
    Family { rule, what, extent, class, creating: class, reading: Class::Allow, names: &[] }
}

/// Returns `true` if the names below an agent's settings folder lead to a text that the agent only reads.
///
/// Texts that define commands, skills, workflows or other agents are settings: their headers grant tools,
/// and some agents run commands contained in them. Only locations of plain instructions are therefore
/// listed.
pub(super) fn is_instructions(below: &[String]) -> bool {
    match below {
        [name] => name == GUIDELINES || INSTRUCTIONS.iter().any(|wanted| matches_pattern(wanted, name)),
        [folder, .., name] => {
            let is_text = matches_pattern("*.md", name) || matches_pattern("*.mdc", name);
            is_text && INSTRUCTION_FOLDERS.iter().any(|wanted| matches_pattern(wanted, folder))
        }
        [] => false,
    }
}

/// Returns `true` if a name is that of an example, which users copy and fill in elsewhere.
pub(super) fn is_example(name: &str) -> bool {
    [".example", ".sample", ".template", ".dist"].iter().any(|end| name.ends_with(end))
}

/// Returns `true` if a name matches the pattern, in which one `*` matches anything.
pub(super) fn matches_pattern(wanted: &str, name: &str) -> bool {
    match wanted.split_once('*') {
        None => wanted == name,
        Some((head, tail)) => has_affixes(head, tail, name),
    }
}

/// Returns `true` if a name starts with `head` and ends with `tail`, without overlap.
pub(super) fn has_affixes(head: &str, tail: &str, name: &str) -> bool {
    name.len() >= head.len() + tail.len() && name.starts_with(head) && name.ends_with(tail)
}

/// A name too common to be meaningful outside a settings folder.
const GUIDELINES: &str = "guidelines.md";

const OBEYED: &str = "instructs agents";

const STARTUP: &str = "holds commands that the system runs automatically";

/// All families. If several match a path, the strictest counts; among equals, the first.
pub(super) const FAMILIES: [Family; 17] = [
    Family {
        names: &METADATA,
        ..family(
            VERSION_CONTROL,
            Class::Never,
            Extent::Everywhere,
            "belongs to version control, which executes its content or can lose history through it",
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
            "configures an editor, which can run programs through it",
        )
    },
    Family {
        names: AGENTS,
        ..family(
            "agent_config",
            Class::Review,
            Extent::Settings,
            "configures agents, which can run programs through it",
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
            "configures a container, which runs programs through it",
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
            "makes git treat a folder as a repository, together with two folders beside it",
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
            "is an installed dependency, whose changes are not reviewed",
        )
    },
    Family {
        names: BUILDS,
        ..family("executable_config", Class::Tagged, Extent::File, "is run or followed by programs")
    },
];
