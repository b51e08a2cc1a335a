//! Filters of paths: globs of a request, and ignore rules.
//!
//! Ignore rules come from `.gitignore`, `.ignore`, `.git/info/exclude` and the user's global rules. Rules of the
//! nearest folder win, and `.ignore` wins over the others. As in ripgrep, `.gitignore` applies outside of
//! repositories too, and a `.gitignore` above the top folder of a repository does not apply inside it.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use globset::{GlobBuilder, GlobMatcher};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path};

use crate::{Disk, Root};

/// Maximum size of a file with rules, in bytes. A larger file was not written by a person, and is skipped.
const LARGEST: u64 = 256 << 10;
/// Maximum number of lines of a file with rules.
const LINES: usize = 10_000;

/// The rules that apply in a folder. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Ignores {
    nearest: Option<Arc<Level>>,
    global: Arc<Gitignore>,
}

/// The rules of a folder and its parents.
#[derive(Debug)]
struct Level {
    around: Option<Arc<Level>>,
    own: Gitignore,
    git: Gitignore,
    exclude: Gitignore,
    is_top: bool,
}

impl Ignores {
    /// Returns the rules that apply to a folder, without the folder's own rules. `folder` is its canonical
    /// path from the root.
    pub fn around(disk: &dyn Disk, root: &Root, top: &Path, folder: &Path) -> Self {
        let global = Arc::new(global(top));
        let mut ignores = Self { nearest: None, global };
        // Outside of a repository, rules above the root do not apply to it.
        let above = top.parent().is_some() && root.path() != top && root.path().starts_with(top);
        let parents = root.path().ancestors().skip(1).take_while(|_| above);
        let parents: Vec<_> = parents.take_while(|around| around.starts_with(top)).collect();
        for around in parents.into_iter().rev() {
            if let Ok(around) = disk.open_root(around) {
                ignores = ignores.within(disk, &around, Path::new(""), |_| true);
            }
        }
        let mut ancestors: Vec<_> = folder.ancestors().skip(1).collect();
        ancestors.reverse();
        ancestors.into_iter().fold(ignores, |ignores, folder| ignores.within(disk, root, folder, |_| true))
    }

    /// Returns the rules for the entries of a folder. `holds` says which names the folder contains.
    #[must_use]
    pub fn within(
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

    /// Returns `true` if both are the same value or clones of it.
    pub fn same(&self, other: &Self) -> bool {
        let nearest = match (&self.nearest, &other.nearest) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        nearest && Arc::ptr_eq(&self.global, &other.global)
    }

    /// Returns `true` if an absolute path is ignored, provided that its parent folders are not.
    pub fn ignore(&self, path: &Path, is_folder: bool) -> bool {
        let (mut git, mut exclude, mut left_repository) = (Match::None, Match::None, false);
        let mut level = self.nearest.as_deref();
        while let Some(Level { around, own, git: of_git, exclude: excluded, is_top }) = level {
            match own.matched(path, is_folder) {
                Match::None => {}
                matched => return matched.is_ignore(),
            }
            if !left_repository && git.is_none() {
                git = of_git.matched(path, is_folder);
            }
            if !left_repository && exclude.is_none() {
                exclude = excluded.matched(path, is_folder);
            }
            left_repository |= is_top;
            level = around.as_deref();
        }
        git.or(exclude).or(self.global.matched(path, is_folder)).is_ignore()
    }
}

/// Reads the user's global rules, which apply to all repositories.
fn global(top: &Path) -> Gitignore {
    // The library reads the settings of git without a limit.
    if !settings_of_git().iter().all(|path| !path.exists() || read_of_user(path).is_some()) {
        return Gitignore::empty();
    }
    let text = gitconfig_excludes_path().and_then(|path| read_of_user(&path));
    text.map_or_else(Gitignore::empty, |text| compiled(top, &text))
}

/// Returns the files in which git looks for the global rules.
fn settings_of_git() -> Vec<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = std::env::home_dir();
    let below_home = |name| home.as_ref().map(|home| home.join(name));
    let files = [
        set("GIT_CONFIG_GLOBAL"),
        set("GIT_CONFIG_SYSTEM").or_else(|| Some("/etc/gitconfig".into())),
        set("XDG_CONFIG_HOME").map(|folder| folder.join("git/config")),
        below_home(".config/git/config"),
        below_home(".gitconfig"),
    ];
    files.into_iter().flatten().collect()
}

