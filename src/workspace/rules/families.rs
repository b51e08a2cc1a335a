//! The names that the built-in rules apply to.
//!
//! The lists of names are texts, separated by whitespace, in lower case. A pattern with `/` is a sequence of names;
//! `*` matches any characters within one name and may occur once in each.

mod home;

use super::classes::Class;

use home::{
    AT_HOME, DESKTOP_AT_HOME, EDITORS_AT_HOME, KEYS_AT_HOME, LANGUAGES_AT_HOME, PROGRAMS_AT_HOME,
    SETTINGS_AT_HOME, TERMINAL_AT_HOME,
};

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

/// Settings that an editor, a debugger or a shell program reads in the folder of a file or in the home folder, and
/// that can execute commands.
const EDITORS: &str = "
    .vscode *.code-workspace .idea .zed .fleet .nova .vs .theia .helix .kak .kakrc .micro
    .vimrc .gvimrc _vimrc _gvimrc .exrc _exrc .nvimrc .nvim.lua .nvim .lvimrc .local.vimrc .lazy.lua .ideavimrc
    .vim .emacs .emacs.el .dir-locals.el .dir-locals-2.el .spacemacs .nanorc *.sublime-project
    .gdbinit .gdbearlyinit .lldbinit .lldbinit-* .cgdbrc .pdbrc .pdbrc.py .pryrc .irbrc .ripgreprc
    .tmux.conf .tmux.conf.local .tmuxinator* .screenrc .psqlrc .sqliterc .editrc .replit .projections.json
    .rprofile .renviron .octaverc .ghci
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
    justfile .justfile taskfile.y* build.bazel module.bazel workspace workspace.bazel .bazelrc *.bzl
    shell.nix default.nix devbox.json process-compose* procfile tiltfile skaffold.y* earthfile
    .postcssrc* .mocharc* .nycrc* .swcrc .stylelintrc* .lintstagedrc* .huskyrc* .commitlintrc* .releaserc*
    .rspec .rubocop.yml .pylintrc .flake8 mypy.ini .coveragerc pytest.ini .pytest.ini ruby_lsp/*/addon.rb
    nx.json turbo.json lerna.json rush.json .ncurc* bower.json
";

/// Files and folders with settings of agents.
const AGENTS: &str = "
    .cursor .claude .claude.json .mcp.json mcp.json .codex .agents .gemini .roo .roomodes .windsurf .kiro
    .amazonq .continue .augment .junie .trae .opencode opencode.json opencode.jsonc .aider*
    .clinerules/* .cline .kilocode .kilocodemodes .goose .crush crush.json .crush.json .qwen .factory .warp
    .config/opencode .config/goose .config/crush .config/amp .openhands .pi .amp .qoder .codebuddy .zencoder .tabnine .cody .sourcegraph .serena .mcp .vibe
    .github/agents .github/chatmodes .github/prompts .github/skills .github/copilot
";

/// Texts that agents read as instructions.
pub(super) const INSTRUCTIONS: &str = "
    agents*.md claude*.md gemini*.md copilot-instructions.md *.instructions.md .goosehints .*rules
";

/// Folders with such texts inside the settings of an agent.
pub(super) const INSTRUCTION_FOLDERS: &str = "rules rules-* steering instructions guidelines";

/// A name too common to be meaningful outside a settings folder.
pub(super) const GUIDELINES: &str = "guidelines.md";

/// The position in which a family's names apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// Anywhere in the path.
    Everywhere,
    /// Directly in the home folder.
    Home,
    /// Directly in the home folder, but not in a project below; a path with settings or instructions of agents belongs
    /// to their families instead.
    HomeSettings,
    /// A file directly in the home folder, with the same exception.
    HomeFile,
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

const PROGRAMS: &str = "holds programs, or settings by which programs run commands";

/// All families. If several match a path, the strictest counts; among equals, the first.
pub(super) const FAMILIES: [Family; 26] = [
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
         .netrc _netrc .pgpass .git-credentials .vault-token .config/git/credentials
         .cargo/credentials .cargo/credentials.toml .gem/credentials .terraform.d/credentials.tfrc.json
         .claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json opencode/auth.json
         .pi/agent/auth.json .m2/settings-security.xml .huggingface/token .kaggle/kaggle.json
         id_rsa id_dsa id_ecdsa id_ecdsa_sk id_ed25519 id_ed25519_sk",
    )
    .reading(Class::OptIn),
    family("keys", Class::Never, Extent::Home, "holds keys or decides who may log in", KEYS_AT_HOME)
        .reading(Class::OptIn),
    family("startup", Class::Never, Extent::Home, STARTUP, AT_HOME),
    family("startup", Class::OptIn, Extent::Home, PROGRAMS, PROGRAMS_AT_HOME),
    family("startup", Class::OptIn, Extent::Home, PROGRAMS, DESKTOP_AT_HOME),
    family("startup", Class::OptIn, Extent::Home, PROGRAMS, TERMINAL_AT_HOME),
    family("startup", Class::OptIn, Extent::Home, PROGRAMS, LANGUAGES_AT_HOME),
    family("startup", Class::OptIn, Extent::Workspace, STARTUP, AT_HOME),
    family("secrets", Class::OptIn, Extent::Secrets, "usually holds secrets", ".env* .npmrc .pypirc")
        .reading(Class::OptIn),
    family(
        "secrets",
        Class::OptIn,
        Extent::SecretFile,
        "usually holds secrets",
        "id_* *.key *.pem *.p12 *.pfx *.pkcs12 *.p8 *.pk8 *.ppk *.jks *.keystore *.bks *.kdbx *.kdb *.gpg *.pgp
         *.agekey *.keytab *.ovpn *.tfstate *.tfstate.backup *.tfvars *.tfvars.json .htpasswd htpasswd
         credentials credentials.json credentials.y* credentials.toml client_secret*.json service-account*.json
         service_account*.json serviceaccountkey.json secrets.json secrets.y* secrets.toml .secrets .secret
         secret.json master.key .vault_pass* .vault-pass* local.settings.json
         .*_history .lesshst wallet.dat .pgpass.conf .sentryclirc .netrc.* .authinfo .terraformrc .dockercfg .my.cnf .mylogin.cnf .s3cfg .boto sftp-config.json
         .ftpconfig .remote-sync.json",
    )
    .reading(Class::OptIn),
    // Templates and translations have these names, too.
    family("secrets", Class::OptIn, Extent::SecretFile, "may hold secrets", "auth.json secret.y* vault.y*"),
    family(
        "editor_config",
        Class::OptIn,
        Extent::Workspace,
        "configures an editor, which can run programs through it",
        EDITORS,
    ),
    family(
        "editor_config",
        Class::OptIn,
        Extent::Home,
        "configures an editor, which can run programs through it",
        EDITORS_AT_HOME,
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
        ".devcontainer .devcontainer.json .gitpod.y* .gitpod.dockerfile devfile.y* .devfile.y* .idx .codesandbox
         .stackblitzrc",
    ),
    family(
        "ci",
        Class::Review,
        Extent::Workspace,
        "tells a server what to run, often with secrets at hand",
        ".github/workflows .github/hooks .github/actions .gitlab-ci.yml .gitlab-ci.yaml .gitlab/ci
         .circleci .buildkite .travis.yml .drone.yml .woodpecker .woodpecker.yml
         .forgejo/workflows .gitea/workflows azure-pipelines.y* .azure-pipelines bitbucket-pipelines.y*
         jenkinsfile jenkinsfile.* .appveyor.yml appveyor.yml .cirrus.yml .cirrus.star .semaphore .teamcity
         .travis.yaml .drone.yaml .woodpecker.yaml buildspec.y* cloudbuild.y* codemagic.y* bitrise.yml
         wercker.yml screwdriver.yaml .build.yml .builds .tekton .argocd-source.yaml",
    ),
    family(
        "hooks",
        Class::OptIn,
        Extent::Workspace,
        "decides what version control runs",
        ".gitattributes .gitmodules .gitconfig .config/git .lfsconfig .hgrc .hgsub .husky .githooks
         .git-hooks .pre-commit-config.y* .pre-commit-hooks.y* prek.toml .lefthook .lefthook.* lefthook.yml
         lefthook.yaml lefthook.toml lefthook.json lefthook-local* .lefthook-local* .overcommit.yml
         .overcommit.yaml .simple-git-hooks* simple-git-hooks* hk.pkl captainhook.json",
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
         rust-toolchain* .pypirc .pip/pip.conf pip.conf .config/pip .bundle/config .gemrc .mvn
         mise.toml .mise.toml mise.*.toml .mise .config/mise .tool-versions .rtx.toml .asdfrc
         .prototools .condarc uv.toml .pnp.* .pnpmfile.* pnpmfile.* .gradle/init.gradle .curlrc .wgetrc",
    ),
    family(
        "dependencies",
        Class::OptIn,
        Extent::Workspace,
        "is an installed dependency, whose changes are not reviewed",
        "node_modules bower_components .venv site-packages venv/bin venv/lib venv/lib64 venv/scripts env/bin/activate*
         .tox .nox .direnv .terraform .yarn/cache .yarn/unplugged .pnpm-store .bundle/ruby vendor/bundle",
    ),
    family("executable_config", Class::Tagged, Extent::File, "is run or followed by programs", BUILDS),
    // Other rules say more about a file.
    family("startup", Class::OptIn, Extent::HomeSettings, PROGRAMS, SETTINGS_AT_HOME),
    family("startup", Class::OptIn, Extent::HomeFile, PROGRAMS, ".*"),
];
