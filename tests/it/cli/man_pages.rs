//! Tests of `editd man` and `editd completions`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use rstest::rstest;

use crate::support::Machine;

fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn is_installed(program: &str) -> bool {
    Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .output()
        .is_ok_and(|it| it.status.success())
}

#[test]
fn each_command_has_a_page_with_the_same_sections() {
    let machine = Machine::asleep("");
    let folder = machine.home().join("share/man/man1");
    printed(&machine.run(&["man", folder.to_str().expect("a path")]));
    let names: Vec<_> = fs::read_dir(&folder).expect("pages").map(|it| it.expect("a page").path()).collect();
    assert!(names.len() > 20 && folder.join("editd-edit.1").exists(), "{names:?}");
    assert!(!folder.join("editd-help.1").exists());
    for path in names {
        let page = fs::read_to_string(&path).expect("a page");
        let sections =
            ["NAME", "SYNOPSIS", "DESCRIPTION", "\"EXIT STATUS\"", "ENVIRONMENT", "FILES", "\"SEE ALSO\""];
        let mut rest = page.as_str();
        for section in sections {
            let heading = format!("\n.SH {section}\n");
            let at = rest.find(&heading).unwrap_or_else(|| panic!("{}: no {section}", path.display()));
            rest = &rest[at + 1..];
        }
        assert_clean(&path);
    }
    let page = fs::read(folder.join("editd.1")).expect("a page");
    assert!(machine.run(&["man"]).stdout == page, "`editd man` prints the same page");
}

/// Asserts that groff reports no warnings.
fn assert_clean(page: &Path) {
    // Debian installs groff with manual pages. Elsewhere only the sections are checked.
    if is_installed("groff") {
        let output =
            Command::new("groff").args(["-man", "-Tutf8", "-ww", "-z"]).arg(page).output().expect("groff");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && stderr.is_empty(), "{}: {stderr}", page.display());
    }
}

#[test]
fn a_folder_that_cannot_be_created_is_reported() {
    let machine = Machine::asleep("");
    fs::write(machine.home().join("file"), "").expect("a file");
    let output = machine.run(&["man", "file/man1"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && stderr.starts_with("editd: `file/man1`: "), "{stderr}");
}

/// Runs a script that loads the completions in a shell. Returns its output, or `None` if the shell is not
/// installed.
fn completed(shell: &str, script: &str) -> Option<String> {
    if !is_installed(shell) {
        assert!(shell != "bash", "every supported system has bash");
        return None;
    }
    let machine = Machine::asleep("");
    let file = machine.home().join("completions");
    fs::write(&file, machine.run(&["completions", shell]).stdout).expect("a file");
    let output = Command::new(shell)
        .args(["-c", script, "shell"])
        .arg(&file)
        .env("HOME", machine.home())
        .output()
        .expect("the shell can be run");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.is_empty(), "{shell}: {stderr}");
    Some(String::from_utf8(output.stdout).expect("text"))
}

#[rstest]
#[case::commands("editd do", "doctor")]
#[case::options("editd edit --ex", "--expect")]
#[case::values("editd --output j", "json")]
fn bash_completes(#[case] typed: &str, #[case] completed_to: &str) {
    let script = format!(
        "set -e; bash -n \"$1\"; source \"$1\"; COMP_LINE='{typed}'; COMP_WORDS=({typed}); \
         COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMP_POINT=${{#COMP_LINE}}; \
         _editd editd \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; echo \"${{COMPREPLY[@]}}\""
    );
    assert_eq!(completed("bash", &script).expect("bash").trim(), completed_to);
}

#[test]
fn fish_and_zsh_load_their_completions() {
    if let Some(shown) = completed("fish", "source $argv[2]; complete -C 'editd do'") {
        assert!(shown.contains("doctor"), "{shown}");
    }
    completed("zsh", "autoload -U compinit; compinit -u; source $1; (( $+functions[_editd] ))");
}

#[rstest]
#[case("bash", "~/.bashrc")]
#[case("zsh", "~/.zshrc")]
#[case("fish", "~/.config/fish/completions/editd.fish")]
fn the_help_shows_how_to_install_completions(#[case] shell: &str, #[case] file: &str) {
    let help = printed(&Machine::asleep("").run(&["completions", "--help"]));
    assert!(help.lines().any(|line| line.contains(shell) && line.contains(file)), "{help}");
}
