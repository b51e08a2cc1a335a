use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use editd_edit::{Deadline, Hunk, Plan, UndoPlan};
use editd_text::{Encoding, Format, Text};
use editd_workspace::history::{Origin, PastRun, PathChange, PathState, RunStatus, TERMINAL};

const LIMITS: HistoryLimits =
    HistoryLimits { bytes: 1 << 20, age: Duration::from_secs(86400), file_size: 1 << 20 };

struct Scene {
    base: TempDir,
}

impl Scene {
    fn new() -> Self {
        Self { base: tempfile::tempdir().unwrap() }
    }

    fn open(&self) -> History {
        History::open(&self.base.path().join("history"), LIMITS)
    }

    /// An edit of a file in the folder. If `happens`, the file is written too.
    fn edit(&self, name: &str, old: &str, new: &str, happens: bool) -> (PastEntry, PastDetail) {
        let path = self.base.path().join(name);
        if happens {
            fs::write(&path, new).unwrap();
        }
        entry(path, old, new)
    }
}

fn entry(path: PathBuf, old: &str, new: &str) -> (PastEntry, PastDetail) {
    let hash = |text: &str| Some(ContentHash::of(text.as_bytes()));
    let file = PastFile {
        path,
        action: PastAction::Edit,
        hash_before: hash(old),
        hash_after: hash(new),
        added: 1,
        removed: 1,
        tags: vec!["manifest".to_owned()],
        detail: 0,
    };
    let entry = PastEntry {
        session: Some("s1".into()),
        origin: Origin { turn: Some("7".to_owned()), tool_call: Some("c".to_owned()), ..Origin::default() },
        id: "".into(),
        at: SystemTime::now(),
        author: "ada".to_owned(),
        label: Some("a \"label\"\n\u{1f}".to_owned()),
        undoes: None,
        rescued: false,
        run: Some(PastRun {
            id: "r1".to_owned(),
            status: Some(RunStatus::Killed(9)),
            interrupted: true,
            others: vec!["bob: make".to_owned()],
            omitted: vec![("/srv/large".into(), "too large".to_owned())],
        }),
        files: vec![file],
        paths: vec![PathChange {
            path: OsString::from_vec(b"/srv/\xff".to_vec()).into(),
            before: PathState::Link("target".into()),
            after: PathState::Folder(0o755),
        }],
    };
    let way = UndoPlan::of(&Plan::between(old, new, Deadline::NONE), old, &Text::from(new));
    let latin = Encoding::from_label("latin1").unwrap();
    let after = Format { encoding: latin, bom: false, guessed: true };
    let before = Format { bom: true, ..Format::UTF8 };
    let hunks = vec![Hunk { old_start: 1, old_lines: 1, new_start: 1, new_lines: 1 }];
    (
        entry,
        PastDetail {
            hunks,
            diff: Some("@@ -1 +1 @@\n-a\n+b\n".to_owned()),
            back: Back::Edits { way, before, after },
        },
    )
}

fn keep(history: &History, (entry, detail): (PastEntry, PastDetail), lands: bool) -> Arc<str> {
    let id = history.next_id();
    let entry = PastEntry { id: id.clone(), ..entry };
    assert!(history.begin((&entry, Role::Agent), vec![detail], &[]).unwrap());
    if lands {
        history.record_applied(&id, false).unwrap();
    }
    id
}

fn ids(history: &History) -> Vec<Arc<str>> {
    history
        .newest(None, usize::MAX, |_| true)
        .unwrap()
        .into_iter()
        .map(|kept| kept.entry.id.clone())
        .collect()
}

#[test]
fn an_entry_reads_back_as_it_was_written() {
    let (scene, history) = (Scene::new(), Scene::new());
    let history = history.open();
    let (entry, detail) = scene.edit("a\u{fffd}.txt", "old é\n", "new\n", false);
    let id = keep(&history, (entry.clone(), detail.clone()), true);
    let kept = history.find(&id).unwrap();
    let expected = PastEntry { id: id.clone(), ..entry };
    assert_eq!((&*kept.entry, kept.undone_by), (&expected, None));
    assert_eq!(history.details(&id), Some(vec![detail]));
    assert_eq!(history.about(&expected.files[0].path).len(), 1);
}

