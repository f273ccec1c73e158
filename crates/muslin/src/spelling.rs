//! Hints name settings as flags. Who does not pass flags reads them in his own words.

/// How somebody says what a job is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Spelling {
    /// Flags of a command: `--suppression-limit 0.1`.
    Flags,
    /// Keys of a policy: `protect.generalize.suppression_limit`. Flags that have none stay.
    Policy,
    /// Arguments of a function: `suppression_limit=0.1`.
    Arguments,
}

/// Flags that a policy has a key for.
const KEYS: [(&str, &str); 26] = [
    ("k", "release.k"),
    ("diversity", "columns.NAME.diversity"),
    ("closeness", "columns.NAME.closeness"),
    ("role", "columns.NAME.role"),
    ("hierarchy", "columns.NAME.hierarchy.file"),
    ("columns", "columns.NAME.role"),
    ("sensitive", "columns.NAME.role"),
    ("suppression-limit", "protect.generalize.suppression_limit"),
    ("max-set", "protect.generalize.max_set"),
    ("recoding", "protect.generalize.recoding"),
    ("bounds", "protect.generalize.tight"),
    ("notion", "protect.suppress.notion"),
    ("robust", "protect.suppress.robust"),
    ("closed", "protect.suppress.closed"),
    ("gap", "protect.suppress.gap"),
    ("measure", "protect.mask.measure"),
    ("beta", "protect.mask.beta"),
    ("slices", "protect.slice.slices"),
    ("l", "protect.bucketize.l"),
    ("keep", "utility.keep"),
    ("row-order", "release.order"),
    ("date-format", "columns.NAME.format"),
    ("release-delimiter", "release.delimiter"),
    ("release-encoding", "release.encoding"),
    ("release-decimal-comma", "release.decimal_comma"),
    ("missing", "missing"),
];

impl Spelling {
    /// A message in these words: what stands in backticks and begins with a dash is a flag.
    ///
    /// ```
    /// use muslin::Spelling;
    ///
    /// let hint = "pass a smaller `-k`, or `--notion ambiguity`";
    /// assert_eq!(Spelling::Flags.of(hint), hint);
    /// assert_eq!(
    ///     Spelling::Policy.of(hint),
    ///     "pass a smaller `release.k`, or `protect.suppress.notion = \"ambiguity\"`"
    /// );
    /// assert_eq!(Spelling::Arguments.of(hint), "pass a smaller `k`, or `notion=\"ambiguity\"`");
    /// ```
    pub fn of(self, message: &str) -> String {
        if self == Self::Flags {
            return message.to_owned();
        }
        // Every second part stands in backticks, if they are in pairs.
        let parts: Vec<&str> = message.split('`').collect();
        if parts.len().is_multiple_of(2) {
            return message.to_owned();
        }
        let spell = |(at, part): (usize, &&str)| {
            let own = if at % 2 == 1 && is_flag(part) { self.spell(part) } else { None };
            own.unwrap_or_else(|| (*part).to_owned())
        };
        parts.iter().enumerate().map(spell).collect::<Vec<_>>().join("`")
    }

    /// A flag in other words.
    fn spell(self, flag: &str) -> Option<String> {
        let (name, value) = match flag.split_once(' ') {
            Some((name, value)) => (name, Some(value)),
            None => (flag, None),
        };
        let name = name.trim_start_matches('-');
        let own = match self {
            Self::Flags => return None,
            Self::Policy => KEYS.iter().find(|(flag, _)| *flag == name)?.1.to_owned(),
            Self::Arguments => argument(name),
        };
        let equals = if self == Self::Policy { " = " } else { "=" };
        Some(match value.map(|value| value.trim_matches('\'')) {
            Some(value) if is_literal(value) => format!("{own}{equals}{value}"),
            // What stands for a value is no value.
            Some(value) if !value.chars().any(char::is_lowercase) && !value.is_empty() => own,
            Some(value) => match value.rsplit_once('=') {
                Some((column, value)) if self == Self::Policy && own.contains("NAME") => {
                    let key = own.replace("NAME", &crate::toml_text::key(column));
                    format!("{key}{equals}\"{value}\"")
                }
                // What a column's name stands before.
                Some((column, value)) if self == Self::Arguments => {
                    format!("{own}={{\"{column}\": \"{value}\"}}")
                }
                _ => format!("{own}{equals}\"{value}\""),
            },
            None => own,
        })
    }
}

/// Whether a text is a flag, with or without a value, and no name that begins with a dash.
fn is_flag(text: &str) -> bool {
    let name = text.split(' ').next().unwrap_or_default();
    let is_word = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || c == '-')
    };
    match name.strip_prefix("--") {
        Some(long) => is_word(long),
        None => name.strip_prefix('-').is_some_and(|short| short.len() == 1 && is_word(short)),
    }
}

/// The name of a function's argument.
fn argument(flag: &str) -> String {
    match flag {
        "o" => "output".to_owned(),
        "p" => "policy".to_owned(),
        name => name.replace('-', "_"),
    }
}

fn is_literal(value: &str) -> bool {
    !value.is_empty() && value.chars().all(|c| c.is_ascii_digit() || c == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_flag_stays() {
        let text = "column `a-b`: pass `--header no` and `muslin scan`; `--threads 4`";
        assert_eq!(
            Spelling::Arguments.of(text),
            "column `a-b`: pass `header=\"no\"` and `muslin scan`; `threads=4`"
        );
        assert_eq!(Spelling::Policy.of(text), text);
        assert_eq!(Spelling::Arguments.of("one ` alone, `-k`"), "one ` alone, `-k`");
        for text in ["no column `-age`", "`-` for standard output", "`-3` is not", "`--Age`"] {
            assert_eq!(Spelling::Arguments.of(text), text);
        }
    }

    #[test]
    fn places_of_values_are_no_values() {
        assert_eq!(Spelling::Arguments.of("pass `--sensitive NAME`"), "pass `sensitive`");
        assert_eq!(Spelling::Arguments.of("pass `-o FILE` too"), "pass `output` too");
        assert_eq!(Spelling::Arguments.of("pass `--null ''`"), "pass `null=\"\"`");
        assert_eq!(
            Spelling::Arguments.of("pass `--role age=identifier`"),
            "pass `role={\"age\": \"identifier\"}`"
        );
        assert_eq!(Spelling::Policy.of("a larger `--beta`"), "a larger `protect.mask.beta`");
        assert_eq!(
            Spelling::Policy.of("pass `--role age=identifier`, or `--hierarchy my town=FILE.csv`"),
            "pass `columns.age.role = \"identifier\"`, or `columns.\"my town\".hierarchy.file = \"FILE.csv\"`"
        );
    }
}
