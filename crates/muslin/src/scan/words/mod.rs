//! Words in names of columns that say what a column is.
//!
//! Words have no accents: names are compared without theirs. A word is a whole part of a name: `zip` is in
//! `zip_code` and `homeZip` and not in `zipper`. One that ends with `*` is the beginning of a part. A part that is no
//! word is taken apart into words that languages write together, and its last word decides, as the grammar of
//! those languages has it: `Haushaltseinkommen` is an income.

mod compounds;
mod table;

use self::compounds::taken_apart;
use self::table::TABLE;

/// What a word speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Topic {
    /// A person's name, or part of it.
    PersonName,
    /// A way to reach a person, or a thing that is one person's.
    Contact,
    /// A number that an office or a firm gave to a person.
    PersonNumber,
    /// A survey weight.
    SurveyWeight,
    /// What nobody should learn about a person.
    Sensitive,
    /// A weight: of a survey or of a body.
    AnyWeight,
    /// A quantity that an attacker may know.
    Quantity,
    /// What else an attacker may know: places, groups, days, circumstances.
    Known,
    /// A number that tells one thing from all others of its kind.
    Number,
    /// A number or code of whatever stands beside it.
    Numeral,
    /// A name of something.
    Name,
    /// A household.
    Household,
    /// A person.
    Person,
    /// What a weight counts people by.
    Counts,
    /// What says nothing by itself, and stands in words that are written together.
    Filler,
}

/// What a part of a name speaks of, and the word.
pub(super) type Spoken = (Topic, &'static str);

/// What the parts of a name speak of: one word of each part that is one or is made of some.
pub(super) fn spoken(parts: &[String]) -> Vec<Spoken> {
    let mut spoken: Vec<Spoken> = parts.iter().flat_map(|part| of_part(part)).collect();
    spoken.sort_by_key(|(topic, _)| *topic);
    spoken
}

/// What one part of a name speaks of. A word may speak of several things.
fn of_part(part: &str) -> Vec<Spoken> {
    let exact = known(|word| word == part);
    if !exact.is_empty() {
        return exact;
    }
    let apart = taken_apart(part);
    // The last word decides; of a number, what it numbers.
    let is_number = |topic: &Topic| matches!(topic, Topic::Number | Topic::Numeral);
    let says = |word: &&&str| {
        let topics = known(|own| own == **word);
        topics.iter().any(|(topic, _)| *topic != Topic::Filler && !is_number(topic))
    };
    let numbers = |word: &&&str| known(|own| own == **word).iter().any(|(own, _)| is_number(own));
    let mut found: Vec<Spoken> = Vec::new();
    if let Some(word) = apart.iter().rev().find(says) {
        found.extend(known(|own| own == *word));
    }
    if let Some(word) = apart.iter().find(numbers) {
        found.extend(known(|own| own == *word));
    }
    if !found.is_empty() {
        return found;
    }
    known(|word| word.strip_suffix('*').is_some_and(|start| part.starts_with(start)))
}

/// The words of the table for which something holds.
fn known(is_one: impl Fn(&str) -> bool) -> Vec<Spoken> {
    let all = TABLE.iter().flat_map(|(_, topic, words)| words.iter().map(|word| (*topic, *word)));
    let found = all.filter(|(_, word)| is_one(word));
    found.map(|(topic, word)| (topic, shown(word))).collect()
}

/// Whether a part of a name is a word.
pub(super) fn is_word(part: &str, word: &str) -> bool {
    match word.strip_suffix('*') {
        Some(start) => part.starts_with(start),
        None => part == word,
    }
}

/// A word as reasons show it.
fn shown(word: &'static str) -> &'static str {
    word.trim_end_matches('*')
}

/// Names of numbers of households as surveys have them.
pub(super) const HOUSEHOLD_NUMBERS: &[&str] =
    &["hhid", "hid", "hhnr", "hhno", "db030", "rx030", "haushaltsid", "haushaltsnummer"];

#[cfg(test)]
mod tests {
    use super::*;

    fn topics(name: &str) -> Vec<Topic> {
        let parts = crate::scan::roles::parts_of(name);
        spoken(&parts).into_iter().map(|(topic, _)| topic).collect()
    }

    #[test]
    fn of_words_that_are_written_together_the_last_decides() {
        assert_eq!(topics("Haushaltseinkommen"), [Topic::Sensitive]);
        assert_eq!(topics("Nettomonatseinkommen"), [Topic::Sensitive]);
        assert_eq!(topics("Krankheitsdatum"), [Topic::Known]);
        assert!(topics("Telefonnummer").contains(&Topic::Contact));
        assert!(topics("IDunit").contains(&Topic::Number));
        for name in ["zipper", "percentage", "storage", "estate", "average", "message"] {
            assert_eq!(topics(name), [], "{name}");
        }
    }

    #[test]
    fn every_word_can_be_in_a_name() {
        for (language, _, words) in TABLE {
            for word in *words {
                let plain = word.trim_end_matches('*');
                let is_plain = plain.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
                assert!(is_plain && !plain.is_empty(), "{language}: {word}");
                assert_eq!(crate::scan::roles::parts_of(plain), [plain], "{language}");
            }
        }
    }
}
