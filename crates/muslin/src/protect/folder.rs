//! The folder of a release.

use std::fmt::Write;

use muslin_engine::Run;
use muslin_io::{
    Destination, Input, Memory, Release, RowOrder, SafeFolder, WriteOptions, write_text,
};
use muslin_report::Quantity;
use muslin_table::{Changes, printable};

use super::ProtectJob;
use super::report::{ProtectLoss, ProtectReport};
use super::steps::{Entry, Work, internal, unreachable};
use crate::input::InputReport;
use crate::release_folder::{self, INTERNAL, MANIFEST, Manifest, ManifestFile, sha256, sha256_of};
use crate::verify::{VerifyJob, VerifyReport};
use crate::{DiffJob, DiffReport, Result};

/// What the release says to whoever gets it.
const SUMMARY: &str = "summary.md";

impl ProtectJob {
    /// Writes the folder, judged before it appears.
    pub(super) fn write(
        &self,
        folder: SafeFolder,
        work: &Work,
        run: &Run,
    ) -> Result<ProtectReport> {
        let data = format!("data.{}", self.format().name());
        let path = folder.path().join(&data);
        self.publish(work, &Destination::named(&path), run)?;
        let (mut report, lost) = self.judged(work, &Input::named(&path), run)?;
        report.written = Some(self.output.display().to_string());
        // It was judged where it was in the making.
        report.verdict.release.file.clone_from(&data);
        let input_sha256 = match &self.input {
            Input::Path(path) => sha256(path)?,
            Input::Stdin | Input::Memory(_) => None,
        };
        report.warnings.extend(self.earlier(input_sha256.as_deref(), sha256(&path)?.as_deref()));
        self.fill(&folder, &data, &report, input_sha256, &lost, &work.entries)?;
        run.check()?;
        folder.commit()?;
        Ok(report)
    }

    /// Leaves the release in memory, judged before it appears.
    pub(super) fn hold(&self, memory: &Memory, work: &Work, run: &Run) -> Result<ProtectReport> {
        let made = Memory::new();
        self.publish(work, &Destination::Memory(made.clone()), run)?;
        let batches = made.take().ok_or_else(|| internal("a release"))?;
        let (report, _) = self.judged(work, &Input::Memory(batches.clone()), run)?;
        run.check()?;
        memory.put(batches);
        Ok(report)
    }

    fn publish(&self, work: &Work, to: &Destination, run: &Run) -> Result<()> {
        let table = &work.whole.table;
        // The last step put the rows in their order.
        let release = Release::new(table, &Changes::none(table), RowOrder::AsRead)?;
        let options = WriteOptions { format: Some(self.format()), ..WriteOptions::default() };
        Ok(muslin_io::write(&release, to, &options, &run.clone().time_limit(None))?)
    }

    /// What the release is, as it was published; an error where it is not what the policy asks for.
    fn judged(&self, work: &Work, data: &Input, run: &Run) -> Result<(ProtectReport, DiffReport)> {
        let table = &work.whole.table;
        let claims = self.claims(work);
        let verdict = self.judge(data, &claims, &run.clone().time_limit(None))?;
        if let Some(check) = verdict.checks.iter().find(|check| !check.met) {
            return Err(unreachable(&format!(
                "what the policy asks for does not hold after its methods: {}: {}",
                check.claim, check.reason
            )));
        }
        let lost = self.lost(data, &claims, run)?;
        let loss = ProtectLoss {
            gcp: lost.loss.gcp,
            suppressed_share: lost.suppression.suppressed_share,
            removed_share: lost.suppression.removed_share,
            counts_off: lost.queries.median,
        };
        self.check_limits(&loss)?;
        let report = ProtectReport {
            schema: 1,
            command: "protect".into(),
            input: InputReport::new(&work.whole.source),
            rows_before: lost.rows_before,
            columns_before: lost.columns.len() as u64,
            rows_after: table.rows() as u64,
            columns: work.whole.names(&table.all_columns()),
            preset: self.preset_text(),
            quasi_identifiers: work.quasi.clone(),
            steps: work.steps.clone(),
            claims,
            verdict,
            loss,
            accepted: self.policy.release.accept.clone(),
            reproducible: self.seed.is_some(),
            written: None,
            warnings: self.warnings(work),
        };
        Ok((report, lost))
    }

