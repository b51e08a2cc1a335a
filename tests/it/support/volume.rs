//! File systems of a test's own, whose power can be cut.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::system::{need, need_root, run, text_of};

/// Opens a folder, says so, and on a word stops its file system without letting it write anything more:
/// `EXT4_IOC_SHUTDOWN` and `XFS_IOC_GOINGDOWN`, which are one number, without a flush of the log.
const CUTTER: &str = "
import fcntl, os, struct, sys
folder = os.open(sys.argv[1], os.O_RDONLY)
os.write(1, b'r')
os.read(0, 1)
fcntl.ioctl(folder, 0x8004587d, struct.pack('I', 2))
os.write(1, b'd')
";

/// A mounted file system, which goes away with the test.
pub(crate) struct Volume {
    folder: TempDir,
    /// The file that it is in, if it is in one.
    image: Option<PathBuf>,
    options: String,
}

impl Volume {
    /// ext4 in a file.
    pub(crate) fn ext4(options: &str) -> Self {
        need("mkfs.ext4", "e2fsprogs");
        Self::in_file(24 << 20, "mkfs.ext4", &["-q", "-F"], options)
    }

    /// XFS in a file.
    pub(crate) fn xfs() -> Self {
        need("mkfs.xfs", "xfsprogs");
        Self::in_file(300 << 20, "mkfs.xfs", &["-q"], "")
    }

    fn in_file(size: u64, maker: &str, arguments: &[&str], options: &str) -> Self {
        need_root();
        let folder = Self::folder();
        let image = folder.path().join("image");
        File::create(&image).and_then(|file| file.set_len(size)).expect("an image");
        run(maker, &[arguments, &[text_of(&image)]].concat());
        let options = if options.is_empty() { "loop".to_owned() } else { format!("loop,{options}") };
        let volume = Self { folder, image: Some(image), options };
        volume.mount();
        volume
    }

    /// In memory, with the given `size=` and `nr_inodes=`.
    pub(crate) fn tmpfs(options: &str) -> Self {
        need_root();
        let volume = Self { folder: Self::folder(), image: None, options: options.to_owned() };
        run("mount", &["-t", "tmpfs", "-o", options, "tmpfs", text_of(&volume.at())]);
        volume
    }

    /// Whatever `mount` makes of these arguments, mounted at the last.
    pub(crate) fn other(mount: &str, arguments: &[&str]) -> Self {
        need_root();
        let volume = Self { folder: Self::folder(), image: None, options: String::new() };
        run(mount, &[arguments, &[text_of(&volume.at())]].concat());
        volume
    }

    fn folder() -> TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("at")).expect("a folder to mount at");
        folder
    }

    /// Where it is mounted.
    pub(crate) fn at(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("a folder that is there").join("at")
    }

    pub(crate) fn image(&self) -> &Path {
        self.image.as_deref().expect("a file system in a file")
    }

    /// Beside the mount, on the disk that the test runs on.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn mount(&self) {
        run("mount", &["-o", &self.options, text_of(self.image()), text_of(&self.at())]);
    }

    /// Nothing may have a file open there.
    pub(crate) fn unmount(&self) {
        run("umount", &[text_of(&self.at())]);
    }

    /// Writes everything out.
    pub(crate) fn sync(&self) {
        let folder = File::open(self.at()).expect("the mounted folder");
        rustix::fs::syncfs(&folder).expect("a sync");
    }

    /// Everything for a power cut at once.
    pub(crate) fn cutter(&self) -> Cutter {
        need("/usr/bin/python3", "python3");
        let mut command = Command::new("/usr/bin/python3");
        command.args(["-c", CUTTER]).arg(self.at()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut cutter = Cutter(command.spawn().expect("Python can be run"));
        cutter.hear(b'r');
        cutter
    }
}

impl Drop for Volume {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(self.at()).stderr(Stdio::null()).status().ok();
    }
}

/// Cuts the power of a [`Volume`].
pub(crate) struct Cutter(Child);

impl Cutter {
    /// On return nothing reaches the disk any more.
    pub(crate) fn cut(mut self) {
        self.0.stdin.take().expect("it is a pipe").write_all(b"!").expect("the helper listens");
        self.hear(b'd');
        self.0.wait().expect("the helper ends");
    }

    fn hear(&mut self, word: u8) {
        let mut heard = [0];
        self.0.stdout.as_mut().expect("it is a pipe").read_exact(&mut heard).expect("the helper answers");
        assert_eq!(heard[0], word);
    }
}

impl Drop for Cutter {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}