#[test]
fn a_change_that_was_only_begun_is_not_listed() {
    let scene = Scene::new();
    let history = scene.open();
    let id = keep(&history, scene.edit("a", "1", "2", true), false);
    assert_eq!(ids(&history), []);
    history.record_applied(&id, true).unwrap();
    assert_eq!(ids(&history), [id]);
    let failed = keep(&history, scene.edit("a", "2", "3", true), false);
    history.record_failed(&failed).unwrap();
    assert!(history.find(&failed).is_none());
}

#[test]
fn a_change_begun_by_another_run_is_settled_by_its_files() {
    let scene = Scene::new();
    let (happened, gone) = {
        let history = scene.open();
        let happened = keep(&history, scene.edit("a", "1", "2", true), false);
        (happened, keep(&history, scene.edit("b", "1", "2", false), false))
    };
    let history = scene.open();
    history.settle_previous_run();
    // The change was settled then; the later content of the file is irrelevant.
    fs::write(scene.base.path().join("a"), "other").unwrap();
    fs::write(scene.base.path().join("b"), "2").unwrap();
    assert_eq!(ids(&history), std::slice::from_ref(&happened));
    assert!(scene.open().find(&gone).is_none());
    assert_eq!(ids(&scene.open()), [happened]);
}

#[test]
fn a_file_behind_a_link_is_not_the_recorded_one() {
    let scene = Scene::new();
    let path = |name: &str| scene.base.path().join(name);
    fs::create_dir(path("other")).unwrap();
    fs::write(path("other/a"), "2").unwrap();
    std::os::unix::fs::symlink("other", path("folder")).unwrap();
    std::os::unix::fs::symlink("other/a", path("link")).unwrap();
    for name in ["folder/a", "link"] {
        {
            let history = scene.open();
            keep(&history, scene.edit(name, "1", "2", false), false);
        }
        scene.open().settle_previous_run();
        assert_eq!(ids(&scene.open()), [] as [Arc<str>; 0], "{name}");
    }
}

#[test]
fn an_interrupted_set_lists_the_files_that_changed() {
    let scene = Scene::new();
    let id = {
        let history = scene.open();
        let (one, detail) = scene.edit("a", "1", "2", false);
        let (other, _) = scene.edit("b", "1", "2", true);
        let other = PastFile { detail: 1, ..other.files[0].clone() };
        let id = history.next_id();
        let both = PastEntry { id: id.clone(), files: vec![one.files[0].clone(), other], ..one };
        history.begin((&both, Role::Agent), vec![detail.clone(), detail], &[]).unwrap();
        id
    };
    for _ in 0..2 {
        let kept = scene.open().find(&id).unwrap();
        let files: Vec<_> = kept.entry.files.iter().map(|file| file.detail).collect();
        assert_eq!(files, [1]);
    }
}

#[test]
fn ids_are_never_reused() {
    let scene = Scene::new();
    let mut all = Vec::new();
    for _ in 0..5 {
        let history = scene.open();
        for _ in 0..3 {
            all.push(keep(&history, scene.edit("a", "1", "2", true), true));
        }
    }
    let newest_first: Vec<_> = all.iter().rev().cloned().collect();
    assert_eq!(ids(&scene.open()), newest_first);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 15);
}

#[test]
fn a_rescued_text_is_stored_and_listed() {
    let scene = Scene::new();
    let (path, bytes) = (scene.base.path().join("a"), FileBytes::from(b"theirs\xff".to_vec()));
    let id = scene.open().rescue(&path, &bytes, "displaced in a race").unwrap();
    let history = scene.open();
    let kept = history.find(&id).unwrap().entry;
    assert_eq!((kept.author.as_str(), kept.label.as_deref()), (DISK, Some("displaced in a race")));
    assert!(kept.rescued);
    assert_eq!(history.image(&id, kept.files[0].hash_before.unwrap()), Some(b"theirs\xff".to_vec()));
    assert_eq!(history.image(&id, ContentHash::of(b"others")), None);
}

