//! The folder of a release.

use std::fmt::Write;

use muslin_engine::Run;
use muslin_io::{
    CsvStyle, Destination, Input, Memory, ReadOptions, Release, RowOrder, SafeFolder, Source,
    WriteFormat, write_text,
};
use muslin_report::Quantity;
use muslin_table::{Changes, EncodedTable, printable};

use super::ProtectJob;
use super::report::{ChangedColumn, ProtectLoss, ProtectReport};
use super::steps::{Entry, Work, internal, unreachable};
use crate::input::InputReport;
use crate::release_folder::{
    self, Beside, INTERNAL, INTERNAL_FILES, MANIFEST, Manifest, ManifestFile, ReleaseDialect,
    sha256, sha256_of,
};
use crate::spelling::Spelling;
use crate::suppressed_cells::suppressed_cells;
use crate::verdict::verdict_headline;
use crate::verify::{TRUTHFUL, VerifyCheck, VerifyJob, VerifyReport};
use crate::{DiffColumnReport, DiffJob, DiffReport, Error, Result};

/// What the release says to whoever gets it.
const SUMMARY: &str = "summary.md";

/// What was written of a release, to be judged.
struct Published {
    data: Input,
    /// The table that says which cells are suppressed, where the data does not show it.
    suppressed: Option<Input>,
}

impl ProtectJob {
    /// Writes the folder, judged before it appears.
    pub(super) fn write(
        &self,
        folder: SafeFolder,
        work: &Work,
        run: &Run,
    ) -> Result<ProtectReport> {
        let filled = self.fill_folder(&folder, work, run);
        // Where files are in the making is nothing to whoever named the folder.
        let report = filled.map_err(|error| match error {
            Error::Io(error) => Error::Io(folder.in_its_place(error)),
            other => other,
        })?;
        run.check()?;
        folder.commit()?;
        Ok(report)
    }

    fn fill_folder(&self, folder: &SafeFolder, work: &Work, run: &Run) -> Result<ProtectReport> {
        let source = &work.whole.source;
        let data = format!("data.{}", self.format(source).name());
        let path = folder.path().join(&data);
        self.publish(&work.whole.table, source, &Destination::named(&path), run)?;
        let marks = self.marks(work)?;
        let beside = marks.as_ref().map(|_| format!("suppressed.{}", self.format(source).name()));
        if let (Some(marks), Some(name)) = (&marks, &beside) {
            self.publish(marks, source, &Destination::named(folder.path().join(name)), run)?;
        }
        let suppressed = beside.as_ref().map(|name| Input::named(folder.path().join(name)));
        let published = Published { data: Input::named(&path), suppressed };
        let (mut report, mut lost) = self.judged(work, &published, run)?;
        report.written = Some(self.output.display().to_string());
        report.suppressed.clone_from(&beside);
        // It was verified where it was in the making.
        report.verification.release.file.clone_from(&data);
        lost.release.file.clone_from(&data);
        report.input_sha256 = match &self.input {
            Input::Path(path) => sha256(path)?,
            Input::Stdin | Input::Memory(_) => None,
        };
        let earlier = self.earlier(report.input_sha256.as_deref(), sha256(&path)?.as_deref());
        // What else lies here is no business of whoever gets the release.
        let public = report.clone();
        report.warnings.extend(earlier);
        let names = (data.as_str(), beside);
        self.fill(folder, names, &public, &(&report, &lost), &work.entries)?;
        Ok(report)
    }

    /// Leaves the release in memory, judged before it appears.
    pub(super) fn hold(&self, memory: &Memory, work: &Work, run: &Run) -> Result<ProtectReport> {
        let held = |table: &EncodedTable| {
            let made = Memory::new();
            self.publish(table, &work.whole.source, &Destination::Memory(made.clone()), run)?;
            made.take().ok_or_else(|| internal("a release"))
        };
        let batches = held(&work.whole.table)?;
        let marks = suppressed_cells(&work.whole.table)?.as_ref().map(held).transpose()?;
        let data = Input::Memory(batches.clone());
        let published = Published { data, suppressed: marks.map(Input::Memory) };
        let (report, _) = self.judged(work, &published, run)?;
        run.check()?;
        memory.put(batches);
        Ok(report)
    }

