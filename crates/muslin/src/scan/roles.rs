//! Suggests what a column is to the people in the table, from its name, its counts and what its values look like.
//!
//! A suggestion is a start for a person who decides. Where name, counts and values are not enough, the role is
//! `undecided`, with the reason and what to consider. The reason names what was seen and never a value.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use muslin_io::type_name;
use muslin_table::{Column, Role};

use super::doubts::Doubt;
use super::patterns::{self, Pattern, PatternReport};
use super::words::{HOUSEHOLD_NUMBERS, Spoken, Topic, spoken};
use crate::looked::is_nearly_unique;

/// What muslin takes a column for.
pub(super) struct Suggestion {
    pub(super) role: Role,
    /// The name, the counts or the pattern that say so.
    pub(super) reason: String,
    /// What to consider where the role is undecided.
    pub(super) consider: Option<&'static str>,
    /// What values look like.
    pub(super) pattern: Option<PatternReport>,
}

/// A role for a column, and why.
pub fn suggest_role(column: &Column) -> (Role, String) {
    let Suggestion { role, reason, .. } = suggest(column);
    (role, reason)
}

/// A role for a column, why, and what to consider where it is undecided.
pub(crate) fn suggestion(column: &Column) -> (Role, String, Option<String>) {
    let Suggestion { role, reason, consider, .. } = suggest(column);
    (role, reason, consider.map(str::to_owned))
}

/// A role for a column, and what its values look like.
pub(super) fn suggest(column: &Column) -> Suggestion {
    let parts = parts_of(column.name());
    let pattern = patterns::look(column, &parts);
    let looked = Looked {
        column,
        spoken: spoken(&parts),
        parts: &parts,
        pattern,
        valued: column.rows() as u64 - column.missing() - column.suppressed(),
        distinct: column.dictionary().len() as u64,
    };
    let (role, reason, consider) = match looked.decide() {
        Ok((role, reason)) => (role, reason, None),
        Err((doubt, reason)) => (Role::Undecided, reason, Some(doubt.consider())),
    };
    Suggestion { role, reason, consider, pattern }
}

/// A role and why, or a doubt and why.
type Found = Result<(Role, String), (Doubt, String)>;

/// So few values, each of several rows, number or name no person.
const FEW: u64 = 50;
/// A column of whole numbers with more values is a measure or holds codes.
const MANY: u64 = 100;
/// Values that are looked at to see whether a name fits them.
const LOOKED_AT: usize = 1_000;

/// A column and what was seen of it.
struct Looked<'a> {
    column: &'a Column,
    spoken: Vec<Spoken>,
    parts: &'a [String],
    pattern: Option<PatternReport>,
    /// Cells with a value.
    valued: u64,
    distinct: u64,
}

