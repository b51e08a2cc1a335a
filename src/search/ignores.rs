//! What is ignored: `.gitignore`, `.ignore`, `.git/info/exclude` and the user's global rules, of which the
//! nearest has the last word, and `.ignore` before the others. As in ripgrep, `.gitignore` counts outside
//! repositories too, and the rules of a repository end at its top.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, Glob, gitconfig_excludes_path};

use crate::disk::{Disk, Root};

/// Bytes of a file with rules that are read; a larger one was not written by a person, and is not obeyed.
const LARGEST: u64 = 256 << 10;
/// Lines of one that is obeyed.
const LINES: usize = 10_000;

/// The rules that hold in a folder. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Ignores {
    nearest: Option<Arc<Level>>,
    global: Arc<Gitignore>,
}

/// The rules of one folder, and of those around it.
#[derive(Debug)]
struct Level {
    around: Option<Arc<Level>>,
    own: Gitignore,
    git: Gitignore,
    exclude: Gitignore,
    is_top: bool,
}

impl Ignores {
    /// The rules for a folder of a root, as canonical path from it, without the folder's own.
    pub(super) fn around(disk: &dyn Disk, root: &Root, top: &Path, folder: &Path) -> Self {
        let global = Arc::new(global(top));
        let mut ignores = Self { nearest: None, global };
        // Without a repository nothing above the root is about what is in it.
        let above = top.parent().is_some() && root.path() != top && root.path().starts_with(top);
        let outside = root.path().ancestors().skip(1).take_while(|_| above);
        let outside: Vec<_> = outside.take_while(|around| around.starts_with(top)).collect();
        for around in outside.into_iter().rev() {
            if let Ok(around) = disk.open_root(around) {
                ignores = ignores.within(disk, &around, Path::new(""), |_| true);
            }
        }
        let mut inside: Vec<_> = folder.ancestors().skip(1).collect();
        inside.reverse();
        inside.into_iter().fold(ignores, |ignores, folder| ignores.within(disk, root, folder, |_| true))
    }

    /// The rules for what is in a folder, of which it is known which names it holds.
    pub(super) fn within(
        &self,
        disk: &dyn Disk,
        root: &Root,
        folder: &Path,
        holds: impl Fn(&OsStr) -> bool,
    ) -> Self {
        let path = root.path().join(folder);
        let rules = |name: &str| {
            let there = holds(OsStr::new(name)).then(|| read(disk, root, &folder.join(name))).flatten();
            there.map_or_else(Gitignore::empty, |text| compiled(&path, &text))
        };
        let is_top =
            holds(OsStr::new(".git")) && disk.peek(root, &folder.join(".git")).is_ok_and(|it| it.is_some());
        let (own, git) = (rules(".ignore"), rules(".gitignore"));
        let exclude = is_top.then(|| excluded(disk, root, folder)).flatten();
        let exclude = exclude.map_or_else(Gitignore::empty, |text| compiled(&path, &text));
        if !is_top && own.is_empty() && git.is_empty() {
            return self.clone();
        }
        let level = Level { around: self.nearest.clone(), own, git, exclude, is_top };
        Self { nearest: Some(Arc::new(level)), global: self.global.clone() }
    }

    /// Whether an absolute path is ignored, if what is around it is not.
    pub(super) fn ignore(&self, path: &Path, is_folder: bool) -> bool {
        let (mut git, mut exclude, mut left) = (Match::None, Match::None, false);
        let mut level = self.nearest.as_deref();
        while let Some(Level { around, own, git: of_git, exclude: excluded, is_top }) = level {
            match own.matched(path, is_folder) {
                Match::None => {}
                said => return said.is_ignore(),
            }
            if !left {
                git = first(git, of_git, path, is_folder);
                exclude = first(exclude, excluded, path, is_folder);
            }
            left |= is_top;
            level = around.as_deref();
        }
        git.or(exclude).or(self.global.matched(path, is_folder)).is_ignore()
    }
}

/// What was said nearer, else what is said here.
fn first<'a>(nearer: Match<&'a Glob>, here: &'a Gitignore, path: &Path, is_folder: bool) -> Match<&'a Glob> {
    if nearer.is_none() && !here.is_empty() { here.matched(path, is_folder) } else { nearer }
}

/// The user's rules for all repositories.
fn global(top: &Path) -> Gitignore {
    let text = gitconfig_excludes_path().and_then(|path| read_outside(&path));
    text.map_or_else(Gitignore::empty, |text| compiled(top, &text))
}

/// What one person leaves out of a repository. Of a linked work tree and of a submodule, `.git` is a file that says
/// where that is.
fn excluded(disk: &dyn Disk, root: &Root, folder: &Path) -> Option<Vec<u8>> {
    let Some(link) = read(disk, root, &folder.join(".git")) else {
        return read(disk, root, &folder.join(".git/info/exclude"));
    };
    let named = |text: &[u8]| PathBuf::from(OsStr::from_bytes(text.trim_ascii()));
    let own = root.path().join(folder).join(named(link.strip_prefix(b"gitdir:")?));
    let common = read_outside(&own.join("commondir")).map(|text| own.join(named(&text)));
    read_outside(&common.unwrap_or(own).join("info/exclude"))
}

fn read_outside(path: &Path) -> Option<Vec<u8>> {
    let metadata = std::fs::metadata(path).ok()?;
    (metadata.is_file() && metadata.len() <= LARGEST).then(|| std::fs::read(path).ok())?
}

fn read(disk: &dyn Disk, root: &Root, file: &Path) -> Option<Vec<u8>> {
    let (source, mut text) = (disk.open_file(root, file).ok()?, Vec::new());
    source.take(LARGEST + 1).read_to_end(&mut text).ok()?;
    (text.len() as u64 <= LARGEST).then_some(text)
}

/// A line that means nothing is passed over.
fn compiled(folder: &Path, text: &[u8]) -> Gitignore {
    let text = String::from_utf8_lossy(text);
    let mut rules = GitignoreBuilder::new(folder);
    // A part of the rules may mean the opposite of all of them.
    if text.lines().nth(LINES).is_some() {
        return Gitignore::empty();
    }
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _ = rules.add_line(None, line);
    }
    rules.build().unwrap_or_else(|_| Gitignore::empty())
}
