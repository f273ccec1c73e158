//! The policy file.

mod keys;
mod located;
mod protection;

use std::collections::BTreeMap;
use std::path::Path;

use muslin_io::{ColumnChoice, ColumnType, CsvOptions, Encoding, ReadOptions};
use muslin_table::{DayFormat, MissingRule, Role};
use serde::{Deserialize, Serialize};

pub use self::protection::{
    BucketizePolicy, CombinationPolicy, GeneralizePolicy, LimitsPolicy, MaskPolicy, ProtectMethod,
    ProtectPolicy, ReleasePolicy, SlicePolicy, SuppressPolicy, UtilityPolicy,
};

pub(crate) use self::keys::unused_warning;
pub(crate) use self::located::near;

use crate::claims::{Claim, SpreadSetting};
use crate::hierarchies::{Hierarchies, HierarchyRule, HierarchySource};
use crate::presets::Preset;
use crate::release::ReleaseStyle;
use crate::suppress::CellCost;
use crate::{Error, Result};

/// Attacks that a policy may accept.
pub(crate) const ATTACKS: [&str; 3] = ["definetti", "disambiguation", "downcoding"];

/// Roles that columns may have which a policy does not name.
const UNDECLARED: [Role; 5] =
    [Role::Identifier, Role::QuasiIdentifier, Role::Sensitive, Role::Other, Role::Undecided];

/// A policy file, `muslin.toml`: what columns are, how the input is read, and what a release must
/// meet.
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
    /// What a release must meet.
    #[serde(default)]
    pub release: ReleasePolicy,
    /// How it is made.
    #[serde(default)]
    pub protect: ProtectPolicy,
    /// What it may lose.
    #[serde(default)]
    pub limits: LimitsPolicy,
    /// What analysts need.
    #[serde(default)]
    pub utility: UtilityPolicy,
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
    /// The type of its values: `text`, `integer`, `number`, `date`, `boolean` or `category`.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub column_type: Option<ColumnType>,
    /// How its days are written, such as `%d.%m.%Y`: the column is one of dates.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub format: Option<DayFormat>,
    /// What its values become when they are generalized.
    pub hierarchy: Option<HierarchyRule>,
    /// What a withheld cell or column costs: a number above 0, or `never`; 1 where nothing is said.
    pub weight: Option<WeightPolicy>,
    /// How it is spread in every class, such as `3`, `distinct:3`, `entropy:3` or `recursive:3:2`.
    pub diversity: Option<String>,
    /// How far the shares of a class may be from the table's, such as `0.2` or `ordered:0.2`.
    pub closeness: Option<String>,
    /// Whether a column with the role `weight`, `unit` or `household` is published; it is not where nothing is said.
    pub publish: Option<bool>,
}

/// What a withheld cell or column costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum WeightPolicy {
    /// So much.
    Cost(f64),
    /// `never`: nothing is withheld.
    Word(String),
}

impl Policy {
    /// Reads a policy file.
    pub fn read(path: &Path) -> Result<Self> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| Error::Policy {
            file: file.clone(),
            line: None,
            reason: format!("cannot be read: {}", muslin_io::Cause::from(&error)),
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
        let policy: Self =
            toml::from_str(text).map_err(|error| located::of_toml(file, text, &error))?;
        if policy.schema != 1 {
            let reason = format!("the form of version {} is not known", policy.schema);
            return Err(wrong(None, reason, "write `schema = 1`".into()));
        }
        policy.read_options().map_err(|(reason, hint)| wrong(None, reason, hint))?;
        policy.check().map_err(|(key, reason, hint)| {
            let line = located::line_of(text, &key);
            wrong(line, format!("`{key}` {reason}"), hint)
        })?;
        Ok(policy)
    }