/// Reads a file of the user, who may have made it a link. Never blocks, and stops at the limit.
fn read_of_user(path: &Path) -> Option<Vec<u8>> {
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = File::options().read(true).custom_flags(nonblocking).open(path).ok()?;
    file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    read_all(file)
}

/// Reads `info/exclude`, the local rules of a repository. In a linked work tree and in a submodule, `.git` is
/// a file that points to the folder with these rules. A folder outside of the root counts only if it points back,
/// because everything can be in a pointer.
fn excluded(disk: &dyn Disk, root: &Root, folder: &Path) -> Option<Vec<u8>> {
    let Some(link) = read(disk, root, &folder.join(".git")) else {
        return read(disk, root, &folder.join(".git/info/exclude"));
    };
    let tree = root.path().join(folder);
    let metadata = disk.open_root(&tree.join(named(link.strip_prefix(b"gitdir:")?))).ok()?;
    let is_inside = metadata.path().starts_with(root.path());
    if !is_inside && !points_to(disk, &metadata, &tree) {
        return None;
    }
    let common = match read(disk, &metadata, Path::new("commondir")) {
        Some(common) => disk.open_root(&metadata.path().join(named(&common))).ok()?,
        None => metadata.clone(),
    };
    // The metadata of a linked work tree lies in that of its repository.
    let belongs =
        metadata.path().starts_with(common.path()) && (!is_inside || common.path().starts_with(root.path()));
    if belongs { read(disk, &common, Path::new("info/exclude")) } else { None }
}

fn named(text: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(text.trim_ascii()))
}

/// Returns `true` if the metadata of a linked work tree or of a submodule names this work tree.
pub fn points_to(disk: &dyn Disk, metadata: &Root, tree: &Path) -> bool {
    let leads_to = |path: PathBuf, wanted: &Path| {
        disk.open_root(&metadata.path().join(path)).is_ok_and(|opened| opened.path() == wanted)
    };
    if let Some(linked) = read(disk, metadata, Path::new("gitdir")) {
        let linked = named(&linked);
        let folder = linked.parent().filter(|_| linked.file_name() == Some(OsStr::new(".git")));
        return folder.is_some_and(|folder| leads_to(folder.to_owned(), tree));
    }
    let settings = read(disk, metadata, Path::new("config")).unwrap_or_default();
    let mut names = settings.split(|byte| *byte == b'\n').filter_map(|line| {
        let value = line.trim_ascii().strip_prefix(b"worktree")?.trim_ascii_start().strip_prefix(b"=")?;
        Some(named(value))
    });
    names.next_back().is_some_and(|worktree| leads_to(worktree, tree))
}

fn read(disk: &dyn Disk, root: &Root, file: &Path) -> Option<Vec<u8>> {
    read_all(disk.open_file(root, file).ok()?)
}

fn read_all(source: impl Read) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    source.take(LARGEST + 1).read_to_end(&mut text).ok()?;
    (text.len() as u64 <= LARGEST).then_some(text)
}

