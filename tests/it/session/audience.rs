//! Messages and hints in the words of the audience that a client announces.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Framing, Machine, Outcome, Workspace};

#[rstest]
#[case::wire(Value::Null, "Call `editd/read` on it first", "has not been read in this session")]
#[case::tools(json!("tools"), "Call `read` on it first", "has not been read in this session")]
#[case::command_line(json!("commandLine"), "pass --yes, or --base", "without a review of the change")]
fn a_refusal_is_worded_for_the_announced_audience(
    #[case] audience: Value,
    #[case] hint: &str,
    #[case] message: &str,
) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut session = workspace.session("alice");
    session["initializationOptions"] = json!({ "editd": { "audience": audience } });
    let mut agent = machine.agent_with(session);
    let refused = agent.edit("a.txt", "one", "two").refused("unread");
    assert!(refused["hint"].as_str().is_some_and(|said| said.contains(hint)), "{refused:#}");
    let said = refused["refusals"][0]["message"].as_str();
    assert!(said.is_some_and(|said| said.contains(message)), "{refused:#}");
}

#[test]
fn an_unknown_audience_is_refused() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut session = workspace.session("alice");
    session["initializationOptions"] = json!({ "editd": { "audience": "cats" } });
    let mut agent = Agent::connect(&machine, Framing::Lines);
    agent.initialize(session).invalid("initializationOptions.editd.audience");
}
