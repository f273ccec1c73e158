//! Lists of columns' names, as flags take them.
//!
//! Names stand between commas, as in a line of CSV: what holds a comma, or begins with a quote or a
//! space, stands between double quotes, and a quote within it is doubled. Slices of names stand
//! between `|`; a name with that is quoted too.

use muslin::{quoted, shell_word};

/// Names that one flag lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names(Vec<String>);

/// Columns that stay together, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slices(pub Vec<Vec<String>>);

impl Names {
    /// The names of a flag that may be repeated.
    pub fn all(given: &[Self]) -> Vec<String> {
        given.iter().flat_map(|names| names.0.iter().cloned()).collect()
    }
}

/// `a,b`.
pub(super) fn parse_names(text: &str) -> Result<Names, String> {
    let names = parse_lists(text, None).map(|lists| Names(lists.concat()));
    names.ok_or_else(|| {
        "names with `,` between them, such as age,sex; a name with a comma between double quotes".into()
    })
}

/// `a,b|c,d`.
pub(super) fn parse_slices(text: &str) -> Result<Slices, String> {
    parse_lists(text, Some("|")).map(Slices).ok_or_else(|| {
        "names with `,` between them and `|` between slices, such as age,sex|zip; a name with one of them between double quotes".into()
    })
}

/// Lists of names with `between` between them; none where a name is empty without quotes, or quotes
/// do not end.
pub(super) fn parse_lists(text: &str, between: Option<&str>) -> Option<Vec<Vec<String>>> {
    let mut lists = vec![Vec::new()];
    let mut rest = text;
    loop {
        let (name, after) = parse_name(rest, between)?;
        lists.last_mut().expect("there is a list").push(name);
        let after = after.trim_start();
        if after.is_empty() {
            return Some(lists);
        }
        rest = if let Some(next) = after.strip_prefix(',') {
            next
        } else {
            lists.push(Vec::new());
            after.strip_prefix(between?)?
        };
    }
}

/// A name, and what follows it.
fn parse_name<'a>(text: &'a str, between: Option<&str>) -> Option<(String, &'a str)> {
    let text = text.trim_start();
    let Some(mut rest) = text.strip_prefix('"') else {
        let end = [Some(","), between].into_iter().flatten().filter_map(|end| text.find(end)).min();
        let (name, rest) = text.split_at(end.unwrap_or(text.len()));
        let name = name.trim_end();
        return (!name.is_empty()).then(|| (name.to_owned(), rest));
    };
    let mut name = String::new();
    loop {
        let (part, after) = rest.split_once('"')?;
        name.push_str(part);
        match after.strip_prefix('"') {
            Some(after) => {
                name.push('"');
                rest = after;
            }
            None => return Some((name, after)),
        }
    }
}

/// Slices as `--slices` takes them, between quotes for a shell.
pub fn slices_for_shell(slices: &[Vec<String>]) -> String {
    let text = slices.iter().map(|names| joined(names)).collect::<Vec<_>>().join("|");
    shell_word(&text).into_owned()
}

/// Names as a flag takes them.
pub fn joined(names: &[String]) -> String {
    names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",")
}

/// A command for a shell: what is not plain stands between quotes.
pub fn command_for_shell(args: &[String]) -> String {
    args.iter().map(|arg| shell_word(arg)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Option<Vec<String>> {
        parse_names(text).ok().map(|names| names.0)
    }

    #[test]
    fn names_are_quoted_as_in_csv() {
        let is = |text: &str, expected: &[&str]| {
            assert_eq!(
                names(text),
                Some(expected.iter().map(|&name| name.into()).collect()),
                "{text}"
            );
        };
        is("age", &["age"]);
        is("age, sex ,a b|c", &["age", "sex", "a b|c"]);
        is("\"na,me\",\"say \"\"so\"\"\", \" x \" ", &["na,me", "say \"so\"", " x "]);
        is("5\" pipe,\"\"", &["5\" pipe", ""]);
        for wrong in ["", "a,", ",a", "a,,b", "\"a", "\"a\"b", "\"a\"\"", " "] {
            assert_eq!(names(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn slices_are_lists_of_names() {
        let slices = |text: &str| parse_slices(text).map(|slices| slices.0);
        let expected = vec![vec!["a".to_owned(), "b|b".to_owned()], vec!["c,".to_owned()]];
        assert_eq!(slices("a, \"b|b\" | \"c,\""), Ok(expected));
        for wrong in ["", "a,,b", "a||b", "a|", "|a", "a,|b", "a|,b"] {
            assert!(slices(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn slices_are_read_as_they_were_written() {
        let of: Vec<Vec<String>> =
            [vec!["a", "b c", "d,e"], vec!["f|g", "\"h\"", " i", "", "it's"]]
                .map(|names| names.into_iter().map(String::from).collect())
                .into();
        let shell = slices_for_shell(&of);
        assert!(shell.starts_with("'a,b c,\"d,e\"|\"f|g\","), "{shell}");
        let text = shell.trim_matches('\'').replace("'\\''", "'");
        assert_eq!(parse_slices(&text).map(|slices| slices.0), Ok(of));
    }

    #[test]
    fn commands_can_be_pasted() {
        let args = ["muslin", "init", "my file's.csv", "--null", "", "--role", "a=other"];
        let shell = command_for_shell(&args.map(String::from));
        assert_eq!(shell, r"muslin init 'my file'\''s.csv' --null '' --role a=other");
    }
}
