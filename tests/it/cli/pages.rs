//! `editd man` and `editd completions`.

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
fn there_is_a_page_for_each_command_and_all_have_the_same_sections() {
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
    assert!(machine.run(&["man"]).stdout == page, "it is the page that is printed");
}

/// Without a fault that a formatter would find.
fn assert_clean(page: &Path) {
    // Debian has it wherever there are manual pages; elsewhere the sections have to do.
    if is_installed("groff") {
        let output =
            Command::new("groff").args(["-man", "-Tutf8", "-ww", "-z"]).arg(page).output().expect("groff");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{}: {said}", page.display());
    }
}

#[test]
fn a_folder_for_pages_that_cannot_be_made_is_named() {
    let machine = Machine::asleep("");
    fs::write(machine.home().join("file"), "").expect("a file");
    let output = machine.run(&["man", "file/man1"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.starts_with("editd: `file/man1`: "), "{said}");
}

/// What a shell says to a script that loads the completions and asks for those of `editd do`.
fn completed(shell: &str, script: &str) -> Option<String> {
    if !is_installed(shell) {
        assert!(shell != "bash", "every system that is served has bash");
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
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{shell}: {said}");
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
fn fish_and_zsh_take_theirs() {
    if let Some(shown) = completed("fish", "source $argv[2]; complete -C 'editd do'") {
        assert!(shown.contains("doctor"), "{shown}");
    }
    completed("zsh", "autoload -U compinit; compinit -u; source $1; (( $+functions[_editd] ))");
}

#[rstest]
#[case("bash", "~/.bashrc")]
#[case("zsh", "~/.zshrc")]
#[case("fish", "~/.config/fish/completions/editd.fish")]
fn the_help_of_completions_says_how_to_install_them(#[case] shell: &str, #[case] file: &str) {
    let help = printed(&Machine::asleep("").run(&["completions", "--help"]));
    assert!(help.lines().any(|line| line.contains(shell) && line.contains(file)), "{help}");
}
