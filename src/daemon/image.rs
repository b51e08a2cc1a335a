//! Detects images by their content and makes them small enough to be sent. Pure.
//!
//! ```
//! use editd_daemon::image::{ImageError, is_image, prepare};
//!
//! assert!(is_image(b"\x89PNG\r\n\x1a\n"));
//! assert!(!is_image(b"# A text"));
//! assert_eq!(prepare(b"# A text"), Err(ImageError::Unknown));
//! ```

use std::io::Cursor;

use ::image::codecs::jpeg::JpegEncoder;
use ::image::metadata::Orientation;
use ::image::{
    DynamicImage, ExtendedColorType, GenericImageView, ImageDecoder, ImageFormat, ImageReader, ImageResult,
    Limits, Rgb, RgbImage,
};

/// Maximum width and height of a sent image, in pixels. Models scale larger images down, and some refuse
/// them.
pub const SIDE: u32 = 2000;
/// Maximum size of a sent image, in bytes. In base64 that is 4 MiB; the strictest API of the large models
/// accepts 5 MB.
pub const ENCODED_BYTES: usize = 3 << 20;
/// Maximum size of a decoded image, in bytes. A file of a few kilobytes can claim any number of pixels.
pub const DECODED_BYTES: u64 = 256 << 20;
/// JPEG quality, out of 100: no visible artifacts, and text stays readable.
const QUALITY: u8 = 85;

/// An image that is ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    pub mime_type: &'static str,
    /// The image file. The original bytes, unless the image had to be scaled or rotated.
    pub bytes: Vec<u8>,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Width of the upright original, in pixels.
    pub original_width: u32,
    /// Height of the upright original, in pixels.
    pub original_height: u32,
}

/// The reason why an image cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The bytes are not an image of a supported type.
    #[error("it is not a PNG, JPEG, GIF or WebP image")]
    Unknown,
    /// The image cannot be decoded.
    #[error("it cannot be decoded ({0})")]
    Damaged(String),
    /// The decoded image exceeds [`DECODED_BYTES`].
    #[error("its pixels take {0} bytes")]
    TooLarge(u64),
}

/// Returns `true` if the bytes begin with the signature of an image, which no text does.
pub fn is_image(bytes: &[u8]) -> bool {
    format_of(bytes).is_some()
}

fn format_of(bytes: &[u8]) -> Option<ImageFormat> {
    let known = [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP];
    ::image::guess_format(bytes).ok().filter(|format| known.contains(format))
}

/// Prepares an image for sending: upright, at most [`SIDE`] pixels wide and high, and at most
/// [`ENCODED_BYTES`] long. An image that fits already keeps its bytes, including all frames of an animation.
/// It is still decoded, because a damaged image can make the whole conversation with a model fail. Needs
/// slightly more memory than [`DECODED_BYTES`].
pub fn prepare(bytes: &[u8]) -> Result<Image, ImageError> {
    let format = format_of(bytes).ok_or(ImageError::Unknown)?;
    let mut decoder = decoder(bytes, format)?;
    let whole = format != ImageFormat::Jpeg || is_standard_jpeg(bytes, decoder.original_color_type());
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut image = DynamicImage::from_decoder(decoder).map_err(|error| damaged(&error))?;
    let (width, height) = image.dimensions();
    let fits = width.max(height) <= SIDE && bytes.len() <= ENCODED_BYTES;
    let (mime_type, bytes) = if fits && whole && orientation == Orientation::NoTransforms {
        (format.to_mime_type(), bytes.to_vec())
    } else {
        image = scaled_to_fit(image, SIDE, SIDE);
        image.apply_orientation(orientation);
        encoded(&mut image, format).map_err(|error| damaged(&error))?
    };
    let (original_width, original_height) =
        if swaps_sides(orientation) { (height, width) } else { (width, height) };
    let (width, height) = image.dimensions();
    Ok(Image { mime_type, bytes, width, height, original_width, original_height })
}

/// Creates a decoder, which reads only the header of the file.
fn decoder(bytes: &[u8], format: ImageFormat) -> Result<impl ImageDecoder, ImageError> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::no_limits();
    // Some decoders need the same amount again for data that they have already read.
    limits.max_alloc = Some(DECODED_BYTES * 2);
    reader.limits(limits);
    let decoder = reader.into_decoder().map_err(|error| damaged(&error))?;
    let (size, (width, height)) = (decoder.total_bytes(), decoder.dimensions());
    match size {
        _ if width == 0 || height == 0 => Err(ImageError::Damaged("it has no pixels".to_owned())),
        _ if size > DECODED_BYTES => Err(ImageError::TooLarge(size)),
        _ => Ok(decoder),
    }
}

/// Returns `true` if every reader accepts a JPEG. Our decoder also tolerates a missing end marker and CMYK
/// colors.
fn is_standard_jpeg(bytes: &[u8], color_type: ExtendedColorType) -> bool {
    bytes.trim_ascii_end().ends_with(&[0xff, 0xd9]) && color_type != ExtendedColorType::Cmyk8
}

fn damaged(error: &::image::ImageError) -> ImageError {
    ImageError::Damaged(error.to_string())
}

fn swaps_sides(orientation: Orientation) -> bool {
    use Orientation::{Rotate90, Rotate90FlipH, Rotate270, Rotate270FlipH};
    matches!(orientation, Rotate90 | Rotate90FlipH | Rotate270 | Rotate270FlipH)
}

/// Scales an image down to fit. Averages over areas, because other filters first create an image of floats
/// that is as wide as the original and takes sixteen times as much memory.
fn scaled_to_fit(image: DynamicImage, width: u32, height: u32) -> DynamicImage {
    if image.width() > width || image.height() > height { image.thumbnail(width, height) } else { image }
}

/// Encodes an image, scaled down until it is small enough to be sent.
fn encoded(image: &mut DynamicImage, format: ImageFormat) -> ImageResult<(&'static str, Vec<u8>)> {
    // PNG keeps drawings and screenshots sharp; photographs become too large.
    if format != ImageFormat::Jpeg {
        let mut bytes = Cursor::new(Vec::new());
        image.write_to(&mut bytes, ImageFormat::Png)?;
        if bytes.get_ref().len() <= ENCODED_BYTES {
            return Ok((ImageFormat::Png.to_mime_type(), bytes.into_inner()));
        }
    }
    loop {
        let mut bytes = Vec::new();
        on_white(image).write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, QUALITY))?;
        if bytes.len() <= ENCODED_BYTES {
            return Ok((ImageFormat::Jpeg.to_mime_type(), bytes));
        }
        let (width, height) = (image.width() * 3 / 4, image.height() * 3 / 4);
        *image = image.thumbnail(width.max(1), height.max(1));
    }
}

/// Draws an image on white. JPEG has no transparency, and the colors of transparent pixels are arbitrary.
fn on_white(image: &DynamicImage) -> RgbImage {
    if !image.color().has_alpha() {
        return image.to_rgb8();
    }
    let rgba = image.to_rgba8();
    RgbImage::from_fn(rgba.width(), rgba.height(), |x, y| {
        let [red, green, blue, alpha] = rgba.get_pixel(x, y).0;
        let blend =
            |part: u8| ((u16::from(part) * u16::from(alpha) + 255 * (255 - u16::from(alpha))) / 255) as u8;
        Rgb([blend(red), blend(green), blend(blue)])
    })
}

#[cfg(test)]
mod tests;
