//! What needs a newer editor than the pinned one: the default filter of `.config/nextest.toml` leaves these tests to
//! `scripts/newest`. Helix opens a document on request since 25.07.

use super::helix::Scene;

#[test]
fn the_diff_is_shown_in_helix() {
    let scene = Scene::start("auto", "{ editd = { review = true, hints = false } }");
    scene.propose();
    assert!(!scene.helix.screen().contains("ada wants"), "no hints were wanted");
    scene.helix.keys(&["j"]);
    scene.choose(6, "show the diff (ada: Digits)");
    let screen = scene.helix.sees("-two");
    assert!(screen.contains("ada: Digits") && screen.contains("+2"), "{screen}");
}

#[test]
fn helix_goes_to_the_next_change() {
    let scene = Scene::start("auto", "{ editd = { review = true } }");
    scene.propose();
    scene.helix.keys(&["g", "g"]);
    scene.choose(2, "go to the next change");
    scene.helix.sees("2:1");
}
