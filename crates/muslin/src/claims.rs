//! What a release claims about itself.

use std::fmt;

use serde::Serialize;

/// What holds for every class of a release: its rows that agree on some columns, or stand in one
/// bucket.
///
/// `text` says it in words; the other fields say it to programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Claim {
    /// What kind: `k-anonymity`, `distinct-l-diversity`, `probabilistic-l-diversity`,
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

impl Claim {
    /// At least so many rows in each class.
    pub(crate) fn k_anonymity(k: u32, columns: &[String]) -> Self {
        Self {
            claim: "k-anonymity".into(),
            k: Some(k),
            l: None,
            c: None,
            t: None,
            columns: columns.to_vec(),
            sensitive: None,
            bucket: None,
            slices: None,
            missing: "category".into(),
            text: format!("every row is one of at least {k} that agree on these columns"),
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
        Self {
            claim: claim.into(),
            k: None,
            l,
            c,
            t,
            columns: columns.to_vec(),
            sensitive: Some(setting.column.clone()),
            bucket: None,
            slices: None,
            missing: "category".into(),
            text: in_words(setting.spread),
        }
    }

    /// No value of the sensitive column is that of more than one in l rows of a bucket.
    pub(crate) fn bucketized(l: u32, sensitive: &str, bucket: &str, others: &[String]) -> Self {
        Self {
            claim: "probabilistic-l-diversity".into(),
            k: None,
            l: Some(l),
            c: None,
            t: None,
            columns: vec![bucket.to_owned()],
            sensitive: Some(sensitive.to_owned()),
            bucket: Some(bucket.to_owned()),
            slices: Some(vec![others.to_vec(), vec![sensitive.to_owned()]]),
            missing: "category".into(),
            text: format!(
                "in no bucket is a value that of more than one in {l} rows, and who knows all other values of somebody tells this one with a probability of at most 1/{l}"
            ),
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
        Self {
            claim: "l-diverse-slicing".into(),
            k: None,
            l: Some(l),
            c: None,
            t: None,
            columns,
            sensitive: Some(sensitive.to_owned()),
            bucket: Some(bucket.to_owned()),
            slices: Some(slices.to_vec()),
            missing: "category".into(),
            text: format!(
                "who knows all other values of somebody tells this one with a probability of at most 1/{l}, {how}"
            ),
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

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match (self.k, self.l, self.c, self.t) {
            (Some(k), ..) => format!("{k}-anonymity"),
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
            Some(sensitive) => {
                write!(f, "{name} of `{}`: {}", muslin_table::printable(sensitive), self.text)
            }
            None => write!(f, "{name}: {}", self.text),
        }
    }
}
