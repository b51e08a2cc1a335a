//! Uses of a symbol in files that do not declare it.
//!
//! [`Declared`] says how other files can name the symbol. [`mentions_in`] finds the places of one of these files with
//! the name, and by which import each of them means something. [`settle`] follows the imports to the files and selects
//! the places that mean the symbol. Everything else is left.

mod imports;
mod modules;
mod settle;

use std::ops::Range;

use serde::{Deserialize, Serialize};
use tree_sitter::{Node, Tree};

use super::decide::{self, Decider};
use super::found::{Found, Receiver, Role, Why};
use super::table::{ScopeKind, Spaces};
use super::walk::{self, Walked};
use super::{Rename, RenameRefusal, after, lowers, names, reread, why_no_name, words, written};
use crate::lines::Lines;
use crate::parse::{Budget, MAX_TIME, parse};
use crate::{Language, NoSyntax};
use editd_edit::{Deadline, Splice};
use imports::{Import, Imported, imports};
pub use settle::{OtherFile, settle};

/// A symbol that is renamed in files that do not declare it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declared {
    /// Language of the declaration.
    pub language: Language,
    /// Old name.
    pub old: String,
    /// New name.
    pub new: String,
    /// Also renames whole words in comments and strings.
    pub comments: bool,
    /// The way in which other files can name it.
    pub reach: Reach,
    /// The package that the file of the declaration names.
    pub package: Option<String>,
    /// Namespaces of the name.
    spaces: Spaces,
}

/// The way in which other files can name a symbol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reach {
    /// By its own name: it is declared outside of everything else.
    File,
    /// By the name of this type, whose member it is.
    Member(String),
    /// In no way that the syntax shows.
    Nowhere,
}

/// The places of a file with the name of a symbol that another file declares.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Mentions {
    /// Groups of places that mean one thing of another file.
    links: Vec<Link>,
    /// Starts of all places, in the order of the text, with the reason to leave them.
    places: Vec<(usize, Why)>,
    /// The file declares the name itself, outside of everything else.
    declares: bool,
    /// The package that the file names.
    package: Option<String>,
    /// The old name.
    old: String,
}

/// Places that mean one thing of another file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Link {
    from: From,
    /// Other files can import the name from this one, too.
    exports: bool,
    splices: Vec<Splice>,
    /// The reason why the places cannot have the new name.
    refusal: Option<RenameRefusal>,
}

/// The way in which a name gets into a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum From {
    /// By an import from this module, as it is written.
    Module(String),
    /// By being in the same package.
    Package,
    /// By being in the same program.
    Program,
}

/// Returns how other files can name a symbol.
pub fn declared(
    text: &str,
    language: Language,
    wanted: &Rename,
    deadline: Deadline,
) -> Result<Declared, NoSyntax> {
    let budget = Budget::new(MAX_TIME, deadline);
    declared_in((text, &parse(text, language, budget)?, language), wanted, budget)
}

/// Returns how other files can name a symbol of a text with this tree, as [`declared`] does.
pub(crate) fn declared_in(
    (text, tree, language): (&str, &Tree, Language),
    wanted: &Rename,
    budget: Budget,
) -> Result<Declared, NoSyntax> {
    let Some(old) = text.get(wanted.name.clone()) else { return Err(NoSyntax::Failed) };
    let mut declared = Declared {
        language,
        old: old.to_owned(),
        new: wanted.new.clone(),
        comments: wanted.comments,
        reach: Reach::Nowhere,
        package: package(tree, text, language),
        spaces: 0,
    };
    let followed = !matches!(language, Language::Lua | Language::Bash);
    let Some(names) = names::names(language).filter(|_| followed) else { return Ok(declared) };
    let mut walked = walk::walk(text, tree, names, (old, &wanted.new), budget)?;
    decide::prepare(&mut walked, false);
    let Some(found) = walked.found.iter().find(|found| !found.is_new && found.range == wanted.name) else {
        return Ok(declared);
    };
    declared.spaces = found.spaces;
    declared.reach = match &found.role {
        Role::Binding { scope: 0, import: false, .. } if !is_of_file_only(tree, text, language, found) => {
            Reach::File
        }
        Role::Member { owner } if walked.scopes[*owner].parent == Some(0) => {
            walked.scopes[*owner].name.clone().map_or(Reach::Nowhere, Reach::Member)
        }
        Role::MemberOf(name) => Reach::Member(name.clone()),
        _ => Reach::Nowhere,
    };
    Ok(declared)
}

