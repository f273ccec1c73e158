//! The job that says what an analyst loses by a release.

mod report;
mod told;

use std::collections::BTreeMap;
use std::path::PathBuf;

use muslin_engine::{Coverage, Run, Stop};
use muslin_io::{Input, ReadOptions};
use muslin_table::{ColumnId, Role};
use muslin_verify::Error as VerifyError;
use muslin_verify::loss::{Loss, Losses, Workload};

pub use self::report::{
    DiffAssociation, DiffBin, DiffClasses, DiffColumnReport, DiffDivergence, DiffLoss,
    DiffMarginal, DiffPair, DiffQueries, DiffReport, DiffSuppression, DiffTableReport,
};

use crate::claims::Claim;
use crate::hierarchies::Hierarchies;
use crate::label_format::LabelFormat;
use crate::pair::{Pair, PairSettings};
use crate::published::{data_of, release_read, with_null};
use crate::{Error, Result, plots};

/// A release as it was handed over: its file, and what its folder says of it.
struct Handed {
    data: Input,
    suppressed: Option<Input>,
    /// How the original is read.
    read: ReadOptions,
    /// How the release is.
    release_read: ReadOptions,
    /// What its folder claims of buckets.
    claim: Option<Claim>,
}

impl Handed {
    fn of(job: &DiffJob, release: &Input) -> Result<Self> {
        let (data, folder) = data_of(release)?;
        let suppressed = job.suppressed.clone().or_else(|| folder.as_ref()?.suppressed());
        let read = with_null(job.read.clone(), folder.as_ref());
        let said = job.release_read.clone();
        let said = said
            .unwrap_or_else(|| ReadOptions { null: read.null.clone(), ..ReadOptions::default() });
        let release_read = release_read(&said, folder.as_ref());
        let claims = folder.map(|folder| folder.manifest.claims).unwrap_or_default();
        let claim = claims.into_iter().find(|claim| claim.slices.is_some());
        Ok(Self { data, suppressed, read, release_read, claim })
    }

    fn pair<'a>(&'a self, job: &'a DiffJob) -> PairSettings<'a> {
        let claim = self.claim.as_ref();
        let claimed = |of: fn(&Claim) -> &Option<String>| of(claim?).as_deref();
        PairSettings {
            original: &job.original,
            release: &self.data,
            suppressed: self.suppressed.as_ref(),
            read: &self.read,
            release_read: &self.release_read,
            roles: &job.roles,
            sensitive: job.sensitive.as_deref().or_else(|| claimed(|own| &own.sensitive)),
            hierarchies: &job.hierarchies,
            hierarchy_folder: job.hierarchy_folder.as_deref(),
            bucket: job.bucket.as_deref().or_else(|| claimed(|own| &own.bucket)),
            slices: job.slices.as_deref().or_else(|| claim?.slices.as_deref()),
            sensitive_table: job.sensitive_table.as_ref(),
            token: None,
            label_formats: &job.label_formats,
        }
    }
}

/// Measures what a release loses, whatever made it.
///
/// # Guarantee
/// Every figure is that of its formula, as [`muslin_verify::loss`] has it. A release that is the
/// original loses nothing, in whatever order its rows are. The report has names of columns and counts;
/// values of cells only where [`DiffJob::show_values`] asks for them.
///
/// # Cost
/// Reading both tables, then what [`Loss`] says.
///
/// # Example
/// ```
/// use muslin::{DiffJob, Input, Run};
///
/// let folder = tempfile::tempdir()?;
/// let (original, release) = (folder.path().join("people.csv"), folder.path().join("release.csv"));
/// std::fs::write(&original, "age,town\n20,A\n30,A\n50,B\n60,B\n")?;
/// std::fs::write(&release, "age,town\n[20-30],A\n[20-30],A\n[50-60],B\n[50-60],B\n")?;
/// let report = DiffJob::new(Input::named(&original), Input::named(&release)).run(&Run::new())?;
/// // Ten of forty years in one of two columns.
/// assert_eq!(report.loss.gcp, 0.125);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DiffJob {
    /// The table before.
    pub original: Input,
    /// The table after: a file, or the folder that `muslin protect` wrote.
    pub release: Input,
    /// The table that says which cells of the release are suppressed, where its format shows them as
    /// missing; that of the folder, where nothing is said.
    pub suppressed: Option<Input>,
    /// How to read the original.
    pub read: ReadOptions,
    /// How to read the release; with a header and the original's spellings of missing, the rest found
    /// out, where nothing is said. An empty cell is missing where the original had no spelling for it.
    pub release_read: Option<ReadOptions>,
    /// Roles that are known, of the original's columns.
    pub roles: BTreeMap<String, Role>,
    /// The column whose values nobody should learn; the one with that role, where nothing is said.
    pub sensitive: Option<String>,
    /// The `k` that average class sizes are told against.
    pub k: Option<u32>,
    /// Hierarchies whose labels the release may have.
    pub hierarchies: Hierarchies,
    /// A folder with hierarchies in files named after columns, for those that have none yet.
    pub hierarchy_folder: Option<PathBuf>,
    /// Forms of labels that are none of muslin's.
    pub label_formats: Vec<LabelFormat>,
    /// The column of the release that numbers buckets; `bucket`, where the original has none of that
    /// name and nothing is said.
    pub bucket: Option<String>,
    /// Columns whose cells stayed together in buckets; the sensitive one and all others, where nothing
    /// is said.
    pub slices: Option<Vec<Vec<String>>>,
    /// The table of the sensitive values of each bucket, where the release has two tables.
    pub sensitive_table: Option<Input>,
    /// The counting queries to ask.
    pub workload: Workload,
    /// Whether values of cells may be in the report and the plots.
    pub show_values: bool,
    /// A folder for plots.
    pub plots: Option<PathBuf>,
}

