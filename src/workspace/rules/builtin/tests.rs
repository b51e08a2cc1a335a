use super::super::names::names_of;
use super::*;

fn rule(path: &str, operation: Operation) -> Option<(&'static str, Class)> {
    rule_of(path, 3, operation)
}

fn rule_above(path: &str, above: usize) -> Option<(&'static str, Class)> {
    rule_of(path, above, Operation::Modify)
}

fn rule_of(path: &str, above: usize, operation: Operation) -> Option<(&'static str, Class)> {
    let (all, home) = (names_of(Path::new(path)), names_of(Path::new("/home/ada")));
    let names = Names { all: &all, above, home: &home };
    strictest(&families(&names), operation).map(|family| (family.rule, family.class(operation)))
}

#[test]
fn families_match_their_names() {
    use Class::{Never, OptIn, Review, Tagged};
    for (path, expected) in [
        ("/home/ada/shop/.git/config", Some(("version_control", Never))),
        ("/home/ada/shop/git~1/config", Some(("version_control", Never))),
        ("/home/ada/shop/new/.svn", Some(("version_control", Never))),
        ("/home/ada/.ssh/config", Some(("keys", Never))),
        ("/srv/a/b/.aws/credentials", Some(("keys", Never))),
        ("/home/ada/shop/ssh~1/id", Some(("keys", Never))),
        ("/home/ada/.bashrc", Some(("startup", Never))),
        ("/home/ada/.config/autostart/x.desktop", Some(("startup", Never))),
        ("/home/ada/shop/.bashrc", Some(("startup", OptIn))),
        ("/home/ada/shop/.config/fish/config.fish", Some(("startup", OptIn))),
        ("/home/ada/shop/.env", Some(("secrets", OptIn))),
        ("/home/ada/shop/.env.local", Some(("secrets", OptIn))),
        ("/home/ada/shop/env~1.loc", Some(("secrets", OptIn))),
        ("/home/ada/shop/.envs/a/b", Some(("secrets", OptIn))),
        ("/home/ada/shop/.npmrc", Some(("secrets", OptIn))),
        ("/home/ada/shop/tls/server.key", Some(("secrets", OptIn))),
        ("/home/ada/shop/id_deploy", Some(("secrets", OptIn))),
        ("/home/ada/shop/id_map.rs", None),
        ("/home/ada/shop/id_map/a.rs", None),
        ("/home/ada/shop/.env.example", None),
        ("/home/ada/shop/sub/.env.local.sample", None),
        ("/home/ada/shop/.env.template", None),
        ("/home/ada/shop/.vscode/settings.json", Some(("editor_config", OptIn))),
        ("/home/ada/shop/vscode~1/settings.json", Some(("editor_config", OptIn))),
        ("/home/ada/shop/shop.code-workspace", Some(("editor_config", OptIn))),
        ("/home/ada/shop/sub/.mcp.json", Some(("agent_config", Review))),
        ("/home/ada/shop/mcp~1.jso", Some(("agent_config", Review))),
        ("/home/ada/shop/.github/workflows/ci.yml", Some(("ci", Review))),
        ("/home/ada/shop/.gitattributes", Some(("hooks", OptIn))),
        ("/home/ada/shop/gi7d29~1", Some(("hooks", OptIn))),
        ("/home/ada/shop/.cargo/config.toml", Some(("package_config", OptIn))),
        ("/home/ada/shop/node_modules/a/b.js", Some(("dependencies", OptIn))),
        ("/home/ada/shop/cargo.toml", Some(("executable_config", Tagged))),
        ("/home/ada/shop/vite.config.ts", Some(("executable_config", Tagged))),
    ] {
        assert_eq!(rule(path, Operation::Modify), expected, "{path}");
    }
}