    fn judge(&self, data: &Input, claims: &[crate::Claim], run: &Run) -> Result<VerifyReport> {
        let mut job = VerifyJob::new(data.clone());
        job.read.csv.header = Some(true);
        job.original = Some(self.input.clone());
        job.original_read = Some(self.read.clone());
        job.roles.clone_from(&self.roles);
        job.claims = claims.to_vec();
        job.hierarchies = self.policy.hierarchies();
        job.run(run)
    }

    fn lost(&self, data: &Input, claims: &[crate::Claim], run: &Run) -> Result<DiffReport> {
        let mut job = DiffJob::new(self.input.clone(), data.clone());
        job.read = self.read.clone();
        job.roles.clone_from(&self.roles);
        job.hierarchies = self.policy.hierarchies();
        if let Some(claim) = claims.iter().find(|claim| claim.slices.is_some()) {
            job.slices.clone_from(&claim.slices);
            job.bucket.clone_from(&claim.bucket);
            job.sensitive.clone_from(&claim.sensitive);
        }
        job.run(run)
    }

    fn check_limits(&self, loss: &ProtectLoss) -> Result<()> {
        let limits = &self.policy.limits;
        let all = [
            ("limits.gcp", limits.gcp, Some(loss.gcp)),
            ("limits.suppressed", limits.suppressed, Some(loss.suppressed_share)),
            ("limits.removed", limits.removed, Some(loss.removed_share)),
            ("limits.counts_off", limits.counts_off, loss.counts_off),
        ];
        for (key, limit, found) in all {
            if let (Some(limit), Some(found)) = (limit, found)
                && found > limit
            {
                return Err(unreachable(&format!(
                    "the release would lose more than `{key}` allows: {found:.4} instead of {limit}"
                )));
            }
        }
        Ok(())
    }

    fn warnings(&self, work: &Work) -> Vec<String> {
        let mut warnings = work.whole.published_warnings(&self.roles);
        if self.seed.is_some() {
            warnings.push(
                "the release is reproducible: whoever guesses the seed can undo its draws".into(),
            );
        }
        warnings.extend(work.whole.warnings.iter().cloned());
        warnings
    }

    /// A warning where folders beside this one hold other releases of the same input. One of the same
    /// bytes tells no more.
    fn earlier(&self, input_sha256: Option<&str>, data_sha256: Option<&str>) -> Option<String> {
        let is_other = |manifest: &Manifest| {
            let data = manifest.files.iter().find(|file| file.name == manifest.data);
            let is_same = data.is_some_and(|data| Some(data.sha256.as_str()) == data_sha256);
            !is_same
                && manifest.input_sha256.is_some()
                && manifest.input_sha256.as_deref() == input_sha256
        };
        let others = release_folder::beside(&self.output);
        let others = others.into_iter().filter(|(_, manifest)| is_other(manifest));
        let names: Vec<String> = others.map(|(name, _)| name).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        (!names.is_empty()).then(|| {
            format!(
                "there are other releases of this input ({}); who has two of them may learn more than from each: `muslin attack RELEASE --previous OTHER` tells",
                crate::input::names(&names)
            )
        })
    }

