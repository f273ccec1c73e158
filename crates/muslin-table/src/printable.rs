use std::borrow::Cow;

/// A name as it can be shown: characters that could move a terminal's cursor, break a table or turn the
/// direction of the text around them are spelled out.
///
/// ```
/// assert_eq!(muslin_table::printable("age"), "age");
/// assert_eq!(muslin_table::printable("a\u{1b}[31m\n"), "a\\u{1b}[31m\\n");
/// assert_eq!(muslin_table::printable("a\u{202e}b"), "a\\u{202e}b");
/// ```
pub fn printable(name: &str) -> Cow<'_, str> {
    if !name.contains(misleads) {
        return name.into();
    }
    let spell = |c: char| match c {
        c if c.is_control() => c.escape_debug().to_string(),
        c if misleads(c) => c.escape_unicode().to_string(),
        c => c.to_string(),
    };
    name.chars().map(spell).collect::<String>().into()
}

/// A word of a command for a shell: what is not plain stands between quotes.
///
/// ```
/// assert_eq!(muslin_table::shell_word("a-b_c/d.csv"), "a-b_c/d.csv");
/// assert_eq!(muslin_table::shell_word("my file's.csv"), r"'my file'\''s.csv'");
/// assert_eq!(muslin_table::shell_word(""), "''");
/// ```
pub fn shell_word(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,@%+".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.into();
    }
    format!("'{}'", text.replace('\'', "'\\''")).into()
}

/// Controls, line ends of Unicode, and what sets the direction of text.
fn misleads(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
