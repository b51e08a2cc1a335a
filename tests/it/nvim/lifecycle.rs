//! Starting, stopping and reconnecting daemons and editors.

use serde_json::json;

use crate::support::{Machine, Nvim, Outcome, Release, Workspace, eventually};

#[test]
fn a_killed_daemon_is_restarted_and_receives_the_unsaved_text() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    nvim.types("A typed<Esc>", "one typed\n");
    machine.crash();
    eventually("another daemon to start", || {
        (machine.daemons().len() == 1 && machine.agent_socket().exists()).then_some(())
    });
    nvim.until_connected();
    let read = machine.agent(&workspace).read("a.txt");
    assert_eq!(read["text"], "one typed\n");
    assert_eq!(nvim.messages(), "", "a short interruption shows no message");
}

#[test]
fn a_file_directly_in_the_home_folder_is_shared_without_a_root() {
    let machine = Machine::start();
    let path = machine.home().join("notes.txt");
    std::fs::write(&path, "one\n").expect("a file");
    let mut nvim = Nvim::open_in(&machine, &machine.home(), std::slice::from_ref(&path));
    assert_eq!(nvim.lua("return #vim.lsp.get_clients({ name = 'editd', bufnr = 0 })"), json!(1));
    nvim.types("A typed<Esc>", "one typed\n");
    assert_eq!((nvim.messages().as_str(), nvim.mode().as_str()), ("", "n"), "Neovim asks for no key");
    let folders = nvim.lua("return require('editd.client').lsp_config().workspace_folders == nil");
    assert_eq!(folders, json!(true), "Neovim 0.12 fails with an empty list");
    // A folder that is opened later becomes a root.
    let workspace = Workspace::file("a.txt", "one\n");
    nvim.lua_with("vim.cmd.write() vim.cmd.edit(...)", &json!(workspace.path("a.txt")));
    nvim.types("A!<Esc>", "one!\n");
    assert_eq!(machine.agent(&workspace).read("a.txt")["text"], "one!\n");
}

#[test]
fn a_stopped_daemon_is_not_restarted_by_the_editor() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    assert!(machine.run(&["stop"]).status.success());
    machine.until_ended();
    nvim.sees("not connected");
    assert_eq!(machine.daemons(), []);
    machine.serve();
    nvim.sees("connected again");
    nvim.types("A!<Esc>", "one!\n");
    assert_eq!(machine.agent(&workspace).read("a.txt")["text"], "one!\n");
}

#[test]
fn a_clean_buffer_is_reloaded_when_an_agent_changes_its_file() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    nvim.lua("vim.o.autoread = false");
    workspace.put("a.txt", "one\ntwo\nthree\n");
    machine.agent(&workspace).read_and_edit("a.txt", "three", "3").done();
    nvim.holds("one\ntwo\n3\n");
    assert_eq!(workspace.text("a.txt"), "one\ntwo\n3\n");
    nvim.keys("u");
    nvim.holds("one\ntwo\nthree\n");
    nvim.keys("u");
    nvim.holds("one\ntwo\n");
}

#[test]
fn the_editor_with_unsaved_text_applies_the_edit() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let path = workspace.path("a.txt");
    let (mut first, mut second) = (
        Nvim::open(&machine, std::slice::from_ref(&path)),
        Nvim::open(&machine, std::slice::from_ref(&path)),
    );
    first.types("A typed<Esc>", "one typed\ntwo\n");
    let mut agent = machine.agent(&workspace);
    agent.read_and_edit("a.txt", "two", "2").done();
    first.holds("one typed\n2\n");
    assert_eq!(second.text(), "one\ntwo\n");
    first.keys(":w<CR>");
    eventually("the file to be saved", || (workspace.text("a.txt") == "one typed\n2\n").then_some(()));
    agent.read_and_edit("a.txt", "2", "3").done();
    first.holds("one typed\n3\n");
    second.holds("one typed\n3\n");
    assert_eq!(workspace.text("a.txt"), "one typed\n3\n");
}

#[test]
fn different_unsaved_text_in_two_editors_is_contested() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let path = workspace.path("a.txt");
    let (mut first, mut second) = (
        Nvim::open(&machine, std::slice::from_ref(&path)),
        Nvim::open(&machine, std::slice::from_ref(&path)),
    );
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    first.types("A first<Esc>", "one first\ntwo\n");
    second.types("A second<Esc>", "one second\ntwo\n");
    agent.edit("a.txt", "two", "2").refused("contested");
    assert_eq!(
        (first.text(), second.text()),
        ("one first\ntwo\n".to_owned(), "one second\ntwo\n".to_owned())
    );
}

