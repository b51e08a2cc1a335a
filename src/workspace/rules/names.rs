//! Names as the rules compare them, and the names that the built-in rules apply to.
//!
//! Names are normalized to the form that the least strict file system compares. The lists of names are
//! texts, separated by whitespace, in lower case. A pattern with `/` is a sequence of names; `*` matches any
//! characters within one name and may occur once in each.

use std::path::{Component, Path};

use unicode_normalization::UnicodeNormalization;

use super::classes::Class;

/// Folders with version-control metadata, which mark the top of a work tree, separated by whitespace.
pub const METADATA: &str = ".git .jj .hg .svn";

/// Name of the rule for these folders.
pub(super) const VERSION_CONTROL: &str = "version_control";

/// Files in a `.git` folder that git executes or trusts, so other hard links to them are protected, too,
/// separated by whitespace.
pub const GIT_FILES: &str = "
    config config.worktree HEAD index packed-refs commondir gitdir
    info/attributes info/exclude info/grafts info/sparse-checkout objects/info/alternates
    hooks/applypatch-msg hooks/commit-msg hooks/fsmonitor-watchman hooks/post-applypatch hooks/post-checkout
    hooks/post-commit hooks/post-merge hooks/post-rewrite hooks/post-update hooks/pre-applypatch
    hooks/pre-auto-gc hooks/pre-commit hooks/pre-merge-commit hooks/pre-push hooks/pre-rebase
    hooks/pre-receive hooks/prepare-commit-msg hooks/push-to-checkout hooks/reference-transaction hooks/update
";

/// Files that a system executes at login, in a terminal or in the background, relative to the home folder.
const AT_HOME: &str = "
    .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bashrc.d .profile .profile.d
    .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc
    .xprofile .xinitrc .xsession .xsessionrc .pam_environment
    .config/autostart .config/autostart-scripts .config/environment.d .config/plasma-workspace
    .config/systemd .local/share/systemd .config/fish .config/nushell .config/zsh .config/bash
    library/launchagents library/launchdaemons launchagents launchdaemons
    crontab .crontab crontabs cron.d
";

/// Project files that builds and tests execute or follow.
const BUILDS: &str = "
    package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml pnpm-workspace.yaml
    bun.lock bun.lockb deno.json deno.jsonc deno.lock
    *.config.js *.config.cjs *.config.mjs *.config.ts *.config.mts
    .eslintrc* .babelrc* .prettierrc* gruntfile.js gulpfile.*
    build.rs cargo.toml cargo.lock
    makefile makefile.* gnumakefile *.mk cmakelists.txt cmakepresets.json *.cmake
    meson.build configure configure.ac build.ninja build.zig
    *.gradle *.gradle.kts gradle.properties gradle-wrapper.properties gradlew gradlew.bat
    mvnw pom.xml build.xml build.sbt
    *.csproj *.fsproj *.vbproj *.vcxproj *.sln *.slnx *.props *.targets nuget.config global.json
    conftest.py setup.py setup.cfg sitecustomize.py pyproject.toml requirements*.txt
    pipfile pipfile.lock poetry.lock pdm.lock uv.lock tox.ini noxfile.py
    gemfile gemfile.lock rakefile *.gemspec composer.json composer.lock
    go.mod go.sum go.work mix.exs package.swift podfile flake.nix flake.lock
    dockerfile* *.dockerfile containerfile docker-compose* compose.y* vagrantfile
    justfile taskfile.y* build.bazel module.bazel workspace.bazel *.bzl
";

/// Files and folders with settings of agents.
const AGENTS: &str = "
    .cursor .claude .claude.json .mcp.json mcp.json .codex .agents .gemini .roo .roomodes .windsurf .kiro
    .amazonq .continue .augment .junie .trae .opencode opencode.json opencode.jsonc .aider*
";

/// Texts that agents read as instructions.
const INSTRUCTIONS: &str = "
    agents*.md claude*.md gemini*.md copilot-instructions.md *.instructions.md .goosehints .*rules
";

/// Folders with such texts inside the settings of an agent.
const INSTRUCTION_FOLDERS: &str = "rules rules-* steering instructions guidelines";

/// A name too common to be meaningful outside a settings folder.
const GUIDELINES: &str = "guidelines.md";

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
    /// Name patterns, separated by whitespace.
    pub(super) names: &'static str,
}

impl Family {
    /// Sets the class for creating a file.
    const fn creating(self, creating: Class) -> Self {
        Self { creating, ..self }
    }

