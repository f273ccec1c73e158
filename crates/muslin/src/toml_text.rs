//! Names and texts as TOML spells them.

/// A key of a table, quoted where it must be.
pub(crate) fn key(name: &str) -> String {
    let mut table = toml::Table::new();
    table.insert(name.to_owned(), true.into());
    let text = table.to_string();
    text.trim_end().trim_end_matches("true").trim_end_matches([' ', '=']).to_owned()
}

/// A text between quotes.
pub(crate) fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// A list of texts.
pub(crate) fn list(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", texts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_spelled_as_toml_reads_them() {
        for name in
            ["age", "Marital status", "a.b", "", "quo\"te", "back\\slash", "tab\t\u{1}", "日本"]
        {
            let text = format!("[columns.{}]\nrole = \"other\"\n", key(name));
            let read: toml::Table = text.parse().unwrap();
            let columns = read["columns"].as_table().unwrap();
            assert_eq!(columns.keys().collect::<Vec<_>>(), [name]);
        }
    }
}
