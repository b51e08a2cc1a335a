//! The table `maps`: folders that programs in containers see under other paths.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Deserializer};

/// A folder with two paths.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathMap {
    /// Path of the folder for programs in a container.
    #[serde(deserialize_with = "folder")]
    pub inside: PathBuf,
    /// Path of the folder for the daemon.
    #[serde(deserialize_with = "folder")]
    pub outside: PathBuf,
}

fn folder<'de, D: Deserializer<'de>>(value: D) -> Result<PathBuf, D::Error> {
    let path = PathBuf::deserialize(value)?;
    let is_plain = |part: Component<'_>| matches!(part, Component::RootDir | Component::Normal(_));
    let is_folder = path.is_absolute() && path.components().all(is_plain) && path != Path::new("/");
    if !is_folder || path.to_str().is_none() {
        let problem = "`maps`: write absolute paths other than `/`, without `..`";
        return Err(serde::de::Error::custom(problem));
    }
    // Without a slash at the end.
    Ok(path.components().collect())
}

/// Refuses two maps of the same path, of which only one could apply.
pub(super) fn check(maps: &[PathMap]) -> Result<(), String> {
    for (at, map) in maps.iter().enumerate() {
        if maps[..at].iter().any(|other| other.inside == map.inside) {
            let inside = map.inside.display();
            return Err(format!("`maps`: `{inside}` has two maps; mount one of the folders elsewhere"));
        }
    }
    Ok(())
}
