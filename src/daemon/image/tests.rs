use rstest::rstest;

use super::*;

/// Creates an image of noise, which cannot be compressed.
fn noise(width: u32, height: u32) -> DynamicImage {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, |_, _| Rgb([next(), next(), next()])))
}

fn file(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

#[rstest]
#[case(ImageFormat::Png, "image/png")]
#[case(ImageFormat::Jpeg, "image/jpeg")]
#[case(ImageFormat::Gif, "image/gif")]
#[case(ImageFormat::WebP, "image/webp")]
fn an_image_that_fits_keeps_its_bytes(#[case] format: ImageFormat, #[case] mime_type: &'static str) {
    let bytes = file(&noise(40, 30), format);
    let image = Image {
        mime_type,
        bytes: bytes.clone(),
        width: 40,
        height: 30,
        original_width: 40,
        original_height: 30,
    };
    assert_eq!(prepare(&bytes), Ok(image));
}

#[rstest]
#[case::wide(2600, 100, (2000, 77))]
#[case::high(10, 5000, (4, 2000))]
#[case::a_line(6000, 1, (2000, 1))]
fn a_wide_or_high_image_is_scaled(#[case] width: u32, #[case] height: u32, #[case] scaled: (u32, u32)) {
    let image = prepare(&file(&noise(width, height), ImageFormat::Png)).unwrap();
    assert_eq!((image.width, image.height), scaled);
    assert_eq!((image.original_width, image.original_height), (width, height));
    let again = ::image::load_from_memory(&image.bytes).unwrap();
    assert_eq!((again.dimensions(), image.mime_type), (scaled, "image/png"));
}

#[test]
fn a_large_file_becomes_a_jpeg() {
    let bytes = file(&noise(1800, 1800), ImageFormat::Png);
    assert!(bytes.len() > ENCODED_BYTES);
    let image = prepare(&bytes).unwrap();
    assert!(image.bytes.len() <= ENCODED_BYTES, "{}", image.bytes.len());
    assert_eq!(image.mime_type, "image/jpeg");
}

#[test]
fn transparent_pixels_become_white() {
    let hidden = ::image::RgbaImage::from_pixel(2, 1, ::image::Rgba([10, 200, 0, 0]));
    assert_eq!(on_white(&hidden.into()).get_pixel(0, 0).0, [255, 255, 255]);
}

/// The EXIF orientation of a camera held sideways: the first row of pixels is the right edge.
#[test]
fn photographs_are_rotated_upright() {
    let jpeg = file(&noise(20, 10), ImageFormat::Jpeg);
    let exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
    let mut turned = jpeg[..2].to_vec();
    turned.extend([0xff, 0xe1]);
    turned.extend((exif.len() as u16 + 2).to_be_bytes());
    turned.extend(exif);
    turned.extend(&jpeg[2..]);
    let image = prepare(&turned).unwrap();
    assert_eq!((image.width, image.height), (10, 20));
    assert_eq!(::image::load_from_memory(&image.bytes).unwrap().dimensions(), (10, 20));
}

#[rstest]
#[case::nothing(b"".to_vec(), ImageError::Unknown)]
#[case::text(b"GIF is a format\n".to_vec(), ImageError::Unknown)]
#[case::another_type(b"BM\x1a\0\0\0".to_vec(), ImageError::Unknown)]
fn other_bytes_are_not_an_image(#[case] bytes: Vec<u8>, #[case] error: ImageError) {
    assert!(!is_image(&bytes));
    assert_eq!(prepare(&bytes), Err(error));
}

#[rstest]
fn half_an_image_is_damaged(
    #[values(ImageFormat::Png, ImageFormat::Gif, ImageFormat::WebP)] format: ImageFormat,
) {
    let bytes = file(&noise(60, 60), format);
    assert!(matches!(prepare(&bytes[..bytes.len() / 2]), Err(ImageError::Damaged(_))));
}

/// A truncated JPEG is decoded as far as possible and encoded again.
#[test]
fn half_a_jpeg_becomes_a_complete_file() {
    let bytes = file(&noise(60, 60), ImageFormat::Jpeg);
    let image = prepare(&bytes[..bytes.len() * 3 / 4]).unwrap();
    assert_eq!((image.width, image.height), (60, 60));
    assert!(image.bytes.ends_with(&[0xff, 0xd9]));
}

/// Model APIs do not accept images without pixels.
#[test]
fn an_image_without_pixels_is_refused() {
    let bytes = b"GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01;";
    assert!(matches!(prepare(bytes), Err(ImageError::Damaged(_))));
}

/// A tiny file that claims to be 30,000 pixels wide and high.
#[test]
fn an_image_that_claims_too_much_is_not_decoded() {
    let mut bytes = file(&noise(1, 1), ImageFormat::Png);
    let side = 30_000_u32.to_be_bytes();
    bytes[16..20].copy_from_slice(&side);
    bytes[20..24].copy_from_slice(&side);
    let checksum = crc(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&checksum.to_be_bytes());
    assert_eq!(prepare(&bytes), Err(ImageError::TooLarge(30_000 * 30_000 * 3)));
}

/// Computes the checksum of a PNG chunk.
fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), |crc, _| step(crc)))
}
