//! Text that was escaped for HTML or XML, as by a program that writes a call into a document.

/// The entities that every XML text has, and the two ways to write an apostrophe.
const ENTITIES: [(&str, char); 6] =
    [("&lt;", '<'), ("&gt;", '>'), ("&amp;", '&'), ("&quot;", '"'), ("&#39;", '\''), ("&apos;", '\'')];

/// Writes out the entities of a text. Nothing if it was not escaped as a whole: it has one of the characters
/// that would have been escaped, or another entity.
pub(super) fn written_out(text: &str) -> Option<String> {
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

/// Returns whether a text has one of the entities that are written out.
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
    fn entities_are_written_out_where_all_is_escaped(#[case] text: &str, #[case] expected: Option<&str>) {
        assert_eq!(written_out(text).as_deref(), expected);
    }
}
