//! What a policy would do, and what that would take, before it is done.

use std::path::PathBuf;
use std::time::Instant;

use muslin_engine::{Coverage, Engine, MemoryEngine, Run};
use muslin_io::{
    Destination, Input, Memory, ReadOptions, Release, RowOrder, SafeFolder, WriteOptions,
};
use muslin_table::{Changes, EncodedTable};
use serde::Serialize;

use super::settle::Settled;
use super::{ProtectJob, ProtectReport};
use crate::claims::Claim;
use crate::input::InputReport;
use crate::policy::{LimitsPolicy, ProtectMethod};
use crate::{Failure, Result};

/// Rows of the rehearsals. Two of them tell how work grows with rows.
const REHEARSED: [u64; 2] = [4_000, 20_000];
/// Times that the input is read: to protect it, to judge the release, and to count what is lost.
const READINGS: f64 = 3.0;
/// Bytes that a release takes at its peak, as measured for tables of up to a million rows: for each byte
/// of the table in memory, and of the program itself. What rows take besides is by the last method.
const BYTES_PER_BYTE: f64 = 5.0;
const BYTES_ANYWAY: f64 = 45e6;

/// What a policy would do to a table, and what that would take.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RehearsalReport {
    /// Version of this report's form: 1.
    pub schema: u32,
    /// `protect --dry-run`.
    pub command: String,
    /// Whether the rehearsal was of all rows, or of some that were drawn.
    pub coverage: Coverage,
    /// The input.
    pub input: InputReport,
    /// Rows of the input.
    pub rows: u64,
    /// Columns of the input.
    pub columns: u64,
    /// The preset, and where it comes from.
    pub preset: Option<String>,
    /// The columns that are withheld because they name people.
    pub identifiers: Vec<String>,
    /// The columns that somebody may know.
    pub quasi_identifiers: Vec<String>,
    /// The columns whose values nobody should learn.
    pub sensitive: Vec<String>,
    /// The methods, in their order.
    pub methods: Vec<String>,
    /// What will be judged before the folder appears.
    pub claims: Vec<Claim>,
    /// Known attacks that are accepted.
    pub accepted: Vec<String>,
    /// Releases of drawn rows that were made and thrown away.
    pub rehearsals: Vec<Rehearsal>,
    /// Seconds that all rows may take here; none where no rehearsal came to its end.
    pub estimated_seconds: Option<f64>,
    /// Bytes of memory that all rows may take.
    pub estimated_bytes: u64,
    /// The folder that would be written; none where the release would stay in memory.
    pub output: Option<String>,
    /// What the policy leaves unsaid, and the safer choice that would be made.
    pub choices: Vec<String>,
    /// What to look at before the release is made.
    pub warnings: Vec<String>,
}

/// A release of drawn rows that was made and thrown away.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rehearsal {
    /// Rows that were drawn.
    pub rows: u64,
    /// Seconds that it took, judging included.
    pub seconds: f64,
    /// The part of the detail of quasi-identifiers that was lost.
    pub gcp: Option<f64>,
    /// Cells that were suppressed, as a share.
    pub suppressed_share: Option<f64>,
    /// Rows that were withheld, as a share.
    pub removed_share: Option<f64>,
    /// Why it came to no end.
    pub failed: Option<String>,
}

impl ProtectJob {
    /// Makes releases of drawn rows, throws them away, and says from that what all rows would take.
    ///
    /// Nothing stays written. What cannot be told before is not: the time is that of this machine, as
    /// it is busy now, and classes of fewer rows lose more detail than those of all.
    pub fn rehearse(&self, run: &Run) -> Result<RehearsalReport> {
        self.check()?;
        let folder = match &self.memory {
            Some(_) => None,
            None => Some(self.folder()?),
        };
        let started = Instant::now();
        let Settled { job, whole, choices } = self.settled(run)?;
        let reading = started.elapsed().as_secs_f64();
        job.check_columns(&whole)?;
        let rows = whole.table.rows() as u64;

        let mut rehearsals = Vec::new();
        let mut last: Option<ProtectReport> = None;
        let sizes =
            REHEARSED.iter().position(|&size| size >= rows).map_or(REHEARSED.len(), |at| at + 1);
        for &size in &REHEARSED[..sizes] {
            run.check()?;
            let drawn = MemoryEngine::new(&whole.table, run).sample(size, run.seed_of_run())?;
            let is_all = drawn.rows() as u64 == rows;
            let (rehearsal, report) = job.rehearsed(&drawn, is_all, folder.as_ref(), run)?;
            rehearsals.push(rehearsal);
            last = report.or(last);
        }
        let tried = rehearsals.last().map_or(0, |own| own.rows);
        let mut warnings = whole.published_warnings(&job.roles);
        warnings.extend(job.expected(&rehearsals));
        warnings.extend(whole.warnings.iter().cloned());
        let is_sensitive =
            |name: &String| job.roles.get(name) == Some(&muslin_table::Role::Sensitive);
        let mut sensitive = whole.names(&whole.table.all_columns());
        sensitive.retain(is_sensitive);
        Ok(RehearsalReport {
            schema: 1,
            command: "protect --dry-run".into(),
            coverage: if tried < rows {
                Coverage::Sampled { rows: tried, seed: run.seed_of_run() }
            } else {
                Coverage::Complete
            },
            input: InputReport::new(&whole.source),
            rows,
            columns: whole.table.columns().len() as u64,
            preset: self.preset_text(),
            identifiers: whole.names(&whole.identifiers),
            quasi_identifiers: whole.names(&whole.measured),
            sensitive,
            methods: self.methods().iter().map(|method| method.name().to_owned()).collect(),
            claims: last.map(|report| report.claims).unwrap_or_default(),
            accepted: self.policy.release.accept.clone(),
            estimated_seconds: seconds(&rehearsals, rows).map(|own| own + READINGS * reading),
            rehearsals,
            estimated_bytes: self.bytes(&whole.table),
            choices,
            output: self.memory.is_none().then(|| self.output.display().to_string()),
            warnings,
        })
    }

