use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::judge::is_version_control;

/// System folders. An agent's root cannot be inside them.
const SYSTEM: [&str; 10] =
    ["/bin", "/boot", "/dev", "/etc", "/proc", "/run", "/sbin", "/sys", "/usr", "/var"];

/// The reason why a folder cannot be an agent's root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootRefusal {
    /// `/`, the home folder or one of its ancestors: too wide a scope.
    TooWide,
    /// A system folder.
    System,
    /// Inside version-control metadata.
    VersionControl,
    /// Outside the roots that the user configured.
    NotConfigured,
}

/// Checks that an agent may use `root` as its root. All paths must be canonical.
pub fn check_root(root: &Path, home: Option<&Path>, configured: &[PathBuf]) -> Result<(), RootRefusal> {
    let home_is_inside = home.is_some_and(|home| home.starts_with(root));
    if root == Path::new("/") || home_is_inside {
        return Err(RootRefusal::TooWide);
    }
    if is_system(root, home) {
        return Err(RootRefusal::System);
    }
    if is_version_control(root) {
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

#[cfg(test)]
mod tests {
    use super::*;

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
