//! Lists what the ignore rules exclude.

use std::path::{Path, PathBuf};

use crate::{Disk, Kind, Root, Scanned};
use editd_workspace::rules::is_version_control;

use super::filter::Ignores;

/// Files and folders of a walk, as paths from the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IgnoredFiles {
    /// Files and folders that the ignore rules exclude. The entries of an ignored folder are not listed.
    pub ignored: Vec<PathBuf>,
    /// Other files that have several names (hard links).
    pub linked: Vec<PathBuf>,
}

/// Returns the files and folders that the ignore rules exclude. Folders that cannot be listed are left out.
pub fn ignored(disk: &dyn Disk, root: &Root, top: &Path) -> IgnoredFiles {
    let mut found = IgnoredFiles::default();
    let mut folders = vec![(PathBuf::new(), Ignores::around(disk, root, top, Path::new("")))];
    while let Some((folder, around)) = folders.pop() {
        let listed = disk.scan(root, &folder).unwrap_or_default();
        let ignores = around.within(disk, root, &folder, |name| listed.iter().any(|it| it.name == name));
        for Scanned { name, stat, .. } in listed {
            let path = folder.join(&name);
            if is_version_control(Path::new(&name)) {
                continue;
            }
            if ignores.ignore(&root.path().join(&path), stat.kind() == Kind::Folder) {
                found.ignored.push(path);
            } else if stat.kind() == Kind::Folder {
                folders.push((path, ignores.clone()));
            } else if stat.kind() == Kind::File && stat.nlink > 1 {
                found.linked.push(path);
            }
        }
    }
    found
}
