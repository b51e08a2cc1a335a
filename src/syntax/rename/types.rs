//! The types of a file, and which of them declare a member with a name.

use std::collections::HashSet;

use super::found::{Found, Receiver, Role};
use super::table::{ScopeKind, Spaces};
use super::walk::{Scope, Walked};

/// Identifies a type: its name, and its scope where types with equal names differ.
pub(super) type Key = String;

/// The types of a file, with the members of one name.
pub(super) struct Types<'a> {
    walked: &'a Walked<'a>,
    /// Types that declare the old name.
    declaring: HashSet<Key>,
}

impl<'a> Types<'a> {
    pub(super) fn new(walked: &'a Walked<'a>, is_new: bool, spaces: Spaces) -> Self {
        let mut types = Self { walked, declaring: HashSet::new() };
        let fits = |found: &&Found| found.is_new == is_new && found.spaces & spaces != 0;
        let found = walked.found.iter().filter(fits);
        types.declaring = found.filter_map(|found| types.declared_by(found)).collect();
        types
    }

    /// Returns the type of which an identifier declares a member.
    pub(super) fn declared_by(&self, found: &Found) -> Option<Key> {
        match &found.role {
            Role::Member { owner } => Some(self.key_of_member(*owner)),
            Role::MemberOf(name) => Some(name.clone()),
            Role::Access { receiver: Receiver::Named(name), writes: true, .. } => {
                Some(self.object_type(found, name).unwrap_or_else(|| self.key_named(name)))
            }
            Role::Access { receiver: Receiver::This, writes: true, .. } => {
                found.this.map(|scope| self.key(scope))
            }
            _ => None,
        }
    }

    /// Returns `true` if a type declares the name.
    pub(super) fn declares(&self, key: &Key) -> bool {
        self.declaring.contains(key)
    }

    pub(super) fn declaring(&self) -> &HashSet<Key> {
        &self.declaring
    }

    fn scope(&self, scope: usize) -> &Scope {
        &self.walked.scopes[scope]
    }

    /// Returns the key of a type.
    pub(super) fn key(&self, scope: usize) -> Key {
        match &self.scope(scope).name {
            Some(name) if self.walked.names.types_by_name => name.clone(),
            Some(name) => format!("{name}@{scope}"),
            None => format!("@{scope}"),
        }
    }

    /// Returns the key of the type that a member belongs to: what implements a trait belongs to the trait.
    pub(super) fn key_of_member(&self, owner: usize) -> Key {
        self.scope(owner).implements.clone().unwrap_or_else(|| self.key(owner))
    }

    fn types(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.walked.scopes.len()).filter(|scope| self.scope(*scope).kind == ScopeKind::Type)
    }

    /// Returns the types of the file with a name.
    pub(super) fn named(&self, name: &str) -> Vec<usize> {
        self.types().filter(|scope| self.scope(*scope).name.as_deref() == Some(name)).collect()
    }

    /// Returns the key of the type with a name, or the name itself.
    fn key_named(&self, name: &str) -> Key {
        match self.named(name)[..] {
            [scope] => self.key(scope),
            _ => name.to_owned(),
        }
    }

    /// Returns the type around an identifier.
    pub(super) fn own(&self, found: &Found) -> Option<usize> {
        found.scopes.iter().copied().find(|scope| self.scope(*scope).kind == ScopeKind::Type)
    }

    /// Returns the type of the object with a name, if it is the receiver of the method around an identifier.
    pub(super) fn object_type(&self, found: &Found, name: &str) -> Option<Key> {
        let objects = found.scopes.iter().filter_map(|scope| self.scope(*scope).object.as_ref());
        objects.filter(|(object, _)| object == name).map(|(_, of)| of.clone()).next()
    }

    /// Returns the keys of a type with those of the types of the file from which it inherits or that it implements.
    pub(super) fn with_ancestors(&self, scope: usize) -> HashSet<Key> {
        let mut keys = self.ancestors(scope);
        keys.insert(self.key(scope));
        keys
    }

    /// Returns the keys of the types of the file from which a type inherits or that it implements.
    pub(super) fn ancestors(&self, scope: usize) -> HashSet<Key> {
        let mut keys = HashSet::new();
        let mut seen = HashSet::from([scope]);
        let mut waiting = vec![scope];
        while let Some(scope) = waiting.pop() {
            let of = self.scope(scope);
            let same = of.name.as_deref().filter(|_| self.walked.names.types_by_name);
            let blocks = same.map(|name| self.named(name)).unwrap_or_default();
            let implemented = blocks.iter().filter_map(|block| self.scope(*block).implements.clone());
            let supertypes = blocks.iter().flat_map(|block| self.scope(*block).supertypes.clone());
            for name in of.supertypes.iter().cloned().chain(implemented).chain(supertypes) {
                for found in self.named(&name) {
                    if seen.insert(found) {
                        keys.insert(self.key(found));
                        waiting.push(found);
                    }
                }
            }
        }
        keys
    }

    /// Returns the keys of all types of a key with their ancestors.
    pub(super) fn family_up(&self, key: &Key) -> HashSet<Key> {
        let mut keys: HashSet<Key> = self
            .types()
            .filter(|scope| self.key(*scope) == *key)
            .flat_map(|scope| self.with_ancestors(scope))
            .collect();
        keys.insert(key.clone());
        keys
    }

    /// Returns the types that declare the same member as a type: those that inherit it or from which it inherits.
    pub(super) fn group(&self, key: &Key) -> HashSet<Key> {
        let mut group = HashSet::from([key.clone()]);
        loop {
            let joins = |other: &&Key| {
                let up = self.family_up(other);
                !group.contains(*other)
                    && group
                        .iter()
                        .any(|member| up.contains(member) || self.family_up(member).contains(*other))
            };
            let more: Vec<Key> = self.declaring.iter().filter(joins).cloned().collect();
            if more.is_empty() {
                return group;
            }
            group.extend(more);
        }
    }

    /// Returns `true` if a type of the file has this key.
    pub(super) fn is_known(&self, key: &Key) -> bool {
        self.types().any(|scope| self.scope(scope).implements.is_none() && self.key(scope) == *key)
    }

    /// Returns the first supertype of a group that is not in the file.
    pub(super) fn outside(&self, group: &HashSet<Key>) -> Option<(String, String)> {
        let of_group = self.types().filter(|scope| group.contains(&self.key(*scope)));
        let mut names = of_group.flat_map(|scope| {
            let of = self.scope(scope);
            of.supertypes.iter().map(move |name| (of.name.clone().unwrap_or_default(), name.clone()))
        });
        names.find(|(_, name)| {
            let is_type = name.starts_with(char::is_uppercase);
            is_type && self.named(name).is_empty()
        })
    }
}
