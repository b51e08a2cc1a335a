//! Actions of other programs on the memory disk, by path. Symlinks on a path are not followed.

use super::{Body, TOP, Tree};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

impl Tree {
    pub(crate) fn add_dirs(&mut self, path: &Path) -> u64 {
        let mut dir = TOP;
        for name in path.iter().skip(1) {
            dir = match self.child(dir, name) {
                Some(existing) => existing,
                None => self.insert(dir, name, Body::Dir(BTreeMap::new()), 0o40_755),
            };
        }
        dir
    }

    pub(crate) fn add(&mut self, path: &Path, body: Body, mode: u32) {
        let dir = self.add_dirs(path.parent().unwrap_or(path));
        self.insert(dir, path.file_name().unwrap_or_default(), body, mode);
    }

    pub(crate) fn write(&mut self, path: &Path, bytes: &[u8]) {
        match self.find(path) {
            Some(inode) => self.fill(inode, bytes),
            None => self.add(path, Body::File(bytes.to_owned()), 0o100_644),
        }
    }

    pub(crate) fn unlink_path(&mut self, path: &Path) {
        let dir = self.find(path.parent().unwrap_or(path)).unwrap_or(TOP);
        self.take(dir, path.file_name().unwrap_or_default())
            .into_iter()
            .for_each(|inode| self.drop_name(inode));
    }

    pub(crate) fn hard_link(&mut self, existing: &Path, path: &Path) {
        let dir = self.add_dirs(path.parent().unwrap_or(path));
        if let Some(inode) = self.find(existing) {
            self.put(dir, path.file_name().unwrap_or_default(), inode);
            self.add_name(inode);
        }
    }

    pub(crate) fn set_mode(&mut self, path: &Path, mode: u32) {
        let clock = self.clock;
        if let Some(node) = self.find(path).and_then(|inode| self.nodes.get_mut(&inode)) {
            node.mode = node.mode & !0o7777 | mode;
            node.ctime = clock;
        }
    }

    pub(crate) fn contents(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut all = BTreeMap::new();
        self.collect(TOP, Path::new("/"), &mut all);
        all
    }

    fn collect(&self, dir: u64, path: &Path, all: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
        for (name, inode) in self.names(dir).into_iter().flatten() {
            let path = path.join(name);
            match self.body(*inode) {
                Some(Body::File(bytes)) => drop(all.insert(path, Some(bytes.clone()))),
                Some(Body::Dir(_)) => {
                    all.insert(path.clone(), None);
                    self.collect(*inode, &path, all);
                }
                Some(Body::Link(_)) | None => {}
            }
        }
    }

    fn find(&self, path: &Path) -> Option<u64> {
        path.iter().skip(1).try_fold(TOP, |dir, name| self.child(dir, name))
    }
}
