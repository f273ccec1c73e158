use std::fmt;

use serde::{Deserialize, Serialize};

/// What a missing cell matches. Printed in every report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum MissingRule {
    /// Missing is one more value: it equals missing and nothing else.
    #[default]
    Category,
    /// Missing equals nothing, not even missing, as NULL does in SQL.
    Distinct,
    /// Missing matches anything.
    Wildcard,
}

impl MissingRule {
    /// Every rule, in the order in which help texts list them.
    pub const ALL: [Self; 3] = [Self::Category, Self::Distinct, Self::Wildcard];

    /// The rule in words, for a report.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Category => "a missing cell is one more value",
            Self::Distinct => "a missing cell equals nothing",
            Self::Wildcard => "a missing cell matches anything",
        }
    }
}

impl fmt::Display for MissingRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Category => "category",
            Self::Distinct => "distinct",
            Self::Wildcard => "wildcard",
        })
    }
}