    /// What no type says: the key, what is wrong, and a way out.
    fn check(&self) -> Result<(), (String, String, String)> {
        let fail =
            |key: &str, reason: &str, hint: String| Err((key.to_owned(), reason.to_owned(), hint));
        let one_of = |typed: &str, names: Vec<&'static str>| {
            let near = near(typed, names.iter().copied());
            near.map_or_else(
                || format!("write one of {}", names.join(", ")),
                |near| format!("did you mean `{near}`?"),
            )
        };
        if let Some(name) = &self.release.preset
            && Preset::named(name).is_none()
        {
            let names = Preset::ALL.iter().map(Preset::name).collect();
            return fail("release.preset", "is no preset that is known", one_of(name, names));
        }
        for name in &self.release.accept {
            let known: Vec<&str> = ATTACKS.into_iter().chain(crate::AttackJob::NAMES).collect();
            if !known.contains(&name.as_str()) {
                return fail(
                    "release.accept",
                    "names an attack that is not known",
                    one_of(name, known),
                );
            }
        }
        if let Some(name) = &self.release.format
            && protection::format(name).is_none()
        {
            let names = muslin_io::WriteFormat::ALL.iter().map(|format| format.name()).collect();
            return fail("release.format", "is not known", one_of(name, names));
        }
        if let Some(name) = &self.release.encoding
            && encoding(name).is_none()
        {
            let names = Encoding::ALL.iter().map(|encoding| encoding.name()).collect();
            return fail("release.encoding", "is not known", one_of(name, names));
        }
        if let Some(delimiter) = self.release.delimiter
            && (!delimiter.is_ascii() || matches!(delimiter, '\n' | '\r' | '\0' | '"' | '\''))
        {
            let hint = "write one ASCII character that is no quote, such as \";\"";
            return fail("release.delimiter", "cannot stand between fields", hint.into());
        }
        if let Some(name) = &self.release.order
            && !["shuffled", "sorted"].contains(&name.as_str())
        {
            let hint = one_of(name, vec!["shuffled", "sorted"]);
            return fail("release.order", "is not known", hint);
        }
        let small = |k: u32| k < 2;
        if self.release.k.is_some_and(small) {
            return fail("release.k", "is below 2", "write 2 or more".into());
        }
        if self.release.combination.iter().any(|of| small(of.k) || of.columns.is_empty()) {
            let hint = "name at least one column, and a k of 2 or more";
            return fail("release.combination", "asks for nothing", hint.into());
        }
        if self.release.population.as_deref().is_some_and(|own| own != "table") {
            let hint = "write `population = \"table\"` where the table holds every person of the population, or leave it out";
            return fail("release.population", "is not known", hint.into());
        }
        if let Some(role) = self.release.undeclared
            && !UNDECLARED.contains(&role)
        {
            let names = UNDECLARED.map(Role::name).join(", ");
            return fail(
                "release.undeclared",
                "cannot be this role",
                format!("write one of {names}"),
            );
        }
        let limits = [
            ("release.max_unique", self.release.max_unique),
            ("release.max_advantage", self.release.max_advantage),
            ("limits.suppressed", self.limits.suppressed),
            ("limits.removed", self.limits.removed),
            ("limits.gcp", self.limits.gcp),
            ("protect.generalize.suppression_limit", self.protect.generalize.suppression_limit),
            ("protect.mask.beta", self.protect.mask.beta),
        ];
        for (key, limit) in limits {
            if limit.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
                return fail(key, "is no share", "write a number from 0 to 1".into());
            }
        }
        self.check_columns()
    }

    /// The same of what is said of columns.
    fn check_columns(&self) -> Result<(), (String, String, String)> {
        let fail =
            |key: &str, reason: &str, hint: String| Err((key.to_owned(), reason.to_owned(), hint));
        for (name, column) in &self.columns {
            let key = |part: &str| format!("columns.{name}.{part}");
            let is_date = column.column_type.is_none_or(|own| own == ColumnType::Date);
            if column.format.is_some() && !is_date {
                let hint = "leave `type` out, or write `type = \"date\"`";
                return fail(&key("format"), "is of dates, and the column is not", hint.into());
            }
            let role = column.role.unwrap_or(Role::Undecided);
            if column.publish.is_some() && !role.is_published_on_request() {
                let hint = "leave `publish` out: the role decides; `role = \"identifier\"` publishes nothing of a column";
                return fail(
                    &key("publish"),
                    "needs the role `weight`, `unit` or `household`",
                    hint.into(),
                );
            }
            if column.cost().is_err() {
                let hint = "write a number above 0, or \"never\"";
                return fail(&key("weight"), "is no cost", hint.into());
            }
            if let Err((part, hint)) = column.spreads(name) {
                return fail(&key(part), "is not understood", format!("write {hint}"));
            }
        }
        Ok(())
    }

    /// How sensitive columns are spread in every class.
    pub fn spreads(&self) -> Vec<SpreadSetting> {
        let of =
            |(name, column): (&String, &ColumnPolicy)| column.spreads(name).unwrap_or_default();
        self.columns.iter().flat_map(of).collect()
    }

    /// The diversity of buckets: what is said of a method, and at least what the policy asks of a sensitive
    /// column.
    pub fn l(&self, said: Option<u32>) -> Option<u32> {
        use muslin_protect::Spread;
        let spreads = self.spreads().into_iter().filter_map(|own| match own.spread {
            Spread::Probabilistic { l } => Some(l),
            _ => None,
        });
        spreads.chain(said).max()
    }

    /// What withheld cells cost, by column; columns that analysts need are never touched.
    pub fn costs(&self) -> BTreeMap<String, CellCost> {
        let of = |(name, column): (&String, &ColumnPolicy)| {
            column.cost().ok().flatten().map(|cost| (name.clone(), cost))
        };
        let mut costs: BTreeMap<String, CellCost> = self.columns.iter().filter_map(of).collect();
        costs.extend(self.utility.keep.iter().map(|name| (name.clone(), CellCost::Never)));
        costs
    }

    /// The preset that is asked for.
    pub fn preset(&self) -> Option<Preset> {
        self.release.preset.as_deref().and_then(Preset::named)
    }

    /// The least rows of a class: what is said, or what the preset says.
    pub fn k(&self) -> Option<u32> {
        self.release.k.or_else(|| self.preset()?.k())
    }

    /// What a release must meet besides the k of all quasi-identifiers.
    pub fn claims(&self) -> Vec<Claim> {
        let combinations = self.release.combination.iter();
        combinations.map(|of| Claim::k_anonymity(of.k, &of.columns)).collect()
    }

    /// The format of the data.
    pub fn format(&self) -> Option<muslin_io::WriteFormat> {
        self.release.format.as_deref().and_then(protection::format)
    }

    /// The dialect of the release, as far as the policy says.
    pub fn release_style(&self) -> ReleaseStyle {
        ReleaseStyle {
            delimiter: self.release.delimiter,
            encoding: self.release.encoding.as_deref().and_then(encoding),
            decimal_comma: self.release.decimal_comma,
        }
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
            self::encoding(name).ok_or_else(|| {
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
        let formats = self
            .columns
            .iter()
            .filter_map(|(name, column)| Some((name.clone(), column.format.clone()?)));
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
            formats: formats.collect(),
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

    /// The role of a column, by its own line or that of all others.
    pub(crate) fn role_of(&self, column: &str) -> Role {
        let own = self.columns.get(column).and_then(|column| column.role);
        own.or(self.release.undeclared).unwrap_or(Role::Undecided)
    }

    /// Whether a column with the role `weight`, `unit` or `household` is published.
    pub fn publishes(&self, column: &str) -> bool {
        self.columns.get(column).and_then(|column| column.publish).unwrap_or(false)
    }

    /// Roles by column.
    pub fn roles(&self) -> BTreeMap<String, Role> {
        let role =
            |(name, column): (&String, &ColumnPolicy)| column.role.map(|role| (name.clone(), role));
        self.columns.iter().filter_map(role).collect()
    }
}

/// A known encoding.
fn encoding(name: &str) -> Option<Encoding> {
    Encoding::ALL.into_iter().find(|encoding| encoding.name() == name)
}

impl ColumnPolicy {
    fn cost(&self) -> Result<Option<CellCost>, ()> {
        match &self.weight {
            None => Ok(None),
            Some(WeightPolicy::Cost(cost)) => {
                let weight = cost.to_string().parse().map_err(|_| ())?;
                if weight == muslin_assess::Weight::of_millionths(0) {
                    return Err(());
                }
                Ok(Some(CellCost::Weight(weight)))
            }
            Some(WeightPolicy::Word(word)) if word == "never" => Ok(Some(CellCost::Never)),
            Some(WeightPolicy::Word(_)) => Err(()),
        }
    }

    /// Its spreads; where one is not understood, its key and what to write.
    fn spreads(&self, name: &str) -> Result<Vec<SpreadSetting>, (&'static str, &'static str)> {
        let diversity = self.diversity.as_deref().map(|how| SpreadSetting::diversity(name, how));
        let closeness = self.closeness.as_deref().map(|how| SpreadSetting::closeness(name, how));
        let diversity = diversity.transpose().map_err(|hint| ("diversity", hint))?;
        let closeness = closeness.transpose().map_err(|hint| ("closeness", hint))?;
        Ok(diversity.into_iter().chain(closeness).collect())
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
            weight = 2.5
            [columns.town]
            weight = "never"
            [columns.illness]
            role = "sensitive"
            diversity = "entropy:3"
            closeness = "0.2"
            [release]
            preset = "ihsn-3"
            format = "parquet"
            accept = ["definetti"]
            [[release.combination]]
            columns = ["age", "town"]
            k = 10
            [protect]
            methods = ["generalize", "suppress"]
            generalize.recoding = "full-domain"
            suppress.robust = true
            [limits]
            gcp = 0.5
            [utility]
            keep = ["sex"]
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
        assert_eq!((policy.k(), policy.release.combination[0].k), (Some(3), 10));
        assert_eq!(policy.spreads().len(), 2);
        let costs = policy.costs();
        assert_eq!(costs["age"], CellCost::Weight("2.5".parse().unwrap()));
        assert_eq!((costs["town"], costs["sex"]), (CellCost::Never, CellCost::Never));
        assert_eq!(policy.format(), Some(muslin_io::WriteFormat::Parquet));
    }

    #[test]
    fn wrong_policies_name_the_line() {
        assert_eq!(
            refused("schema = 1\n[input]\ndelimeter = ';'\n"),
            "p.toml, line 3: `input.delimeter`: unknown field `delimeter`\n  hint: did you mean `delimiter`?"
        );
        assert_eq!(
            refused("schema = 1\n[release]\nk = 5\npreset = 'ihsn5'\n"),
            "p.toml, line 4: `release.preset` is no preset that is known\n  hint: did you mean `ihsn-5`?"
        );
        assert_eq!(
            refused("schema = 1\n[protect]\nmethods = ['supress']\n"),
            "p.toml, line 3: `protect.methods`: unknown variant `supress`\n  hint: did you mean `suppress`?"
        );
        assert_eq!(
            refused("schema = 1\n[columns.\"a b\"]\nweight = 'sometimes'\n"),
            "p.toml, line 3: `columns.a b.weight` is no cost\n  hint: write a number above 0, or \"never\""
        );
        for text in [
            "[release]\nk = 1",
            "[release]\naccept = ['gravity']",
            "[[release.combination]]\ncolumns = []\nk = 5",
            "[columns.a]\ndiversity = 'much'",
            "[columns.a]\nweight = -1",
            "[limits]\ngcp = 2",
            "[columns.a]\nrole = 'other'\npublish = true",
            "[release]\nundeclared = 'weight'",
            "[protect.generalize]\nlabels = 'words'",
        ] {
            let said = refused(&format!("schema = 1\n{text}\n"));
            assert!(said.starts_with("p.toml, line ") && said.contains("hint: "), "{said}");
        }
        assert!(refused("schema = 1\n[columns.age]\nrole = 'secret'\n").contains("line 3"));
        assert!(refused("schema = 2\n").contains("version 2"));
        assert!(refused("").contains("schema"));
        assert!(refused("schema = 1\n[input]\nquote = 'ab'\n").contains("input.quote"));
        assert!(refused("schema = 1\n[input]\nonly = ['a']\nexclude = ['b']\n").contains("both"));
        assert!(refused("schema = 1\n[input]\nencoding = 'ebcdic'\n").contains("utf-16le"));
    }
}
