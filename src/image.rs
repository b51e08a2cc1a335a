//! Images for those who read: told by their bytes, and made small enough to be sent. Computes only.
//!
//! ```
//! use editd::image::{ImageError, is_image, prepare};
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

/// Pixels of the longer side of what is sent. Models scale down what is larger, and some refuse it.
pub const SIDE: u32 = 2000;
/// Bytes of what is sent. In base64 that is 4 MiB; the strictest of the large models' interfaces takes 5 MB.
pub const ENCODED_BYTES: usize = 3 << 20;
/// Bytes of the pixels of what is decoded. A file of some kilobytes can claim any number of them.
pub const DECODED_BYTES: u64 = 256 << 20;
/// Quality of images that are written as JPEG, of 100: artefacts do not show, and text stays readable.
const QUALITY: u8 = 85;

/// An image that can be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    pub mime_type: &'static str,
    /// The file of that type: the original one, unless it had to be made smaller or turned.
    pub bytes: Vec<u8>,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Width in pixels of the original, upright.
    pub original_width: u32,
    /// Height in pixels of the original, upright.
    pub original_height: u32,
}

/// Why there is no image.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The bytes are no image of a type that is known.
    #[error("it is no PNG, JPEG, GIF or WebP image")]
    Unknown,
    /// It claims to be one, and cannot be decoded.
    #[error("it cannot be decoded ({0})")]
    Damaged(String),
    /// Its pixels take more memory than they may.
    #[error("its pixels take {0} bytes")]
    TooLarge(u64),
}

/// Whether the bytes begin as an image does. A text does not.
pub fn is_image(bytes: &[u8]) -> bool {
    format_of(bytes).is_some()
}

fn format_of(bytes: &[u8]) -> Option<ImageFormat> {
    let known = [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP];
    ::image::guess_format(bytes).ok().filter(|format| known.contains(format))
}

/// Makes an image ready to be sent: upright, at most [`SIDE`] pixels wide and high and [`ENCODED_BYTES`] long.
/// One that is so already keeps its bytes, with all pictures of an animation; it is decoded all the same, because a damaged image that is sent to
/// a model can make its whole conversation fail. Takes memory for [`DECODED_BYTES`] and a little more.
pub fn prepare(bytes: &[u8]) -> Result<Image, ImageError> {
    let format = format_of(bytes).ok_or(ImageError::Unknown)?;
    let mut decoder = decoder(bytes, format)?;
    let whole = format != ImageFormat::Jpeg || is_usual_jpeg(bytes, decoder.original_color_type());
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut image = DynamicImage::from_decoder(decoder).map_err(|error| damaged(&error))?;
    let (width, height) = image.dimensions();
    let fits = width.max(height) <= SIDE && bytes.len() <= ENCODED_BYTES;
    let (mime_type, bytes) = if fits && whole && orientation == Orientation::NoTransforms {
        (format.to_mime_type(), bytes.to_vec())
    } else {
        image = scaled(image, SIDE, SIDE);
        image.apply_orientation(orientation);
        written(&mut image, format).map_err(|error| damaged(&error))?
    };
    let (original_width, original_height) =
        if turns(orientation) { (height, width) } else { (width, height) };
    let (width, height) = image.dimensions();
    Ok(Image { mime_type, bytes, width, height, original_width, original_height })
}

/// The decoder of a file, which has read its header and nothing else.
fn decoder(bytes: &[u8], format: ImageFormat) -> Result<impl ImageDecoder, ImageError> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::no_limits();
    // Some decoders need as much again for what they have read before.
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

/// Whether a JPEG is one that every reader takes: decoders forgive a missing end, and inks instead of colours.
fn is_usual_jpeg(bytes: &[u8], colours: ExtendedColorType) -> bool {
    bytes.trim_ascii_end().ends_with(&[0xff, 0xd9]) && colours != ExtendedColorType::Cmyk8
}

fn damaged(error: &::image::ImageError) -> ImageError {
    ImageError::Damaged(error.to_string())
}

fn turns(orientation: Orientation) -> bool {
    use Orientation::{Rotate90, Rotate90FlipH, Rotate270, Rotate270FlipH};
    matches!(orientation, Rotate90 | Rotate90FlipH | Rotate270 | Rotate270FlipH)
}

/// Scales down to what fits. Averages over areas: other filters first make an image of floats, as wide as the
/// original and sixteen times as large.
fn scaled(image: DynamicImage, width: u32, height: u32) -> DynamicImage {
    if image.width() > width || image.height() > height { image.thumbnail(width, height) } else { image }
}

/// Writes an image, scaled down until it can be sent.
fn written(image: &mut DynamicImage, format: ImageFormat) -> ImageResult<(&'static str, Vec<u8>)> {
    // Drawings and pictures of screens stay sharp as PNG; photographs become large.
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

/// JPEG has no transparency, and what is below it in a file may be anything.
fn on_white(image: &DynamicImage) -> RgbImage {
    if !image.color().has_alpha() {
        return image.to_rgb8();
    }
    let rgba = image.to_rgba8();
    RgbImage::from_fn(rgba.width(), rgba.height(), |x, y| {
        let [red, green, blue, alpha] = rgba.get_pixel(x, y).0;
        let over =
            |part: u8| ((u16::from(part) * u16::from(alpha) + 255 * (255 - u16::from(alpha))) / 255) as u8;
        Rgb([over(red), over(green), over(blue)])
    })
}

#[cfg(test)]
mod tests;
