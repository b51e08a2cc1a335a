//! Paths behind mounts. A bind mount gives a folder or file a second path, under which its own names are not
//! visible. The kernel knows those names.

use crate::error::{ErrnoContext, errno_of};
use crate::{Handle, Result, Root, Target};
use rustix::fs::{AtFlags, StatxFlags, statx};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

const OPERATION: &str = "find mounts around";

/// The table of this process's mounts, one per line.
const TABLE: &str = "/proc/self/mountinfo";

/// Returns the path, within its file system, of a target that a mount separates from its root, or of the root
/// itself.
pub(super) fn behind(root: &Root, target: Option<&Target>) -> Result<Option<PathBuf>> {
    let mount_of = |known: Option<u64>, folder: &Handle| match known {
        Some(mount) => Ok(mount),
        None => statx(folder, c"", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID)
            .map(|raw| raw.stx_mnt_id)
            .context(OPERATION, root.path()),
    };
    let of_root = mount_of(root.0.mount, &root.0.handle)?;
    let (mount, path) = match target {
        None => (of_root, root.path()),
        // A file may be a mount point, too. A missing file is on its folder's mount.
        Some(target) => (mount_of(target.mount, &target.parent)?, target.path.as_path()),
    };
    // Locations under the root that are on the root's own mount are reached only through that mount.
    if target.is_some() && mount == of_root {
        return Ok(None);
    }
    let table = std::fs::read(TABLE).map_err(|error| errno_of(&error)).context(OPERATION, path)?;
    Ok(in_table(&table, mount, path))
}

/// Finds a mount in the table. The fields of a line are: its number, its parent's number, the device, the
/// path within the file system, the mount point, and more.
fn in_table(table: &[u8], mount: u64, path: &Path) -> Option<PathBuf> {
    let number = mount.to_string();
    table.split(|byte| *byte == b'\n').find_map(|line| {
        let fields: Vec<_> = line.split(|byte| *byte == b' ').collect();
        let [id, _, _, within, at, ..] = fields.as_slice() else { return None };
        if *id != number.as_bytes() {
            return None;
        }
        let below = path.strip_prefix(unescaped(at)).ok()?;
        // `join` with an empty path would add a slash.
        let within = unescaped(within);
        let found = if below.as_os_str().is_empty() { within } else { within.join(below) };
        (found != path).then_some(found)
    })
}

/// Returns the other paths under which mounts show a folder, or parts of it.
pub fn other_paths(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let table = std::fs::read(TABLE)?;
    Ok(others_in_table(&table, folder))
}

fn others_in_table(table: &[u8], folder: &Path) -> Vec<PathBuf> {
    let mounts: Vec<_> = table.split(|byte| *byte == b'\n').filter_map(parsed).collect();
    let Some((own, below)) = mount_of(&mounts, folder) else { return Vec::new() };
    let place = joined(&own.within, below);
    let other = |mount: &Mount<'_>| {
        if mount.device != own.device {
            return None;
        }
        match place.strip_prefix(&mount.within) {
            Ok(below) => Some(joined(&mount.at, below)),
            Err(_) => mount.within.starts_with(&place).then(|| mount.at.clone()),
        }
    };
    let mut found: Vec<_> = mounts.iter().filter_map(other).filter(|path| path != folder).collect();
    found.sort();
    found.dedup();
    found
}

/// Returns the path by which a folder is usually known, if a mount shows it under this path as well: the one below the
/// mount point that is highest up, and of several of these the shortest. `is_possible` chooses among the paths.
pub fn usual_path(folder: &Path, is_possible: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let table = std::fs::read(TABLE).ok()?;
    let id = |path: &Path| std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    let own = id(folder)?;
    // A path can be hidden by another mount.
    let is_it = |path: &PathBuf| path == folder || (is_possible(path) && id(path) == Some(own));
    paths_in_table(&table, folder).into_iter().find(is_it).filter(|path| path != folder)
}

/// Returns all paths that the mounts give to a folder, the most usual one first.
fn paths_in_table(table: &[u8], folder: &Path) -> Vec<PathBuf> {
    let mounts: Vec<_> = table.split(|byte| *byte == b'\n').filter_map(parsed).collect();
    let Some((own, below)) = mount_of(&mounts, folder) else { return Vec::new() };
    let place = joined(&own.within, below);
    let shown = |mount: &Mount<'_>| {
        let below = place.strip_prefix(&mount.within).ok().filter(|_| mount.device == own.device)?;
        let path = joined(&mount.at, below);
        Some((mount.at.components().count(), path.components().count(), path))
    };
    let mut paths: Vec<_> = mounts.iter().filter_map(shown).collect();
    paths.sort_by_key(|(depth, length, _)| (*depth, *length));
    paths.into_iter().map(|(.., path)| path).collect()
}

