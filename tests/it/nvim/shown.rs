//! What is drawn in a buffer under review.

use super::scene::Scene;

#[test]
fn a_buffer_that_is_read_again_shows_everything_once() {
    let mut scene = Scene::start();
    for _ in 0..2 {
        scene.nvim.keys(":edit!<CR>");
        scene.nvim.settle();
        let line = scene.nvim.sees("sum = 0   ada: Clearer");
        assert_eq!(line.matches("ada: Clearer").count(), 1, "{line}");
    }
    scene.nvim.keys(":Editd reject_all<CR>");
    scene.nvim.sees("ada: Clearer: rejected");
    scene.nvim.sees_no("amount");
    scene.nvim.sees_no("┃");
}
