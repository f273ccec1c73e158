//! What attacks infer from a release that was verified.

use muslin_engine::Run;

use super::{Tables, VerifyJob};
use crate::attack::{AttackJob, AttackReport, AttackResult, Held};
use crate::claims::Claim;
use crate::input::names;
use crate::verdict::{VerdictFinding, VerdictFindingKind};
use crate::{Failure, Result};

impl VerifyJob {
    /// Tries the attacks that need no more than was read. What they find, and what is left to try.
    pub(super) fn attacked(
        &self,
        claims: &[Claim],
        tables: Tables<'_>,
        is_marked: bool,
        run: &Run,
    ) -> Result<(Vec<VerdictFinding>, Option<String>)> {
        if !self.attacks {
            return Ok((vec![unchecked("no attack was tried")], None));
        }
        if tables.elsewhere.is_some() {
            return Ok((
                vec![unchecked("no attack was tried, as the release does not fit into memory")],
                None,
            ));
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
            Ok(report) => Ok((self.successes(&report), left(&report))),
            Err(error) if error.failure() == Failure::Limit => {
                Ok((vec![unchecked("a limit ended the attacks")], None))
            }
            Err(error) => Err(error),
        }
    }

    fn successes(&self, report: &AttackReport) -> Vec<VerdictFinding> {
        let is_open = |own: &&AttackResult| own.finding && !self.accept.contains(&own.name);
        report.attacks.iter().filter(is_open).map(of_attack).collect()
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
    }
}

fn unchecked(text: &str) -> VerdictFinding {
    let kind = VerdictFindingKind::Unchecked;
    VerdictFinding { kind, text: format!("Not checked: {text}"), columns: Vec::new(), rows: 0 }
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
