//! Temporary file systems with simulated power cuts.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::system::{need, need_root, run, text_of};

/// Opens a folder and reports that with `r`. When it receives a byte, shuts down the file system without
/// further writes and without flushing its log: `EXT4_IOC_SHUTDOWN` and `XFS_IOC_GOINGDOWN`, which have the
/// same number.
const CUTTER: &str = "
import fcntl, os, struct, sys
folder = os.open(sys.argv[1], os.O_RDONLY)
os.write(1, b'r')
os.read(0, 1)
fcntl.ioctl(folder, 0x8004587d, struct.pack('I', 2))
os.write(1, b'd')
";

/// A mounted file system that is unmounted at the end of the test.
pub(crate) struct Volume {
    folder: TempDir,
    /// Image file of the file system, if any.
    image: Option<PathBuf>,
    options: String,
}

impl Volume {
    /// Mounts ext4 from an image file.
    pub(crate) fn ext4(options: &str) -> Self {
        need("mkfs.ext4", "e2fsprogs");
        Self::in_file(24 << 20, "mkfs.ext4", &["-q", "-F"], options)
    }

    /// Mounts XFS from an image file.
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

    /// Mounts a tmpfs with options such as `size=` and `nr_inodes=`.
    pub(crate) fn tmpfs(options: &str) -> Self {
        need_root();
        let volume = Self { folder: Self::folder(), image: None, options: options.to_owned() };
        run("mount", &["-t", "tmpfs", "-o", options, "tmpfs", text_of(&volume.at())]);
        volume
    }

    /// Mounts exFAT through FUSE. It ignores letter case in names.
    pub(crate) fn exfat() -> Self {
        need("mkfs.exfat", "exfatprogs");
        need("mount.exfat-fuse", "exfat-fuse");
        let folder = tempfile::tempdir().expect("a folder");
        let image = folder.path().join("image");
        File::create(&image).and_then(|file| file.set_len(16 << 20)).expect("an image");
        run("mkfs.exfat", &[text_of(&image)]);
        let device = run("losetup", &["--find", "--show", text_of(&image)]);
        let volume = Self::other("mount.exfat-fuse", &[device.trim()]);
        // The loop device goes with the mount.
        run("losetup", &["--detach", device.trim()]);
        volume
    }

    /// Runs a mount program with these arguments, followed by the mount point.
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

    /// Returns the mount point.
    pub(crate) fn at(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("an existing folder").join("at")
    }

    pub(crate) fn image(&self) -> &Path {
        self.image.as_deref().expect("a file system in a file")
    }

    /// Returns a path next to the mount point, on the test's own file system.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn mount(&self) {
        run("mount", &["-o", &self.options, text_of(self.image()), text_of(&self.at())]);
    }

    /// Unmounts the file system. No process may have a file open in it.
    pub(crate) fn unmount(&self) {
        run("umount", &[text_of(&self.at())]);
    }

    /// Syncs the file system to disk.
    pub(crate) fn sync(&self) {
        let folder = File::open(self.at()).expect("the mounted folder");
        rustix::fs::syncfs(&folder).expect("a sync");
    }

    /// Prepares an immediate power cut.
    pub(crate) fn cutter(&self) -> Cutter {
        need("/usr/bin/python3", "python3");
        let mut command = Command::new("/usr/bin/python3");
        command.args(["-c", CUTTER]).arg(self.at()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut cutter = Cutter(command.spawn().expect("Python can be run"));
        cutter.expect_reply(b'r');
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
    /// Cuts the power. On return, no more writes reach the disk.
    pub(crate) fn cut(mut self) {
        self.0.stdin.take().expect("it is a pipe").write_all(b"!").expect("the helper reads");
        self.expect_reply(b'd');
        self.0.wait().expect("the helper ends");
    }

    fn expect_reply(&mut self, expected: u8) {
        let mut reply = [0];
        self.0.stdout.as_mut().expect("it is a pipe").read_exact(&mut reply).expect("the helper answers");
        assert_eq!(reply[0], expected);
    }
}

impl Drop for Cutter {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}