/// Returns the mount that shows a folder, and the path of the folder below the mount point.
fn mount_of<'a, 'b>(mounts: &'a [Mount<'a>], folder: &'b Path) -> Option<(&'a Mount<'a>, &'b Path)> {
    // Of several mounts at one point, the last one is visible.
    let around = mounts.iter().rev().filter(|mount| folder.starts_with(&mount.at));
    let mount = around.max_by_key(|mount| mount.at.components().count())?;
    Some((mount, folder.strip_prefix(&mount.at).ok()?))
}

/// Joins paths without adding a slash for an empty one.
fn joined(path: &Path, below: &Path) -> PathBuf {
    if below.as_os_str().is_empty() { path.to_owned() } else { path.join(below) }
}

/// A line of the table.
struct Mount<'a> {
    device: &'a [u8],
    /// Path within the file system.
    within: PathBuf,
    /// Mount point.
    at: PathBuf,
}

fn parsed(line: &[u8]) -> Option<Mount<'_>> {
    let mut fields = line.split(|byte| *byte == b' ').skip(2);
    let (device, within, at) = (fields.next()?, fields.next()?, fields.next()?);
    Some(Mount { device, within: unescaped(within), at: unescaped(at) })
}

/// Decodes a field. The table escapes spaces, tabs, newlines and backslashes as `\` and three octal digits.
fn unescaped(field: &[u8]) -> PathBuf {
    let (mut bytes, mut rest) = (Vec::with_capacity(field.len()), field);
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| first == b'\\');
        let octal = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = octal.and_then(|octal| u8::from_str_radix(octal, 8).ok());
        bytes.push(byte.unwrap_or(first));
        rest = if byte.is_some() { &after[3..] } else { after };
    }
    OsString::from_vec(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &[u8] = b"27 1 254:0 / / rw - ext4 /dev/vda rw\n\
        40 27 254:0 /home/ada/shop/.git/hooks /home/ada/shop/x rw - ext4 /dev/vda rw\n\
        41 27 254:0 /home/ada/a\\040b/.git /srv/c\\134d rw - ext4 /dev/vda rw\n\
        42 27 0:30 / /data rw - tmpfs tmpfs rw\n";

    #[test]
    fn a_mount_gives_the_names_within_its_file_system() {
        for (mount, path, expected) in [
            (27, "/home/ada/shop/a.txt", None),
            (40, "/home/ada/shop/x/pre-commit", Some("/home/ada/shop/.git/hooks/pre-commit")),
            (40, "/home/ada/shop/x", Some("/home/ada/shop/.git/hooks")),
            (41, "/srv/c\\d/config", Some("/home/ada/a b/.git/config")),
            (42, "/data/a", Some("/a")),
            (43, "/data/a", None),
        ] {
            assert_eq!(in_table(SAMPLE, mount, Path::new(path)), expected.map(PathBuf::from), "{path}");
        }
    }

    #[test]
    fn the_usual_path_of_a_folder_comes_first() {
        for (table, folder, expected) in [
            (
                "1 0 8:1 / / rw\n2 1 8:1 /home/ada/shop /home/ada/x rw",
                "/home/ada/x/src",
                "/home/ada/shop/src",
            ),
            ("1 0 8:1 / / rw\n2 1 8:1 /home/ada/shop /shop rw", "/shop", "/home/ada/shop"),
            ("1 0 8:1 / / rw\n2 1 8:1 /home/ada/shop /shop rw", "/home/ada/shop/a", "/home/ada/shop/a"),
            // A file system that is also mounted as a whole: subvolumes of btrfs, and OSTree.
            ("1 0 0:9 /@home /home rw\n2 1 0:9 / /mnt/all rw", "/mnt/all/@home/ada", "/home/ada"),
            ("1 0 0:9 / /sysroot rw\n2 1 0:9 /deploy/var /var rw", "/var/home/ada", "/var/home/ada"),
            ("1 0 8:1 / / rw\n2 1 8:2 / /data rw\n3 1 8:2 /home /home rw", "/home/ada", "/home/ada"),
        ] {
            let paths = paths_in_table(table.as_bytes(), Path::new(folder));
            assert_eq!(paths[0], Path::new(expected), "{folder}");
        }
    }

    #[test]
    fn mounts_show_a_folder_and_its_parts_under_other_paths() {
        for (folder, expected) in [
            ("/home/ada/shop", vec!["/home/ada/shop/x"]),
            ("/home/ada/shop/.git", vec!["/home/ada/shop/x"]),
            ("/home/ada/shop/.git/hooks", vec!["/home/ada/shop/x"]),
            ("/home/ada/a b", vec!["/srv/c\\d"]),
            ("/home/ada/a b/.git/sub", vec!["/srv/c\\d/sub"]),
            ("/data", vec![]),
        ] {
            let expected: Vec<_> = expected.into_iter().map(PathBuf::from).collect();
            assert_eq!(others_in_table(SAMPLE, Path::new(folder)), expected, "{folder}");
        }
    }
}
