use rstest::rstest;

use super::*;

const WITH_OTHERS: &str = r#"{
  "permissions": { "allow": ["Bash(cargo test:*)"] },
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [{ "type": "command", "command": "guard.sh" }]
      }
    ]
  },
  "mcpServers": {
    "other": { "command": "other" }
  }
}
"#;

#[rstest]
#[case::missing("")]
#[case::indented_by_two("{\n  \"model\": \"opus\"\n}\n")]
#[case::indented_by_tab("{\n\t\"model\": \"opus\"\n}")]
#[case::other_hooks(WITH_OTHERS)]
fn settings_are_the_same_after_connecting_and_disconnecting(#[case] settings: &str) {
    let connected = connect(AgentProgram::Claude, settings, "editd").unwrap();
    assert!(
        is_connected(AgentProgram::Claude, &connected).unwrap()
            && !is_connected(AgentProgram::Claude, settings).unwrap()
    );
    assert_eq!(
        connect(AgentProgram::Claude, &connected, "editd").unwrap(),
        connected,
        "connecting twice is once"
    );
    assert_eq!(disconnect(AgentProgram::Claude, &connected).unwrap(), settings, "{connected}");
    let to_server = connect_to_server(settings).unwrap();
    assert!(uses_server(&to_server) && !uses_server(&connected));
    assert_eq!(connect_to_server(&connected).unwrap(), to_server, "one form replaces the other");
    assert_eq!(connect(AgentProgram::Claude, &to_server, "editd").unwrap(), connected);
    assert_eq!(disconnect(AgentProgram::Claude, &to_server).unwrap(), settings, "{to_server}");
}

#[test]
fn other_settings_stay_and_the_entries_follow_them() {
    let connected = connect(AgentProgram::Claude, WITH_OTHERS, "/opt/editd").unwrap();
    let value: Value = serde_json::from_str(&connected).unwrap();
    assert_eq!(value["hooks"]["PreToolUse"][0]["hooks"][0]["command"], "guard.sh");
    assert_eq!(value["hooks"]["PreToolUse"][1]["hooks"][0]["command"], "/opt/editd");
    assert_eq!(value["permissions"]["allow"][0], "Bash(cargo test:*)");
}

#[rstest]
#[case("{\n  \"hooks\": {\n    \"PreToolUse\": [\n  }\n}", 4)]
#[case("[]", 1)]
#[case("{\n  \"model\": \"opus\" // the best\n}\n", 2)]
#[case("{ \"hooks\": 7 }", 1)]
fn settings_that_cannot_be_read_are_refused_with_the_line(#[case] settings: &str, #[case] line: usize) {
    assert_eq!(connect(AgentProgram::Claude, settings, "editd").unwrap_err().line, line);
}

#[test]
fn the_entries_of_an_older_version_are_replaced() {
    let connected = connect(AgentProgram::Claude, WITH_OTHERS, "editd").unwrap();
    let value: Value = serde_json::from_str(&connected).unwrap();
    let matcher = value["hooks"]["PreToolUse"][1]["matcher"].as_str().unwrap();
    let older = connected.replace(matcher, "Edit|Write");
    assert_ne!(older, connected);
    assert_eq!(connect(AgentProgram::Claude, &older, "editd").unwrap(), connected);
}

#[test]
fn entries_with_other_hooks_stay() {
    let ours = r#"{ "type": "command", "command": "editd", "args": ["hook", "claude"] }"#;
    let other = r#"{ "type": "command", "command": "guard.sh" }"#;
    let settings = format!(r#"{{ "hooks": {{ "PreToolUse": [{{ "hooks": [{other}, {ours}] }}] }} }}"#);
    assert_eq!(disconnect(AgentProgram::Claude, &settings).unwrap(), settings);
}