/// Returns `true` for a declaration of C that no other file can mean.
fn is_of_file_only(tree: &Tree, text: &str, language: Language, found: &Found) -> bool {
    language == Language::C && statement(tree, &found.range).is_some_and(|node| is_static(node, text))
}

fn is_static(node: Node<'_>, text: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .any(|child| child.kind() == "storage_class_specifier" && &text[child.byte_range()] == "static")
}

/// Returns the outermost node around a name, below the file and its conditional parts.
fn statement<'t>(tree: &'t Tree, range: &Range<usize>) -> Option<Node<'t>> {
    let mut node = tree.root_node().descendant_for_byte_range(range.start, range.end)?;
    while let Some(parent) = node.parent() {
        let kind = parent.kind();
        let is_part = matches!(kind, "preproc_if" | "preproc_ifdef" | "preproc_else" | "preproc_elif");
        if parent.parent().is_none() || is_part || kind == "linkage_specification" {
            return Some(node);
        }
        node = parent;
    }
    None
}

/// Returns the name of the package that a file of Java or Go belongs to.
fn package(tree: &Tree, text: &str, language: Language) -> Option<String> {
    let kind = match language {
        Language::Java => "package_declaration",
        Language::Go => "package_clause",
        _ => return None,
    };
    let root = tree.root_node();
    let mut cursor = root.walk();
    let node = root.children(&mut cursor).find(|node| node.kind() == kind)?;
    let name = text[node.byte_range()].trim().trim_start_matches("package").trim_end_matches(';');
    Some(name.trim().to_owned())
}

/// Finds the places of a text with the name of a symbol that another file declares.
pub fn mentions(
    text: &str,
    language: Language,
    declared: &Declared,
    deadline: Deadline,
) -> Result<Mentions, NoSyntax> {
    let budget = Budget::new(MAX_TIME, deadline);
    mentions_in((text, &parse(text, language, budget)?, language), declared, budget)
}

/// Finds the places of a text with this tree, as [`mentions`] does.
pub(crate) fn mentions_in(
    (text, tree, language): (&str, &Tree, Language),
    declared: &Declared,
    budget: Budget,
) -> Result<Mentions, NoSyntax> {
    let (old, new) = (declared.old.as_str(), declared.new.as_str());
    let mut mentions = Mentions {
        package: package(tree, text, language),
        old: old.to_owned(),
        places: words(text, old).into_iter().map(|at| (at, why_no_name(tree, at, old.len()))).collect(),
        ..Mentions::default()
    };
    let Some(names) = names::names(language) else { return Ok(mentions) };
    let mut walked = walk::walk(text, tree, names, (old, new), budget)?;
    decide::prepare(&mut walked, false);
    let cx = Decider::new(&walked, declared.spaces);
    let identifiers = walked.found.iter().filter(|found| !found.is_new);
    for found in identifiers {
        let why = cx.why_left(found);
        match mentions.places.binary_search_by_key(&found.range.start, |(at, _)| *at) {
            Ok(at) => mentions.places[at].1 = why,
            Err(at) => mentions.places.insert(at, (found.range.start, why)),
        }
    }
    mentions.declares = walked
        .found
        .iter()
        .any(|found| !found.is_new && matches!(found.role, Role::Binding { scope: 0, import: false, .. }));
    if !is_family(language, declared.language) || tree.root_node().has_error() {
        return Ok(mentions);
    }
    let file = File { text, tree, language, walked: &walked, imports: imports(tree, text, language), budget };
    let groups = match &declared.reach {
        Reach::File => file.groups(&cx, declared),
        Reach::Member(of) => file.groups_of_member(of, declared)?,
        Reach::Nowhere => Vec::new(),
    };
    mentions.declares &= !groups.iter().any(|group| group.from == From::Program);
    mentions.links = file.links(groups, declared)?;
    Ok(mentions)
}