#[test]
fn a_removed_folder_is_created_again() {
    let scene = Scene::new();
    let history = scene.open();
    fs::remove_dir_all(scene.base.path().join("history")).unwrap();
    let id = keep(&history, scene.edit("a", "1", "2", true), true);
    assert_eq!(ids(&history), [id]);
}

/// An entry by an agent that deletes a file with this content.
fn delete(history: &History, author: &str, content: &[u8]) -> Arc<str> {
    let (entry, mut detail) = entry("/srv/a".into(), "1", "2");
    let (id, hash) = (history.next_id(), ContentHash::of(content));
    let file = PastFile { hash_before: Some(hash), hash_after: None, ..entry.files[0].clone() };
    let entry = PastEntry { id: id.clone(), author: author.to_owned(), files: vec![file], ..entry };
    detail.back = Back::Image { mode: None };
    let images = [(hash, FileBytes::from(content.to_vec()))];
    assert!(history.begin((&entry, Role::Agent), vec![detail], &images).unwrap());
    history.record_applied(&id, false).unwrap();
    id
}

fn has_image(history: &History, id: &Arc<str>) -> bool {
    let hash = history.find(id).expect("it is listed").entry.files[0].hash_before.unwrap();
    history.image(id, hash).is_some()
}

fn content(number: usize, len: usize) -> Vec<u8> {
    format!("{number} ").into_bytes().into_iter().cycle().take(len).collect()
}

#[test]
fn many_names_do_not_evict_what_a_person_lost() {
    let scene = Scene::new();
    let history = scene.open();
    history.settle_previous_run();
    let rescued = history.rescue(Path::new("/srv/a"), &FileBytes::from(content(7, 100_000)), "lost").unwrap();
    let typed = delete(&history, TERMINAL, &content(8, 100_000));
    let agents: Vec<_> = (0..60)
        .map(|number| delete(&history, &format!("agent {number}"), &content(number, 40_000)))
        .collect();
    for history in [history, scene.open()] {
        history.settle_previous_run();
        assert!(has_image(&history, &rescued) && has_image(&history, &typed));
        let left = agents.iter().filter(|id| has_image(&history, id)).count();
        assert!((10..20).contains(&left), "{left}");
        assert_eq!(ids(&history).len(), 62);
    }
}

#[test]
fn an_image_of_two_authors_stays_for_the_other_one() {
    let scene = Scene::new();
    let history = scene.open();
    history.settle_previous_run();
    let shared = content(1, 50_000);
    let good = delete(&history, "good", &shared);
    let evil: Vec<_> = (0..40).map(|_| delete(&history, "evil", &shared)).collect();
    assert!(evil.iter().all(|id| has_image(&history, id)), "they count once");
    (2..60).for_each(|number| drop(delete(&history, "evil", &content(number, 50_000))));
    assert!(!has_image(&history, &evil[0]) && has_image(&history, &good));
    assert_eq!(history.without_content(&history.find(&evil[0]).unwrap().entry), [0]);
    assert_eq!(history.without_content(&history.find(&good).unwrap().entry), [] as [usize; 0]);
}

#[test]
fn entries_of_many_authors_are_in_the_order_of_the_changes() {
    let scene = Scene::new();
    let mut all = Vec::new();
    for _ in 0..2 {
        let history = scene.open();
        for number in 0..60 {
            all.insert(0, delete(&history, &format!("agent {}", number % 20), b"text"));
        }
        assert_eq!(ids(&history), all);
    }
    assert_eq!(ids(&scene.open()), all);
}