    /// The suppressed cells, where the format shows them as missing ones.
    fn marks(&self, work: &Work) -> Result<Option<EncodedTable>> {
        match self.format(&work.whole.source) {
            WriteFormat::Csv | WriteFormat::Tsv => Ok(None),
            WriteFormat::Parquet | WriteFormat::Arrow => suppressed_cells(&work.whole.table),
        }
    }

    fn publish(
        &self,
        table: &EncodedTable,
        source: &Source,
        to: &Destination,
        run: &Run,
    ) -> Result<()> {
        // The last step put the rows in their order.
        let release = Release::new(table, &Changes::none(table), RowOrder::AsRead)?;
        let options = self.write_options(source);
        Ok(muslin_io::write(&release, to, &options, &run.clone().time_limit(None))?)
    }

    /// What the release is, as it was published; an error where it is not what the policy asks for.
    fn judged(
        &self,
        work: &Work,
        published: &Published,
        run: &Run,
    ) -> Result<(ProtectReport, DiffReport)> {
        let table = &work.whole.table;
        let claims = self.claims(work);
        let options = self.write_options(&work.whole.source);
        let csv = options.style();
        // What was just written is read as it was written.
        let read = ReadOptions {
            csv: csv.as_ref().map(CsvStyle::to_options).unwrap_or_default(),
            null: self.read.null.clone(),
            ..ReadOptions::default()
        };
        let verification = self.judge(published, &read, &claims, &run.clone().time_limit(None))?;
        // Whether all rows are true at once may take too long to find out: verify says so, too.
        let is_open = |check: &VerifyCheck| !check.decided && check.claim == TRUTHFUL;
        if let Some(check) = verification.checks.iter().find(|check| !check.met && !is_open(check))
        {
            return Err(unreachable(&format!(
                "what the policy asks for does not hold after its methods: {}: {}",
                check.claim, check.reason
            )));
        }
        let lost = self.lost(published, &read, &claims, run)?;
        let is_shared = sliced(&claims).is_some_and(|slices| overlap(slices).is_some());
        let loss = ProtectLoss {
            gcp: lost.loss.gcp,
            suppressed_share: lost.suppression.suppressed_share,
            removed_share: lost.suppression.removed_share,
            // Measured for slices of which none has a column of another.
            counts_off: lost.queries.median.filter(|_| !is_shared),
            columns: changed(&lost),
        };
        if is_shared && self.policy.limits.counts_off.is_some() {
            return Err(unreachable(
                "`limits.counts_off` cannot be checked: what slices that share columns lose is not measured",
            ));
        }
        self.check_limits(&loss)?;
        let open = verification.checks.iter().find(|check| is_open(check));
        let open = open.map(|check| format!("{} was not verified: {}", check.claim, check.reason));
        let shared = is_shared.then(|| SHARED.into());
        let warnings = open.into_iter().chain(shared).chain(self.warnings(work)).collect();
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
            verdict: verification.verdict,
            verification,
            loss,
            dialect: csv.as_ref().map(ReleaseDialect::new),
            accepted: self.policy.release.accept.clone(),
            reproducible: self.seed.is_some(),
            suppressed: None,
            written: None,
            input_sha256: None,
            choices: work.choices.clone(),
            warnings,
        };
        Ok((report, lost))
    }

    fn judge(
        &self,
        published: &Published,
        read: &ReadOptions,
        claims: &[crate::Claim],
        run: &Run,
    ) -> Result<VerifyReport> {
        let mut job = VerifyJob::new(published.data.clone());
        job.suppressed.clone_from(&published.suppressed);
        job.read.csv = read.csv.clone();
        job.original = Some(self.input.clone());
        job.original_read = Some(self.read.clone());
        job.roles.clone_from(&self.roles);
        job.claims = claims.to_vec();
        job.max_unique = self.max_unique;
        job.max_advantage = self.max_advantage;
        job.accept.clone_from(&self.policy.release.accept);
        job.hierarchies = self.policy.hierarchies();
        job.run(run)
    }

    fn lost(
        &self,
        published: &Published,
        read: &ReadOptions,
        claims: &[crate::Claim],
        run: &Run,
    ) -> Result<DiffReport> {
        let mut job = DiffJob::new(self.input.clone(), published.data.clone());
        job.suppressed.clone_from(&published.suppressed);
        job.read = self.read.clone();
        job.release_read = Some(read.clone());
        job.roles.clone_from(&self.roles);
        job.hierarchies = self.policy.hierarchies();
        if let Some(claim) = claims.iter().find(|claim| claim.slices.is_some()) {
            job.slices = claim.slices.as_deref().map(apart);
            job.bucket.clone_from(&claim.bucket);
            job.sensitive.clone_from(&claim.sensitive);
        }
        job.run(run)
    }

    pub(super) fn check_limits(&self, loss: &ProtectLoss) -> Result<()> {
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
        let seeded = self.seed.is_some().then(|| {
            "the release is reproducible: an attacker who guesses the seed can undo its draws"
                .into()
        });
        let spelled = |text: String| Spelling::Policy.of(&text);
        let of_release = work.whole.published_warnings(&self.roles).into_iter().map(spelled);
        let of_input = work.whole.warnings.iter().cloned();
        let mut warnings: Vec<String> = Vec::new();
        // Steps repeat what the input or the release is warned about.
        for warning in of_release.chain(seeded).chain(of_input).chain(work.warnings.iter().cloned())
        {
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
        warnings
    }

    /// A warning where folders beside this one hold other releases of the same input. One of the same
    /// bytes tells no more.
    fn earlier(&self, input_sha256: Option<&str>, data_sha256: Option<&str>) -> Option<String> {
        let is_other = |own: &Beside| {
            let data = own.manifest.files.iter().find(|file| file.name == own.manifest.data);
            let is_same = data.is_some_and(|data| Some(data.sha256.as_str()) == data_sha256);
            !is_same && own.input_sha256.is_some() && own.input_sha256.as_deref() == input_sha256
        };
        let others = release_folder::beside(&self.output);
        let others: Vec<Beside> = others.into_iter().filter(is_other).collect();
        let names: Vec<&str> = others.iter().map(|own| own.name.as_str()).collect();
        (!names.is_empty()).then(|| {
            format!(
                "there are other releases of this input ({}); an attacker who has two of them may infer more than from each: `muslin attack RELEASE --previous OTHER` tries it",
                crate::input::names(&names)
            )
        })
    }

    /// Everything but the data.
    fn fill(
        &self,
        folder: &SafeFolder,
        (data, suppressed): (&str, Option<String>),
        report: &ProtectReport,
        (internal_report, lost): &(&ProtectReport, &DiffReport),
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
        let mut files = vec![file(data)?];
        files.extend(suppressed.as_deref().map(file).transpose()?);
        files.push(file(SUMMARY)?);
        let manifest = Manifest {
            schema: 1,
            muslin: env!("CARGO_PKG_VERSION").into(),
            data: data.into(),
            suppressed,
            null: self.read.null.clone(),
            files,
            policy_sha256: self.policy_text.as_deref().map(sha256_of),
            dialect: report.dialect.clone(),
            rows: report.rows_after,
            columns: report.columns.clone(),
            claims: report.claims.clone(),
            accepted: report.accepted.clone(),
            reproducible: report.reproducible,
            verdict: report.verdict.name().into(),
            warnings: report.warnings.clone(),
        };
        write_text(&json(&manifest)?, &path.join(MANIFEST), &[])?;
        let internal = folder.inner(INTERNAL)?;
        let texts = [json(internal_report)?, json(lost)?, ledger(entries, report)];
        for (name, text) in INTERNAL_FILES.iter().zip(texts) {
            write_text(&text, &internal.join(name), &[])?;
        }
        Ok(())
    }
}