#[test]
fn an_older_neovim_names_the_missing_feature_and_does_nothing() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut nvim = Nvim::start(&machine, Release::Old, "", &[workspace.path("a.txt")]);
    nvim.sees("Neovim 0.11");
    assert_eq!(nvim.lua("return #vim.lsp.get_clients()"), json!(0));
    nvim.keys(":Editd review<CR>:echo 'alive'<CR>");
    nvim.sees("alive");
    assert_eq!(nvim.messages().matches("0.11").count(), 1, "the message is shown once");
}

#[test]
fn a_missing_program_is_reported_once() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("b.txt", "two\n")]));
    let files = [workspace.path("a.txt"), workspace.path("b.txt")];
    let mut nvim = Nvim::start(&machine, Release::Current, "cmd = { 'no-such-editd' }", &files);
    nvim.sees("no-such-editd");
    nvim.keys(":next<CR>");
    nvim.sees("two");
    assert_eq!(nvim.messages().matches("no-such-editd").count(), 1, "{}", nvim.messages());
}

#[test]
fn only_file_buffers_are_shared() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    nvim.lua("vim.cmd('new | help | terminal true') vim.cmd('edit other://nowhere/b.txt')");
    nvim.settle();
    assert_eq!(nvim.lua("return vim.tbl_count(require('editd.wire').documents)"), json!(1));
    nvim.lua_with("vim.cmd.new() vim.cmd.write(...)", &json!(workspace.path("c.txt")));
    nvim.settle();
    assert_eq!(nvim.lua("return vim.tbl_count(require('editd.wire').documents)"), json!(2));
}

#[test]
fn diagnostics_reach_agents() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n😀two\n"));
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    nvim.lua(
        "local where = { lnum = 1, col = 4, end_col = 7, message = 'no such two', severity = 1, source = 'lint' }
        vim.diagnostic.set(vim.api.nvim_create_namespace('lint'), 0, { where })",
    );
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let items = eventually("the diagnostic to arrive", || {
        let answer = agent.call("editd/diagnostics", json!({ "path": "a.txt" })).done();
        answer["items"].as_array().filter(|items| !items.is_empty()).cloned()
    });
    assert_eq!((&items[0]["message"], &items[0]["source"]), (&json!("no such two"), &json!("lint")));
}

#[test]
fn the_client_can_be_enabled_with_vim_lsp_enable() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.py", "one\n"));
    let files = [workspace.path("a.py")];
    let mut nvim = Nvim::start(&machine, Release::Current, "autostart = false", &files);
    assert_eq!(nvim.lua("return #vim.lsp.get_clients()"), json!(0));
    nvim.lua("vim.lsp.enable('editd')");
    nvim.until_connected();
    nvim.keys(":split<CR>:edit %<CR>:Editd start<CR>");
    nvim.types("A!<Esc>", "one!\n");
    assert_eq!(machine.agent(&workspace).read("a.py")["text"], "one!\n");
    assert_eq!(nvim.lua("return #vim.lsp.get_clients({ name = 'editd' })"), json!(1));
}

#[test]
fn folders_opened_later_become_roots() {
    let (machine, workspace) =
        (Machine::configured("review = \"auto\"\n"), Workspace::file("a.txt", "one\n"));
    let other = Workspace::file("b.txt", "one\n");
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    nvim.lua_with("vim.cmd.edit(...)", &json!(other.path("b.txt")));
    nvim.settle();
    other.put("c.txt", "one\n");
    let answer = machine.agent(&other).read_and_edit("c.txt", "one", "two").done();
    assert_eq!(answer["state"], "pending", "the user is asked: {answer}");
}

#[test]
fn the_health_check_reports_no_problem() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    nvim.keys(":Editd health<CR>");
    nvim.sees("editd: connection");
    let report = nvim.text();
    assert!(report.contains("the daemon answers"), "{report}");
    assert!(!report.contains("ERROR") && !report.contains("WARNING"), "{report}");
}

#[test]
fn the_log_lists_changes_and_undoes_them() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    machine.agent_named("ada", &workspace).read_and_edit("a.txt", "two", "2").done();
    nvim.holds("one\n2\n");
    nvim.keys(":Editd log<CR>");
    nvim.sees("a.txt +1 -1");
    nvim.keys("u");
    nvim.sees("is undone");
    nvim.sees("undone   a.txt");
    nvim.keys("q");
    nvim.holds("one\ntwo\n");
    eventually("the file to be saved", || (workspace.text("a.txt") == "one\ntwo\n").then_some(()));
}

#[test]
fn a_log_closed_during_a_refresh_stays_closed() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    machine.agent_named("ada", &workspace).read_and_edit("a.txt", "two", "2").done();
    nvim.holds("one\n2\n");
    nvim.keys(":Editd log<CR>");
    nvim.sees("a.txt +1 -1");
    nvim.keys("uq");
    nvim.sees("is undone");
    nvim.holds("one\ntwo\n");
    nvim.settle();
    assert_eq!(nvim.lua("return #vim.api.nvim_list_wins()"), serde_json::json!(1));
}