    /// Sets the class for reading a file.
    const fn reading(self, reading: Class) -> Self {
        Self { reading, ..self }
    }
}

const fn family(
    rule: &'static str,
    class: Class,
    extent: Extent,
    what: &'static str,
    names: &'static str,
) -> Family {
    Family { rule, what, extent, class, creating: class, reading: Class::Allow, names }
}

const OBEYED: &str = "instructs agents";

const STARTUP: &str = "holds commands that the system runs automatically";

/// All families. If several match a path, the strictest counts; among equals, the first.
pub(super) const FAMILIES: [Family; 17] = [
    family(
        VERSION_CONTROL,
        Class::Never,
        Extent::Everywhere,
        "belongs to version control, which executes its content or can lose history through it",
        METADATA,
    ),
    family(
        "keys",
        Class::Never,
        Extent::Everywhere,
        "holds keys or decides who may log in",
        ".ssh .gnupg .aws .kube .password-store .config/gcloud .config/gh .docker/config.json
         .netrc _netrc .pgpass .git-credentials .vault-token
         id_rsa id_dsa id_ecdsa id_ecdsa_sk id_ed25519 id_ed25519_sk",
    )
    .reading(Class::OptIn),
    family("startup", Class::Never, Extent::Home, STARTUP, AT_HOME),
    family("startup", Class::OptIn, Extent::Workspace, STARTUP, AT_HOME),
    family("secrets", Class::OptIn, Extent::Secrets, "usually holds secrets", ".env* .npmrc .pypirc")
        .reading(Class::OptIn),
    family(
        "secrets",
        Class::OptIn,
        Extent::SecretFile,
        "usually holds secrets",
        "id_* *.key *.pem *.p12 *.pfx *.jks *.keystore *.kdbx",
    )
    .reading(Class::OptIn),
    family(
        "editor_config",
        Class::OptIn,
        Extent::Workspace,
        "configures an editor, which can run programs through it",
        ".vscode *.code-workspace .idea .zed .fleet .nova .exrc .nvimrc .nvim.lua .lvimrc
         .dir-locals.el .dir-locals-2.el *.sublime-project",
    ),
    family(
        "agent_config",
        Class::Review,
        Extent::Settings,
        "configures agents, which can run programs through it",
        AGENTS,
    ),
    family("agent_instructions", Class::Tagged, Extent::Instructions, OBEYED, AGENTS),
    family("agent_instructions", Class::Tagged, Extent::File, OBEYED, INSTRUCTIONS),
    family(
        "container_config",
        Class::OptIn,
        Extent::Workspace,
        "configures a container, which runs programs through it",
        ".devcontainer .devcontainer.json",
    ),
    family(
        "ci",
        Class::Review,
        Extent::Workspace,
        "tells a server what to run, often with secrets at hand",
        ".github/workflows .github/hooks .github/actions .gitlab-ci.yml .gitlab-ci.yaml .gitlab/ci
         .circleci .buildkite .travis.yml .drone.yml .woodpecker .woodpecker.yml
         .forgejo/workflows .gitea/workflows azure-pipelines.yml bitbucket-pipelines.yml jenkinsfile
         .appveyor.yml appveyor.yml .cirrus.yml",
    ),
    family(
        "hooks",
        Class::OptIn,
        Extent::Workspace,
        "decides what version control runs",
        ".gitattributes .gitmodules .gitconfig .config/git .lfsconfig .hgrc .hgsub .husky .githooks
         .pre-commit-config.yaml .pre-commit-hooks.yaml .lefthook lefthook.yml lefthook.yaml
         .lefthook.yml lefthook-local.yml .overcommit.yml",
    ),
    family(
        "bare_repository",
        Class::Allow,
        Extent::File,
        "makes git treat a folder as a repository, together with two folders beside it",
        "head",
    )
    .creating(Class::OptIn),
    family(
        "package_config",
        Class::OptIn,
        Extent::Workspace,
        "decides where packages come from or what their tools run",
        ".npmrc .yarnrc* .yarn/plugins .yarn/releases .pnpmfile* bunfig.toml .cargo/config*
         rust-toolchain* .pypirc .pip/pip.conf pip.conf .config/pip .bundle/config .gemrc .mvn",
    ),
    family(
        "dependencies",
        Class::OptIn,
        Extent::Workspace,
        "is an installed dependency, whose changes are not reviewed",
        "node_modules bower_components .venv site-packages",
    ),
    family("executable_config", Class::Tagged, Extent::File, "is run or followed by programs", BUILDS),
];

