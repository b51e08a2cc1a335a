//! The imports of a file.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::Language;

/// An import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Import {
    /// The module, as it is written: `./shop`, `..shop`, `crate::shop`, `net/shop`, `org.shop`.
    pub(super) module: String,
    pub(super) what: Imported,
    /// The name in this file; empty if there is none.
    pub(super) local: String,
    /// Other files can import the name from this one.
    pub(super) exports: bool,
    /// It is in no function or module of the file.
    pub(super) is_outermost: bool,
    /// Bytes of the imported name.
    pub(super) range: Range<usize>,
}

/// The part of a module that is imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Imported {
    /// A name.
    Name(String),
    /// The module itself.
    Module,
    /// All names.
    All,
}

impl Import {
    /// Returns `true` if a name of the module is imported, under this or another name.
    pub(super) fn imports(&self, name: &str) -> bool {
        matches!(&self.what, Imported::Name(own) if own == name)
    }

    /// Returns `true` if a name of the file stands for a module: a name that is imported from one can be another one.
    pub(super) fn stands_for_module(&self, name: &str) -> bool {
        self.local == name && self.what != Imported::All
    }

    /// Returns the module for which the local name stands.
    pub(super) fn as_module(&self, language: Language) -> String {
        match &self.what {
            Imported::Name(name) => match language {
                Language::Rust => format!("{}::{name}", self.module),
                Language::Python if self.module.ends_with('.') => format!("{}{name}", self.module),
                Language::Python => format!("{}.{name}", self.module),
                // A name of a module is no module there.
                _ => String::new(),
            },
            Imported::Module | Imported::All => self.module.clone(),
        }
    }
}

/// Returns the imports of a text.
pub(super) fn imports(tree: &Tree, text: &str, language: Language) -> Vec<Import> {
    let read: fn(Node<'_>, &str, &mut Vec<Import>) = match language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => script,
        Language::Python => python,
        Language::Rust => rust,
        Language::Go => go,
        Language::Java => java,
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    loop {
        read(cursor.node(), text, &mut found);
        // Imports are statements, so no expression is searched for them.
        let holds_statements =
            cursor.node().child_count() > 0 && !cursor.node().kind().ends_with("expression");
        if holds_statements && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                if language == Language::Rust {
                    follow_modules(&mut found);
                }
                return found;
            }
        }
    }
}

/// Replaces the first names of paths of Rust that the file itself declares or imports as modules.
fn follow_modules(imports: &mut [Import]) {
    let is_module = |import: &&Import| import.what == Imported::Module && import.is_outermost;
    let modules: Vec<(String, String)> = imports
        .iter()
        .filter(is_module)
        .map(|import| (import.local.clone(), import.module.clone()))
        .collect();
    for import in imports.iter_mut() {
        let (first, rest) = import.module.split_once("::").unwrap_or((&import.module, ""));
        let Some((_, module)) = modules.iter().find(|(local, _)| local == first) else { continue };
        let rest = if rest.is_empty() { String::new() } else { format!("::{rest}") };
        import.module = format!("{module}{rest}");
    }
}

fn content<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    &text[node.byte_range()]
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

fn unquoted<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    content(node, text).trim_matches(['"', '\'', '`'])
}

/// Returns the names of the nodes around with a kind, outermost first.
fn names_around(node: Node<'_>, text: &str, kind: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut at = node.parent();
    while let Some(around) = at {
        if around.kind() == kind
            && let Some(name) = around.child_by_field_name("name")
        {
            names.insert(0, content(name, text).to_owned());
        }
        at = around.parent();
    }
    names
}

fn is_inside(node: Node<'_>, kinds: &[&str]) -> bool {
    let mut at = node.parent();
    while let Some(around) = at {
        if kinds.contains(&around.kind()) {
            return true;
        }
        at = around.parent();
    }
    false
}