    /// Everything but the data.
    fn fill(
        &self,
        folder: &SafeFolder,
        data: &str,
        report: &ProtectReport,
        input_sha256: Option<String>,
        lost: &DiffReport,
        entries: &[Entry],
    ) -> Result<()> {
        let path = folder.path();
        write_text(&summary(report), &path.join(SUMMARY), &[])?;
        let file = |name: &str| -> Result<ManifestFile> {
            let own = path.join(name);
            let bytes = std::fs::metadata(&own).map_or(0, |metadata| metadata.len());
            let sha256 = sha256(&own)?.ok_or_else(|| internal("a file"))?;
            Ok(ManifestFile { name: name.into(), bytes, sha256 })
        };
        let manifest = Manifest {
            schema: 1,
            muslin: env!("CARGO_PKG_VERSION").into(),
            data: data.into(),
            files: vec![file(data)?, file(SUMMARY)?],
            input_sha256,
            policy_sha256: self.policy_text.as_deref().map(sha256_of),
            rows: report.rows_after,
            columns: report.columns.clone(),
            claims: report.claims.clone(),
            accepted: report.accepted.clone(),
            reproducible: report.reproducible,
        };
        write_text(&json(&manifest)?, &path.join(MANIFEST), &[])?;
        let internal = folder.inner(INTERNAL)?;
        write_text(&json(report)?, &internal.join("report.json"), &[])?;
        write_text(&json(lost)?, &internal.join("diff.json"), &[])?;
        Ok(write_text(&ledger(entries, report), &internal.join("ledger.csv"), &[])?)
    }
}

fn json(value: &impl serde::Serialize) -> Result<String> {
    let text = serde_json::to_string_pretty(value);
    text.map(|text| text + "\n").map_err(|_| internal("a report"))
}

/// What was done to which cell, row or column; rows of the input from 0.
fn ledger(entries: &[Entry], report: &ProtectReport) -> String {
    let mut text = String::from("step,method,what,row,column\n");
    for entry in entries {
        let row = entry.row.map(|row| row.to_string()).unwrap_or_default();
        let column = entry.column.as_deref().unwrap_or_default().replace('"', "\"\"");
        let method = &report.steps[entry.step].method;
        let _ = writeln!(text, "{},{method},{},{row},\"{column}\"", entry.step + 1, entry.what);
    }
    text
}

/// What holds and what does not, without a value of a cell.
fn summary(report: &ProtectReport) -> String {
    let mut text = String::from("# What this release is\n\n");
    let rows = Quantity::Count(report.rows_after).of("row");
    let columns = Quantity::Count(report.columns.len() as u64).of("column");
    let _ = writeln!(text, "{rows}, {columns}.\n");
    if let Some(preset) = &report.preset {
        let _ = writeln!(text, "Threshold: {preset}.\n");
    }
    text += "## What holds\n\nCounted in the published file by a judge that shares no code with what made it.\n\n";
    for claim in &report.claims {
        let columns: Vec<String> =
            claim.columns.iter().map(|name| format!("`{}`", printable(name))).collect();
        let _ = writeln!(text, "- {claim} ({})", columns.join(", "));
    }
    text += "\n## How it was made\n\n";
    for step in &report.steps {
        let _ = writeln!(
            text,
            "- {}{}",
            step.method,
            step.k.map(|k| format!(", k = {k}")).unwrap_or_default()
        );
    }
    let loss = &report.loss;
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let _ = write!(
        text,
        "\n## What was lost\n\n- detail of quasi-identifiers: {}\n- cells withheld: {}\n- rows withheld: {}\n",
        percent(loss.gcp),
        percent(loss.suppressed_share),
        percent(loss.removed_share)
    );
    if let Some(off) = loss.counts_off {
        let _ = writeln!(text, "- counting queries are off by {} at the median", percent(off));
    }
    text += "\n## What is not protected\n\n- Columns that are not named above are published as they are; whoever knows them tells more rows apart.\n- This is no statement that nobody can be found.\n";
    for attack in &report.accepted {
        let _ = writeln!(text, "- The known attack `{attack}` was accepted.");
    }
    if report.reproducible {
        text += "- A seed decided every draw.\n";
    }
    text
}
