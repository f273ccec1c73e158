//! The verdict on a release: three states, and what keeps it from the first.

use muslin_report::Verdict;
use serde::Serialize;

use crate::verify::{HYGIENE, TRUTHFUL, VerifyCheck};

/// What a release shows although every check passed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerdictFinding {
    /// Its kind.
    pub kind: VerdictFindingKind,
    /// What was found, without a value of a cell.
    pub text: String,
    /// The columns that do it, the worst first.
    pub columns: Vec<String>,
    /// Rows that it concerns; 0 where it concerns none in particular.
    pub rows: u64,
    /// What ends it, and how to accept it; none where there is nothing to do but to check.
    pub remedy: Option<String>,
}

impl VerdictFinding {
    /// What was found, without what an attack got out of people who are not in the release.
    pub(crate) fn for_release(&self) -> &str {
        match (self.kind, self.text.split_once(": ")) {
            (VerdictFindingKind::Attack, Some((what, _))) => what,
            _ => &self.text,
        }
    }
}

/// What kind of thing was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum VerdictFindingKind {
    /// A published column that is no quasi-identifier makes rows unique by itself.
    UniqueColumn,
    /// Published columns beside the quasi-identifiers make rows unique together.
    UniqueTogether,
    /// An attack does better than its baseline, by more than is accepted and than chance explains.
    Attack,
    /// Something that could have been checked was not.
    Unchecked,
}

/// The largest share of rows that columns beside the quasi-identifiers may make unique, unless something
/// else is accepted.
pub const MAX_UNIQUE: f64 = 0.05;

/// By what was checked and what was found.
pub(crate) fn verdict_of(checks: &[VerifyCheck], findings: &[VerdictFinding]) -> Verdict {
    if checks.iter().any(|check| !check.met && !is_open(check)) {
        Verdict::Failed
    } else if findings.is_empty() && checks.iter().all(|check| check.met) {
        Verdict::Passed
    } else {
        Verdict::Findings
    }
}

/// Whether a check that no claim rests on could not be decided: that is a finding, and no failure.
pub(crate) fn is_open(check: &VerifyCheck) -> bool {
    !check.met && !check.decided && (check.claim == TRUTHFUL || check.claim.starts_with(HYGIENE))
}

/// The verdict on a release in one sentence.
pub fn verdict_headline(verdict: Verdict, checks: &[VerifyCheck], findings: usize) -> String {
    let failed = checks.iter().filter(|check| !check.met && !is_open(check)).count();
    let open = checks.iter().filter(|check| is_open(check)).count();
    let of =
        |count: usize, thing: &str| format!("{count} {thing}{}", if count == 1 { "" } else { "s" });
    let passed = match (checks.len(), open) {
        (1, 0) => "the only check passed".to_owned(),
        (all, 0) => format!("all {all} checks passed"),
        (all, open) => {
            format!("{} of {} passed, {open} could not be decided", all - open, of(all, "check"))
        }
    };
    match verdict {
        Verdict::Passed => format!("Passed: {passed}"),
        Verdict::Findings if findings == 0 => format!("Passed with findings: {passed}"),
        Verdict::Findings => format!("Passed with findings: {passed}; {}", of(findings, "finding")),
        Verdict::Failed => {
            format!("Failed: {failed} of {} did not pass", of(checks.len(), "check"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(met: bool) -> VerifyCheck {
        VerifyCheck {
            claim: "5-anonymity".into(),
            met,
            decided: true,
            reason: String::new(),
            columns: Vec::new(),
            violations: 0,
            rows: Vec::new(),
            of_original: false,
        }
    }

    #[test]
    fn a_failed_check_outweighs_findings_and_a_finding_is_never_green() {
        let found = VerdictFinding {
            kind: VerdictFindingKind::Unchecked,
            text: "not checked".into(),
            columns: Vec::new(),
            rows: 0,
            remedy: None,
        };
        let (good, bad) = ([check(true), check(true)], [check(true), check(false)]);
        let said = |checks: &[VerifyCheck], findings: &[VerdictFinding]| {
            verdict_headline(verdict_of(checks, findings), checks, findings.len())
        };
        assert_eq!(said(&good, &[]), "Passed: all 2 checks passed");
        assert_eq!(
            said(&good, std::slice::from_ref(&found)),
            "Passed with findings: all 2 checks passed; 1 finding"
        );
        assert_eq!(said(&bad, &[found]), "Failed: 1 of 2 checks did not pass");
        assert_eq!(said(&good[..1], &[]), "Passed: the only check passed");
        // What no claim rests on and could not be decided is a finding.
        let open = VerifyCheck { claim: TRUTHFUL.into(), decided: false, ..check(false) };
        assert_eq!(
            said(&[check(true), open.clone()], &[]),
            "Passed with findings: 1 of 2 checks passed, 1 could not be decided"
        );
        let claim = VerifyCheck { claim: "5-anonymity".into(), ..open };
        assert_eq!(said(&[claim], &[]), "Failed: 1 of 1 check did not pass");
    }
}
