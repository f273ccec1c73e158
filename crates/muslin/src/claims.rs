//! What a release claims about itself.

use std::fmt;

use serde::Serialize;

/// What holds for every class of a release: its rows that agree on some columns.
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
    /// The columns that make the classes.
    pub columns: Vec<String>,
    /// The sensitive column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<String>,
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
            missing: "category".into(),
            text: in_words(setting.spread),
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