#[test]
fn settings_of_programs_in_the_home_folder_are_protected() {
    for name in "
        .config/lxsession/LXDE/autostart .config/Thunar/uca.xml .config/yt-dlp/config .config/kglobalshortcutsrc
        .config/picom.conf .config/bat/config .config/a/package.json .xbindkeysrc .jjconfig.toml .tigrc .Xresources
        .conkyrc .sbclrc .racketrc .newsboat/config .aria2/aria2.conf .task/hooks/on-add .julia/startup.jl
        .subversion/config .local/share/kio/servicemenus/x.desktop .local/share/gnome-shell/extensions/x/extension.js
        .local/share/nemo/actions/x.nemo_action .local/share/plasma/x .local/share/mime/x .rustup/toolchains/x/bin/rustc
        Library/Services/x.workflow
    "
    .split(['\n', ' '])
    .filter(|name| !name.is_empty())
    {
        let path = format!("/home/ada/{name}");
        assert_eq!(rule_above(&path, 0), Some(("startup", Class::OptIn)), "{path}");
    }
    for (path, above, expected) in [
        ("/home/ada/notes.txt", 0, None),
        ("/home/ada/.cache/x", 0, None),
        ("/home/ada/shop/.config/bat/config", 3, None),
        // A project below is like any other, the settings themselves may be under version control.
        ("/home/ada/.config/shop/a.txt", 4, None),
        ("/home/ada/.config/bat/config", 3, Some(("startup", Class::OptIn))),
        ("/home/ada/.config/bat/config", 2, Some(("startup", Class::OptIn))),
        ("/home/ada/.config/git/config", 4, Some(("startup", Class::OptIn))),
        ("/home/ada/.local/share/opencode/worktree/x/a.txt", 7, None),
        // Agents have their own rules.
        ("/home/ada/.claude.json", 0, Some(("agent_config", Class::Review))),
        ("/home/ada/.config/opencode/opencode.json", 0, Some(("agent_config", Class::Review))),
        ("/home/ada/.config/opencode/AGENTS.md", 0, Some(("agent_instructions", Class::Tagged))),
        ("/home/ada/.config/goose/.goosehints", 0, Some(("agent_instructions", Class::Tagged))),
    ] {
        assert_eq!(rule_above(path, above), expected, "{path}");
    }
}

#[test]
fn names_that_other_tools_protect_belong_to_a_family() {
    use Class::{Never, OptIn, Review, Tagged};
    for (names, family, class) in [
        (
            ".vimrc .exrc .gdbinit .lldbinit .pdbrc .helix/languages.toml .lazy.lua .emacs",
            "editor_config",
            OptIn,
        ),
        (".tmux.conf .ripgreprc .ideavimrc .vs/x .screenrc .rprofile .irbrc", "editor_config", OptIn),
        ("mise.toml .mise.toml mise.local.toml .tool-versions .pnp.cjs uv.toml", "package_config", OptIn),
        ("lefthook.toml .lefthook.toml lefthook-local.yml lefthook.json prek.toml", "hooks", OptIn),
        (".simple-git-hooks.json .pre-commit-config.yml .git-hooks/pre-push", "hooks", OptIn),
        (
            ".clinerules/a.md .clinerules/hooks/x .kilocode/mcp.json .goose/x crush.json",
            "agent_config",
            Review,
        ),
        (".github/agents/a.md .github/prompts/a.prompt.md .qwen/settings.json", "agent_config", Review),
        ("venv/bin/activate venv/lib/x .tox/x .direnv/x .terraform/x", "dependencies", OptIn),
        (".gitpod.yml devfile.yaml .idx/dev.nix", "container_config", OptIn),
        ("azure-pipelines.yaml .cirrus.star .semaphore/x cloudbuild.yaml", "ci", Review),
        (
            "terraform.tfstate a.tfvars prod.auto.tfvars credentials.json .htpasswd a.gpg x.ppk",
            "secrets",
            OptIn,
        ),
        (
            "secrets.yaml service-account-1.json auth.json .bash_history .terraformrc .my.cnf",
            "secrets",
            OptIn,
        ),
        (".cargo/credentials.toml .gem/credentials .claude/.credentials.json", "keys", Never),
        (".clinerules", "agent_instructions", Tagged),
        (
            "shell.nix procfile .mocharc.json .lintstagedrc nx.json ruby_lsp/x/addon.rb",
            "executable_config",
            Tagged,
        ),
    ] {
        for name in names.split_whitespace() {
            let path = format!("/home/ada/shop/{name}");
            assert_eq!(rule(&path, Operation::Modify), Some((family, class)), "{path}");
        }
    }
    for (names, family, class) in [
        (".forward .rhosts .bash_completion .procmailrc .config/elvish/rc.elv", "startup", Never),
        (".local/bin/ls bin/x .cargo/bin/cargo .config/git/config .config/i3/config", "startup", OptIn),
        (".config/nvim/init.lua .config/Code/User/settings.json .emacs.d/init.el", "editor_config", OptIn),
        ("library/application support/code/user/settings.json .vscode/extensions/x", "editor_config", OptIn),
        (".azure/x .config/rclone/rclone.conf .local/share/keyrings/x", "keys", Never),
    ] {
        for name in names.replace("application support", "application_support").split(' ') {
            let path = format!("/home/ada/{name}").replace("application_support", "application support");
            assert_eq!(rule(&path, Operation::Modify), Some((family, class)), "{path}");
        }
    }
}

