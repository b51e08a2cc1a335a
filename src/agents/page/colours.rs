//! Syntax highlighting of a text.

use std::path::Path;

use axum::Json;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use editd_syntax::parsing::colours as colours_of;
use editd_syntax::{ColourSpan, Language};

use super::answers::read_json;
use super::routes::MAX_BODY;

/// Permits of the threads that compute colours. One, because the page shows a text before it has colours.
static THREADS: Semaphore = Semaphore::const_new(1);

#[derive(Deserialize)]
struct Asked {
    /// Path of the file, whose name tells the language.
    path: String,
    text: String,
}

#[derive(Serialize, Default)]
struct Answer {
    /// Start, length and number of the colour of each span, in UTF-16 units as in the page.
    spans: Vec<usize>,
}

/// Returns the colours of a text. A text in no known language, and one that is too large or takes too long, has
/// none.
pub(super) async fn colours(body: Body) -> Response {
    let asked: Asked = match read_json(body, MAX_BODY).await {
        Ok(asked) => asked,
        Err(response) => return response,
    };
    Json(answer(asked).await.unwrap_or_default()).into_response()
}

async fn answer(Asked { path, text }: Asked) -> Option<Answer> {
    let language = Language::of(Path::new(&path), &text)?;
    let _permit = THREADS.acquire().await.ok()?;
    let computing = spawn_blocking(move || {
        let spans = colours_of(&text, language).unwrap_or_default();
        Answer { spans: in_units_of_the_page(&text, &spans) }
    });
    computing.await.ok()
}

/// Converts byte ranges to starts and lengths in UTF-16 units.
fn in_units_of_the_page(text: &str, spans: &[ColourSpan]) -> Vec<usize> {
    let (mut numbers, mut at, mut units) = (Vec::with_capacity(spans.len() * 3), 0, 0);
    let mut advance = |to: usize| {
        units += text[at..to].chars().map(char::len_utf16).sum::<usize>();
        at = to;
        units
    };
    for span in spans {
        let start = advance(span.range.start);
        let end = advance(span.range.end);
        numbers.extend([start, end - start, span.colour as usize]);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use editd_syntax::Colour;

    #[test]
    fn spans_are_in_units_of_the_page() {
        let text = "// 🚪 é\nlet x = 1;";
        let spans = [
            ColourSpan { range: 0..10, colour: Colour::Comment },
            ColourSpan { range: 11..14, colour: Colour::Keyword },
        ];
        let [comment, keyword] = [Colour::Comment as usize, Colour::Keyword as usize];
        assert_eq!(in_units_of_the_page(text, &spans), [0, 7, comment, 8, 3, keyword]);
    }
}
