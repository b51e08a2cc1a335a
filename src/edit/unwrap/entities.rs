//! HTML and XML entities, as in text that a program has escaped for a document.

/// The predefined XML entities, with both forms of the apostrophe.
const ENTITIES: [(&str, char); 6] =
    [("&lt;", '<'), ("&gt;", '>'), ("&amp;", '&'), ("&quot;", '"'), ("&#39;", '\''), ("&apos;", '\'')];

/// Decodes the entities of a text. Returns `None` if the text was not escaped as a whole: it has an unescaped
/// `<`, `>` or `&`, or another entity.
pub(super) fn decode(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let (entity, sign) = ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity))?;
        plain.push(*sign);
        rest = &rest[entity.len()..];
    }
    plain.push_str(rest);
    Some(plain)
}

/// Returns `true` if a text has one of the entities that [`decode`] replaces.
pub(super) fn has_one(text: &str) -> bool {
    ENTITIES.iter().any(|(entity, _)| text.contains(entity))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("if (a &lt; b &amp;&amp; c) {", Some("if (a < b && c) {"))]
    #[case("say(&quot;it&#39;s&quot;)", Some("say(\"it's\")"))]
    #[case("&amp;lt;", Some("&lt;"))]
    #[case("<p>a &lt; b</p>", None)]
    #[case("a &lt; b && c", None)]
    #[case("a&nbsp;b", None)]
    #[case("plain", Some("plain"))]
    fn entities_are_decoded_if_all_of_the_text_is_escaped(
        #[case] text: &str,
        #[case] expected: Option<&str>,
    ) {
        assert_eq!(decode(text).as_deref(), expected);
    }
}
