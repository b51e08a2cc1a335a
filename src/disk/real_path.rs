use std::fs;
use std::path::{Path, PathBuf};

/// Resolves the symbolic links in the existing part of a path, and keeps the rest. Requests on the same file arrive at the
/// same path.
pub fn real_path(path: &Path) -> PathBuf {
    let resolved = |existing: &Path| {
        let rest = path.strip_prefix(existing).ok()?;
        // Without a slash at the end.
        Some(fs::canonicalize(existing).ok()?.join(rest).components().collect())
    };
    path.ancestors().find_map(resolved).unwrap_or_else(|| path.to_owned())
}