#[test]
fn common_names_stay_free() {
    for path in [
        "src/credentials.rs",
        "src/secrets.py",
        "docs/auth.md",
        "src/vault.rs",
        "bin/run.sh",
        "lib/venv.py",
        "vendor/x.go",
        "src/history.rs",
        "env/bin/tool",
        "terraform/main.tf",
        ".tflint.hcl",
        "keys/readme.md",
        "src/workspace/mod.rs",
        ".julia/dev/x.jl",
    ] {
        let rule = rule(&format!("/home/ada/shop/{path}"), Operation::Modify);
        assert!(rule.is_none_or(|(_, class)| class == Class::Tagged), "{path}: {rule:?}");
    }
}

#[test]
fn templates_and_translations_may_be_read() {
    for path in ["chart/templates/secret.yaml", "locales/en/auth.json", "group_vars/vault.yml"] {
        let path = format!("/home/ada/shop/{path}");
        assert_eq!(rule(&path, Operation::Modify), Some(("secrets", Class::OptIn)), "{path}");
        assert_eq!(rule(&path, Operation::Read), None, "{path}");
    }
}

#[test]
fn instructions_of_agents_are_not_their_settings() {
    use Class::{Review, Tagged};
    for (path, expected) in [
        ("/home/ada/shop/a/agents.md", Some(("agent_instructions", Tagged))),
        ("/home/ada/shop/.cursorrules", Some(("agent_instructions", Tagged))),
        ("/home/ada/shop/.claude/claude.md", Some(("agent_instructions", Tagged))),
        ("/home/ada/shop/.claude/claude.local.md", Some(("agent_instructions", Tagged))),
        ("/home/ada/shop/.claude/rules/api/tests.md", Some(("agent_instructions", Tagged))),
        ("/home/ada/shop/.cursor/rules/style.mdc", Some(("agent_instructions", Tagged))),
        ("/home/ada/shop/.roo/rules-code/a.md", Some(("agent_instructions", Tagged))),
        ("/home/ada/shop/.junie/guidelines.md", Some(("agent_instructions", Tagged))),
        ("/home/ada/shop/guidelines.md", None),
        ("/home/ada/shop/.kiro/steering/a.md", Some(("agent_instructions", Tagged))),
        ("/home/ada/shop/.github/copilot-instructions.md", Some(("agent_instructions", Tagged))),
        ("/home/ada/shop/.claude", Some(("agent_config", Review))),
        ("/home/ada/shop/.claude/settings.json", Some(("agent_config", Review))),
        ("/home/ada/shop/.claude/hooks/claude.md", Some(("agent_config", Review))),
        ("/home/ada/shop/.claude/commands/agents.md", Some(("agent_config", Review))),
        ("/home/ada/shop/.claude/skills/a/skill.md", Some(("agent_config", Review))),
        ("/home/ada/shop/.claude/agents/agents-a.md", Some(("agent_config", Review))),
        ("/home/ada/shop/.claude/rules/run.sh", Some(("agent_config", Review))),
        ("/home/ada/shop/.claude/rules/.cursor/commands/a.md", Some(("agent_config", Review))),
        ("/home/ada/shop/.codex/rules/default.rules", Some(("agent_config", Review))),
    ] {
        assert_eq!(rule(path, Operation::Modify), expected, "{path}");
    }
}

