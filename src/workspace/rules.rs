use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// Folders that belong to the system: no agent's root lies in them.
const SYSTEM: [&str; 10] =
    ["/bin", "/boot", "/dev", "/etc", "/proc", "/run", "/sbin", "/sys", "/usr", "/var"];

/// Version control keeps its own state in these; changing it by hand runs code or loses history.
const VERSION_CONTROL: [&str; 4] = [".git", ".jj", ".hg", ".svn"];

/// Why a folder cannot be an agent's root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootRefusal {
    /// `/`, the home folder or something above it: too much at once.
    TooWide,
    /// A folder of the system.
    System,
    /// Inside version-control metadata.
    VersionControl,
    /// The user configured roots, and it lies in none of them.
    NotConfigured,
}

/// Whether an agent may work in `root`. All paths are canonical.
pub fn check_root(root: &Path, home: Option<&Path>, configured: &[PathBuf]) -> Result<(), RootRefusal> {
    let home_is_inside = home.is_some_and(|home| home.starts_with(root));
    if root == Path::new("/") || home_is_inside {
        return Err(RootRefusal::TooWide);
    }
    if is_system(root, home) {
        return Err(RootRefusal::System);
    }
    if version_control_part(root).is_some() {
        return Err(RootRefusal::VersionControl);
    }
    if !configured.is_empty() && !configured.iter().any(|allowed| root.starts_with(allowed)) {
        return Err(RootRefusal::NotConfigured);
    }
    Ok(())
}

fn is_system(root: &Path, home: Option<&Path>) -> bool {
    if root.starts_with("/var/tmp") || home.is_some_and(|home| root.starts_with(home)) {
        return false;
    }
    let library =
        root.components().nth(1).is_some_and(|part| part.as_os_str().as_bytes().starts_with(b"lib"));
    library || SYSTEM.iter().any(|system| root.starts_with(system))
}

/// The component of `path` that is version-control metadata, whatever disguise its name wears: letter
/// case, trailing dots and blanks, invisible characters, NTFS streams and short names.
pub fn version_control_part(path: &Path) -> Option<&OsStr> {
    path.components().find_map(|component| match component {
        Component::Normal(name) if names_version_control(name) => Some(name),
        _ => None,
    })
}

fn names_version_control(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    let name = name.split([':', '\\']).next().unwrap_or(name);
    let plain: String = name.chars().filter(|c| !is_ignorable(*c)).flat_map(char::to_lowercase).collect();
    let plain = plain.trim_end_matches(['.', ' ']);
    let short_name = plain.strip_prefix("git~").is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()));
    short_name || VERSION_CONTROL.contains(&plain)
}

/// Code points that HFS+ leaves out of names when it compares them.
fn is_ignorable(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_control_is_known_in_every_disguise() {
        for name in [
            ".git",
            ".GIT",
            ".Git",
            ".git.",
            ".git ",
            ".git. .",
            ".g\u{200c}it",
            "git~1",
            "GIT~1",
            ".git::$INDEX_ALLOCATION",
            ".git\\config",
            ".hg",
            ".svn",
            ".jj",
        ] {
            assert!(version_control_part(&Path::new("a").join(name).join("config")).is_some(), "{name}");
        }
        for name in [".gitignore", ".github", "git", "x.git", ".gitmodules", "git~x"] {
            assert!(version_control_part(&Path::new("a").join(name)).is_none(), "{name}");
        }
    }

    #[test]
    fn roots_are_neither_too_wide_nor_the_system() {
        let home = Some(Path::new("/home/ada"));
        let check = |root: &str| check_root(Path::new(root), home, &[]);
        for root in ["/", "/home", "/home/ada"] {
            assert_eq!(check(root), Err(RootRefusal::TooWide), "{root}");
        }
        for root in ["/etc", "/usr/src", "/lib64/x", "/var/lib/x", "/proc/self", "/run/user"] {
            assert_eq!(check(root), Err(RootRefusal::System), "{root}");
        }
        for root in ["/home/ada/x", "/tmp/x", "/var/tmp/x", "/srv/x", "/opt/x", "/data/x"] {
            assert_eq!(check(root), Ok(()), "{root}");
        }
        assert_eq!(check("/srv/x/.git"), Err(RootRefusal::VersionControl));
    }

    #[test]
    fn a_root_must_lie_in_a_configured_one() {
        let configured = [PathBuf::from("/srv/code")];
        assert_eq!(check_root(Path::new("/srv/code/a"), None, &configured), Ok(()));
        let outside = check_root(Path::new("/srv/codex"), None, &configured);
        assert_eq!(outside, Err(RootRefusal::NotConfigured));
    }
}
