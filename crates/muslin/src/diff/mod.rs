//! The job that says what an analyst loses by a release.

mod report;
mod told;

use std::collections::BTreeMap;
use std::path::PathBuf;

use muslin_engine::{Coverage, Run, Stop};
use muslin_io::{Input, ReadOptions};
use muslin_table::{ColumnId, Role};
use muslin_verify::loss::{Loss, Losses, Workload};

pub use self::report::{
    DiffAssociation, DiffBin, DiffClasses, DiffColumnReport, DiffDivergence, DiffLoss,
    DiffMarginal, DiffPair, DiffQueries, DiffReport, DiffSuppression,
};

use crate::hierarchies::Hierarchies;
use crate::pair::{Pair, PairSettings};
use crate::{Result, plots};

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
    /// The table after.
    pub release: Input,
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
            read: ReadOptions::default(),
            release_read: None,
            roles: BTreeMap::new(),
            sensitive: None,
            k: None,
            hierarchies: Hierarchies::new(),
            hierarchy_folder: None,
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
        let both = Pair::of(&self.pair(), run)?;
        let losses = self.measure(&both, run)?;
        let mut report = told::report(self, &both, &losses);
        let is_interrupted = report.coverage == Coverage::Stopped { by: Stop::Interrupted };
        if let Some(folder) = self.plots.as_ref().filter(|_| !is_interrupted) {
            report.written = plots::write(&report, folder, &[&self.original, &self.release])?;
        }
        Ok(report)
    }

    fn pair(&self) -> PairSettings<'_> {
        PairSettings {
            original: &self.original,
            release: &self.release,
            read: &self.read,
            release_read: self.release_read.as_ref(),
            roles: &self.roles,
            sensitive: self.sensitive.as_deref(),
            hierarchies: &self.hierarchies,
            hierarchy_folder: self.hierarchy_folder.as_deref(),
            bucket: self.bucket.as_deref(),
            slices: self.slices.as_deref(),
            sensitive_table: self.sensitive_table.as_ref(),
            token: None,
        }
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
