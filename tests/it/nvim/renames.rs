//! Renames by a real language server in Neovim.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Agent, Machine, Nvim, Outcome, Workspace, installed};

const SHOP: &str = "export class Cart {\n  total(): number {\n    return 1;\n  }\n}\n";
/// The type of `cart` is inferred.
const USED: &str = "import { make } from './make';\nconst cart = make();\nconsole.log('é', cart.total());\n";
const MAKE: &str = "import { Cart } from './shop';\nexport const make = () => new Cart();\nexport const other = { total: () => 2 };\nother.total();\n";

fn scene() -> Workspace {
    Workspace::with(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("tsconfig.json", "{ \"compilerOptions\": { \"strict\": true }, \"include\": [\"*.ts\"] }\n"),
        ("shop.ts", SHOP),
        ("used.ts", USED),
        ("make.ts", MAKE),
    ])
}

/// Starts Neovim with these files, and the language server of TypeScript.
fn start(machine: &Machine, workspace: &Workspace, files: &[&str]) -> Nvim {
    let paths: Vec<PathBuf> = files.iter().map(|name| workspace.path(name)).collect();
    let mut nvim = Nvim::open(machine, &paths);
    let arguments = json!({
        "program": installed("typescript-language-server"), "root": workspace.path("."),
    });
    nvim.lua_with(
        "local with = ...
         for _, buf in ipairs(vim.api.nvim_list_bufs()) do
           vim.fn.bufload(buf)
           vim.lsp.start({
             name = 'typescript', cmd = { with.program, '--stdio' }, root_dir = with.root,
             get_language_id = function() return 'typescript' end,
           }, { bufnr = buf })
         end",
        &arguments,
    );
    nvim.until("the language server is there", |nvim| {
        let count = nvim.lua("return #vim.lsp.get_clients({ bufnr = 0, method = 'textDocument/rename' })");
        (count == json!(1)).then_some(())
    });
    // While it loads the project, it knows only the open files.
    let is_loaded = (0..60).any(|_| {
        let count = nvim.lua(
            "local client = vim.lsp.get_clients({ bufnr = 0, name = 'typescript' })[1]
             local answer = client:request_sync('textDocument/rename', {
               textDocument = { uri = vim.uri_from_fname(vim.api.nvim_buf_get_name(0)) },
               position = { line = 1, character = 3 }, newName = 'sumAll',
             }, 5000, 0)
             local result = answer and answer.result or {}
             return vim.tbl_count(result.changes or {}) + #(result.documentChanges or {})",
        );
        std::thread::sleep(Duration::from_millis(200));
        count == json!(2)
    });
    assert!(is_loaded, "{}", nvim.messages());
    nvim.settle();
    nvim
}

fn rename(agent: &mut Agent) -> Value {
    let edit = json!({ "symbol": "Cart.total", "op": "rename", "newText": "sumAll" });
    agent.call("editd/edit", json!({ "path": "shop.ts", "edits": [edit] })).done()
}

#[test]
fn the_language_server_of_neovim_renames_open_and_closed_files() {
    let (machine, workspace) = (Machine::start(), scene());
    let mut nvim = start(&machine, &workspace, &["shop.ts", "used.ts"]);
    // Unsaved text of the user above the use.
    let used = workspace.path("used.ts");
    nvim.lua_with(
        "vim.api.nvim_buf_set_lines(vim.fn.bufadd(...), 0, 0, false, { '// typed' })",
        &json!(used.to_str()),
    );
    nvim.settle();
    let mut agent = machine.agent(&workspace);
    agent.read("shop.ts");
    let done = rename(&mut agent);
    let files = done["files"].as_array().expect("files");
    assert_eq!(files.len(), 2, "{done}");
    assert!(files.iter().all(|file| file["matches"][0]["by"] == "language server"), "{done}");
    assert_eq!(workspace.text("shop.ts"), SHOP.replace("total", "sumAll"));
    assert_eq!(nvim.text_of(&used), format!("// typed\n{}", USED.replace("total", "sumAll")));
    assert_eq!(workspace.text("used.ts"), USED, "unsaved text stays unsaved");
    assert_eq!(workspace.text("make.ts"), MAKE, "another type has this member");
    agent.undo().done();
    assert_eq!(workspace.text("shop.ts"), SHOP);
    assert_eq!(nvim.text_of(&used), format!("// typed\n{USED}"));
}

#[test]
fn closed_files_are_renamed_too() {
    let (machine, workspace) = (Machine::start(), scene());
    let _nvim = start(&machine, &workspace, &["shop.ts"]);
    let mut agent = machine.agent(&workspace);
    agent.read("shop.ts");
    let done = rename(&mut agent);
    assert_eq!(done["files"][0]["matches"][0]["by"], "language server", "{done}");
    assert_eq!(workspace.text("used.ts"), USED.replace("total", "sumAll"));
    assert_eq!(workspace.text("shop.ts"), SHOP.replace("total", "sumAll"));
}

#[test]
fn without_a_language_server_the_syntax_tree_renames() {
    let (machine, workspace) = (Machine::start(), scene());
    let _nvim = Nvim::open(&machine, &[workspace.path("shop.ts")]);
    let mut agent = machine.agent(&workspace);
    agent.read("shop.ts");
    let done = rename(&mut agent);
    assert_eq!(done["files"][0]["matches"][0]["by"], Value::Null, "{done}");
    assert_eq!(workspace.text("used.ts"), USED);
}
