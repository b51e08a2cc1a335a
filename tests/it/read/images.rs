//! Images are returned as base64 data.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{DynamicImage, ImageFormat, RgbImage};
use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace, hash_of};

fn image_file(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let shade = |x, y| image::Rgb([x as u8, y as u8, 80]);
    DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, shade))
        .write_to(&mut bytes, format)
        .expect("an image");
    bytes.into_inner()
}

fn data(read: &Value) -> Vec<u8> {
    STANDARD.decode(read["data"].as_str().expect("data")).expect("base64")
}

#[rstest]
#[case(ImageFormat::Png, "image/png")]
#[case(ImageFormat::Jpeg, "image/jpeg")]
#[case(ImageFormat::Gif, "image/gif")]
#[case(ImageFormat::WebP, "image/webp")]
fn an_image_is_detected_by_its_content(#[case] format: ImageFormat, #[case] mime_type: &str) {
    let bytes = image_file(40, 30, format);
    let (machine, workspace) = (Machine::start(), Workspace::file("picture.txt", &bytes));
    let read = machine.agent(&workspace).read("picture.txt");
    assert_eq!(read["mimeType"], mime_type);
    assert_eq!((&read["width"], &read["height"]), (&json!(40), &json!(30)));
    assert_eq!((&read["hash"], &read["size"]), (&json!(hash_of(&bytes)), &json!(bytes.len())));
    assert_eq!(data(&read), bytes, "a small image keeps its bytes");
    assert!(read.get("text").is_none() && read.get("notice").is_none(), "{read}");
}

#[test]
fn an_image_has_no_symbols() {
    let image = image_file(4, 3, ImageFormat::Png);
    let (machine, workspace) = (Machine::start(), Workspace::file("a.py", image));
    let mut agent = machine.agent(&workspace);
    let refusal = agent.call("editd/read", json!({ "path": "a.py", "symbol": "f" })).refused("syntax");
    assert_eq!(refusal["reason"], "it is an image");
    assert!(refusal["hint"].as_str().is_some_and(|hint| hint.contains("read it without one")), "{refusal}");
    assert!(agent.read("a.py")["data"].is_string());
}

#[test]
fn a_large_image_is_scaled_with_a_notice() {
    let (machine, workspace) =
        (Machine::start(), Workspace::file("a.png", image_file(2500, 1000, ImageFormat::Png)));
    let read = machine.agent(&workspace).read("a.png");
    assert_eq!((&read["width"], &read["height"]), (&json!(2000), &json!(800)));
    assert_eq!((&read["originalWidth"], &read["originalHeight"]), (&json!(2500), &json!(1000)));
    let sent = image::load_from_memory(&data(&read)).expect("an image");
    assert_eq!((sent.width(), sent.height()), (2000, 800));
    assert!(read["notice"].as_str().expect("a notice").contains("2500 by 1000"), "{}", read["notice"]);
}

#[test]
fn a_damaged_image_is_refused() {
    let whole = image_file(60, 60, ImageFormat::Png);
    let (machine, workspace) = (Machine::start(), Workspace::file("a.png", &whole[..whole.len() / 2]));
    let mut agent = machine.agent(&workspace);
    let answer = agent.try_read("a.png");
    let message = answer.as_ref().expect_err("refused").message.clone();
    answer.refused("binary");
    assert!(message.contains("cannot be decoded"), "{message}");
}

/// A tiny file that claims to have gigabytes of pixels.
#[test]
fn an_image_that_claims_too_much_is_too_large() {
    let mut bytes = image_file(1, 1, ImageFormat::Gif);
    bytes[6..10].copy_from_slice(&[0xff; 4]);
    // The logical screen size and the size of the image.
    let at = bytes.iter().position(|&byte| byte == b',').expect("an image in it");
    bytes[at + 5..at + 9].copy_from_slice(&[0xff; 4]);
    let (machine, workspace) = (Machine::start(), Workspace::file("a.gif", bytes));
    let refused = machine.agent(&workspace).try_read("a.gif").refused("too_large");
    assert_eq!(refused["limit"], 256 << 20);
}

#[test]
fn an_image_cannot_be_edited() {
    let (machine, workspace) =
        (Machine::start(), Workspace::file("a.png", image_file(4, 4, ImageFormat::Png)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.png");
    agent.edit("a.png", "a", "b").refused("binary");
}
