//! Settings of agent programs: connecting changes nothing else, and disconnecting restores them.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use rstest::rstest;

use crate::support::Machine;

const GEMINI: &str = r#"{
  // The theme of the terminal.
  "ui": { "theme": "GitHub" },
  "hooks": {
    "BeforeTool": [ { "matcher": "write_file", "hooks": [ { "type": "command", "command": "check.sh" } ] } ]
  },
  "mcpServers": { "docs": { "command": "docs-server" } } /* the last one */
}
"#;

const CODEX: &str = r#"{"description": "mine", "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "log"}]}]}}"#;

const CONFIG: &str = "# Codex\nmodel = \"gpt-5.5\" # the good one\n\n[mcp_servers.docs]\ncommand='docs'\n\n[hooks.state.\"/else/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:00\"\n# the end\n";

/// Stands in for Codex: answers `hooks/list` with a hash for each hook of the file in `CODEX_HOME`.
const CODEX_PROGRAM: &str = r#"#!/usr/bin/python3
import json, os, re, sys
if sys.argv[1:] == ["--version"]:
    print("codex-cli 0.169.0")
    sys.exit()
file = os.path.join(os.environ["CODEX_HOME"], "hooks.json")
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "hooks/list":
        hooks = []
        for event, groups in json.load(open(file))["hooks"].items():
            name = re.sub(r"(?<!^)([A-Z])", r"_\1", event).lower()
            for g, group in enumerate(groups):
                for h, hook in enumerate(group["hooks"]):
                    hooks.append({"key": f"{file}:{name}:{g}:{h}", "currentHash": f"sha256:{name}"})
        print(json.dumps({"method": "configWarning", "params": {}}), flush=True)
        print(json.dumps({"id": message["id"], "result": {"data": [{"hooks": hooks}]}}), flush=True)
"#;

fn put(machine: &Machine, name: &str, text: &str) -> PathBuf {
    let file = machine.home().join(name);
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(&file, text).expect("a file");
    file
}

fn text(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_default()
}

/// Runs `editd` with a folder of programs before the system's.
fn run(machine: &Machine, arguments: &[&str]) -> String {
    let path = format!("{}:/usr/bin:/bin", machine.home().join("bin").display());
    let output = machine.command(arguments).env("PATH", path).output().expect("editd can be run");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn with_codex(machine: &Machine) {
    let program = put(machine, "bin/codex", CODEX_PROGRAM);
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("a program");
}

#[rstest]
#[case::claude(
    "claude",
    ".claude/settings.json",
    "{\n\t\"model\": \"opus\",\n\t\"hooks\": { \"Stop\": [] }\n}\n"
)]
#[case::codex("codex", ".codex/hooks.json", CODEX)]
#[case::gemini("gemini", ".gemini/settings.json", GEMINI)]
#[case::gemini_without_settings("gemini", ".gemini/settings.json", "")]
#[case::opencode("opencode", ".config/opencode/plugin/editd.ts", "")]
#[case::pi("pi", ".pi/agent/extensions/editd.ts", "")]
fn disconnecting_restores_the_bytes(#[case] program: &str, #[case] file: &str, #[case] settings: &str) {
    let machine = Machine::asleep("");
    let file = machine.home().join(file);
    if !settings.is_empty() {
        put(&machine, file.to_str().expect("a path"), settings);
    }
    let shown = run(&machine, &["connect", program, "--yes"]);
    assert!(shown.contains("+++ ") && shown.contains("connected"), "{shown}");
    let connected = text(&file);
    assert!(
        connected.contains(&format!("hook {program}"))
            || connected.contains("'hook'")
            || connected.contains("\"hook\""),
        "{connected}"
    );
    for line in settings.lines().filter(|line| line.contains("//") || line.contains("docs")) {
        assert!(connected.contains(line), "{line:?} in {connected}");
    }
    assert!(run(&machine, &["connect", program, "--yes"]).contains("is connected already"));
    let doctor = machine.run(&["doctor"]);
    let doctor = String::from_utf8_lossy(&doctor.stdout);
    assert!(doctor.contains(&format!("connected in {}", file.display())), "{doctor}");
    run(&machine, &["connect", program, "--yes", "--undo"]);
    assert_eq!((text(&file), file.exists()), (settings.to_owned(), !settings.is_empty()));
}

#[test]
fn the_version_of_an_npm_package_is_known_without_running_its_program() {
    let machine = Machine::asleep("");
    let package =
        r#"{ "name": "@google/gemini-cli", "version": "0.61.1", "bin": { "gemini": "bundle/gemini.js" } }"#;
    put(&machine, "npm/gemini-cli/package.json", package);
    let program = put(&machine, "npm/gemini-cli/bundle/gemini.js", "#!/bin/sh\ntouch \"$HOME/run\"\n");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a program");
    fs::create_dir(machine.home().join("bin")).expect("a folder");
    symlink(program, machine.home().join("bin/gemini")).expect("a link");
    run(&machine, &["connect", "gemini", "--yes"]);
    assert!(run(&machine, &["doctor"]).contains("version 0.61.1"));
    assert!(!machine.home().join("run").exists());
}

