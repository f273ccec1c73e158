//! Where in a policy file something is wrong, and what was probably meant.

use crate::Error;

/// An error of the TOML reader, with line, key and a way out.
pub(super) fn of_toml(file: &str, text: &str, error: &toml::de::Error) -> Error {
    let start = error.span().map(|span| span.start.min(text.len()));
    let line = start.map(|start| text.get(..start).unwrap_or(text).matches('\n').count() + 1);
    let message = error.message().trim();
    let key = line.and_then(|line| key_at(text, line));
    let nearest = nearest(message);
    // What could be written is in the hint.
    let said = match (&nearest, message.split_once(", expected ")) {
        (Some(_), Some((said, _))) => said,
        _ => message,
    };
    let reason = match &key {
        Some(key) if !said.contains(&format!("`{key}`")) => format!("`{key}`: {said}"),
        _ => said.to_owned(),
    };
    let hint = nearest.unwrap_or_else(|| "see the guide's page on the policy file".into());
    Error::Policy { file: file.to_owned(), line, reason, hint }
}

/// The key that a line sets, with the tables it is in.
fn key_at(text: &str, line: usize) -> Option<String> {
    let lines: Vec<&str> = text.lines().take(line).collect();
    let own = lines.last()?.trim();
    let header = |line: &&&str| line.trim_start().starts_with('[');
    let name = |line: &str| line.trim().trim_matches(['[', ']']).trim().to_owned();
    if own.starts_with('[') {
        return Some(name(own));
    }
    let key = own.split_once('=')?.0.trim();
    let table = lines.iter().rev().find(header).map(|line| name(line));
    Some(table.map_or(key.to_owned(), |table| format!("{table}.{key}")))
}

/// The line that sets a key.
pub(super) fn line_of(text: &str, key: &str) -> Option<usize> {
    let all = 1..=text.lines().count();
    let is_own = |own: String| own.replace('"', "") == key;
    all.into_iter().find(|&line| key_at(text, line).is_some_and(is_own))
}

/// What was probably meant, where the reader says what it expected instead.
fn nearest(message: &str) -> Option<String> {
    let (found, expected) = message.split_once(", expected ")?;
    let quoted = |text: &str| -> Vec<String> {
        text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let found = quoted(found).pop()?;
    let expected = quoted(expected);
    let near = near(&found, expected.iter().map(String::as_str));
    Some(match (near, &expected[..]) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, []) => return None,
        (None, all) => format!("write one of {}", all.join(", ")),
    })
}

/// The name that is nearest to a mistyped one, if any is near.
pub(crate) fn near<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let rated = names.map(|name| (strsim::damerau_levenshtein(typed, name), name));
    let (distance, name) = rated.min_by_key(|(distance, _)| *distance)?;
    let most = typed.chars().count().max(name.chars().count()).div_ceil(3);
    (distance <= most).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_their_tables() {
        let text = "schema = 1\n[input]\nnull = ['']\n[columns.age]\nrole = 'x'\n";
        assert_eq!(key_at(text, 1).as_deref(), Some("schema"));
        assert_eq!(key_at(text, 2).as_deref(), Some("input"));
        assert_eq!(key_at(text, 5).as_deref(), Some("columns.age.role"));
    }

    #[test]
    fn near_names_are_near() {
        let names = ["delimiter", "quote", "header"];
        assert_eq!(near("delimeter", names.into_iter()), Some("delimiter"));
        assert_eq!(near("haeder", names.into_iter()), Some("header"));
        assert_eq!(near("colour", names.into_iter()), None);
    }
}
