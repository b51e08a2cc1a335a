//! Images for those who can see them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::daemon::job::{WORK_UNIT, blocking};
use crate::daemon::observe::Observed;
use crate::daemon::{Core, Failure};
use crate::disk::{FileBytes, Stat, Target};
use crate::image::{DECODED_BYTES, ImageError, decoded_size, is_image, prepare};
use crate::protocol::{ImageContent, ReadContent, ReadResult};
use crate::text::ContentHash;
use crate::workspace::{Refusal, RefusalKind, Truth};

use super::answer_about;

/// An image's file.
pub(super) struct Encoded {
    target: Target,
    stat: Option<Stat>,
    hash: ContentHash,
    bytes: FileBytes,
}

/// The image that a file is, if it is one.
pub(super) fn encoded(observed: &Observed) -> Option<Encoded> {
    let Truth::Opaque(hash) = observed.truth else { return None };
    let begins = observed.bytes.pieces().next().is_some_and(is_image);
    let (target, stat) = (observed.target.clone(), observed.stat);
    begins.then(|| Encoded { target, stat, hash, bytes: observed.bytes.clone() })
}

/// What is kept in memory for each byte of pixels: the image, a copy while it is made smaller, its file.
const COPIES: u64 = 3;

impl Core {
    /// Decodes an image and makes it ready to be sent, when there is room for it.
    pub(super) async fn decode(&self, encoded: Encoded) -> Result<ReadResult, Failure> {
        let bytes = encoded.bytes.to_vec();
        let size = decoded_size(&bytes).map_err(|error| encoded.refusal(&error))? * COPIES;
        let units = size.min(self.config.limits.work_memory) / WORK_UNIT;
        let _room = self.room_for(units.try_into().unwrap_or(u32::MAX)).await?;
        blocking(move || ready(&encoded, &bytes)).await?
    }
}

impl Encoded {
    fn refusal(&self, error: &ImageError) -> Failure {
        let kind = match error {
            ImageError::TooLarge(size) => RefusalKind::TooLarge { limit: DECODED_BYTES, size: *size },
            ImageError::Unknown | ImageError::Damaged(_) => RefusalKind::DamagedImage(error.to_string()),
        };
        Refusal::at(&self.target.path, kind).into()
    }
}

fn ready(encoded: &Encoded, bytes: &[u8]) -> Result<ReadResult, Failure> {
    let image = prepare(bytes).map_err(|error| encoded.refusal(&error))?;
    let original = (image.original_width, image.original_height);
    let notice = (original != (image.width, image.height)).then(|| {
        let (width, height) = original;
        format!("Scaled from {width} by {height} pixels to {} by {}.", image.width, image.height)
    });
    let content = ImageContent {
        mime_type: image.mime_type.to_owned(),
        data: STANDARD.encode(&image.bytes),
        width: image.width,
        height: image.height,
        original_width: image.original_width,
        original_height: image.original_height,
    };
    let (content, size) = (ReadContent::Image(content), bytes.len() as u64);
    let Encoded { target, stat, hash, .. } = encoded;
    Ok(answer_about(target, stat.as_ref(), *hash, size, content, notice.as_slice()))
}