/// How many cells of each quasi-identifier were changed.
fn changed(lost: &DiffReport) -> Vec<ChangedColumn> {
    let is_quasi = |own: &&DiffColumnReport| lost.quasi_identifiers.contains(&own.name);
    let column = |own: &DiffColumnReport| ChangedColumn {
        name: own.name.clone(),
        withheld: own.withheld,
        suppressed_share: own.suppressed_share,
        generalized_share: own.generalized_share,
        changed_share: own.changed_share,
    };
    lost.columns.iter().filter(is_quasi).map(column).collect()
}

/// What a report says where slices share columns.
const SHARED: &str = "the slices share columns: counting queries were not measured, and `internal/diff.json` takes each column from the first slice that names it";

/// The slices of a release that was sliced.
fn sliced(claims: &[crate::Claim]) -> Option<&[Vec<String>]> {
    claims.iter().find_map(|claim| claim.slices.as_deref())
}

/// The first column that several slices have.
pub(crate) fn overlap(slices: &[Vec<String>]) -> Option<&String> {
    let mut seen = std::collections::BTreeSet::new();
    slices.iter().flatten().find(|name| !seen.insert(*name))
}

/// Slices of which each column is in the first that names it alone.
fn apart(slices: &[Vec<String>]) -> Vec<Vec<String>> {
    let mut seen = std::collections::BTreeSet::new();
    let own = slices.iter().map(|slice| {
        slice.iter().filter(|name| seen.insert((*name).clone())).cloned().collect::<Vec<_>>()
    });
    own.filter(|slice| !slice.is_empty()).collect()
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

/// How many rows were removed, for the public: a number from 1 to below k would say how many people stood out.
fn removed(report: &ProtectReport) -> String {
    let k = report.claims.iter().filter_map(|claim| claim.k).max().unwrap_or(2).into();
    match report.rows_before.saturating_sub(report.rows_after) {
        0 => "removed rows: none".into(),
        some if some < k => format!("removed rows: fewer than {k}"),
        _ => format!("removed rows: {:.1} %", report.loss.removed_share * 100.0),
    }
}

/// What was verified and what was not, without a value of a cell.
fn summary(report: &ProtectReport) -> String {
    let mut text = String::from("# About this release\n\n");
    let rows = Quantity::Count(report.rows_after).of("row");
    let columns = Quantity::Count(report.columns.len() as u64).of("column");
    let _ = writeln!(text, "{rows}, {columns}.\n");
    let found = &report.verification;
    let headline = verdict_headline(report.verdict, &found.checks, found.findings.len());
    let _ = writeln!(text, "**{headline}.**\n");
    if let Some(dialect) = &report.dialect {
        let _ = writeln!(text, "The file has {}.\n", dialect.in_words());
    }
    if let Some(preset) = &report.preset {
        let _ = writeln!(text, "Threshold: {preset}.\n");
    }
    text += "## What was verified\n\nCounted in the published file by code that is separate from the code that made it.\n\n";
    for claim in &report.claims {
        let columns: Vec<String> =
            claim.columns.iter().map(|name| format!("`{}`", printable(name))).collect();
        let _ = writeln!(text, "- {claim} ({})", columns.join(", "));
    }
    let mut list = |heading: &str, items: &mut dyn Iterator<Item = String>| {
        let items: Vec<String> = items.map(|item| format!("- {item}\n")).collect();
        if !items.is_empty() {
            let _ = write!(text, "\n## {heading}\n\n{}", items.concat());
        }
    };
    list("Findings", &mut found.findings.iter().map(|own| format!("{}.", own.for_release())));
    list("Accepted", &mut found.accepted.iter().map(|own| format!("{}.", own.for_release())));
    list("Warnings", &mut report.warnings.iter().map(|own| format!("{own}.")));
    list(
        "How it was made",
        &mut report.steps.iter().map(|step| {
            let k = step.k.map(|k| format!(", k = {k}")).unwrap_or_default();
            format!("{}{k}", step.method)
        }),
    );
    let loss = &report.loss;
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let mut lost = vec![
        format!("information loss on the quasi-identifiers (GCP): {}", percent(loss.gcp)),
        format!("suppressed cells: {}", percent(loss.suppressed_share)),
        removed(report),
    ];
    let changed = loss.columns.iter().filter(|own| !own.withheld && own.changed_share > 0.0);
    lost.extend(changed.map(|own| {
        format!(
            "`{}`: {} of the published cells generalized, {} suppressed",
            printable(&own.name),
            percent(own.generalized_share),
            percent(own.suppressed_share)
        )
    }));
    lost.extend(report.suppressed.as_ref().map(|name| {
        format!("`{name}` says which cells of the data are suppressed: a format with types shows them as missing ones")
    }));
    lost.extend(
        loss.counts_off
            .map(|off| format!("median relative error of counting queries: {}", percent(off))),
    );
    if loss.counts_off.is_none() {
        lost.push("counting queries: not measured".into());
    }
    list("What was lost", &mut lost.into_iter());
    let mut open = vec![
        "Columns that are not named above are published as they are: an attacker who knows them can identify more rows.".to_owned(),
        "This release is not claimed to be anonymous.".to_owned(),
    ];
    open.extend(
        report.accepted.iter().map(|own| format!("The known attack `{own}` was accepted.")),
    );
    open.extend(report.reproducible.then(|| "A seed decided every draw.".to_owned()));
    list("What is not protected", &mut open.into_iter());
    text
}
