//! Installing the plugin with plugin managers, from the repository as it is.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rstest::rstest;
use serde_json::json;

use crate::support::{Machine, Nvim, Release, Workspace, run, text_of};

const REPOSITORY: &str = env!("CARGO_MANIFEST_DIR");

/// Folders of the repository that Neovim uses.
const FOLDERS: [&str; 3] = ["plugin", "lua", "editors/nvim"];

/// Creates a repository with the files that Neovim uses, in one commit.
pub(super) fn clone(folder: &Path) {
    for each in FOLDERS {
        let parent = folder.join(each).parent().expect("a parent").to_owned();
        fs::create_dir_all(&parent).expect("a folder");
        run("cp", &["-r", &format!("{REPOSITORY}/{each}"), text_of(&parent)]);
    }
    fs::copy(format!("{REPOSITORY}/.gitignore"), folder.join(".gitignore")).expect("a copy of .gitignore");
    let git = |arguments: &[&str]| {
        let own = ["-C", text_of(folder), "-c", "user.name=ada", "-c", "user.email=ada@example.org"];
        run("git", &[&own, arguments].concat())
    };
    git(&["init", "--quiet", "--initial-branch=main"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message=A plugin"]);
}

/// Folder of the packages that Neovim loads at every start.
fn packages(home: &Path) -> PathBuf {
    home.join("DATA/nvim/site/pack/any/start")
}

#[track_caller]
pub(super) fn assert_works(nvim: &mut Nvim, machine: &Machine, workspace: &Workspace) {
    nvim.until_connected();
    nvim.types("A typed<Esc>", "one typed\n");
    assert_eq!(machine.agent(workspace).read("a.txt")["text"], "one typed\n");
    nvim.keys(":help editd<CR>");
    nvim.sees("editd is a daemon");
    nvim.keys(":q<CR>:Editd health<CR>");
    nvim.sees("editd: connection");
    let report = nvim.text();
    assert!(!report.contains("ERROR") && !report.contains("WARNING"), "{report}");
    assert_eq!(nvim.lua("return #vim.lsp.get_clients({ name = 'editd' })"), json!(1));
    let clients = nvim
        .lua("return vim.tbl_count(vim.api.nvim_get_autocmds({ group = 'editd', event = 'BufReadPost' }))");
    assert_eq!(clients, json!(1), "the plugin is loaded once");
    // Neovim 0.11 keeps its own message about the health check.
    assert_eq!(nvim.messages().replace("Running healthchecks...\n", ""), "");
}

pub(super) fn scene() -> (Machine, Workspace) {
    (Machine::start(), Workspace::file("a.txt", "one\n"))
}

#[rstest]
#[case::as_it_is("")]
#[case::set_up("require('editd').setup({ keymaps = true })")]
fn a_clone_in_the_package_folder_is_loaded(#[case] init: &str) {
    let (machine, workspace) = scene();
    let mut nvim = Nvim::installed(&machine, Release::Current, &[workspace.path("a.txt")], |home| {
        clone(&packages(home).join("editd with spaces"));
        init.to_owned()
    });
    assert_works(&mut nvim, &machine, &workspace);
}

#[test]
fn a_symlink_to_a_clone_is_loaded() {
    let (machine, workspace) = scene();
    let mut nvim = Nvim::installed(&machine, Release::Current, &[workspace.path("a.txt")], |home| {
        clone(&home.join("src/editd"));
        fs::create_dir_all(packages(home)).expect("a folder");
        symlink(home.join("src/editd"), packages(home).join("editd")).expect("a link");
        String::new()
    });
    assert_works(&mut nvim, &machine, &workspace);
}

#[test]
fn a_plugin_added_later_attaches_open_files() {
    let (machine, workspace) = scene();
    let mut nvim = Nvim::installed(&machine, Release::Current, &[workspace.path("a.txt")], |home| {
        clone(&packages(home).join("../opt/editd"));
        String::new()
    });
    nvim.sees("one");
    nvim.lua("vim.cmd.packadd('editd') require('editd').setup({ keymaps = true })");
    assert_works(&mut nvim, &machine, &workspace);
}

#[test]
fn a_plugin_installed_twice_is_loaded_once() {
    let (machine, workspace) = scene();
    let mut nvim = Nvim::installed(&machine, Release::Current, &[workspace.path("a.txt")], |home| {
        let clones = packages(home).join("editd");
        clone(&clones);
        format!("vim.opt.runtimepath:prepend('{}/editors/nvim')\n", clones.display())
    });
    assert_works(&mut nvim, &machine, &workspace);
}

#[test]
fn a_read_only_clone_is_loaded_without_messages() {
    let (machine, workspace) = scene();
    let mut nvim = Nvim::installed(&machine, Release::Current, &[workspace.path("a.txt")], |home| {
        let folder = packages(home).join("editd");
        clone(&folder);
        // Root can write everywhere, but cannot overwrite a folder.
        fs::create_dir(folder.join("editors/nvim/doc/tags")).expect("a folder in the way");
        run("touch", &["-d", "2001-01-01", text_of(&folder.join("editors/nvim/doc/tags"))]);
        String::new()
    });
    nvim.until_connected();
    assert_eq!(nvim.messages(), "");
}

#[test]
fn an_older_neovim_names_the_missing_feature() {
    let (machine, workspace) = scene();
    let mut nvim = Nvim::installed(&machine, Release::Old, &[workspace.path("a.txt")], |home| {
        clone(&packages(home).join("editd"));
        String::new()
    });
    nvim.sees("Neovim 0.11");
    assert_eq!(nvim.lua("return #vim.lsp.get_clients()"), json!(0));
}
