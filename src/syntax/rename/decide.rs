//! Decides which identifiers mean the symbol.

use std::collections::HashSet;
use std::ops::Range;

use super::found::{Found, Receiver, Role, Why};
use super::table::{ScopeKind, Spaces};
use super::types::{Key, Types};
use super::walk::Walked;
use super::{RenameRefusal, Unclear};
use crate::SymbolKind;

/// The meaning of an identifier that is used.
enum Meant {
    /// The declaration at this index.
    Binding(usize),
    /// A member of a type, without an object.
    Member(Key),
    /// Something that the file does not declare.
    Nothing,
}

/// The decisions about all identifiers.
#[derive(Default)]
pub(super) struct Decided {
    /// Identifiers that are renamed, by index.
    pub(super) renamed: Vec<usize>,
    /// Member accesses among them whose type the syntax does not show.
    pub(super) by_name: Vec<usize>,
    /// Identifiers that are left.
    pub(super) left: Vec<(usize, Why)>,
    /// A type of the file and one outside of it from which it inherits.
    pub(super) inherits: Option<(String, String)>,
}

/// Decides about all identifiers. `target` is the name in the declaration.
pub(super) fn decide(
    walked: &mut Walked<'_>,
    target: &Range<usize>,
    kind: SymbolKind,
) -> Result<Decided, RenameRefusal> {
    if kind == SymbolKind::Constructor {
        return Err(RenameRefusal::Unclear { line: walked.line(target.start), reason: Unclear::Constructor });
    }
    let is_constant = matches!(kind, SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Struct);
    prepare(walked, is_constant);
    let at = walked.found.iter().position(|found| !found.is_new && found.range == *target);
    let unclear = || RenameRefusal::Unclear { line: walked.line(target.start), reason: Unclear::Declaration };
    let at = at.ok_or_else(unclear)?;
    let spaces = walked.found[at].spaces;
    let cx = Decider::new(walked, spaces);
    if let Role::Binding { scope, import: false, .. } = walked.found[at].role {
        return cx.plain(at, scope);
    }
    match cx.old.declared_by(&walked.found[at]) {
        Some(key) => cx.member(at, &key),
        None => Err(unclear()),
    }
}

/// Settles roles that depend on other identifiers.
pub(super) fn prepare(walked: &mut Walked<'_>, is_constant: bool) {
    let outer: Vec<(bool, usize, bool)> = walked
        .found
        .iter()
        .filter_map(|found| match found.role {
            Role::Outer { scope, global } => Some((found.is_new, scope, global)),
            _ => None,
        })
        .collect();
    let whole = walked.scopes[0].range.clone();
    for at in 0..walked.found.len() {
        let (is_new, scopes) = (walked.found[at].is_new, walked.found[at].scopes.clone());
        let modules =
            |scope: &usize| matches!(walked.scopes[*scope].kind, ScopeKind::Module | ScopeKind::File);
        let role = match walked.found[at].role.clone() {
            Role::Binding { scope, import: false, .. } if outer.contains(&(is_new, scope, true)) => {
                Role::Binding { scope: 0, extent: whole.clone(), except: None, import: false, pattern: false }
            }
            Role::Binding { scope, import: false, .. } if outer.contains(&(is_new, scope, false)) => {
                Role::Use
            }
            Role::Binding { pattern: true, .. } if is_constant && walked.names.modules_are_closed => {
                Role::Use
            }
            Role::Path { prefix, binds: Some(_) } => {
                // Names of `super` or `self` mean the modules of this file.
                let is_here = prefix.first().is_some_and(|first| matches!(first.as_str(), "self" | "super"));
                let scope =
                    scopes.iter().copied().find(|scope| walked.scopes[*scope].kind != ScopeKind::Type);
                let scope = scope.unwrap_or(0);
                let extent = walked.scopes[scope].range.clone();
                let module = scopes.iter().copied().find(modules).unwrap_or(0);
                match walked.module(&prefix, module) {
                    Some(_) => Role::Path { prefix, binds: Some(scope) },
                    None if is_here && scopes.iter().filter(|scope| modules(scope)).count() > 1 => {
                        Role::Path { prefix, binds: Some(scope) }
                    }
                    None => Role::Binding { scope, extent, except: None, import: true, pattern: false },
                }
            }
            role => role,
        };
        walked.found[at].role = role;
    }
    for (at, found) in walked.found.iter().enumerate() {
        match found.role {
            Role::Binding { scope, .. } | Role::Path { binds: Some(scope), .. } => {
                walked.bindings.entry((scope, found.is_new)).or_default().push(at);
            }
            Role::Member { .. } => walked.members.push(at),
            _ => {}
        }
    }
    // What is assigned without a declaration is a variable of the file.
    for at in 0..walked.found.len() {
        if walked.found[at].role == Role::Assignment {
            let found = &walked.found[at];
            let is_new = found.is_new;
            if find_binding(walked, found, is_new).is_some() {
                walked.found[at].role = Role::Use;
                continue;
            }
            walked.bindings.entry((0, is_new)).or_default().push(at);
            let extent = whole.clone();
            walked.found[at].role =
                Role::Binding { scope: 0, extent, except: None, import: false, pattern: false };
        }
    }
}

