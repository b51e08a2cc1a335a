//! Instructions, descriptions and schemas of the tools.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{Machine, Mcp, Workspace};

fn tools(arguments: &[&str]) -> (String, Vec<Value>) {
    let (machine, workspace) = (Machine::asleep(""), Workspace::empty());
    let mut mcp = Mcp::with(&machine, workspace.root(), arguments);
    let guide = mcp.introduce("2025-06-18", json!({}))["instructions"].as_str().expect("words").to_owned();
    (guide, mcp.tools())
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect()
}

/// Collects every parameter with its description, at any depth.
fn parameters(schema: &Value, found: &mut Vec<(String, Option<String>)>) {
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        found.push((name.clone(), inner["description"].as_str().map(str::to_owned)));
        parameters(inner, found);
        parameters(&inner["items"], found);
    }
}

#[test]
fn the_instructions_are_short() {
    let (guide, _) = tools(&[]);
    assert!(guide.len() <= 1024, "{} bytes", guide.len());
}

#[test]
fn every_parameter_has_a_description_and_every_schema_is_simple() {
    let (_, tools) = tools(&[]);
    for tool in &tools {
        let mut found = Vec::new();
        parameters(&tool["inputSchema"], &mut found);
        for (name, text) in found {
            let obvious = ["op"].contains(&name.as_str());
            let text = text.unwrap_or_default();
            assert!(obvious || text.ends_with('.'), "{} {name}: {text:?}", tool["name"]);
        }
        assert!(tool.get("outputSchema").is_none(), "it would require data in answers that are text: {tool}");
        let text = tool["inputSchema"].to_string();
        assert_eq!(tool["inputSchema"]["type"], "object");
        for costly in ["$ref", "$defs", "\"title\"", "\"format\"", "null", "\\\\"] {
            assert!(!text.contains(costly), "{costly} in {text}");
        }
    }
}

#[test]
fn descriptions_name_only_served_tools() {
    let (_, all) = tools(&[]);
    let known: BTreeSet<_> = names(&all).into_iter().map(str::to_owned).collect();
    for chosen in ["", "read,edit", "write", "list", "search,changes"] {
        let arguments: &[&str] = if chosen.is_empty() { &[] } else { &["--tools", chosen] };
        let (guide, tools) = tools(arguments);
        let served = names(&tools);
        let texts = tools.iter().map(|tool| tool["description"].as_str().expect("a description").to_owned());
        for text in texts.chain([guide]) {
            assert!(text.starts_with(char::is_uppercase) || text.starts_with("editd"), "{text}");
            let quoted = text.split('`').skip(1).step_by(2).filter(|word| known.contains(*word));
            let missing: Vec<_> = quoted.filter(|word| !served.contains(word)).collect();
            assert!(missing.is_empty(), "{missing:?} in {text}");
        }
    }
}

#[test]
fn annotations_describe_the_effect_of_a_tool() {
    let (_, tools) = tools(&[]);
    let changing = ["edit", "write", "apply_patch", "notebook_edit", "undo"];
    for tool in &tools {
        let changes = changing.contains(&tool["name"].as_str().expect("a name"));
        let hints = &tool["annotations"];
        assert_eq!(
            (&hints["readOnlyHint"], &hints["openWorldHint"]),
            (&json!(!changes), &json!(false)),
            "{tool}"
        );
        assert_eq!(hints["destructiveHint"] == true, changes, "{tool}");
        assert!(tool["title"].is_string());
    }
}

#[test]
fn basic_tools_are_always_loaded() {
    let (_, tools) = tools(&[]);
    let shown = tools.iter().filter(|tool| tool["_meta"]["anthropic/alwaysLoad"] == true);
    assert_eq!(shown.map(|tool| &tool["name"]).collect::<Vec<_>>(), ["read", "edit", "write"]);
}

#[test]
fn tools_are_selected_by_name_and_effect() {
    let (guide, only_reading) = tools(&["--read-only"]);
    assert_eq!(
        names(&only_reading),
        ["read", "outline", "search", "find", "list", "changes", "diagnostics", "proposal_status"]
    );
    assert!(guide.contains("only reads") && !guide.contains("refusal"), "{guide}");
    let (guide, chosen) = tools(&["--tools", "write,read"]);
    assert_eq!(names(&chosen), ["read", "write"]);
    assert!(guide.contains("Read a file before") && !guide.contains("proposal_status"), "{guide}");
    let machine = Machine::asleep("");
    for (arguments, said) in [
        (["mcp", "--tools", "reed"], "proposal_status"),
        (["mcp", "--read-only", "--tools=edit"], "none of the tools"),
    ] {
        let output = machine.run(&arguments);
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), words.contains(said)), (Some(2), true), "{words}");
    }
}

#[test]
fn the_daemon_accepts_every_declared_parameter() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut mcp = Mcp::start(&machine, &workspace);
    for tool in mcp.tools() {
        let name = tool["name"].as_str().expect("a name");
        for (property, schema) in tool["inputSchema"]["properties"].as_object().expect("properties") {
            let mut arguments = json!({});
            arguments[property] = sample(schema);
            let called = mcp.call(name, arguments);
            assert!(
                !called.text.contains("unknown field") && !called.text.contains("no method"),
                "{name} {property}: {}",
                called.text
            );
        }
    }
}

/// Returns a value that matches a schema.
fn sample(schema: &Value) -> Value {
    match schema["type"].as_str() {
        Some("object") => {
            let of = |(name, schema): (&String, &Value)| (name.clone(), sample(schema));
            schema["properties"]
                .as_object()
                .into_iter()
                .flatten()
                .map(of)
                .collect::<serde_json::Map<_, _>>()
                .into()
        }
        Some("array") => json!([sample(&schema["items"])]),
        Some("integer") => json!(1),
        Some("boolean") => json!(true),
        _ => schema["enum"].get(0).cloned().unwrap_or(json!("a.txt")),
    }
}

#[test]
fn the_daemon_announces_the_tools() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = crate::support::Agent::connect(&machine, crate::support::Framing::Lines);
    let said = agent.initialize(workspace.session("alice")).expect("a session");
    let (_, tools) = tools(&[]);
    assert_eq!(said["capabilities"]["experimental"]["editd"]["tools"], json!(names(&tools)));
}