#[test]
fn codex_trusts_the_hooks_and_forgets_them() {
    let machine = Machine::asleep("");
    with_codex(&machine);
    let hooks = put(&machine, ".codex/hooks.json", CODEX);
    let config = put(&machine, ".codex/config.toml", CONFIG);
    run(&machine, &["connect", "codex", "--yes"]);
    let trusted = text(&config);
    let key = format!(
        "[hooks.state.\"{}:pre_tool_use:1:0\"]\ntrusted_hash = \"sha256:pre_tool_use\"\n",
        hooks.display()
    );
    assert!(trusted.contains(&key), "after the hook that was there: {trusted}");
    assert!(!trusted.contains("pre_tool_use:0:0"), "hooks of others are not trusted: {trusted}");
    assert!(CONFIG.lines().all(|line| trusted.contains(line)), "{trusted}");
    assert!(run(&machine, &["doctor"]).contains("version 0.169.0"));
    // With other changes since, only the trust is removed.
    fs::write(&config, trusted.replace("# the good one", "# still")).expect("a configuration");
    run(&machine, &["connect", "codex", "--yes", "--undo"]);
    assert_eq!(
        (text(&config), text(&hooks)),
        (CONFIG.replace("# the good one", "# still"), CODEX.to_owned())
    );
}

#[test]
fn without_codex_the_user_is_told_to_trust_the_hooks() {
    let machine = Machine::asleep("");
    let shown = run(&machine, &["connect", "codex", "--yes"]);
    assert!(shown.contains("type /hooks in Codex"), "{shown}");
    let doctor = machine.run(&["doctor"]);
    let doctor = String::from_utf8_lossy(&doctor.stdout);
    assert!(doctor.contains("the hooks are not trusted"), "{doctor}");
}

#[rstest]
#[case::comment_in_strict_json(
    "claude",
    ".claude/settings.json",
    "{\n  // mine\n  \"model\": \"opus\"\n}\n",
    "line 2"
)]
#[case::unknown_member("codex", ".codex/hooks.json", "{ \"hook\": {} }", "unknown member `hook`")]
#[case::broken_configuration("codex", ".codex/config.toml", "model = gpt\n", "line 1")]
#[case::not_json("gemini", ".gemini/settings.json", "{\n  \"ui\": \n", "line")]
#[case::other_plugin("opencode", ".config/opencode/plugin/editd.ts", "export {};\n", "not a plugin of editd")]
fn settings_that_a_program_cannot_read_are_not_changed(
    #[case] program: &str,
    #[case] file: &str,
    #[case] settings: &str,
    #[case] problem: &str,
) {
    let machine = Machine::asleep("");
    with_codex(&machine);
    let file = put(&machine, file, settings);
    let path = format!("{}:/usr/bin:/bin", machine.home().join("bin").display());
    let output =
        machine.command(&["connect", program, "--yes"]).env("PATH", path).output().expect("editd can be run");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains(problem), "{said}");
    assert_eq!(text(&file), settings);
}

#[test]
fn a_link_to_settings_stays_a_link() {
    let machine = Machine::asleep("");
    let file = machine.home().join(".claude/settings.json");
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    symlink("../dotfiles.json", &file).expect("a link");
    run(&machine, &["connect", "claude", "--yes"]);
    assert!(file.is_symlink() && text(&machine.home().join("dotfiles.json")).contains("PreToolUse"));
    run(&machine, &["connect", "claude", "--yes", "--undo"]);
    assert!(file.is_symlink());
}

#[test]
fn a_program_with_an_unusual_path_is_started() {
    let machine = Machine::asleep("");
    let folder = machine.home().join("it's here");
    fs::create_dir(&folder).expect("a folder");
    let program = folder.join("editd");
    fs::copy(env!("CARGO_BIN_EXE_editd"), &program).expect("a copy");
    let status = std::process::Command::new(&program)
        .args(["connect", "gemini", "--yes"])
        .env_clear()
        .envs(machine.surroundings())
        .status()
        .expect("it can be run");
    assert!(status.success());
    let settings: serde_json::Value =
        serde_json::from_str(&text(&machine.home().join(".gemini/settings.json"))).expect("JSON");
    let command = settings["hooks"]["BeforeAgent"][0]["hooks"][0]["command"].as_str().expect("a command");
    let output = assert_cmd::Command::new("sh")
        .args(["-c", command])
        .env_clear()
        .envs(machine.surroundings())
        .env("PATH", "/usr/bin:/bin")
        .write_stdin("{}")
        .output()
        .expect("a shell");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}