impl DiffJob {
    /// Compares `release` with `original`, and writes nothing.
    pub fn new(original: Input, release: Input) -> Self {
        Self {
            original,
            release,
            suppressed: None,
            read: ReadOptions::default(),
            release_read: None,
            roles: BTreeMap::new(),
            sensitive: None,
            k: None,
            hierarchies: Hierarchies::new(),
            hierarchy_folder: None,
            label_formats: Vec::new(),
            bucket: None,
            slices: None,
            sensitive_table: None,
            workload: Workload::default(),
            show_values: false,
            plots: None,
        }
    }

    /// Reads both tables, measures, and writes the plots that were asked for.
    pub fn run(&self, run: &Run) -> Result<DiffReport> {
        if let Some(folder) = &self.plots {
            plots::check(folder)?;
        }
        let handed = Handed::of(self, &self.release)?;
        let pair = handed.pair(self);
        pair.check()?;
        self.report(&Pair::with(pair.original(run)?, &pair, run)?, run)
    }

    /// Compares several releases of one original, which is read once: those that are given, instead of
    /// the job's own. Plots are of one release, and not written here.
    pub fn run_each(&self, releases: &[Input], run: &Run) -> Result<DiffTableReport> {
        let handed = releases.iter().map(|release| Handed::of(self, release));
        let handed = handed.collect::<Result<Vec<_>>>()?;
        let Some(first) = handed.first() else {
            return Err(Error::Verify(VerifyError::Setting(
                "there is no release to compare\n  hint: name one or more releases".into(),
            )));
        };
        handed.iter().try_for_each(|one| one.pair(self).check())?;
        let original = first.pair(self).original(run)?;
        let alone = Self { plots: None, ..self.clone() };
        let report =
            |one: &Handed| alone.report(&Pair::with(original.clone(), &one.pair(self), run)?, run);
        let reports = handed.iter().map(report).collect::<Result<Vec<_>>>()?;
        // The worst end of all.
        let is_stopped = |own: &&DiffReport| own.coverage != Coverage::Complete;
        let coverage = reports.iter().find(is_stopped).map_or(Coverage::Complete, |o| o.coverage);
        Ok(DiffTableReport {
            schema: 1,
            command: "diff".into(),
            coverage,
            rows_before: original.whole.table.rows() as u64,
            releases: reports,
        })
    }

    fn report(&self, both: &Pair, run: &Run) -> Result<DiffReport> {
        let losses = self.measure(both, run)?;
        let mut report = told::report(self, both, &losses);
        let is_interrupted = report.coverage == Coverage::Stopped { by: Stop::Interrupted };
        if let Some(folder) = self.plots.as_ref().filter(|_| !is_interrupted) {
            report.written = plots::write(&report, folder, &[&self.original, &self.release])?;
        }
        Ok(report)
    }

    fn measure(&self, both: &Pair, run: &Run) -> Result<Losses> {
        run.reporter().stage("measuring", None);
        let loss = Loss::new(both.whole.measured.clone())
            .sensitive(both.sensitive.map(ColumnId::new))
            .k(self.k)
            .workload(self.workload);
        let losses = loss.run(&both.whole.table, &both.release, &both.reading, run);
        run.reporter().finish();
        Ok(losses?)
    }
}