impl Looked<'_> {
    fn decide(&self) -> Found {
        if self.distinct == 0 {
            return Ok((Role::Other, "no value".into()));
        }
        if let Some(reason) = self.survey_weight() {
            return Ok((Role::Weight, reason));
        }
        if self.distinct == 1 {
            return self.constant();
        }
        let is_household = self.parts.iter().any(|part| HOUSEHOLD_NUMBERS.contains(&part.as_str()))
            || (self.speaks(Topic::Household).is_some() && self.is_numbered());
        if is_household && !self.is_few() {
            return Ok((Role::Household, "named as a household's number".into()));
        }
        if let Some(found) = self.pattern.filter(|found| found.pattern.is_identifying()) {
            return self.identifying(found);
        }
        self.by_name().unwrap_or_else(|| self.by_values(""))
    }

    /// One value tells nothing in this table; the next delivery may have more.
    fn constant(&self) -> Found {
        match self.by_name() {
            Some(Ok((role, reason))) => Ok((role, format!("{reason}, one value only"))),
            Some(Err((doubt, reason))) => Err((doubt, format!("{reason}, one value only"))),
            None => Ok((Role::Other, "one value only".into())),
        }
    }

    /// The word of a name that speaks of something.
    fn speaks(&self, topic: Topic) -> Option<&'static str> {
        self.spoken.iter().find(|(own, _)| *own == topic).map(|(_, word)| *word)
    }

    fn is_numbered(&self) -> bool {
        self.speaks(Topic::Number).or(self.speaks(Topic::Numeral)).is_some()
    }

    /// Whether values are those of many rows. A key into another table, such as a ward's number, names no
    /// person by itself.
    fn repeats(&self) -> bool {
        self.distinct * 20 < self.valued
    }

    fn is_few(&self) -> bool {
        self.repeats() && self.distinct <= FEW
    }

    fn kind(&self) -> &'static str {
        kind_of(self.column)
    }

    fn is_text(&self) -> bool {
        *self.column.data_type() == DataType::Utf8
    }

    /// Why the column holds survey weights, if its name says so and its values may be numbers.
    fn survey_weight(&self) -> Option<String> {
        let by_people = self.speaks(Topic::AnyWeight).and(self.speaks(Topic::Counts)).is_some();
        let reason = match self.speaks(Topic::SurveyWeight) {
            _ if by_people => "named as a survey weight".to_owned(),
            Some(word) => format!("named `{word}`"),
            None => return None,
        };
        let more = if self.distinct == 1 { ", one value only" } else { "" };
        (!self.has_texts()).then(|| reason + more)
    }

    /// What looks like what one person has alone.
    fn identifying(&self, found: PatternReport) -> Found {
        let what = found.pattern.describe();
        let mut reason = format!("{what}: {} of values", percent(found.share));
        if found.pattern == Pattern::FreeText {
            return Err((Doubt::FreeText, reason));
        }
        let topics =
            [Topic::PersonName, Topic::Contact, Topic::PersonNumber, Topic::Number, Topic::Name];
        let named = topics.into_iter().find_map(|topic| self.speaks(topic));
        if let Some(word) = named {
            reason = format!("named `{word}`; {reason}");
        }
        match (self.repeats(), named) {
            (false, _) => Ok((Role::Identifier, reason)),
            (true, Some(_)) => Ok((Role::Identifier, format!("{reason}, repeated"))),
            (true, None) => Err((Doubt::Repeated, format!("{reason}, repeated"))),
        }
    }

    /// What the name says, as far as the values do not contradict it.
    fn by_name(&self) -> Option<Found> {
        if let Some(word) = self.speaks(Topic::PersonName).filter(|_| self.is_text()) {
            return Some(Ok((Role::Identifier, format!("named `{word}`"))));
        }
        if let Some(found) = self.numbered() {
            return Some(found);
        }
        if let Some(word) = self.speaks(Topic::Sensitive) {
            let reason = format!("named `{word}`");
            // An amount that few rows share numbers them: a household's income is the same as its number.
            if self.distinct > FEW && !self.repeats() && self.is_amount() {
                let reason = format!("{reason}, {} distinct values", self.distinct);
                return Some(Err((Doubt::Amount, reason)));
            }
            return Some(Ok((Role::Sensitive, reason)));
        }
        if let Some(word) = self.speaks(Topic::AnyWeight) {
            return Some(self.weight(word));
        }
        if let Some(word) = self.speaks(Topic::Quantity) {
            if self.has_texts() && self.distinct > 10 {
                return Some(
                    self.by_values(&format!("named `{word}`, but its values are texts; ")),
                );
            }
            return Some(Ok((Role::QuasiIdentifier, format!("named `{word}`"))));
        }
        if let Some(word) = self.speaks(Topic::Known) {
            return Some(Ok((Role::QuasiIdentifier, format!("named `{word}`"))));
        }
        self.speaks(Topic::Name).filter(|_| self.is_text()).map(|word| {
            let reason = format!("named `{word}`");
            if !self.repeats() {
                return Ok((Role::Identifier, reason));
            }
            if patterns::look_like_names(self.column) {
                return Ok((Role::Identifier, format!("{reason}; names of people, repeated")));
            }
            Err((Doubt::Names, format!("{reason}, values repeat")))
        })
    }

    /// What numbers people or things, or reaches them.
    fn numbered(&self) -> Option<Found> {
        let of_person = self.speaks(Topic::Person).filter(|_| self.is_numbered());
        let own = self.speaks(Topic::Contact).or(self.speaks(Topic::PersonNumber));
        let number = self.speaks(Topic::Number);
        let word = own.or(of_person.and(number)).or(of_person).or(number)?;
        let reason = format!("named `{word}`");
        let is_only_number = own.is_none() && of_person.is_none();
        // What it numbers says more, unless every row has a number of its own.
        let others = [Topic::Sensitive, Topic::Quantity, Topic::Known];
        let has_other = others.into_iter().any(|topic| self.speaks(topic).is_some());
        if is_only_number && has_other && !is_nearly_unique(self.column) {
            return None;
        }
        Some(match (self.repeats(), self.is_few()) {
            (_, true) if is_only_number && self.distinct > 1 => {
                Ok((Role::QuasiIdentifier, format!("{reason}, but few values that repeat")))
            }
            (_, true) => Err((Doubt::GroupNumber, format!("{reason}, few values that repeat"))),
            _ if of_person.is_some()
                && self.valued >= 20
                && self.distinct * 100 < self.valued * 95 =>
            {
                Ok((Role::Unit, format!("{reason}, several rows of one person")))
            }
            (true, _) => Err((Doubt::GroupNumber, format!("{reason}, values repeat"))),
            (false, _) => Ok((Role::Identifier, reason)),
        })
    }

    /// A weight of bodies, or of a survey.
    fn weight(&self, word: &str) -> Found {
        const UNITS: [&str; 6] = ["kg", "lb", "lbs", "g", "gram", "birth"];
        let reason = format!("named `{word}`");
        let has_unit = self.parts.iter().any(|part| UNITS.contains(&part.as_str()));
        if has_unit || self.has_body_weights() {
            return Ok((Role::QuasiIdentifier, reason));
        }
        match self.numbers() {
            Some(_) => Err((Doubt::Weights, reason)),
            None => Ok((Role::QuasiIdentifier, reason)),
        }
    }

    /// What counts and values alone say.
    fn by_values(&self, but: &str) -> Found {
        let (column, distinct, kind) = (self.column, self.distinct, self.kind());
        let doubt = |doubt: Doubt, reason: String| Err((doubt, format!("{but}{reason}")));
        let found = |role: Role, reason: &str| Ok((role, format!("{but}{reason}")));
        if let Some(pattern) = self.pattern {
            return found(Role::QuasiIdentifier, pattern.pattern.describe());
        }
        if is_nearly_unique(column) && matches!(kind, "text" | "integer" | "binary") {
            return found(Role::Identifier, "nearly unique");
        }
        if is_free_text(column, distinct, self.valued) {
            return doubt(Doubt::FreeText, "long texts, hardly repeated".into());
        }
        if patterns::may_be_names(column) {
            return doubt(Doubt::Names, "values look like names of people".into());
        }
        if matches!(kind, "number" | "duration") && !(self.is_few() || self.is_whole()) {
            let (what, reason) = if is_nearly_unique(column) {
                (Doubt::Unique, "a measure, nearly unique".to_owned())
            } else {
                (Doubt::Measure, format!("a measure, {distinct} distinct values"))
            };
            return doubt(what, reason);
        }
        if matches!(kind, "integer" | "number") {
            if distinct * 10 >= self.valued {
                return doubt(Doubt::Measure, format!("a measure, {distinct} distinct values"));
            }
            if distinct > MANY {
                let reason =
                    format!("whole numbers, {distinct} distinct values: a measure or codes");
                return doubt(Doubt::Codes, reason);
            }
        }
        found(Role::QuasiIdentifier, "values repeat")
    }

    /// The values as numbers, where they are some.
    fn numbers(&self) -> Option<Vec<f64>> {
        let values = self.column.dictionary().values();
        match self.column.data_type() {
            #[expect(clippy::cast_precision_loss, reason = "magnitudes are looked at")]
            DataType::Int64 => {
                let values = values.as_primitive::<arrow_array::types::Int64Type>().values();
                Some(values.iter().map(|&value| value as f64).collect())
            }
            DataType::Float64 => {
                let values = values.as_primitive::<arrow_array::types::Float64Type>().values();
                Some(values.to_vec())
            }
            _ => None,
        }
    }

    /// Whether all numbers are whole, as codes with gaps are in some tools.
    fn is_whole(&self) -> bool {
        let is_whole = |value: &f64| !value.is_finite() || value.fract() == 0.0;
        self.numbers().is_some_and(|numbers| numbers.iter().all(is_whole))
    }

    /// Whether values are weights of bodies, in kilograms or pounds.
    fn has_body_weights(&self) -> bool {
        let Some(numbers) = self.numbers().filter(|numbers| numbers.len() > 10) else {
            return false;
        };
        let within = |low: f64, high: f64| {
            numbers.iter().filter(|value| (low..=high).contains(*value)).count()
        };
        within(0.3, 700.0) == numbers.len() && within(30.0, 250.0) * 10 >= numbers.len() * 7
    }

    /// Whether most values are texts without a digit.
    fn has_texts(&self) -> bool {
        self.most_texts(|text| !text.chars().any(|letter| letter.is_ascii_digit()))
    }

    /// Whether the values are numbers, or most of them are and others, such as `k.A.`, made the column one of texts.
    fn is_amount(&self) -> bool {
        let is_number = |text: &str| {
            text.chars().any(|c| c.is_ascii_digit())
                && text.chars().all(|c| c.is_ascii_digit() || ".,'+- ".contains(c))
        };
        self.numbers().is_some() || self.most_texts(is_number)
    }

    /// Whether the column is one of texts, and most of them are of a kind.
    fn most_texts(&self, is_of_kind: impl Fn(&str) -> bool) -> bool {
        if !self.is_text() {
            return false;
        }
        let values = self.column.dictionary().values().as_string::<i32>();
        let looked_at = values.len().min(LOOKED_AT);
        let value = |step: usize| values.value(step * values.len() / looked_at);
        let found = (0..looked_at).filter(|&step| is_of_kind(value(step))).count();
        found * 2 > looked_at
    }
}

