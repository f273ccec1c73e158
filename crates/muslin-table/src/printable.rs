use std::borrow::Cow;

/// A name as it can be shown: control characters, which could move a terminal's cursor or break a
/// table, are spelled out.
///
/// ```
/// assert_eq!(muslin_table::printable("age"), "age");
/// assert_eq!(muslin_table::printable("a\u{1b}[31m\n"), "a\\u{1b}[31m\\n");
/// ```
pub fn printable(name: &str) -> Cow<'_, str> {
    if !name.contains(char::is_control) {
        return name.into();
    }
    let spell = |c: char| if c.is_control() { c.escape_debug().to_string() } else { c.to_string() };
    name.chars().map(spell).collect::<String>().into()
}
