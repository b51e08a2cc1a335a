//! Tests of the daemon in this process, on disks that fail in the middle of a set.

use std::path::Path;
use std::sync::Arc;

use editd_daemon::config::Config;
use editd_daemon::server::{
    ClientSink, Daemon, Failure, Introduction, PendingResponse, Places, SessionContext,
};
use editd_disk::{Disk, DiskErrorKind, FailingDisk, MemoryDisk, OsDisk};
use editd_protocol::{ApplyResult, EditParams, ReadParams};
use editd_text::PositionEncoding;
use editd_workspace::{Abilities, Audience, Role};
use serde_json::{Value, json};

struct SilentClient;

impl ClientSink for SilentClient {
    fn notify(&self, _: &'static str, _: Value) {}

    fn request(&self, _: &'static str, _: Value) -> PendingResponse {
        // No client is left to answer.
        tokio::sync::oneshot::channel().1
    }
}

/// A daemon with one session in one root.
pub(super) struct Inside {
    daemon: Daemon,
    session: Arc<SessionContext>,
    _state: tempfile::TempDir,
}

impl Inside {
    pub(super) async fn start(disk: Arc<dyn Disk>, root: &Path) -> Self {
        Self::start_with(disk, root, tempfile::tempdir().expect("a folder")).await
    }

    async fn start_with(disk: Arc<dyn Disk>, root: &Path, state: tempfile::TempDir) -> Self {
        let places = Places { state_dir: state.path().to_owned(), runtime_dir: state.path().join("run") };
        let config = Config::load(state.path().join("config.toml"));
        let daemon = Daemon::start(config, disk, places).expect("a daemon");
        let introduction = Introduction {
            process: None,
            session_name: None,
            resumes: false,
            new_file: false,
            role: Role::Editor,
            is_person: true,
            name: Some("tester".to_owned()),
            roots: vec![root.to_owned()],
            encoding: PositionEncoding::Utf16,
            abilities: Abilities::default(),
        };
        let session = daemon.introduce(introduction).await.expect("a session");
        daemon.connect(&session, Arc::new(SilentClient));
        Self { daemon, session: Arc::new(session), _state: state }
    }

    pub(super) async fn read(&self, path: &str) -> String {
        let params = ReadParams { path: Some(path.to_owned()), ..ReadParams::default() };
        self.daemon.read(&self.session, params).await.expect("a file").text().expect("a text").text.clone()
    }

    pub(super) async fn edit(&self, changes: Value) -> Result<ApplyResult, Failure> {
        let params: EditParams = serde_json::from_value(json!({ "changes": changes })).expect("parameters");
        self.daemon.edit(&self.session, params).await
    }
}

/// An edit, a creation in a new folder, a rename and a deletion.
fn set() -> Value {
    json!([
        { "kind": "edit", "path": "a.txt", "edits": [{ "oldText": "one", "newText": "ONE" }] },
        { "kind": "write", "path": "new/b.txt", "content": "two\n" },
        { "kind": "rename", "path": "c.txt", "newPath": "d.txt" },
        { "kind": "delete", "path": "e.txt" },
    ])
}

const BEFORE: [(&str, &str); 3] = [("a.txt", "one\n"), ("c.txt", "three\n"), ("e.txt", "five\n")];
const AFTER: [(&str, &str); 3] = [("a.txt", "ONE\n"), ("d.txt", "three\n"), ("new/b.txt", "two\n")];

/// Returns every file under a folder with its text, sorted.
fn files_below(folder: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                let name = entry.strip_prefix(folder).expect("below").display().to_string();
                files.push((name, std::fs::read_to_string(&entry).expect("a text")));
            }
        }
    }
    files.sort();
    files
}

