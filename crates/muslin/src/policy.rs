use std::collections::BTreeMap;
use std::path::Path;

use muslin_io::{ColumnChoice, ColumnType, CsvOptions, Encoding, ReadOptions};
use muslin_table::{MissingRule, Role};
use serde::{Deserialize, Serialize};

use crate::hierarchies::{Hierarchies, HierarchyRule, HierarchySource};
use crate::{Error, Result};

/// A policy file, `muslin.toml`: what columns are and how the input is read.
///
/// ```
/// let policy = muslin::Policy::parse("muslin.toml", r#"
///     schema = 1
///     missing = "category"
///     [input]
///     null = ["", "NA"]
///     [columns.postcode]
///     role = "quasi-identifier"
///     type = "text"
/// "#)?;
/// assert_eq!(policy.columns["postcode"].role, Some(muslin::Role::QuasiIdentifier));
/// # Ok::<(), muslin::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Version of the file's form: 1.
    pub schema: u32,
    /// What a missing cell matches.
    #[serde(default)]
    pub missing: Option<MissingRule>,
    /// How the input is read.
    #[serde(default)]
    pub input: InputPolicy,
    /// What is known about columns, by name.
    #[serde(default)]
    pub columns: BTreeMap<String, ColumnPolicy>,
}

/// How a policy wants the input read. Parts that are not given are found out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct InputPolicy {
    /// The character between fields.
    pub delimiter: Option<char>,
    /// The character around fields, or an empty text for none.
    pub quote: Option<String>,
    /// Whether the first record holds the columns' names.
    pub header: Option<bool>,
    /// How characters are stored: `utf-8`, `utf-16le`, `utf-16be`, `latin-1` or `windows-1252`.
    pub encoding: Option<String>,
    /// Whether the decimal mark is a comma.
    pub decimal_comma: Option<bool>,
    /// Whether spaces around unquoted fields are left out.
    pub trim: bool,
    /// Spellings of missing.
    pub null: Vec<String>,
    /// The only columns to read.
    pub only: Option<Vec<String>>,
    /// Columns not to read.
    pub exclude: Vec<String>,
}

/// What a policy says of a column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ColumnPolicy {
    /// What the column is to the people in the table.
    pub role: Option<Role>,
    /// The type of its values: `text`, `integer`, `number`, `date` or `boolean`.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub column_type: Option<ColumnType>,
    /// What its values become when they are generalized.
    pub hierarchy: Option<HierarchyRule>,
}