/// The type of a column's values in one word for people.
pub(super) fn kind_of(column: &Column) -> &'static str {
    if column.dictionary().is_category() {
        return "category";
    }
    type_name(column.data_type())
}

/// A share in whole percent, rounded down so that all means all.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 100")]
fn percent(share: f64) -> String {
    format!("{} %", (share * 100.0).floor() as u32)
}

/// The parts of a name, without accents: `patientId`, `patient_id` and `Patient ID` have the same.
pub(super) fn parts_of(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut previous = ' ';
    for c in name.chars() {
        let new_part = !c.is_alphanumeric() || (c.is_uppercase() && previous.is_lowercase());
        if new_part {
            parts.push(String::new());
        }
        if c.is_alphanumeric() {
            let part = parts.last_mut().expect("there is a part");
            c.to_lowercase().for_each(|c| push_plain(part, c));
        }
        previous = c;
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Adds a letter without its accent.
fn push_plain(part: &mut String, letter: char) {
    let plain = match letter {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ą' => 'a',
        'ç' | 'ć' => 'c',
        'è' | 'é' | 'ê' | 'ë' | 'ę' => 'e',
        'ì' | 'í' | 'î' | 'ï' => 'i',
        'ł' => 'l',
        'ñ' | 'ń' => 'n',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' => 'o',
        'ś' => 's',
        'ù' | 'ú' | 'û' | 'ü' => 'u',
        'ý' => 'y',
        'ź' | 'ż' => 'z',
        'ß' => return part.push_str("ss"),
        'æ' => return part.push_str("ae"),
        'œ' => return part.push_str("oe"),
        other => other,
    };
    part.push(plain);
}

/// Long texts that hardly repeat.
pub(super) fn is_free_text(column: &Column, distinct: u64, valued: u64) -> bool {
    if *column.data_type() != DataType::Utf8 || distinct * 2 < valued {
        return false;
    }
    let values = column.dictionary().values().as_string::<i32>();
    let bytes = values.value_data().len() as u64;
    bytes > distinct * 25
}

#[cfg(test)]
mod tests;
