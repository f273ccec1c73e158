//! Words that are written together.

use super::Topic;
use super::table::TABLE;

/// Letters that stand between two words.
const LINKS: [&str; 6] = ["", "s", "es", "n", "en", "e"];
/// Shorter words are in too many others.
const SHORTEST: usize = 3;
/// Words that are shorter and still one.
const SHORT: [&str; 3] = ["id", "nr", "hh"];
/// What ends with a word of so many letters is one of those, whatever stands before it.
const LONG: usize = 7;

/// The words that a part of a name is made of; none where it is not.
pub(super) fn taken_apart(part: &str) -> Vec<&'static str> {
    if !part.is_ascii() {
        return Vec::new();
    }
    let mut words: Vec<&'static str> = TABLE
        .iter()
        .filter(|(_, topic, _)| *topic != Topic::Name)
        .flat_map(|(_, _, words)| words.iter().copied())
        .filter(|word| !word.ends_with('*') && (word.len() >= SHORTEST || SHORT.contains(word)))
        .collect();
    // Longer words first, so that the last one is as long as it can be.
    words.sort_by_key(|word| (std::cmp::Reverse(word.len()), *word));
    words.dedup();
    let mut found = Vec::new();
    if is_made_of(part, &words, &mut found) && found.len() > 1 {
        found.reverse();
        return found;
    }
    let end = words.iter().find(|word| word.len() >= LONG && part.ends_with(**word));
    end.map(|word| vec![*word]).unwrap_or_default()
}

/// Whether a text is words, from its end; they are added from the last to the first.
fn is_made_of(text: &str, words: &[&'static str], found: &mut Vec<&'static str>) -> bool {
    for word in words {
        let Some(rest) = text.strip_suffix(word) else { continue };
        found.push(word);
        if rest.is_empty() {
            return true;
        }
        for link in LINKS {
            let Some(rest) = rest.strip_suffix(link) else { continue };
            if !rest.is_empty() && is_made_of(rest, words, found) {
                return true;
            }
        }
        found.pop();
    }
    false
}
