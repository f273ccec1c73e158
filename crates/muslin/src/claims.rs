//! What a release claims about itself.

use std::fmt;

use muslin_assess::{Beta, Measure, Target, Weight};
use muslin_table::{EncodedTable, MissingRule};
use serde::{Deserialize, Serialize};

use crate::SuppressNotion;

/// What holds for every class of a release: its rows that agree on some columns, or stand in one
/// bucket.
///
/// `text` says it in words; the other fields say it to programs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Claim {
    /// What kind: `k-anonymity`, `ambiguity`, `1k`, `k1`, `kk`, `distinct-ratio`,
    /// `separation-ratio`, `distinct-l-diversity`, `probabilistic-l-diversity`,
    /// `entropy-l-diversity`, `recursive-l-diversity`, `t-closeness`, `ordered-t-closeness`,
    /// `l-diverse-slicing`.
    pub claim: String,
    /// The least rows of a class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k: Option<u32>,
    /// The l of a diversity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l: Option<u32>,
    /// The c of recursive (c,l)-diversity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c: Option<f64>,
    /// The t of a closeness.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t: Option<f64>,
    /// The most that a ratio may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beta: Option<f64>,
    /// The same with every digit, which is what is judged: a number with a fraction may lose digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact_beta: Option<String>,
    /// The rows that were published with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// All columns that were published with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<Vec<String>>,
    /// The columns that make the classes; for `l-diverse-slicing`, those that may be known of somebody.
    pub columns: Vec<String>,
    /// The sensitive column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<String>,
    /// The column of buckets, where the release has one: each bucket is a class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bucket: Option<String>,
    /// Columns that stay together, where links between others are cut within buckets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slices: Option<Vec<Vec<String>>>,
    /// What a missing cell matches.
    pub missing: String,
    /// The claim in words.
    pub text: String,
}

/// How a sensitive column is spread in every class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpreadSetting {
    /// The sensitive column.
    pub column: String,
    /// How.
    pub spread: muslin_protect::Spread,
}

impl SpreadSetting {
    /// A diversity as flags and policies spell it: `3`, `distinct:3`, `entropy:3` or
    /// `recursive:3:1.5` (l, then c). The error says what can be written.
    pub fn diversity(column: &str, how: &str) -> Result<Self, &'static str> {
        use muslin_protect::Spread;
        let wrong = "a number of 2 or more, distinct:L, entropy:L or recursive:L:C, such as 3";
        let l = |text: &str| text.parse().ok().filter(|l: &u32| *l >= 2).ok_or(wrong);
        let spread = match how.split(':').collect::<Vec<_>>()[..] {
            [n] | ["probabilistic", n] => Spread::Probabilistic { l: l(n)? },
            ["distinct", n] => Spread::Distinct { l: l(n)? },
            ["entropy", n] => Spread::Entropy { l: l(n)? },
            ["recursive", n, c] => Spread::Recursive { c: c.parse().map_err(|_| wrong)?, l: l(n)? },
            _ => return Err(wrong),
        };
        Ok(Self { column: column.to_owned(), spread })
    }

    /// A closeness as flags and policies spell it: `0.2` or `ordered:0.2`.
    pub fn closeness(column: &str, how: &str) -> Result<Self, &'static str> {
        use muslin_protect::{Distance, Spread};
        let wrong = "a number from 0 to 1, or ordered: and such a number, such as 0.2";
        let (distance, t) = match how.split_once(':') {
            None => (Distance::Equal, how),
            Some(("equal", t)) => (Distance::Equal, t),
            Some(("ordered", t)) => (Distance::Ordered, t),
            Some(_) => return Err(wrong),
        };
        let t = t.parse::<Weight>().ok().filter(|t| *t <= Weight::ONE).ok_or(wrong)?;
        Ok(Self { column: column.to_owned(), spread: Spread::Close { t, distance } })
    }
}

impl Claim {
    /// At least so many rows in each class.
    pub(crate) fn k_anonymity(k: u32, columns: &[String]) -> Self {
        let text = format!("every row is one of at least {k} that agree on these columns");
        Self { k: Some(k), ..Self::of("k-anonymity", columns, text) }
    }