#[test]
fn similar_names_belong_to_no_family() {
    for (path, expected) in [
        ("/home/ada/shop/makefile/readme", None),
        ("/home/ada/shop/src/env.rs", None),
        ("/home/ada/shop/.gitignore", None),
        ("/home/ada/shop/.github/workflows.txt", None),
        ("/home/ada/shop/environment/a", None),
        ("/home/ada/shop/ssh/config", None),
        ("/home/ada/shop/foo~1/a", None),
        ("/home/ada/shop/cargo~x", None),
    ] {
        assert_eq!(rule(path, Operation::Modify), expected, "{path}");
    }
}

#[test]
fn keys_and_secrets_cannot_be_read() {
    for (path, expected) in [
        ("/home/ada/.ssh/id_rsa", Some("keys")),
        ("/home/ada/shop/.env", Some("secrets")),
        ("/home/ada/shop/.git/config", None),
        ("/home/ada/shop/.vscode/settings.json", None),
        ("/home/ada/.bashrc", None),
        ("/home/ada/shop/package.json", None),
    ] {
        assert_eq!(rule(path, Operation::Read).map(|(rule, _)| rule), expected, "{path}");
    }
}

#[test]
fn only_a_new_file_makes_a_bare_repository() {
    assert_eq!(rule("/home/ada/shop/x/head", Operation::Create).unwrap().0, "bare_repository");
    assert_eq!(rule("/home/ada/shop/x/head", Operation::Modify), None);
    assert_eq!(rule("/home/ada/shop/head/x", Operation::Create), None);
}

#[test]
fn names_above_the_workspace_are_ignored_except_for_keys() {
    let (all, home) = (names_of(Path::new("/data/node_modules/shop/a.js")), Vec::new());
    let names = |above| Names { all: &all, above, home: &home };
    assert!(families(&names(3)).is_empty());
    assert!(!families(&names(0)).is_empty());
    let keys = names_of(Path::new("/data/.ssh/shop/a.js"));
    let names = Names { all: &keys, above: 3, home: &home };
    assert!(!families(&names).is_empty(), "keys are keys wherever they lie");
}

#[test]
fn roots_are_neither_too_wide_nor_the_system() {
    let home = Some(Path::new("/home/ada"));
    let check = |root: &str| check_root(Path::new(root), home, &[]);
    for root in ["/", "/home", "/home/ada"] {
        assert_eq!(check(root), Err(RootRefusal::TooWide), "{root}");
    }
    for root in ["/etc", "/usr/src", "/lib64/x", "/var/lib/x", "/proc/self", "/run/user"] {
        assert_eq!(check(root), Err(RootRefusal::System), "{root}");
    }
    for root in [
        "/home/ada/x",
        "/tmp/x",
        "/var/tmp/x",
        "/var/www/x",
        "/run/media/ada/x",
        "/srv/x",
        "/opt/x",
        "/data/x",
    ] {
        assert_eq!(check(root), Ok(()), "{root}");
    }
    assert_eq!(check("/srv/x/.git"), Err(RootRefusal::VersionControl));
}

#[test]
fn a_root_must_lie_in_a_configured_one() {
    let configured = [PathBuf::from("/srv/code")];
    assert_eq!(check_root(Path::new("/srv/code/a"), None, &configured), Ok(()));
    let outside = check_root(Path::new("/srv/codex"), None, &configured);
    assert_eq!(outside, Err(RootRefusal::NotConfigured));
}
