//! Valid options are used, invalid ones are reported.

use serde_json::json;

use crate::support::{Machine, Nvim, Workspace};

fn scene(options: &str) -> (Machine, Workspace, Nvim) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let nvim = Nvim::with_options(&machine, options, &[workspace.path("a.txt")]);
    (machine, workspace, nvim)
}

#[test]
fn invalid_options_are_reported_and_ignored() {
    let (_machine, _workspace, mut nvim) = scene(
        "signs = { pending = '>>>', accepted = 'ok' }, keymaps = { agree = 'gh', accept = 'gy' }, notify = 'yes'",
    );
    nvim.lua("vim.cmd.messages('clear') require('editd').setup({ keymap = true })");
    assert!(nvim.messages().contains("Unknown option `keymap`."), "{}", nvim.messages());
    let signs = nvim.lua("return require('editd.config').get().signs");
    assert_eq!((&signs["pending"], &signs["accepted"]), (&json!("┃"), &json!("ok")));
    nvim.keys(":Editd health<CR>");
    nvim.sees("editd: options");
    let report = nvim.text();
    for problem in [
        "The sign `pending` must be a string of one or two cells.",
        "Unknown action `agree` in `keymaps`.",
        "The option `notify` must be a boolean, not a string.",
        "Unknown option `keymap`.",
    ] {
        assert!(report.contains(problem), "{problem}: {report}");
    }
    assert!(report.contains("gy accept"), "active keys are listed: {report}");
}

#[test]
fn the_default_keys_conflict_with_no_other_map() {
    let (_machine, _workspace, mut nvim) = scene("keymaps = true");
    let conflicting_key = "
        local own = {}
        for _, map in ipairs(vim.api.nvim_get_keymap('n')) do
          if map.rhs and map.rhs:match('^<Plug>%(editd') then own[#own + 1] = map.lhs end
        end
        for _, lhs in ipairs(own) do
          for _, map in ipairs(vim.api.nvim_get_keymap('n')) do
            if map.lhs ~= lhs and (vim.startswith(map.lhs, lhs) or vim.startswith(lhs, map.lhs)) then
              return lhs .. ' ' .. map.lhs
            end
          end
        end
        return #own";
    assert_eq!(nvim.lua(conflicting_key), json!(8));
}

#[test]
fn a_key_mapped_by_the_user_is_left_alone() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let options = "keymaps = true } vim.g.mapleader = ' ' vim.keymap.set('n', '<Leader>ga', 'mine') _ = {";
    let mut nvim = Nvim::with_options(&machine, options, &[workspace.path("a.txt")]);
    assert_eq!(nvim.lua("return vim.fn.maparg(' ga', 'n')"), json!("mine"));
    let reached = "local keys = require('editd.review.keys')
        return { keys.reach(0, 'accept'), keys.reach(0, 'reject') }";
    assert_eq!(nvim.lua(reached), json!([":Editd accept", "<Space>gr"]));
}
