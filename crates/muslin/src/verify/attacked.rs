//! What attacks infer from a release that was verified.

use muslin_engine::Run;

use super::{Tables, VerifyJob};
use crate::attack::{AttackJob, AttackReport, AttackResult, Held};
use crate::claims::Claim;
use crate::input::names;
use crate::verdict::{VerdictFinding, VerdictFindingKind};
use crate::{Failure, Result};

/// What attacks on a release found.
#[derive(Default)]
pub(super) struct Attacked {
    /// Attacks that succeed.
    pub(super) findings: Vec<VerdictFinding>,
    /// Those that succeed and are accepted.
    pub(super) accepted: Vec<VerdictFinding>,
    /// What is left to try.
    pub(super) left: Option<String>,
}

impl VerifyJob {
    /// Tries the attacks that need no more than was read.
    pub(super) fn attacked(
        &self,
        claims: &[Claim],
        tables: Tables<'_>,
        is_marked: bool,
        run: &Run,
    ) -> Result<Attacked> {
        if !self.attacks {
            return Ok(untried("no attack was tried"));
        }
        if tables.elsewhere.is_some() {
            return Ok(untried("no attack was tried, as the release does not fit into memory"));
        }
        let mut job = AttackJob::new(self.release.clone());
        job.original.clone_from(&self.original);
        job.roles.clone_from(&self.roles);
        job.quasi_identifiers.clone_from(&self.quasi_identifiers);
        job.sensitive.clone_from(&self.sensitive);
        job.bucket.clone_from(&self.bucket);
        job.slices.clone_from(&self.slices);
        job.hierarchies = self.hierarchies.clone();
        job.hierarchy_folder.clone_from(&self.hierarchy_folder);
        job.label_formats.clone_from(&self.label_formats);
        job.max_advantage = self.max_advantage;
        let Tables { release, report, pair, .. } = tables;
        let held = Held { release, pair, report, is_marked };
        match job.on(held, claims, run) {
            Ok(report) => Ok(self.successes(&report)),
            Err(error) if error.failure() == Failure::Limit => {
                Ok(untried("a limit ended the attacks"))
            }
            Err(error) => Err(error),
        }
    }

    fn successes(&self, report: &AttackReport) -> Attacked {
        let found = report.attacks.iter().filter(|own| own.finding);
        let (accepted, open): (Vec<&AttackResult>, Vec<&AttackResult>) =
            found.partition(|own| self.accept.contains(&own.name));
        Attacked {
            findings: open.into_iter().map(of_attack).collect(),
            accepted: accepted.into_iter().map(of_attack).collect(),
            left: left(report),
        }
    }
}

fn of_attack(attack: &AttackResult) -> VerdictFinding {
    let mut columns: Vec<String> = attack.sensitive.iter().cloned().collect();
    columns.extend(attack.columns.iter().map(|own| own.name.clone()));
    let aim = match &attack.sensitive {
        Some(name) => format!(" of `{}`", muslin_table::printable(name)),
        None => String::new(),
    };
    VerdictFinding {
        kind: VerdictFindingKind::Attack,
        text: format!("The attack {}{aim} succeeds: {}", attack.name, attack.achieved()),
        columns,
        rows: attack.guessed,
        remedy: Some(format!(
            "{}; or accept the attack with `release.accept = [\"{}\"]` in the policy",
            attack.defence, attack.name
        )),
    }
}

/// Nothing was tried, which is a finding.
fn untried(why: &str) -> Attacked {
    let kind = VerdictFindingKind::Unchecked;
    let text = format!("Not checked: {why}");
    let finding = VerdictFinding { kind, text, columns: Vec::new(), rows: 0, remedy: None };
    Attacked { findings: vec![finding], ..Attacked::default() }
}

/// The attacks that would need more than was given.
fn left(report: &AttackReport) -> Option<String> {
    let skipped = report.skipped.iter().filter(|own| own.hint.is_some());
    let mut left: Vec<&str> = skipped.map(|own| own.name.as_str()).collect();
    left.dedup();
    (!left.is_empty()).then(|| {
        format!(
            "the attacks {}, which need more than was given: `muslin attack` names it",
            names(&left)
        )
    })
}
