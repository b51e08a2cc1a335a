//! What needs a newer Neovim than the pinned one: the default filter of `.config/nextest.toml` leaves these tests to
//! `scripts/newest`.

use rstest::rstest;
use serde_json::json;

use crate::support::{Nvim, Release, eventually};

use super::install::{assert_works, clone, scene};

#[rstest]
#[case::by_the_global("vim.g.editd = vim.tbl_extend('force', vim.g.editd, { keymaps = true })")]
#[case::by_a_call("require('editd').setup({ keymaps = true })")]
fn the_builtin_plugin_manager_installs_the_repository(#[case] options: &str) {
    let (machine, workspace) = scene();
    let mut nvim = Nvim::installed(&machine, Release::Current, &[workspace.path("a.txt")], |home| {
        let repository = home.join("origin/editd");
        clone(&repository);
        let url = format!("file://{}", repository.display());
        format!("vim.pack.add({{ '{url}' }}, {{ confirm = false }})\n{options}\nvim.g.is_there = true\n")
    });
    // Neovim answers requests while it clones.
    eventually("the plugin to be cloned", || {
        (nvim.lua("return vim.g.is_there") == json!(true)).then_some(())
    });
    nvim.until_connected();
    assert_eq!(nvim.lua("return require('editd.config').get().keymaps.accept"), json!("<Leader>ga"));
    nvim.lua("vim.cmd.messages('clear')");
    assert_works(&mut nvim, &machine, &workspace);
    let state = nvim
        .lua("return vim.system({ 'git', '-C', vim.pack.get()[1].path, 'status', '--short' }):wait().stdout");
    assert_eq!(state, json!(""), "the clone is unmodified");
}
