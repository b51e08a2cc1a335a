//! Tests that a panic at any step of a change costs that request and nothing else.

use std::path::Path;
use std::sync::Arc;

use editd_disk::{FailingDisk, OsDisk};
use serde_json::{Value, json};

use super::commit::Inside;

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({ "kind": "edit", "path": path, "edits": [{ "oldText": old, "newText": new }] })
}

fn text(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect("a text")
}

/// Reads a file and changes it, as any client may after another client's request has failed.
async fn edit_again(inside: &Inside, name: &str, k: usize) {
    let now = inside.read(name).await;
    assert!(now == "one\n" || now == "two\n", "a partial edit at {k}: {now:?}");
    let edit = edit(name, now.trim(), "three");
    let applied = inside.edit(json!([edit])).await.unwrap_or_else(|failure| panic!("at {k}: {failure:?}"));
    assert_eq!(applied.state, "applied", "at {k}");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_panic_at_any_step_of_an_edit_the_file_can_be_edited() {
    for k in 1.. {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a.txt"), "one\n").expect("a file");
        let disk = Arc::new(FailingDisk::new(OsDisk::new()));
        let inside = Inside::start(disk.clone(), folder.path()).await;
        inside.read("a.txt").await;
        disk.panic_at(k);
        let answer = inside.edit(json!([edit("a.txt", "one", "two")])).await;
        if disk.calls() < k {
            answer.expect("nothing went wrong");
            assert!(k > 3, "only {k} steps were counted");
            return;
        }
        edit_again(&inside, "a.txt", k).await;
        assert_eq!(text(folder.path(), "a.txt"), "three\n", "at {k}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_panic_at_any_step_of_a_set_its_files_can_be_edited() {
    for k in 1.. {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["a.txt", "b.txt"] {
            std::fs::write(folder.path().join(name), "one\n").expect("a file");
        }
        let disk = Arc::new(FailingDisk::new(OsDisk::new()));
        let inside = Inside::start(disk.clone(), folder.path()).await;
        for name in ["a.txt", "b.txt"] {
            inside.read(name).await;
        }
        disk.panic_at(k);
        let set = json!([edit("a.txt", "one", "two"), edit("b.txt", "one", "two")]);
        let answer = inside.edit(set).await;
        if disk.calls() < k {
            answer.expect("nothing went wrong");
            assert!(k > 6, "only {k} steps were counted");
            return;
        }
        assert_eq!(text(folder.path(), "a.txt"), text(folder.path(), "b.txt"), "a partial set at {k}");
        for name in ["a.txt", "b.txt"] {
            edit_again(&inside, name, k).await;
        }
    }
}
