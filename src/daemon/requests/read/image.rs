//! Images, for clients whose models can process them.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::daemon::files::observe::Observed;
use crate::daemon::job::blocking;
use crate::daemon::{Core, Failure};
use crate::disk::{FileBytes, Stat, Target};
use crate::image::{DECODED_BYTES, ImageError, is_image, prepare};
use crate::protocol::{ImageContent, ReadContent, ReadResult};
use crate::text::ContentHash;
use crate::workspace::{FileContent, Refusal, RefusalKind};

use super::answer_about;

/// An encoded image file.
pub(super) struct Encoded {
    target: Target,
    stat: Option<Stat>,
    hash: ContentHash,
    bytes: FileBytes,
}

/// Returns the image if the file is one.
pub(super) fn encoded(observed: &Observed) -> Option<Encoded> {
    let FileContent::Opaque(hash) = observed.content else { return None };
    let begins = observed.bytes.pieces().next().is_some_and(is_image);
    let (target, stat) = (observed.target.clone(), observed.stat);
    begins.then(|| Encoded { target, stat, hash, bytes: observed.bytes.clone() })
}

impl Core {
    /// Decodes an image and prepares it for the answer. Decodes one image at a time, because each may take a
    /// second and a quarter of a gigabyte, and a running decoder cannot be stopped.
    pub(super) async fn decode(&self, encoded: Encoded) -> Result<ReadResult, Failure> {
        let timeout = Duration::from_millis(self.config.limits.deadline_ms);
        let permit = tokio::time::timeout(timeout, self.decoding.clone().lock_owned()).await;
        let busy = |_| Refusal::new(RefusalKind::Busy { what: "other images are being decoded".to_owned() });
        let permit = permit.map_err(busy)?;
        blocking(move || {
            let _permit = permit;
            prepared(&encoded)
        })
        .await?
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

fn prepared(encoded: &Encoded) -> Result<ReadResult, Failure> {
    let bytes = encoded.bytes.to_vec();
    let image = prepare(&bytes).map_err(|error| encoded.refusal(&error))?;
    let original = (image.original_width, image.original_height);
    let notice = (original != (image.width, image.height)).then(|| {
        let (width, height) = original;
        let first = if bytes.starts_with(b"GIF") { " This is the first frame of the animation." } else { "" };
        format!("Scaled from {width} by {height} pixels to {} by {}.{first}", image.width, image.height)
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
