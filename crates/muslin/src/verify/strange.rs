//! The check of a release whose labels could not all be read.

use muslin_verify::Unread;

use super::VerifyCheck;

/// What is not understood may be true, so that only labels that fit no value of the original are untrue.
pub(super) fn truthful(columns: &[Unread]) -> VerifyCheck {
    let untrue = columns.iter().map(|column| column.of_no_value).sum::<u64>();
    let is_found = |column: &&Unread| column.of_no_value > 0 || untrue == 0;
    let found: Vec<&Unread> = columns.iter().filter(is_found).collect();
    let all: Vec<String> = found.iter().map(ToString::to_string).collect();
    let hint = found.first().map(|column| column.hint()).unwrap_or_default();
    VerifyCheck {
        claim: "truthful".into(),
        met: false,
        decided: untrue > 0,
        reason: format!("the release has {}; {hint}", all.join(", ")),
        columns: found.iter().map(|column| column.column.clone()).collect(),
        violations: untrue,
        rows: Vec::new(),
        of_original: false,
    }
}