/// Compiles rules. Invalid lines are skipped.
fn compiled(folder: &Path, text: &[u8]) -> Gitignore {
    let text = String::from_utf8_lossy(text);
    let mut rules = GitignoreBuilder::new(folder);
    // All or nothing: a part of the rules may mean the opposite of the whole.
    if text.lines().nth(LINES).is_some() {
        return Gitignore::empty();
    }
    for line in text.trim_start_matches('\u{feff}').lines() {
        if line.len() <= MAX_PATTERN {
            let _ = rules.add_line(None, &without_alternatives(line));
        }
    }
    rules.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Escapes the braces of a rule. Git does not know alternatives, and those of the library nest without a limit.
fn without_alternatives(line: &str) -> Cow<'_, str> {
    if !line.contains(['{', '}']) {
        return line.into();
    }
    let (mut escaped, mut is_escaped, mut class) = (String::with_capacity(line.len() + 8), false, None);
    for (at, sign) in line.char_indices() {
        if matches!(sign, '{' | '}') && !is_escaped && class.is_none() {
            escaped.push('\\');
        }
        match (sign, class) {
            ('[', None) if !is_escaped => class = Some(at),
            // A bracket at the start of a class is one of its signs.
            (']', Some(start)) if !matches!(&line[start + 1..at], "" | "!" | "^") => class = None,
            _ => {}
        }
        is_escaped = sign == '\\' && !is_escaped && class.is_none();
        escaped.push(sign);
    }
    escaped.into()
}

/// Maximum length of a glob and of a rule, in bytes: enough for any path.
const MAX_PATTERN: usize = 4096;

/// Maximum number of alternatives in a glob that begin. The library recurses for each inside another.
const MAX_ALTERNATIVES: usize = 50;

/// A path pattern. Without `/` it is matched against the file name, with a `/` (or a leading `./`) against
/// the path from the searched folder, and with a leading `/` against the absolute path. `*` does not match
/// `/`; `**` does.
#[derive(Clone, Debug)]
pub struct Glob {
    matcher: GlobMatcher,
    subject: Subject,
    folders_only: bool,
}

/// The subject of a glob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    Name,
    Path,
    Absolute,
}

impl Glob {
    /// Parses a pattern. The error is a description that can follow the name of the parameter.
    pub fn new(pattern: &str) -> Result<Self, String> {
        let (pattern, is_relative) = pattern.strip_prefix("./").map_or((pattern, false), |rest| (rest, true));
        if pattern.len() > MAX_PATTERN {
            return Err(format!("it is longer than {MAX_PATTERN} bytes"));
        }
        if pattern.matches('{').count() > MAX_ALTERNATIVES {
            return Err(format!("it has more than {MAX_ALTERNATIVES} groups of alternatives"));
        }
        let bare = pattern.trim_end_matches('/');
        if bare.is_empty() {
            return Err("it is empty".to_owned());
        }
        let subject = match bare {
            bare if bare.starts_with('/') => Subject::Absolute,
            bare if is_relative || bare.contains('/') => Subject::Path,
            _ => Subject::Name,
        };
        let glob = GlobBuilder::new(bare).literal_separator(true).backslash_escape(true).build();
        let glob = glob.map_err(|error| error.kind().to_string())?;
        Ok(Self { matcher: glob.compile_matcher(), subject, folders_only: bare != pattern })
    }

    /// Returns `true` if a path matches. `below` is the path from the searched folder.
    pub fn fits(&self, absolute: &Path, below: &Path, is_folder: bool) -> bool {
        let compared = match self.subject {
            Subject::Name => below.file_name().map_or(below, Path::new),
            Subject::Path => below,
            Subject::Absolute => absolute,
        };
        (is_folder || !self.folders_only) && self.matcher.is_match(compared)
    }
}

/// A filter on the paths of searched files.
#[derive(Clone, Debug)]
pub struct FileGlob {
    glob: Glob,
    /// `true` if matching files are excluded.
    negated: bool,
}

impl FileGlob {
    /// Parses a glob; a leading `!` makes it an exclusion.
    pub fn new(pattern: &str) -> Result<Self, String> {
        let (pattern, negated) = pattern.strip_prefix('!').map_or((pattern, false), |rest| (rest, true));
        Ok(Self { glob: Glob::new(pattern)?, negated })
    }

    /// Returns `true` if a file matches: its path, and its path below the root.
    pub fn admits(&self, absolute: &Path, below: &Path) -> bool {
        self.glob.fits(absolute, below, false) != self.negated
    }

    /// Returns `true` if everything in a folder is excluded.
    pub(super) fn excludes_folder(&self, absolute: &Path, below: &Path) -> bool {
        self.negated && self.glob.fits(absolute, below, true)
    }
}