impl Policy {
    /// Reads a policy file.
    pub fn read(path: &Path) -> Result<Self> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| Error::Policy {
            file: file.clone(),
            line: None,
            reason: format!("cannot be read: {}", error.kind()),
            hint: "check the path given as `-p`".into(),
        })?;
        Self::parse(&file, &text)
    }

    /// Reads the text of a policy file named `file`.
    pub fn parse(file: &str, text: &str) -> Result<Self> {
        let wrong = |line: Option<usize>, reason: String, hint: String| Error::Policy {
            file: file.to_owned(),
            line,
            reason,
            hint,
        };
        let policy: Self = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| 1 + text[..span.start].matches('\n').count());
            let reason = error.message().trim().to_owned();
            wrong(line, reason, "see the guide's page on the policy file".into())
        })?;
        if policy.schema != 1 {
            let reason = format!("the form of version {} is not known", policy.schema);
            return Err(wrong(None, reason, "write `schema = 1`".into()));
        }
        policy.read_options().map_err(|(reason, hint)| wrong(None, reason, hint))?;
        Ok(policy)
    }

    /// How to read the input, as far as the policy says.
    fn read_options(&self) -> Result<ReadOptions, (String, String)> {
        let InputPolicy { delimiter, quote, header, encoding, decimal_comma, trim, .. } =
            &self.input;
        let quote =
            match quote.as_deref().map(|quote| (quote.chars().next(), quote.chars().count())) {
                None => None,
                Some((None, _)) => Some(None),
                Some((character, 1)) => Some(character),
                Some(_) => {
                    let hint = "write one character, or an empty text for none";
                    return Err(("input.quote is longer than one character".into(), hint.into()));
                }
            };
        let encoding = encoding.as_deref().map(|name| {
            Encoding::ALL.into_iter().find(|encoding| encoding.name() == name).ok_or_else(|| {
                let known: Vec<_> = Encoding::ALL.iter().map(|encoding| encoding.name()).collect();
                ("input.encoding is not known".into(), format!("write one of {}", known.join(", ")))
            })
        });
        let columns = match (&self.input.only, self.input.exclude.as_slice()) {
            (Some(_), [_, ..]) => {
                let hint = "keep one of the two";
                return Err(("input.only and input.exclude are both given".into(), hint.into()));
            }
            (Some(only), []) => ColumnChoice::Only(only.clone()),
            (None, []) => ColumnChoice::All,
            (None, except) => ColumnChoice::Except(except.to_vec()),
        };
        let typed = self.columns.iter().filter_map(|(name, column)| {
            column.column_type.map(|column_type| (name.clone(), column_type))
        });
        Ok(ReadOptions {
            csv: CsvOptions {
                delimiter: *delimiter,
                quote,
                header: *header,
                encoding: encoding.transpose()?,
                decimal_comma: *decimal_comma,
                trim: *trim,
            },
            columns,
            types: typed.collect(),
            null: self.input.null.clone(),
        })
    }

    /// The options for reading.
    ///
    /// # Panics
    /// Never for a policy that [`Policy::parse`] made.
    pub fn to_read_options(&self) -> ReadOptions {
        self.read_options().expect("checked when the policy was read")
    }

    /// Hierarchies by column.
    pub fn hierarchies(&self) -> Hierarchies {
        let mut hierarchies = Hierarchies::new();
        for (name, column) in &self.columns {
            if let Some(rule) = &column.hierarchy {
                hierarchies.set(name, HierarchySource::Rule(rule.clone()));
            }
        }
        hierarchies
    }

    /// Roles by column.
    pub fn roles(&self) -> BTreeMap<String, Role> {
        let role =
            |(name, column): (&String, &ColumnPolicy)| column.role.map(|role| (name.clone(), role));
        self.columns.iter().filter_map(role).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Policy::parse("p.toml", text).unwrap_err().to_string()
    }

    #[test]
    fn every_part_of_a_policy_is_read() {
        let text = r#"
            schema = 1
            missing = "wildcard"
            [input]
            delimiter = ";"
            quote = ""
            header = false
            encoding = "latin-1"
            decimal_comma = true
            null = ["-99"]
            exclude = ["notes"]
            [columns.age]
            role = "quasi-identifier"
            type = "integer"
        "#;
        let policy = Policy::parse("p.toml", text).unwrap();
        let options = policy.to_read_options();
        assert_eq!(options.csv.delimiter, Some(';'));
        assert_eq!(options.csv.quote, Some(None));
        assert_eq!(options.csv.encoding, Some(Encoding::Latin1));
        assert_eq!(options.columns, ColumnChoice::Except(vec!["notes".into()]));
        assert_eq!(options.types["age"], ColumnType::Integer);
        assert_eq!(policy.roles()["age"], Role::QuasiIdentifier);
        assert_eq!(policy.missing, Some(MissingRule::Wildcard));
    }

    #[test]
    fn wrong_policies_name_the_line() {
        assert!(
            refused("schema = 1\n[input]\ndelimeter = ';'\n")
                .starts_with("p.toml, line 3: unknown field `delimeter`")
        );
        assert!(refused("schema = 1\n[columns.age]\nrole = 'secret'\n").contains("line 3"));
        assert!(refused("schema = 2\n").contains("version 2"));
        assert!(refused("").contains("schema"));
        assert!(refused("schema = 1\n[input]\nquote = 'ab'\n").contains("input.quote"));
        assert!(refused("schema = 1\n[input]\nonly = ['a']\nexclude = ['b']\n").contains("both"));
        assert!(refused("schema = 1\n[input]\nencoding = 'ebcdic'\n").contains("utf-16le"));
    }
}