/// Returns `true` if the names below an agent's settings folder lead to a text that the agent only reads.
///
/// Texts that define commands, skills, workflows or other agents are settings: their headers grant tools,
/// and some agents run commands contained in them. Only locations of plain instructions are therefore
/// listed.
pub(super) fn is_instructions(below: &[String]) -> bool {
    match below {
        [name] => name == GUIDELINES || is_any(INSTRUCTIONS, name),
        [folder, .., name] => {
            let is_text = matches_pattern("*.md", name) || matches_pattern("*.mdc", name);
            is_text && is_any(INSTRUCTION_FOLDERS, folder)
        }
        [] => false,
    }
}

/// Returns `true` if a name matches one of several patterns, separated by whitespace.
fn is_any(patterns: &str, name: &str) -> bool {
    patterns.split_whitespace().any(|wanted| matches_pattern(wanted, name))
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

/// Returns the names of a path in the form that rules compare: case-folded, with composed characters
/// decomposed.
pub fn names_of(path: &Path) -> Vec<String> {
    let names = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_string_lossy()),
        Component::ParentDir => Some("..".into()),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    });
    names.map(|name| folded(&name)).collect()
}

/// Returns the names of a path as they are and, if they contain ignored characters, without these.
pub(super) fn spellings(path: &Path) -> impl Iterator<Item = Vec<String>> {
    let names = names_of(path);
    let stripped = stripped(&names);
    [Some(names), stripped].into_iter().flatten()
}

/// Removes the parts of names that other systems ignore: invisible characters, an NTFS stream
/// (`name:stream`), and trailing spaces and dots. Splits names at backslashes. Returns `None` if nothing
/// changes.
fn stripped(normalized: &[String]) -> Option<Vec<String>> {
    if !normalized.iter().any(|name| is_disguised(name)) {
        return None;
    }
    let stripped = normalized.iter().flat_map(|name| name.split('\\')).map(without_disguise);
    Some(stripped.filter(|name| !name.is_empty()).collect())
}

/// Folds letter case as the most aggressive file systems do (`ſ` becomes `s`) and decomposes characters. Two
/// names that any file system considers equal fold to the same string.
pub fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfd().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

fn is_disguised(name: &str) -> bool {
    name != ".."
        && (name.ends_with(['.', ' ']) || name.contains([':', '\\']) || name.chars().any(is_ignorable))
}

fn without_disguise(name: &str) -> String {
    let name = name.split(':').next().unwrap_or(name);
    let visible: String = name.chars().filter(|c| !is_ignorable(*c)).collect();
    visible.trim_end_matches(['.', ' ']).to_owned()
}

/// Returns `true` for code points that HFS+ or a case-folding ext4 ignore when they compare names.
fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_fold_to_one_case() {
        for (name, folded_name) in [
            (".GIT", ".git"),
            (".\u{17f}\u{17f}h", ".ssh"),
            ("\u{212a}ube", "kube"),
            ("con\u{fb01}g", "config"),
            ("STRASSE", "strasse"),
            ("stra\u{df}e", "strasse"),
        ] {
            assert_eq!(folded(name), folded_name);
        }
        assert_eq!(folded("\u{fc}"), folded("U\u{308}"), "composed or not");
    }

    #[test]
    fn ignored_characters_are_removed() {
        for (path, expected) in [
            ("/a/.git./x", vec!["a", ".git", "x"]),
            ("/a/.git. . /x", vec!["a", ".git", "x"]),
            ("/.g\u{200c}it/x", vec![".git", "x"]),
            ("/.git::$INDEX_ALLOCATION/x", vec![".git", "x"]),
            ("/a\\.git\\config", vec!["a", ".git", "config"]),
            ("/x\u{fe0f}/\u{ad}.env", vec!["x", ".env"]),
        ] {
            assert_eq!(stripped(&names_of(Path::new(path))).unwrap(), expected, "{path}");
        }
    }

    #[test]
    fn an_undisguised_path_has_one_spelling() {
        for path in ["/a/b.txt", "/a/.git/x", "../x", "/\u{fc}/\u{65e5}\u{672c}", "/~a/b"] {
            assert_eq!(stripped(&names_of(Path::new(path))), None, "{path}");
        }
    }
}
