//! Lists what the ignore rules exclude.

use std::path::{Path, PathBuf};

use crate::disk::{Disk, Kind, Listed, Root};
use crate::workspace::rules::is_version_control;

use super::filter::Ignores;

/// Returns the files and folders that the ignore rules exclude, as paths from the root. The entries of an ignored
/// folder are not listed. Folders that cannot be listed are left out.
pub fn ignored(disk: &dyn Disk, root: &Root, top: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![(PathBuf::new(), Ignores::around(disk, root, top, Path::new("")))];
    while let Some((folder, around)) = folders.pop() {
        let listed = disk.list(root, &folder).unwrap_or_default();
        let ignores = around.within(disk, root, &folder, |name| listed.iter().any(|it| it.name == name));
        for Listed { name, kind } in listed {
            let path = folder.join(&name);
            if is_version_control(Path::new(&name)) {
                continue;
            }
            if ignores.ignore(&root.path().join(&path), kind == Kind::Folder) {
                found.push(path);
            } else if kind == Kind::Folder {
                folders.push((path, ignores.clone()));
            }
        }
    }
    found
}
