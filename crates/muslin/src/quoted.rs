use std::borrow::Cow;

/// A name or a value in a list of them, as `--slices` takes it: what would not be read back as itself
/// stands between double quotes, and a quote within it is doubled.
///
/// ```
/// assert_eq!(["a", "b"].map(muslin::quoted).join("|"), "a|b");
/// assert_eq!(muslin::quoted("a|b"), "\"a|b\"");
/// assert_eq!(muslin::quoted("\"so\""), "\"\"\"so\"\"\"");
/// ```
pub fn quoted(text: &str) -> Cow<'_, str> {
    let is_plain = !text.is_empty()
        && text.trim() == text
        && !text.starts_with('"')
        && !text.contains([',', '|']);
    if is_plain { text.into() } else { format!("\"{}\"", text.replace('"', "\"\"")).into() }
}
