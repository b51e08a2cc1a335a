//! The files that the modules of imports mean.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use crate::Language;

/// Endings of scripts.
const SCRIPTS: [&str; 8] = ["ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts"];

/// Folders that hold the modules of a project.
const SOURCES: [&str; 3] = ["src", "lib", "python"];

/// Returns `true` if a module that a file imports is another file.
pub(super) fn means(language: Language, module: &str, importer: &Path, other: &Path) -> bool {
    match language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => script(module, importer, other),
        Language::Python => python(module, importer, other),
        Language::Rust => rust(module, importer, other),
        Language::Go => go(module, other),
        _ => false,
    }
}

/// Returns a path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// Returns the path of a script as imports write it: without its ending, and without `index`.
fn script_paths(path: &Path) -> Vec<PathBuf> {
    let is_script = path.extension().and_then(OsStr::to_str).is_some_and(|end| SCRIPTS.contains(&end));
    let bare = if is_script { path.with_extension("") } else { path.to_owned() };
    let folder = (bare.file_name() == Some(OsStr::new("index"))).then(|| parent(&bare).to_owned());
    [Some(bare), folder].into_iter().flatten().collect()
}

fn script(module: &str, importer: &Path, other: &Path) -> bool {
    let is_script = |end: &str| SCRIPTS.contains(&end);
    let bare = module.rsplit_once('.').filter(|(_, end)| is_script(end)).map_or(module, |(bare, _)| bare);
    if bare.starts_with("./") || bare.starts_with("../") || matches!(bare, "." | "..") {
        let meant = plain(&parent(importer).join(bare));
        return script_paths(other).contains(&meant);
    }
    // Aliases of the folder with the sources. Any other name is that of a package.
    let rest = bare.strip_prefix("@/").or_else(|| bare.strip_prefix("~/"));
    rest.is_some_and(|rest| script_paths(other).iter().any(|path| path.ends_with(rest)))
}

fn python(module: &str, importer: &Path, other: &Path) -> bool {
    let bare = other.with_extension("");
    let own = if bare.file_name() == Some(OsStr::new("__init__")) {
        parent(&bare).to_owned()
    } else {
        bare.clone()
    };
    let name = module.trim_start_matches('.');
    let dots = module.len() - name.len();
    let path: PathBuf = name.split('.').filter(|part| !part.is_empty()).collect();
    if dots > 0 {
        let folder = importer.ancestors().nth(dots);
        return folder.is_some_and(|folder| folder.join(path) == own);
    }
    if path.as_os_str().is_empty() || !own.ends_with(&path) {
        return false;
    }
    let Some(top) = own.ancestors().nth(path.components().count()) else { return false };
    let is_source = top.file_name().and_then(OsStr::to_str).is_some_and(|name| SOURCES.contains(&name));
    importer.starts_with(top) || is_source && importer.starts_with(parent(top))
}

/// Returns the path of a module of Rust: that of its file without its ending, and without `mod`, `lib` or `main`.
fn rust_module(path: &Path) -> PathBuf {
    let bare = path.with_extension("");
    let is_folder = bare
        .file_name()
        .and_then(OsStr::to_str)
        .is_some_and(|name| matches!(name, "mod" | "lib" | "main" | "build"));
    if is_folder { parent(&bare).to_owned() } else { bare }
}

/// Returns the folder with the sources of the crate to which a file belongs.
fn crate_folder(path: &Path) -> Option<&Path> {
    let folder = path.ancestors().skip(1).find(|folder| folder.file_name() == Some(OsStr::new("src")))?;
    // Each program there is a crate of its own.
    (!path.starts_with(folder.join("bin"))).then_some(folder)
}

fn rust(module: &str, importer: &Path, other: &Path) -> bool {
    let parts: Vec<&str> = module.split("::").collect();
    let Some((first, rest)) = parts.split_first() else { return false };
    let meant = match *first {
        "crate" => crate_folder(importer).map(Path::to_owned),
        "self" => Some(rust_module(importer)),
        "super" => Some(parent(&rust_module(importer)).to_owned()),
        name => {
            // A crate usually has the name of its folder.
            let folder = crate_folder(other).filter(|folder| {
                let name_of = parent(folder).file_name().and_then(OsStr::to_str).unwrap_or_default();
                name_of.replace('-', "_") == name
            });
            folder.filter(|_| crate_folder(importer) != folder).map(Path::to_owned)
        }
    };
    let path = meant.map(|meant| {
        rest.iter().fold(meant, |path, part| match *part {
            "super" => parent(&path).to_owned(),
            part => path.join(part),
        })
    });
    path == Some(rust_module(other))
}

/// A package of Go is a folder. Its path begins with the name of the module, which is usually that of the folder around.
fn go(module: &str, other: &Path) -> bool {
    let folder: Vec<&str> = parent(other).iter().rev().filter_map(OsStr::to_str).collect();
    let common = module.rsplit('/').zip(folder).take_while(|(part, folder)| part == folder).count();
    common >= 2
}