    /// What a suppression of cells promises.
    pub(crate) fn notion(notion: SuppressNotion, k: u32, columns: &[String]) -> Self {
        let text = match notion {
            SuppressNotion::KAnonymity => return Self::k_anonymity(k, columns),
            SuppressNotion::Ambiguity => {
                format!("every row agrees with at least {} others wherever both are visible", k - 1)
            }
            SuppressNotion::OneToK => {
                format!("the values of every person fit at least {k} published rows")
            }
            SuppressNotion::KToOne => {
                format!("every published row fits the values of at least {k} people")
            }
            SuppressNotion::BothK => format!(
                "the values of every person fit at least {k} published rows, and every such row at least {k} people"
            ),
        };
        Self { k: Some(k), ..Self::of(notion.name(), columns, text) }
    }

    /// A ratio that what is published does not exceed.
    pub(crate) fn ratio(target: Target, columns: &[String], missing: MissingRule) -> Self {
        let (measure, beta) = (target.measure(), target.beta());
        let of = match measure {
            Measure::Distinct => "classes make of the rows",
            Measure::Separation => "row pairs that are told apart make of all pairs",
        };
        let text = format!("on these columns, {of} a share of at most {beta}");
        let kind = format!("{}-ratio", measure.name());
        let missing = match missing {
            MissingRule::Category => "category",
            MissingRule::Distinct => "distinct",
            MissingRule::Wildcard => "wildcard",
        };
        Self {
            beta: Some(beta.as_f64()),
            exact_beta: Some(beta.to_string()),
            missing: missing.into(),
            ..Self::of(&kind, columns, text)
        }
    }

    /// Fewer classes than this share of the rows.
    pub(crate) fn below_ratio(share: f64, columns: &[String]) -> Self {
        // The largest share of millionths below it.
        let beta = share - 1e-6;
        let exact_beta = Some(format!("{beta:.6}"));
        let text = format!("on these columns, classes make less than {share} of the rows");
        Self { beta: Some(beta), exact_beta, ..Self::of("distinct-ratio", columns, text) }
    }

    /// The most that a ratio may be, with every digit that the claim has; nothing where it says two things.
    pub(crate) fn beta(&self) -> Option<Beta> {
        if let Some(exact) = &self.exact_beta {
            let exact: Beta = exact.parse().ok()?;
            // Numbers are read to fifteen digits and more.
            let is_same = |beta: f64| (beta - exact.as_f64()).abs() < 1e-12;
            return self.beta.is_none_or(is_same).then_some(exact);
        }
        // The shortest number with this value, or as many digits of it as are read.
        let beta = self.beta?;
        beta.to_string().parse().or_else(|_| format!("{beta:.18}").parse()).ok()
    }

    /// What is asked of an input's columns, asked of those that a release has: one that is not published
    /// shows nothing. The others are returned too. A claim that counts rows is of a release already, and
    /// stays as it is.
    pub(crate) fn published_in(mut self, release: &EncodedTable) -> (Self, Vec<String>) {
        if self.rows.is_some() {
            return (self, Vec::new());
        }
        let is_there = |name: &String| release.find(name).is_ok();
        let (there, withheld) = std::mem::take(&mut self.columns).into_iter().partition(is_there);
        self.columns = there;
        (self, withheld)
    }

    /// The same of a release of so many rows.
    pub(crate) fn of_rows(mut self, rows: u64) -> Self {
        self.rows = Some(rows);
        self
    }

    /// The same of a release of these columns and no other.
    pub(crate) fn of_columns(mut self, columns: Vec<String>) -> Self {
        self.published = Some(columns);
        self
    }

    /// A claim about classes on some columns.
    fn of(claim: &str, columns: &[String], text: String) -> Self {
        Self {
            claim: claim.into(),
            columns: columns.to_vec(),
            missing: "category".into(),
            text,
            ..Self::default()
        }
    }