fn script(node: Node<'_>, text: &str, found: &mut Vec<Import>) {
    let Some(source) = node.child_by_field_name("source") else { return };
    let module = unquoted(source, text).to_owned();
    let exports = node.kind() == "export_statement";
    if !exports && node.kind() != "import_statement" {
        return;
    }
    let import = |what: Imported, local: &str, exports: bool, range: Range<usize>| Import {
        module: module.clone(),
        what,
        local: local.to_owned(),
        exports,
        is_outermost: true,
        range,
    };
    let mut waiting = children(node);
    while let Some(part) = waiting.pop() {
        match part.kind() {
            "import_clause" | "named_imports" | "export_clause" => waiting.extend(children(part)),
            "namespace_import" => {
                let local = part.named_child(0).map_or("", |local| content(local, text));
                found.push(import(Imported::Module, local, false, part.byte_range()));
            }
            "import_specifier" | "export_specifier" => {
                let Some(name) = part.child_by_field_name("name") else { continue };
                let alias = part.child_by_field_name("alias");
                let local = if exports { "" } else { content(alias.unwrap_or(name), text) };
                let what = Imported::Name(content(name, text).to_owned());
                found.push(import(what, local, exports && alias.is_none(), name.byte_range()));
            }
            _ => {}
        }
    }
}

fn python(node: Node<'_>, text: &str, found: &mut Vec<Import>) {
    let (name_of, is_from) = match node.kind() {
        "import_from_statement" => (node.child_by_field_name("module_name"), true),
        "import_statement" => (None, false),
        _ => return,
    };
    let is_outermost = !is_inside(node, &["function_definition", "class_definition", "lambda"]);
    let from = name_of.map_or("", |name| content(name, text)).replace(char::is_whitespace, "");
    for part in children(node).into_iter().filter(|part| Some(*part) != name_of) {
        let (name, alias) = match part.kind() {
            "aliased_import" => {
                let (name, alias) = (part.child_by_field_name("name"), part.child_by_field_name("alias"));
                let Some(name) = name else { continue };
                (name, alias)
            }
            "dotted_name" => (part, None),
            "wildcard_import" => {
                let (what, range) = (Imported::All, part.byte_range());
                let (module, local) = (from.clone(), String::new());
                found.push(Import { module, what, local, exports: false, is_outermost, range });
                continue;
            }
            _ => continue,
        };
        let written = content(name, text).replace(char::is_whitespace, "");
        let local = content(alias.unwrap_or(name), text).to_owned();
        let (module, what) =
            if is_from { (from.clone(), Imported::Name(written)) } else { (written, Imported::Module) };
        // `import pkg.shop` declares `pkg` only.
        let local = if local.contains('.') { String::new() } else { local };
        let exports = is_from && alias.is_none() && is_outermost;
        found.push(Import { module, what, local, exports, is_outermost, range: name.byte_range() });
    }
}