impl Mentions {
    /// Returns the whole words of a text whose syntax is not known that are equal to the name.
    pub fn of_words(text: &str, declared: &Declared) -> Self {
        let places = words(text, &declared.old).into_iter().map(|at| (at, Why::Unclear)).collect();
        Self { places, old: declared.old.clone(), ..Self::default() }
    }
}

/// Returns `true` if files of one language can use what files of the other declare.
pub fn is_family(one: Language, other: Language) -> bool {
    let is_script = |of| matches!(of, Language::JavaScript | Language::TypeScript | Language::Tsx);
    one == other || is_script(one) && is_script(other)
}

/// Identifiers that mean one thing of another file, by index.
struct Group {
    from: From,
    exports: bool,
    places: Vec<usize>,
    refusal: Option<RenameRefusal>,
}

/// A file that does not declare the symbol.
struct File<'a> {
    text: &'a str,
    tree: &'a Tree,
    language: Language,
    walked: &'a Walked<'a>,
    imports: Vec<Import>,
    budget: Budget,
}

impl File<'_> {
    /// Returns the groups of places that may mean a symbol that is declared outside of everything else.
    fn groups(&self, cx: &Decider<'_>, declared: &Declared) -> Vec<Group> {
        let old = declared.old.as_str();
        let mut groups = self.imported(cx, declared);
        groups.extend(self.behind_modules(declared));
        let from = match self.language {
            Language::Go | Language::Java => {
                let own = self.imports.iter().find(|import| import.imports(old));
                // A file of Java imports a type by a statement that declares nothing in the tables.
                own.map_or(Some(From::Package), |import| Some(From::Module(import.module.clone())))
            }
            Language::C => Some(From::Program),
            Language::Python | Language::Rust => self.only_wildcard().map(From::Module),
            _ => None,
        };
        let Some(from) = from else { return groups };
        let prototypes = self.prototypes(declared);
        let decided = match prototypes.as_deref() {
            Some([first, ..]) => cx.plain(*first, 0),
            Some([]) => cx.undeclared(declared.spaces, |found| {
                // An inner module of Rust sees other names.
                self.language != Language::Rust || self.inner_modules(found).is_empty()
            }),
            None => return groups,
        };
        let of_import = match &from {
            From::Module(_) => self.imports.iter().filter(|import| import.imports(old)).collect(),
            _ => Vec::new(),
        };
        let tokens = of_import.iter().filter_map(|import| self.index(&import.range));
        let (places, refusal) = match decided {
            Ok(decided) => (decided.renamed, None),
            Err(RenameRefusal::Unclear { .. }) => return groups,
            Err(refusal) => (Vec::new(), Some(refusal)),
        };
        let places: Vec<usize> = tokens.chain(places).collect();
        if !places.is_empty() || refusal.is_some() {
            groups.push(Group { from, exports: false, places, refusal });
        }
        groups
    }

    /// Returns the declarations of a file of C that only announce what another file defines. Returns `None` if the
    /// file declares the name itself. In other languages there is nothing to find.
    fn prototypes(&self, declared: &Declared) -> Option<Vec<usize>> {
        let mut found = Vec::new();
        for (at, one) in self.walked.found.iter().enumerate() {
            let is_own = !one.is_new && matches!(one.role, Role::Binding { scope: 0, import: false, .. });
            if !is_own || one.spaces & declared.spaces == 0 {
                continue;
            }
            let statement = statement(self.tree, &one.range).filter(|_| self.language == Language::C)?;
            let content = &self.text[statement.byte_range()];
            let announces = statement.kind() == "declaration"
                && !is_static(statement, self.text)
                && (content.starts_with("extern") || content.contains('('));
            if !announces {
                return None;
            }
            found.push(at);
        }
        Some(found)
    }

    /// Returns the module from which a file imports all names, if it is the only one.
    fn only_wildcard(&self) -> Option<String> {
        let mut all = self.imports.iter().filter(|import| import.what == Imported::All);
        let first = all.next().filter(|first| first.is_outermost)?;
        all.next().is_none().then(|| first.module.clone())
    }

    fn index(&self, range: &Range<usize>) -> Option<usize> {
        self.walked.found.iter().position(|found| !found.is_new && found.range == *range)
    }

    /// Returns the places that mean what the imports of the name import.
    fn imported(&self, cx: &Decider<'_>, declared: &Declared) -> Vec<Group> {
        if matches!(self.language, Language::Java | Language::Go) {
            return Vec::new();
        }
        let mut groups = Vec::new();
        for import in self.imports.iter().filter(|import| import.imports(&declared.old)) {
            let Some(at) = self.index(&import.range) else { continue };
            let from = From::Module(import.module.clone());
            let (Role::Binding { scope, import: true, .. } | Role::Path { binds: Some(scope), .. }) =
                self.walked.found[at].role
            else {
                // With an alias, the name is only here.
                groups.push(Group { from, exports: import.exports, places: vec![at], refusal: None });
                continue;
            };
            let (places, refusal) = match cx.imported(at, scope, declared.spaces) {
                Ok(decided) => (decided.renamed, None),
                Err(RenameRefusal::Unclear { .. }) => continue,
                Err(refusal) => (vec![at], Some(refusal)),
            };
            // Two imports of one name mean the same only if they are of one module.
            let is_other = |other: &&Import| {
                other.module != import.module
                    && self.index(&other.range).is_some_and(|other| places.contains(&other))
            };
            if self.imports.iter().filter(|other| other.imports(&declared.old)).any(|other| is_other(&other))
            {
                continue;
            }
            let is_outermost = scope == 0;
            groups.push(Group { from, exports: import.exports && is_outermost, places, refusal });
        }
        groups
    }

    /// Returns the places behind the name of a module: `shop.total`, `shop::total`.
    fn behind_modules(&self, declared: &Declared) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for (at, found) in self.walked.found.iter().enumerate().filter(|(_, found)| !found.is_new) {
            if found.spaces & declared.spaces == 0 {
                continue;
            }
            let module = match &found.role {
                Role::Access { receiver: Receiver::Named(name), .. } => self.module_named(name),
                Role::Path { prefix, binds: None } if self.language == Language::Rust => {
                    self.rust_module(found, prefix)
                }
                Role::Path { prefix, binds: None } if prefix.len() == 1 => self.module_named(&prefix[0]),
                // A type of Go.
                Role::Left(Why::Elsewhere) if self.language == Language::Go => {
                    let before = self.text[..found.range.start].strip_suffix('.').unwrap_or_default();
                    let is_word = |c: char| c.is_alphanumeric() || c == '_';
                    self.module_named(&before[before.trim_end_matches(is_word).len()..])
                }
                _ => None,
            };
            if let Some(module) = module {
                add(&mut groups, From::Module(module), at);
            }
        }
        groups
    }

    /// Returns the module that a name of the file stands for, if the file imports it and declares nothing else with
    /// the name.
    fn module_named(&self, name: &str) -> Option<String> {
        let mut modules = self.imports.iter().filter(|import| import.stands_for_module(name));
        let module = modules.next()?.as_module(self.language);
        let is_one = modules.all(|other| other.as_module(self.language) == module);
        (is_one && self.is_only_imported(name)).then_some(module)
    }

    /// Returns `true` if a file declares a name by imports only.
    fn is_only_imported(&self, name: &str) -> bool {
        let names = self.walked.names;
        let walked = walk::walk(self.text, self.tree, names, (name, name), self.budget);
        walked.is_ok_and(|walked| {
            walked.found.iter().all(|found| {
                let binds = matches!(found.role, Role::Binding { import: false, .. } | Role::Assignment);
                !binds || found.spaces == super::table::MACROS
            })
        })
    }

    /// Returns the names of the modules inside the file around an identifier, outermost first.
    fn inner_modules(&self, found: &Found) -> Vec<String> {
        let scopes = found.scopes.iter().rev().map(|scope| &self.walked.scopes[*scope]);
        scopes
            .filter(|scope| scope.kind == ScopeKind::Module)
            .filter_map(|scope| scope.name.clone())
            .collect()
    }

    /// Returns the module of Rust that a path means, seen from the file.
    fn rust_module(&self, found: &Found, prefix: &[String]) -> Option<String> {
        let first = prefix.first()?;
        let rest = || prefix[1..].iter().map(String::as_str);
        if matches!(first.as_str(), "crate" | "self" | "super") {
            return Some(imports::rust_path(prefix, &self.inner_modules(found)));
        }
        let mut imported = self.imports.iter().filter(|import| import.stands_for_module(first));
        if let Some(import) = imported.next() {
            let module = import.as_module(self.language);
            let path: Vec<&str> = std::iter::once(module.as_str()).chain(rest()).collect();
            return imported.next().is_none().then(|| path.join("::"));
        }
        Some(prefix.join("::"))
    }

    /// Returns the places that name a member behind its type.
    fn groups_of_member(&self, of: &str, declared: &Declared) -> Result<Vec<Group>, NoSyntax> {
        let mut groups: Vec<Group> = Vec::new();
        let imported = self.imports.iter().find(|import| import.imports(of) && import.local == of);
        let from = match (self.language, imported) {
            (_, Some(import)) => Some(From::Module(import.module.clone())),
            (Language::Java | Language::Go, None) => Some(From::Package),
            (Language::Python | Language::Rust, None) => self.only_wildcard().map(From::Module),
            _ => None,
        };
        let from = from.filter(|_| self.is_only_imported(of));
        for (at, found) in self.walked.found.iter().enumerate().filter(|(_, found)| !found.is_new) {
            if found.spaces & declared.spaces == 0 {
                continue;
            }
            let from = match &found.role {
                Role::Access { receiver: Receiver::Named(name), .. } if name == of => from.clone(),
                Role::Path { prefix, binds: None } => match prefix.as_slice() {
                    [name] if name == of => from.clone(),
                    [module @ .., name] if name == of => self.rust_module(found, module).map(From::Module),
                    _ => None,
                },
                _ => None,
            };
            if let Some(from) = from {
                add(&mut groups, from, at);
            }
        }
        self.budget.check()?;
        Ok(groups)
    }

    /// Writes the new name into the places of all groups.
    fn links(&self, groups: Vec<Group>, declared: &Declared) -> Result<Vec<Link>, NoSyntax> {
        let (old, new) = (declared.old.as_str(), declared.new.as_str());
        let (mut expanded, mut all) = (Vec::new(), Vec::new());
        let mut links = Vec::new();
        for Group { from, exports, places, mut refusal } in groups {
            let mut splices = Vec::new();
            for found in places.iter().map(|at| &self.walked.found[*at]) {
                if found.is_element && lowers(old, new) {
                    let line = self.walked.line(found.range.start);
                    refusal = refusal.or(Some(RenameRefusal::Reread { line }));
                }
                let is_of_import = self.imports.iter().any(|import| import.range == found.range);
                let text = match found.shorthand.filter(|_| !is_of_import) {
                    Some(shorthand) => {
                        expanded.push(found.range.start);
                        written(shorthand, old, new, self.text[found.range.end..].trim_start())
                    }
                    None => new.to_owned(),
                };
                splices.push(Splice { range: found.range.clone(), text });
            }
            splices.sort_by_key(|splice| splice.range.start);
            all.extend(splices.iter().cloned());
            links.push(Link { from, exports, splices, refusal });
        }
        all.sort_by_key(|splice| splice.range.start);
        all.dedup_by_key(|splice| splice.range.start);
        let (_, after) = after(self.text, self.tree, self.language, &all, self.budget)?;
        if let Some(at) = reread((self.tree, &after), &expanded, self.budget)? {
            let line = Lines::new(self.text).of(at) + 1;
            for link in &mut links {
                link.refusal = Some(RenameRefusal::Reread { line });
            }
        }
        Ok(links)
    }
}

fn add(groups: &mut Vec<Group>, from: From, at: usize) {
    match groups.iter_mut().find(|group| group.from == from) {
        Some(group) => group.places.push(at),
        None => groups.push(Group { from, exports: false, places: vec![at], refusal: None }),
    }
}

#[cfg(test)]
mod tests;