    /// A sensitive column that is spread so in each class.
    pub(crate) fn spread(setting: &SpreadSetting, columns: &[String]) -> Self {
        use muslin_protect::{Distance, Spread};
        let (claim, l, c, t) = match setting.spread {
            Spread::Distinct { l } => ("distinct-l-diversity", Some(l), None, None),
            Spread::Probabilistic { l } => ("probabilistic-l-diversity", Some(l), None, None),
            Spread::Entropy { l } => ("entropy-l-diversity", Some(l), None, None),
            Spread::Recursive { c, l } => {
                ("recursive-l-diversity", Some(l), Some(c.as_f64()), None)
            }
            Spread::Close { t, distance: Distance::Equal } => {
                ("t-closeness", None, None, Some(t.as_f64()))
            }
            Spread::Close { t, distance: Distance::Ordered } => {
                ("ordered-t-closeness", None, None, Some(t.as_f64()))
            }
            _ => ("unknown", None, None, None),
        };
        let sensitive = Some(setting.column.clone());
        Self { l, c, t, sensitive, ..Self::of(claim, columns, in_words(setting.spread)) }
    }

    /// No value of the sensitive column is that of more than one in l rows of a bucket.
    pub(crate) fn bucketized(l: u32, sensitive: &str, bucket: &str, others: &[String]) -> Self {
        let text = format!(
            "in no bucket is a value that of more than one in {l} rows, and who knows all other values of somebody tells this one with a probability of at most 1/{l}"
        );
        Self {
            l: Some(l),
            sensitive: Some(sensitive.to_owned()),
            bucket: Some(bucket.to_owned()),
            slices: Some(vec![others.to_vec(), vec![sensitive.to_owned()]]),
            ..Self::of("probabilistic-l-diversity", &[bucket.to_owned()], text)
        }
    }

    /// Nobody's sensitive value is told with a probability above 1/l.
    pub(crate) fn sliced(
        l: u32,
        sensitive: &str,
        bucket: &str,
        slices: &[Vec<String>],
        any_weights: bool,
    ) -> Self {
        let mut columns: Vec<String> = Vec::new();
        for name in slices.iter().flatten() {
            if name != sensitive && !columns.contains(name) {
                columns.push(name.clone());
            }
        }
        let how = if any_weights {
            "however the buckets that match are weighted"
        } else {
            "when buckets that match are weighted by how frequent the values are in each, and not by their sizes"
        };
        let text = format!(
            "who knows all other values of somebody tells this one with a probability of at most 1/{l}, {how}"
        );
        Self {
            l: Some(l),
            sensitive: Some(sensitive.to_owned()),
            bucket: Some(bucket.to_owned()),
            slices: Some(slices.to_vec()),
            ..Self::of("l-diverse-slicing", &columns, text)
        }
    }
}

/// A spread in words.
fn in_words(spread: muslin_protect::Spread) -> String {
    use muslin_protect::{Distance, Spread};
    match spread {
        Spread::Distinct { l } => format!("every class has at least {l} different values"),
        Spread::Probabilistic { l } => {
            format!("in no class is a value that of more than one in {l} rows")
        }
        Spread::Entropy { l } => {
            format!("the entropy of every class is at least that of {l} equally frequent values")
        }
        Spread::Recursive { c, l } => format!(
            "in every class the most frequent value is less than {c} times as frequent as all from the {l}th on together"
        ),
        Spread::Close { t, distance } => format!(
            "the shares of every class differ from those of the original table by at most {t}{}",
            if distance == Distance::Ordered { ", by the order of values" } else { "" }
        ),
        _ => "spread as asked".into(),
    }
}

impl Claim {
    /// What is claimed, in a word or two: `5-anonymity`.
    pub fn name(&self) -> String {
        let name = match (self.k, self.l, self.c, self.t) {
            (Some(k), ..) => match self.claim.as_str() {
                "ambiguity" => format!("{k}-ambiguity"),
                "1k" => format!("(1,{k})-anonymity"),
                "k1" => format!("({k},1)-anonymity"),
                "kk" => format!("({k},{k})-anonymity"),
                _ => format!("{k}-anonymity"),
            },
            (_, Some(l), Some(c), _) => format!("recursive ({c},{l})-diversity"),
            (_, Some(l), ..) if self.claim == "l-diverse-slicing" => format!("{l}-diverse slicing"),
            (_, Some(l), ..) => self.claim.replace("-l-", &format!(" {l}-")),
            (.., Some(t)) => self
                .claim
                .replace("t-closeness", &format!("{t}-closeness"))
                .replace("ordered-", "ordered "),
            _ => self.claim.clone(),
        };
        match &self.sensitive {
            Some(sensitive) => format!("{name} of `{}`", muslin_table::printable(sensitive)),
            None => name,
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name(), self.text)
    }
}