fn rust(node: Node<'_>, text: &str, found: &mut Vec<Import>) {
    let is_outermost =
        !is_inside(node, &["mod_item", "function_item", "block", "closure_expression", "macro_invocation"]);
    if node.kind() == "mod_item" && node.child_by_field_name("body").is_none() {
        let Some(name) = node.child_by_field_name("name") else { return };
        let path = [vec!["self".to_owned()], names_around(node, text, "mod_item")].concat();
        let local = content(name, text).to_owned();
        let module = format!("{}::{local}", path.join("::"));
        let (what, range) = (Imported::Module, name.byte_range());
        found.push(Import { module, what, local, exports: false, is_outermost, range });
    }
    let Some(argument) = node.child_by_field_name("argument").filter(|_| node.kind() == "use_declaration")
    else {
        return;
    };
    let inner = names_around(node, text, "mod_item");
    let exports = children(node).iter().any(|part| part.kind() == "visibility_modifier") && is_outermost;
    let words = |node: Node<'_>| -> Vec<String> {
        let parts = content(node, text).split("::").map(|part| part.trim().to_owned());
        parts.filter(|part| !part.is_empty()).collect()
    };
    let mut waiting: Vec<(Node<'_>, Vec<String>)> = vec![(argument, Vec::new())];
    while let Some((part, prefix)) = waiting.pop() {
        let (name, alias) = match part.kind() {
            "use_list" => {
                waiting.extend(children(part).into_iter().map(|part| (part, prefix.clone())));
                continue;
            }
            "scoped_use_list" => {
                let path = part.child_by_field_name("path").map(words).unwrap_or_default();
                let list = part.child_by_field_name("list");
                waiting.extend(list.map(|list| (list, [prefix, path].concat())));
                continue;
            }
            "use_wildcard" => {
                let path = part.named_child(0).map(words).unwrap_or_default();
                let module = rust_path(&[prefix, path].concat(), &inner);
                let (what, local) = (Imported::All, String::new());
                let range = part.byte_range();
                found.push(Import { module, what, local, exports: false, is_outermost, range });
                continue;
            }
            "use_as_clause" => {
                let (path, alias) = (part.child_by_field_name("path"), part.child_by_field_name("alias"));
                let Some(path) = path else { continue };
                (path, alias)
            }
            _ => (part, None),
        };
        let mut path = [prefix, words(name)].concat();
        let Some(last) = path.pop() else { continue };
        let token =
            if name.kind() == "scoped_identifier" { name.child_by_field_name("name") } else { Some(name) };
        let Some(token) = token else { continue };
        let local = alias.map_or(last.as_str(), |alias| content(alias, text)).to_owned();
        let exports = exports && alias.is_none();
        let (module, what) = match (last.as_str(), path.is_empty()) {
            // `use shop::{self}` and `use shop`.
            ("self", _) => (rust_path(&path, &inner), Imported::Module),
            (_, true) => (rust_path(std::slice::from_ref(&last), &inner), Imported::Module),
            (_, false) => (rust_path(&path, &inner), Imported::Name(last.clone())),
        };
        let local =
            if last == "self" && alias.is_none() { path.last().cloned().unwrap_or_default() } else { local };
        found.push(Import { module, what, local, exports, is_outermost, range: token.byte_range() });
    }
}

/// Returns a path of Rust as it is seen from the file, instead of from modules inside of it.
pub(super) fn rust_path(path: &[String], inner: &[String]) -> String {
    let mut around = inner.to_vec();
    let mut rest = path.iter().map(String::as_str).peekable();
    let mut up = 0;
    match rest.peek() {
        Some(&"self" | &"super") => {}
        _ => return path.join("::"),
    }
    while let Some(step) = rest.next_if(|part| matches!(*part, "self" | "super")) {
        if step == "super" && around.pop().is_none() {
            up += 1;
        }
    }
    let start = if up == 0 { vec!["self"] } else { vec!["super"; up] };
    let parts = start.into_iter().chain(around.iter().map(String::as_str)).chain(rest);
    parts.collect::<Vec<_>>().join("::")
}

fn go(node: Node<'_>, text: &str, found: &mut Vec<Import>) {
    let Some(path) = node.child_by_field_name("path").filter(|_| node.kind() == "import_spec") else {
        return;
    };
    let module = unquoted(path, text).to_owned();
    let own = module.rsplit('/').next().unwrap_or_default();
    let local = node.child_by_field_name("name").map_or(own, |name| content(name, text)).to_owned();
    let what = if local == "." { Imported::All } else { Imported::Module };
    found.push(Import { module, what, local, exports: false, is_outermost: true, range: path.byte_range() });
}

fn java(node: Node<'_>, text: &str, found: &mut Vec<Import>) {
    if node.kind() != "import_declaration" {
        return;
    }
    let parts = children(node);
    let Some(name) = parts.iter().find(|part| part.kind() == "scoped_identifier") else { return };
    let is_all = parts.iter().any(|part| part.kind() == "asterisk");
    let (module, what, local, range) = if is_all {
        (content(*name, text), Imported::All, "", name.byte_range())
    } else {
        let (scope, last) = (name.child_by_field_name("scope"), name.child_by_field_name("name"));
        let (Some(scope), Some(last)) = (scope, last) else { return };
        let own = content(last, text);
        (content(scope, text), Imported::Name(own.to_owned()), own, last.byte_range())
    };
    let (module, local) = (module.to_owned(), local.to_owned());
    found.push(Import { module, what, local, exports: false, is_outermost: true, range });
}