/// Earlier versions put the entries of all authors into one segment.
#[test]
fn segments_without_an_author_are_read_and_continued() {
    let scene = Scene::new();
    let (landed, begun) = {
        let history = scene.open();
        let landed = delete(&history, "ada", &content(1, 50_000));
        (landed, keep(&history, scene.edit("a", "1", "2", true), false))
    };
    let folder = scene.base.path().join("history");
    let segment =
        fs::read_dir(&folder).unwrap().flatten().find(|it| it.file_type().unwrap().is_dir()).unwrap();
    let old = segment.file_name().into_string().unwrap().rsplit_once('-').unwrap().0.to_owned();
    fs::rename(segment.path(), folder.join(old)).unwrap();
    for _ in 0..2 {
        let history = scene.open();
        history.settle_previous_run();
        assert_eq!(ids(&history), [begun.clone(), landed.clone()]);
        assert!(has_image(&history, &landed));
        fs::write(scene.base.path().join("a"), "other").unwrap();
    }
}

/// A kill while images are removed leaves some of them.
#[test]
fn a_removal_of_images_that_was_interrupted_loses_no_entry() {
    let scene = Scene::new();
    let all: Vec<_> = {
        let history = scene.open();
        (0..2).map(|number| delete(&history, "evil", &content(number, 20_000))).collect()
    };
    let folder = scene.base.path().join("history");
    let segment =
        fs::read_dir(&folder).unwrap().flatten().find(|it| it.file_type().unwrap().is_dir()).unwrap();
    fs::write(segment.path().join("stripped"), "").unwrap();
    let hash = ContentHash::of(&content(0, 20_000)).to_string().replace(':', "-");
    fs::remove_file(segment.path().join(hash)).unwrap();
    let history = scene.open();
    history.settle_previous_run();
    assert_eq!(all.iter().map(|id| has_image(&history, id)).collect::<Vec<_>>(), [false, true]);
    let gone = all.iter().map(|id| history.without_content(&history.find(id).unwrap().entry).len());
    assert_eq!(gone.collect::<Vec<_>>(), [1, 0]);
}

#[test]
fn large_undo_data_is_removed_before_the_entry() {
    let scene = Scene::new();
    let history = scene.open();
    history.settle_previous_run();
    let text = |number: usize| format!("{number}\n").repeat(20_000);
    let first = keep(&history, entry("/srv/a".into(), "1\n", "2\n"), true);
    let all: Vec<_> = (0..40)
        .map(|number| keep(&history, entry("/srv/a".into(), &text(number), &text(number + 1)), true))
        .collect();
    assert_eq!(ids(&history).len(), 41);
    let back = |id: &Arc<str>| history.details(id).unwrap().remove(0);
    assert!(matches!(back(&first).back, Back::Edits { .. }));
    assert!(matches!(back(&all[39]).back, Back::Edits { .. }));
    let gone = back(&all[0]);
    assert_eq!((gone.back, gone.hunks.len()), (Back::Gone, 1), "its lines still tell who wrote them");
    assert_eq!(history.without_content(&history.find(&all[0]).unwrap().entry), [0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn entries_around_the_damage_can_be_read(
        place in any::<prop::sample::Index>(), damage in prop::collection::vec(any::<u8>(), 0..40), cut in any::<bool>(),
    ) {
        let scene = Scene::new();
        let all: Vec<_> = {
            let history = scene.open();
            (0..4).map(|_| keep(&history, scene.edit("a", "1\n", "2\n", true), true)).collect()
        };
        let segment = fs::read_dir(scene.base.path().join("history")).unwrap().next().unwrap().unwrap().path();
        let file = segment.join("entries.jsonl");
        let mut bytes = fs::read(&file).unwrap();
        let at = place.index(bytes.len());
        if cut {
            bytes.truncate(at);
        }
        let end = (at + damage.len()).min(bytes.len());
        bytes.splice(at.min(end)..end, damage);
        fs::write(&file, bytes).unwrap();
        let history = scene.open();
        let found = ids(&history);
        prop_assert!(found.iter().all(|id| all.contains(id)));
        prop_assert!(cut || found.len() + 2 >= all.len(), "{found:?}");
        for id in found {
            prop_assert!(history.details(&id).is_some());
        }
        let next = keep(&history, scene.edit("a", "1\n", "2\n", true), true);
        prop_assert_eq!(ids(&history).into_iter().next(), Some(next));
    }
}
