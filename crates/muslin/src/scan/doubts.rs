//! Why a role is left to a person, and what to consider.

/// What muslin does not decide by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    /// Numbers with many values.
    Measure,
    /// Numbers that nearly every row has alone.
    Unique,
    /// Whole numbers with many values, each of several rows.
    Codes,
    /// Numbers of something that rows share.
    GroupNumber,
    /// Sentences.
    FreeText,
    /// Names that repeat.
    Names,
    /// What one person has alone, and several rows have.
    Repeated,
    /// A survey weight, or a weight of bodies.
    Weights,
    /// A sensitive amount that few rows share.
    Amount,
}

impl Doubt {
    /// Which roles to consider.
    pub(super) fn consider(self) -> &'static str {
        match self {
            Self::Measure => {
                "`sensitive` if it must not be inferred, `quasi-identifier` if an attacker may know it, `other` to publish it unchanged"
            }
            Self::Unique => {
                "`identifier` to leave it out, `quasi-identifier` to publish it in ranges; unchanged, a known value identifies its row"
            }
            Self::Codes => {
                "`quasi-identifier` for codes of an occupation or a place, `sensitive` for an amount, `identifier` for a number of a person or a firm"
            }
            Self::GroupNumber => {
                "`unit` if it numbers persons, `household` if it numbers households, `identifier` if it numbers anything else that is known"
            }
            Self::FreeText => {
                "`identifier` to leave it out; a text can name anything, so read all of it before it is `other`"
            }
            Self::Names => {
                "`identifier` for names of people, `quasi-identifier` for names of places or firms"
            }
            Self::Repeated => {
                "`identifier` if it is a person's, `quasi-identifier` if it is a place's or a firm's"
            }
            Self::Amount => {
                "`quasi-identifier` to publish it in ranges, `identifier` to leave it out; `sensitive` publishes it unchanged, and a known amount then identifies its row"
            }
            Self::Weights => {
                "`weight` for a survey weight, `quasi-identifier` for the weight of a body"
            }
        }
    }
}