fn owned(files: [(&str, &str); 3]) -> Vec<(String, String)> {
    files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

fn kind_of(failure: Failure) -> String {
    failure.error(Audience::Wire).kind().expect("a refusal").to_owned()
}

/// Returns the files of [`BEFORE`] on a disk that can fail, with all of them read.
async fn ready() -> (tempfile::TempDir, Arc<FailingDisk<OsDisk>>, Inside) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in BEFORE {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    let disk = Arc::new(FailingDisk::new(OsDisk::new()));
    let inside = Inside::start(disk.clone(), folder.path()).await;
    for (name, text) in BEFORE {
        assert_eq!(inside.read(name).await, text);
    }
    (folder, disk, inside)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_set_that_fails_at_any_step_has_no_effect_and_can_be_sent_again() {
    for k in 1.. {
        let (folder, disk, inside) = ready().await;
        disk.fail_at(k, DiskErrorKind::Io);
        let Err(failure) = inside.edit(set()).await else {
            // An error during the cleanup comes too late to stop the set.
            assert_eq!(files_below(folder.path()), owned(AFTER), "at {k}");
            if disk.calls() < k {
                assert!(k > 10, "only {k} steps were counted");
                return;
            }
            continue;
        };
        assert_eq!(kind_of(failure), "disk", "at {k}");
        assert_eq!(files_below(folder.path()), owned(BEFORE), "at {k}");
        // The daemon has neither forgotten what it knew nor recorded anything wrong: the same request
        // succeeds.
        let applied = inside.edit(set()).await.unwrap_or_else(|failure| panic!("at {k}: {failure:?}"));
        assert_eq!(applied.state, "applied");
        assert_eq!(files_below(folder.path()), owned(AFTER), "at {k}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_reported_with_the_missing_space() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.txt"), "one\n").expect("a file");
    let disk = Arc::new(FailingDisk::new(OsDisk::new()));
    let inside = Inside::start(disk.clone(), folder.path()).await;
    inside.read("a.txt").await;
    disk.fail_from(1, DiskErrorKind::NoSpace { required: Some(4), available: Some(0) });
    let edit = json!([{ "kind": "write", "path": "a.txt", "content": "two\n" }]);
    let error = inside.edit(edit).await.expect_err("a refusal").error(Audience::Wire);
    let data = error.data.expect("data");
    assert_eq!(
        (&data["kind"], &data["required"], &data["available"]),
        (&json!("disk"), &json!(4), &json!(0))
    );
    assert!(data["hint"].as_str().is_some_and(|hint| !hint.is_empty()));
    assert_eq!(files_below(folder.path()), [("a.txt".to_owned(), "one\n".to_owned())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_save_right_before_the_write_is_not_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.txt");
    std::fs::write(&path, "one\n").expect("a file");
    let disk = Arc::new(FailingDisk::new(OsDisk::new()));
    let inside = Inside::start(disk.clone(), folder.path()).await;
    inside.read("a.txt").await;
    let theirs = path.clone();
    disk.run_at(1, move || std::fs::write(&theirs, "one, theirs\n").expect("a write"));
    let edit = json!([{ "kind": "edit", "path": "a.txt", "edits": [{ "oldText": "one", "newText": "1" }] }]);
    let error = inside.edit(edit).await.expect_err("a refusal").error(Audience::Wire);
    assert_eq!(error.kind(), Some("stale"));
    let data = error.data.expect("data");
    assert!(data["diff"].as_str().is_some_and(|diff| diff.contains("+one, theirs")), "{data}");
    assert_eq!(std::fs::read_to_string(&path).expect("a text"), "one, theirs\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_daemon_behaves_the_same_on_a_memory_disk() {
    let disk = Arc::new(MemoryDisk::new());
    for (name, text) in BEFORE {
        disk.write_externally(&format!("/project/{name}"), text.as_bytes());
    }
    let state = tempfile::tempdir().expect("a folder");
    // The daemon's journal and the files it changes are on the same disk.
    disk.add_dir(state.path().join("journal").to_str().expect("text"));
    let inside = Inside::start_with(disk.clone(), Path::new("/project"), state).await;
    for (name, text) in BEFORE {
        assert_eq!(inside.read(name).await, text);
    }
    // The clock ticks in seconds: a rewrite of the same size changes only the bytes.
    disk.write_externally("/project/a.txt", b"uno\n");
    assert_eq!(kind_of(inside.edit(set()).await.expect_err("a refusal")), "stale");
    assert_eq!(inside.read("a.txt").await, "uno\n");
    disk.write_externally("/project/a.txt", b"one\n");
    assert_eq!(inside.read("a.txt").await, "one\n");
    inside.edit(set()).await.expect("a change");
    for (name, text) in AFTER {
        assert_eq!(inside.read(name).await, text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_rollback_is_reported_and_completed_when_the_disk_works_again() {
    let mut reported = 0;
    for k in 1.. {
        let (folder, disk, inside) = ready().await;
        disk.fail_from(k, DiskErrorKind::Io);
        let result = inside.edit(set()).await;
        if disk.calls() < k {
            assert!(result.is_ok() && reported > 5, "reported {reported} times");
            return;
        }
        let waiting = inside.daemon.status(&inside.session).expect("a status").recovering;
        if waiting == 0 {
            continue;
        }
        reported += 1;
        assert!(result.is_err(), "at {k}");
        // While the disk is broken, a retry is refused; once it works, the retry finds the original state.
        assert_eq!(kind_of(inside.edit(set()).await.expect_err("a refusal")), "recovering", "at {k}");
        disk.run_at(usize::MAX, || {});
        let applied = inside.edit(set()).await.unwrap_or_else(|failure| panic!("at {k}: {failure:?}"));
        assert_eq!(applied.state, "applied");
        assert_eq!(files_below(folder.path()), owned(AFTER), "at {k}");
        assert_eq!(inside.daemon.status(&inside.session).expect("a status").recovering, 0);
    }
}
