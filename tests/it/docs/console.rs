//! Parsing of console blocks.

use super::shell::QUESTIONS;

/// A command and its output.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) command: String,
    pub(super) shown: String,
}

impl Step {
    /// Returns the answers that follow the questions in the output.
    pub(super) fn answers(&self) -> Vec<String> {
        let answer = |line: &str| {
            let ends = QUESTIONS.iter().filter_map(|question| Some(line.rfind(question)? + question.len()));
            Some(line[ends.max()?..].to_owned())
        };
        self.shown.lines().filter_map(answer).collect()
    }
}

/// Parses the steps of a block.
pub(super) fn steps(block: &str) -> Result<Vec<Step>, String> {
    let mut steps: Vec<Step> = Vec::new();
    for line in block.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step { command: format!("{command}\n"), shown: String::new() });
            continue;
        }
        let Some(step) = steps.last_mut() else { return Err(format!("no command before: {line}")) };
        let more = line.strip_prefix("> ").or((line == ">").then_some(""));
        match more.filter(|_| step.shown.is_empty()) {
            Some(more) => step.command.extend([more, "\n"]),
            None => step.shown.extend([line.trim_end(), "\n"]),
        }
    }
    Ok(steps)
}

#[test]
fn commands_can_span_lines_and_answers_follow_their_questions() {
    let steps =
        steps("$ cat <<END\n> one\n> END\none\n> two\n$ ask\nThis? [y/N] perhaps\nThis? [y/N] n\n").unwrap();
    assert_eq!(steps[0].command, "cat <<END\none\nEND\n");
    assert_eq!(steps[0].shown, "one\n> two\n");
    assert_eq!((steps.len(), steps[1].answers()), (2, vec!["perhaps".to_owned(), "n".to_owned()]));
}