/// Returns the declaration in the scopes of an identifier, without those of members.
fn find_binding(walked: &Walked<'_>, found: &Found, is_new: bool) -> Option<usize> {
    found.scopes.iter().find_map(|scope| in_scope(walked, *scope, found, is_new))
}

/// Returns the declaration in one scope that an identifier sees: the last one before it.
fn in_scope(walked: &Walked<'_>, scope: usize, found: &Found, is_new: bool) -> Option<usize> {
    let position = found.range.start;
    let sees = |&at: &usize| {
        let other = &walked.found[at];
        let fits = other.spaces & found.spaces != 0;
        let start = match &other.role {
            Role::Binding { scope: of, extent, except, .. } => {
                let is_in = extent.contains(&position)
                    && !except.as_ref().is_some_and(|except| except.contains(&position));
                (*of == scope && is_in).then_some(extent.start)
            }
            Role::Path { binds: Some(of), .. } => (*of == scope).then_some(0),
            _ => None,
        };
        start.filter(|_| fits).map(|start| (start, at))
    };
    walked.bindings.get(&(scope, is_new))?.iter().filter_map(sees).max().map(|(_, at)| at)
}

impl Walked<'_> {
    /// Returns the line of an offset, from 1.
    pub(super) fn line(&self, offset: usize) -> usize {
        crate::lines::Lines::new(self.text).of(offset) + 1
    }

    /// Returns the module that a path means, if it is in this file.
    pub(super) fn module(&self, prefix: &[String], mut module: usize) -> Option<usize> {
        for part in prefix {
            let is_module =
                |scope: &usize| matches!(self.scopes[*scope].kind, ScopeKind::Module | ScopeKind::File);
            let around = |scope: usize| {
                std::iter::successors(self.scopes[scope].parent, |scope| self.scopes[*scope].parent)
                    .find(is_module)
            };
            module = match part.as_str() {
                "self" => module,
                "super" => around(module)?,
                name => {
                    let inner = (0..self.scopes.len()).filter(|scope| {
                        let of = &self.scopes[*scope];
                        of.kind == ScopeKind::Module
                            && of.name.as_deref() == Some(name)
                            && around(*scope) == Some(module)
                    });
                    let inner: Vec<_> = inner.collect();
                    let [inner] = inner[..] else { return None };
                    inner
                }
            };
        }
        Some(module)
    }
}

/// The declaration whose uses are looked for.
#[derive(Clone, Copy)]
struct Target {
    scope: usize,
    spaces: Spaces,
    /// Start of the part of the text in which it is visible.
    start: Option<usize>,
    /// It is an import.
    is_import: bool,
}

pub(super) struct Decider<'a> {
    walked: &'a Walked<'a>,
    old: Types<'a>,
    new: Types<'a>,
}