    /// Makes a release of drawn rows, within a folder or in memory, and throws it away.
    fn rehearsed(
        &self,
        drawn: &EncodedTable,
        is_all: bool,
        folder: Option<&SafeFolder>,
        run: &Run,
    ) -> Result<(Rehearsal, Option<ProtectReport>)> {
        let memory = Memory::new();
        let release = Release::new(drawn, &Changes::none(drawn), RowOrder::AsRead)?;
        let to = Destination::Memory(memory.clone());
        muslin_io::write(&release, &to, &WriteOptions::default(), run)?;
        let mut job = Self {
            input: memory.take().map_or(Input::Stdin, Input::Memory),
            read: ReadOptions::default(),
            output: folder
                .map_or_else(PathBuf::new, |folder| folder.path().join(drawn.rows().to_string())),
            memory: folder.is_none().then_some(memory),
            ..self.clone()
        };
        // Fewer rows lose more: what they lose is told, and is no reason to stop.
        job.policy.limits = LimitsPolicy::default();
        let started = Instant::now();
        let made = job.run(run);
        let mut rehearsal = Rehearsal {
            rows: drawn.rows() as u64,
            seconds: started.elapsed().as_secs_f64(),
            gcp: None,
            suppressed_share: None,
            removed_share: None,
            failed: None,
        };
        match made {
            Ok(report) => {
                rehearsal.gcp = Some(report.loss.gcp);
                rehearsal.suppressed_share = Some(report.loss.suppressed_share);
                rehearsal.removed_share = Some(report.loss.removed_share);
                Ok((rehearsal, Some(report)))
            }
            // What drawn rows cannot do, all rows may.
            Err(error)
                if !is_all && matches!(error.failure(), Failure::Unreachable | Failure::Usage) =>
            {
                rehearsal.failed = error.to_string().lines().next().map(str::to_owned);
                Ok((rehearsal, None))
            }
            Err(error) => Err(error),
        }
    }

    /// Bytes that a release of a table may take.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an estimate of something positive"
    )]
    fn bytes(&self, table: &EncodedTable) -> u64 {
        let per_row = match self.methods().last() {
            Some(ProtectMethod::Slice) => 950.0,
            Some(ProtectMethod::Bucketize) => 470.0,
            _ => 240.0,
        };
        let of_table = BYTES_PER_BYTE * table.memory() as f64 + per_row * table.rows() as f64;
        (BYTES_ANYWAY + of_table) as u64
    }

    /// What the rehearsals make one expect of the policy's limits.
    fn expected(&self, rehearsals: &[Rehearsal]) -> Vec<String> {
        let Some(last) = rehearsals.last() else { return Vec::new() };
        if let Some(why) = &last.failed {
            return vec![format!("no release was made of the drawn rows: {why}")];
        }
        let limits = &self.policy.limits;
        let all = [
            ("limits.gcp", limits.gcp, last.gcp),
            ("limits.suppressed", limits.suppressed, last.suppressed_share),
            ("limits.removed", limits.removed, last.removed_share),
        ];
        let beyond = |(key, limit, found): (&str, Option<f64>, Option<f64>)| {
            let (limit, found) = limit.zip(found)?;
            (found > limit).then(|| {
                format!(
                    "the drawn rows lose more than `{key}` allows: {found:.4} instead of {limit}"
                )
            })
        };
        all.into_iter().filter_map(beyond).collect()
    }
}

/// Seconds that this many rows may take, from what fewer took: a power of the rows, between one and two.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn seconds(rehearsals: &[Rehearsal], rows: u64) -> Option<f64> {
    let mut done = rehearsals.iter().filter(|own| own.failed.is_none() && own.rows > 0).rev();
    let last = done.next()?;
    let grows = |before: &Rehearsal| {
        (last.seconds / before.seconds).ln() / (last.rows as f64 / before.rows as f64).ln()
    };
    let power = done.next().map_or(1.0, grows);
    let power = if power.is_finite() { power.clamp(1.0, 2.0) } else { 1.0 };
    Some(last.seconds * (rows as f64 / last.rows as f64).powf(power))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn took(rows: u64, seconds: f64) -> Rehearsal {
        let (gcp, suppressed_share, removed_share) = (Some(0.0), Some(0.0), Some(0.0));
        Rehearsal { rows, seconds, gcp, suppressed_share, removed_share, failed: None }
    }

    #[test]
    fn time_grows_with_a_power_of_the_rows() {
        let close = |a: Option<f64>, b: f64| (a.unwrap_or(0.0) / b - 1.0).abs() < 1e-9;
        assert!(close(seconds(&[took(1_000, 1.0), took(10_000, 10.0)], 100_000), 100.0));
        assert!(close(seconds(&[took(1_000, 1.0), took(10_000, 100.0)], 100_000), 10_000.0));
        // Never less than the rows, and never more than their square.
        assert!(close(seconds(&[took(1_000, 1.0), took(10_000, 1.0)], 100_000), 10.0));
        assert!(close(seconds(&[took(1_000, 1.0), took(10_000, 1e6)], 20_000), 4e6));
        assert!(close(seconds(&[took(500, 1.0)], 500), 1.0));
        let failed = Rehearsal { failed: Some("no".into()), ..took(4_000, 1.0) };
        assert_eq!(seconds(&[failed], 9_000), None);
        assert_eq!(seconds(&[], 9_000), None);
    }
}