impl<'a> Decider<'a> {
    pub(super) fn new(walked: &'a Walked<'a>, spaces: Spaces) -> Self {
        Self { walked, old: Types::new(walked, false, spaces), new: Types::new(walked, true, spaces) }
    }
}

impl Decider<'_> {
    fn line(&self, at: usize) -> usize {
        self.walked.line(self.walked.found[at].range.start)
    }

    /// Returns what an identifier means if it has the old name, or the new one.
    fn meant(&self, found: &Found, is_new: bool) -> Meant {
        let (walked, types) = (self.walked, if is_new { &self.new } else { &self.old });
        let mut is_in_function = false;
        for &scope in &found.scopes {
            let kind = walked.scopes[scope].kind;
            if let Some(at) = in_scope(walked, scope, found, is_new) {
                return Meant::Binding(at);
            }
            let sees_members = walked.names.implicit_this || !is_in_function && !walked.names.this.is_empty();
            let is_python = !walked.names.implicit_this && walked.names.this.contains(&"cls");
            if kind == ScopeKind::Type && sees_members && (walked.names.implicit_this || is_python) {
                let keys =
                    if is_python { HashSet::from([types.key(scope)]) } else { types.with_ancestors(scope) };
                let member = |other: &Found| {
                    let fits = other.is_new == is_new && other.spaces & found.spaces != 0;
                    // A class of Python has its names only behind the statements that declare them.
                    let is_there = !is_python || other.end <= found.range.start;
                    fits && is_there && types.declared_by(other).is_some_and(|key| keys.contains(&key))
                };
                let mut members = walked.members.iter().map(|at| &walked.found[*at]);
                if let Some(other) = members.find(|other| member(other))
                    && let Some(key) = types.declared_by(other)
                {
                    return Meant::Member(key);
                }
            }
            is_in_function |= kind == ScopeKind::Function;
            let is_closed = walked.names.modules_are_closed && kind == ScopeKind::Module;
            if is_closed && !walked.scopes[scope].sees_parent {
                break;
            }
        }
        Meant::Nothing
    }

    /// Decides about a symbol outside of types, which is declared in a scope.
    pub(super) fn plain(&self, target: usize, scope: usize) -> Result<Decided, RenameRefusal> {
        let spaces = self.walked.found[target].spaces;
        self.declared(Target { scope, spaces, start: self.start_of(target), is_import: false })
    }

    /// Decides about what an import declares in a scope.
    pub(super) fn imported(
        &self,
        target: usize,
        scope: usize,
        spaces: Spaces,
    ) -> Result<Decided, RenameRefusal> {
        let spaces = self.walked.found[target].spaces & spaces;
        if matches!(self.walked.found[target].role, Role::Path { .. }) {
            return self.imported_by_path(target, scope, spaces);
        }
        self.declared(Target { scope, spaces, start: self.start_of(target), is_import: true })
    }

    /// Decides about what a path imports into an inner module.
    fn imported_by_path(
        &self,
        target: usize,
        scope: usize,
        spaces: Spaces,
    ) -> Result<Decided, RenameRefusal> {
        let mut decided = Decided { renamed: vec![target], ..Decided::default() };
        for (at, found) in self.walked.found.iter().enumerate().filter(|(_, found)| !found.is_new) {
            let is_use = found.role == Role::Use && found.spaces & spaces != 0;
            if is_use && matches!(self.meant(found, false), Meant::Binding(by) if by == target) {
                decided.renamed.push(at);
            }
        }
        self.refuse_taken(|found| {
            matches!(found.role, Role::Binding { scope: of, .. } if of == scope) && found.spaces & spaces != 0
        })?;
        self.refuse_captured(&decided, |_| true)?;
        Ok(decided)
    }

    /// Decides about what the text does not declare, in the places that `sees` names.
    pub(super) fn undeclared(
        &self,
        spaces: Spaces,
        sees: impl Fn(&Found) -> bool,
    ) -> Result<Decided, RenameRefusal> {
        let mut decided = Decided::default();
        let is_there = |found: &Found| found.spaces & spaces != 0 && sees(found);
        for (at, found) in self.walked.found.iter().enumerate().filter(|(_, found)| !found.is_new) {
            let is_use = matches!(found.role, Role::Use | Role::Outer { .. }) && is_there(found);
            if is_use && matches!(self.meant(found, false), Meant::Nothing) {
                decided.renamed.push(at);
            }
        }
        if decided.renamed.is_empty() {
            return Ok(decided);
        }
        self.refuse_taken(|found| {
            matches!(found.role, Role::Binding { scope: 0, .. }) && found.spaces & spaces != 0
        })?;
        self.refuse_captured(&decided, |_| true)?;
        self.refuse_capturing(is_there, |meant| matches!(meant, Meant::Nothing))?;
        Ok(decided)
    }

    /// Returns the reason to leave an identifier of a text that does not declare the symbol.
    pub(super) fn why_left(&self, found: &Found) -> Why {
        match &found.role {
            Role::Binding { import: true, .. } | Role::Path { .. } => Why::Elsewhere,
            Role::Binding { .. } | Role::Assignment => Why::Shadowed,
            Role::Access { .. } | Role::Member { .. } | Role::MemberOf(_) => Why::Member,
            Role::Label { .. } => Why::Label,
            Role::Left(why) => *why,
            Role::Use | Role::Outer { .. } => match self.meant(found, false) {
                Meant::Binding(at) => self.why_left(&self.walked.found[at]),
                Meant::Member(_) => Why::Member,
                Meant::Nothing => Why::Elsewhere,
            },
        }
    }

    fn declared(&self, target: Target) -> Result<Decided, RenameRefusal> {
        let walked = self.walked;
        let Target { scope, spaces, start, is_import } = target;
        let is_declaration = |at: usize| {
            let found = &walked.found[at];
            let is_here = matches!(found.role, Role::Binding { scope: of, .. } if of == scope);
            // A local variable that is declared again is another one.
            is_here && self.start_of(at) == start && found.spaces & spaces != 0
        };
        let mut decided = Decided::default();
        for (at, found) in walked.found.iter().enumerate().filter(|(_, found)| !found.is_new) {
            let left = match &found.role {
                Role::Binding { import, .. } if is_declaration(at) => {
                    if *import != is_import {
                        let reason = Unclear::Import;
                        return Err(RenameRefusal::Unclear { line: self.line(at), reason });
                    }
                    None
                }
                Role::Binding { .. } => Some(Why::Shadowed),
                Role::Use | Role::Outer { .. } | Role::Assignment => self.used(at, target),
                Role::Path { prefix, .. } => self.is_path_to(found, prefix, scope, spaces).err(),
                Role::Access { receiver: Receiver::Named(name), .. } => {
                    let is_module = walked.scopes[scope].kind == ScopeKind::Module
                        && walked.module(std::slice::from_ref(name), self.module_of(found)) == Some(scope);
                    (!is_module).then_some(Why::Member)
                }
                Role::Access { .. } | Role::Member { .. } | Role::MemberOf(_) => Some(Why::Member),
                Role::Label { .. } => Some(Why::Label),
                Role::Left(why) => Some(*why),
            };
            match left {
                None => decided.renamed.push(at),
                Some(why) => decided.left.push((at, why)),
            }
        }
        self.refuse_dynamic(scope)?;
        self.refuse_taken(|found| match &found.role {
            Role::Binding { scope: of, .. } | Role::Path { binds: Some(of), .. } => {
                *of == scope && found.spaces & spaces != 0
            }
            _ => false,
        })?;
        self.refuse_captured(&decided, |binding| {
            let other = self.depth_of(binding);
            other.is_some_and(|depth| depth > walked.scopes[scope].depth)
        })?;
        self.refuse_capturing(
            |found| found.scopes.contains(&scope) && found.spaces & spaces != 0,
            |meant| match meant {
                Meant::Binding(at) => {
                    self.depth_of(*at).is_none_or(|depth| depth < walked.scopes[scope].depth)
                }
                Meant::Member(_) => false,
                Meant::Nothing => true,
            },
        )?;
        Ok(decided)
    }

    /// Returns the reason to leave a use, or `None` if it means the symbol of a scope.
    fn used(&self, at: usize, Target { scope, spaces, start, is_import }: Target) -> Option<Why> {
        let found = &self.walked.found[at];
        if found.spaces & spaces == 0 {
            return Some(Why::Shadowed);
        }
        match self.meant(found, false) {
            Meant::Binding(binding) => {
                let other = &self.walked.found[binding];
                match &other.role {
                    Role::Binding { scope: of, import, .. } => {
                        let is_here = *of == scope && self.start_of(binding) == start;
                        let is_it = is_here && other.spaces & spaces != 0 && *import == is_import;
                        (!is_it).then_some(Why::Shadowed)
                    }
                    Role::Path { prefix, .. } => self.is_path_to(other, prefix, scope, spaces).err(),
                    _ => Some(Why::Shadowed),
                }
            }
            Meant::Member(_) => Some(Why::Member),
            Meant::Nothing => Some(Why::Elsewhere),
        }
    }

    fn module_of(&self, found: &Found) -> usize {
        let kind = |scope: &usize| self.walked.scopes[*scope].kind;
        let modules = |scope: &usize| matches!(kind(scope), ScopeKind::Module | ScopeKind::File);
        found.scopes.iter().copied().find(modules).unwrap_or(0)
    }

    /// Succeeds if a path leads to the symbol of a scope.
    fn is_path_to(&self, found: &Found, prefix: &[String], scope: usize, spaces: Spaces) -> Result<(), Why> {
        if found.spaces & spaces == 0 {
            return Err(Why::Shadowed);
        }
        let module = self.walked.module(prefix, self.module_of(found));
        if module == Some(scope) { Ok(()) } else { Err(Why::Elsewhere) }
    }

    /// Returns the start of the part of the text in which a declaration is visible.
    fn start_of(&self, binding: usize) -> Option<usize> {
        if let Role::Binding { extent, .. } = &self.walked.found[binding].role {
            Some(extent.start)
        } else {
            None
        }
    }

    fn depth_of(&self, binding: usize) -> Option<usize> {
        match &self.walked.found[binding].role {
            Role::Binding { scope, .. } | Role::Path { binds: Some(scope), .. } => {
                Some(self.walked.scopes[*scope].depth)
            }
            _ => None,
        }
    }

    /// Decides about a member of a type.
    fn member(&self, target: usize, key: &Key) -> Result<Decided, RenameRefusal> {
        let (walked, types) = (self.walked, &self.old);
        let spaces = walked.found[target].spaces;
        let group = types.group(key);
        let unclear = |at: usize, reason| Err(RenameRefusal::Unclear { line: self.line(at), reason });
        if let Role::Member { owner } = walked.found[target].role
            && walked.scopes[owner].implements.is_some()
            && !types.is_known(key)
        {
            return unclear(target, Unclear::Implements);
        }
        let name = &walked.text[walked.found[target].range.clone()];
        if name.starts_with("__") && name.ends_with("__") {
            return unclear(target, Unclear::Special);
        }
        let is_declared = |found: &Found| types.declared_by(found).is_some_and(|key| group.contains(&key));
        let declarations: Vec<_> =
            walked.found.iter().filter(|found| !found.is_new && is_declared(found)).collect();
        if group.len() == 1 && declarations.iter().any(|found| found.overrides) {
            return unclear(target, Unclear::Implements);
        }
        let keys =
            walked.found.iter().any(|found| !found.is_new && found.role == Role::Label { declares: true });
        let is_common = walked.names.common_members.contains(&name);
        // What is assigned to a table or to `exports` is a member of that only.
        let is_assigned = matches!(walked.found[target].role, Role::Access { .. });
        let is_unique =
            !keys && !is_common && !is_assigned && types.declaring().iter().all(|key| group.contains(key));
        let mut decided = Decided { inherits: types.outside(&group), ..Decided::default() };
        for (at, found) in walked.found.iter().enumerate().filter(|(_, found)| !found.is_new) {
            let left = match &found.role {
                Role::Member { .. } | Role::MemberOf(_) => {
                    let is_it = is_declared(found) && found.spaces & spaces != 0;
                    (!is_it).then_some(Why::Member)
                }
                Role::Access { .. } if found.spaces & spaces == 0 => Some(Why::Member),
                Role::Access { receiver, strict, .. } => {
                    let known = self.is_of_group(found, receiver, &group);
                    if known.is_none() && is_unique && !strict {
                        decided.by_name.push(at);
                    }
                    (known.is_none() && (!is_unique || *strict) || known == Some(false))
                        .then_some(Why::Member)
                }
                Role::Path { prefix, .. } => {
                    let receiver = match prefix.as_slice() {
                        [only] if only == "Self" => Receiver::This,
                        [only] => Receiver::Named(only.clone()),
                        [this, only] if this == "self" => Receiver::Named(only.clone()),
                        _ => Receiver::Literal,
                    };
                    let is_it = self.is_of_group(found, &receiver, &group) == Some(true);
                    (!is_it).then_some(Why::Member)
                }
                Role::Use => match self.meant(found, false) {
                    Meant::Member(key) if group.contains(&key) && found.spaces & spaces != 0 => None,
                    Meant::Binding(_) => Some(Why::Shadowed),
                    Meant::Member(_) => Some(Why::Member),
                    Meant::Nothing => Some(Why::Elsewhere),
                },
                Role::Binding { .. } | Role::Outer { .. } | Role::Assignment => Some(Why::Shadowed),
                Role::Label { .. } => Some(Why::Label),
                Role::Left(why) => Some(*why),
            };
            match left {
                None => decided.renamed.push(at),
                Some(why) => decided.left.push((at, why)),
            }
        }
        let family: HashSet<Key> = group.iter().flat_map(|key| types.family_up(key)).collect();
        self.refuse_taken(|found| {
            let declares = self.new.declared_by(found).is_some_and(|key| family.contains(&key));
            let uses = match &found.role {
                Role::Access { receiver: receiver @ (Receiver::This | Receiver::Super), .. } => {
                    let own = if *receiver == Receiver::This { found.this } else { self.old.own(found) };
                    own.is_some_and(|scope| family.contains(&self.old.key(scope)))
                }
                Role::Access { receiver: Receiver::Named(name), .. } => {
                    self.old.object_type(found, name).is_some_and(|key| family.contains(&key))
                        || self.old.named(name).iter().any(|scope| family.contains(&self.old.key(*scope)))
                }
                _ => false,
            };
            (declares || uses) && found.spaces & spaces != 0
        })?;
        self.refuse_captured(&decided, |_| true)?;
        let in_family = |found: &Found| {
            let own = found.scopes.iter().filter(|scope| walked.scopes[**scope].kind == ScopeKind::Type);
            found.spaces & spaces != 0
                && own.into_iter().any(|scope| !self.old.with_ancestors(*scope).is_disjoint(&group))
        };
        if walked.names.implicit_this {
            self.refuse_capturing(in_family, |meant| match meant {
                Meant::Binding(at) => self.depth_of(*at).is_none_or(|depth| depth == 0),
                Meant::Member(_) => false,
                Meant::Nothing => true,
            })?;
        }
        Ok(decided)
    }

    /// Returns whether an object is of one of these types, or `None` if its syntax does not show it.
    fn is_of_group(&self, found: &Found, receiver: &Receiver, group: &HashSet<Key>) -> Option<bool> {
        let types = &self.old;
        let decided = |keys: &HashSet<Key>| {
            let declaring: Vec<_> = keys.iter().filter(|key| types.declares(key)).collect();
            if declaring.is_empty() { None } else { Some(declaring.iter().all(|key| group.contains(*key))) }
        };
        match receiver {
            Receiver::This => {
                let own = found.this?;
                // A type from which one of the group inherits may call what only that declares.
                let is_above = || group.iter().any(|key| types.family_up(key).contains(&types.key(own)));
                decided(&types.with_ancestors(own)).or_else(|| if is_above() { None } else { Some(false) })
            }
            Receiver::Super => {
                let own = types.own(found)?;
                Some(decided(&types.ancestors(own)).unwrap_or(false))
            }
            Receiver::Named(name) => {
                if let Some(key) = types.object_type(found, name) {
                    return Some(decided(&types.family_up(&key)).unwrap_or(false));
                }
                if group.contains(name) {
                    return Some(true);
                }
                let named = types.named(name);
                if named.is_empty() {
                    let is_module =
                        !self.walked.names.modules_are_closed && self.walked.imported.contains(name);
                    // A type of another file.
                    let is_type = !self.walked.names.supertypes.is_empty()
                        && name.starts_with(char::is_uppercase)
                        && name.contains(char::is_lowercase);
                    let is_known = types.declares(name) || is_module || is_type;
                    return is_known.then_some(false);
                }
                let each: Vec<_> = named
                    .iter()
                    .map(|scope| decided(&types.with_ancestors(*scope)).unwrap_or(false))
                    .collect();
                let all = each.iter().all(|it| *it);
                Some(all && (named.len() == 1 || self.walked.names.types_by_name))
            }
            Receiver::Literal => Some(false),
            Receiver::Unknown => None,
        }
    }

    /// Refuses to rename a variable of a shell script that a function declares as its own: functions called by that
    /// one see it, too.
    fn refuse_dynamic(&self, scope: usize) -> Result<(), RenameRefusal> {
        if self.walked.names.unlisted != Some(Why::Argument) {
            return Ok(());
        }
        let is_local = |found: &&Found| {
            !found.is_new && matches!(found.role, Role::Binding { scope: of, .. } if of != scope)
        };
        match self.walked.found.iter().find(is_local) {
            Some(found) => {
                let line = self.walked.line(found.range.start);
                Err(RenameRefusal::Unclear { line, reason: Unclear::Dynamic })
            }
            None => Ok(()),
        }
    }

    /// Refuses a new name that is already declared beside the symbol.
    fn refuse_taken(&self, is_taken: impl Fn(&Found) -> bool) -> Result<(), RenameRefusal> {
        match self.walked.found.iter().find(|found| found.is_new && is_taken(found)) {
            Some(found) => Err(RenameRefusal::Taken { line: self.walked.line(found.range.start) }),
            None => Ok(()),
        }
    }

    /// Refuses a new name that means something else at one of the uses.
    fn refuse_captured(
        &self,
        decided: &Decided,
        captures: impl Fn(usize) -> bool,
    ) -> Result<(), RenameRefusal> {
        for &at in &decided.renamed {
            let found = &self.walked.found[at];
            if !matches!(found.role, Role::Use | Role::Outer { .. }) {
                continue;
            }
            let by = match self.meant(found, true) {
                Meant::Binding(by) if captures(by) => Some(self.line(by)),
                Meant::Member(_) => Some(self.line(at)),
                Meant::Binding(_) | Meant::Nothing => None,
            };
            if let Some(by) = by {
                return Err(RenameRefusal::Captured { line: self.line(at), by });
            }
        }
        Ok(())
    }

    /// Refuses a new name that is used already for something that the renamed symbol would hide.
    fn refuse_capturing(
        &self,
        sees: impl Fn(&Found) -> bool,
        is_hidden: impl Fn(&Meant) -> bool,
    ) -> Result<(), RenameRefusal> {
        let uses = self.walked.found.iter().enumerate().filter(|(_, found)| {
            found.is_new && matches!(found.role, Role::Use | Role::Outer { .. }) && sees(found)
        });
        for (at, found) in uses {
            if is_hidden(&self.meant(found, true)) {
                return Err(RenameRefusal::Hidden { line: self.line(at) });
            }
        }
        Ok(())
    }
}
