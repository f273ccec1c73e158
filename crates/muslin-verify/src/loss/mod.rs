//! What an analyst loses by a release: of any kind, and whoever made it.
//!
//! Two tables go in, the original and the release. Rows of a release are in no order, so nothing
//! here relies on which published row was which original one. First each label of the release is
//! read as the original's values that it may stand for ([`Reading`]); from there on all kinds of
//! releases are one: suppressed cells, ranges, sets, counts, labels of a hierarchy, buckets, slices.
//!
//! ```text
//! labels --> Reading --> cells: suppressed, GCP, leaves, entropy
//!               |
//!               +------> Reconstruction --> classes, RCE, marginals, KL, phi2, COUNT queries
//! ```
//!
//! Each measure has its formula and its conventions on its own type. No measure depends on the order
//! of rows or the number of threads: what is summed is summed in the order of values.

mod association;
mod bins;
mod cells;
mod class_sizes;
mod covers;
mod decode;
mod divergence;
mod found;
mod labels;
mod marginals;
mod queries;
mod reading;
mod reconstruction;
mod spread;
mod tuples;
mod values;

use muslin_engine::Run;
use muslin_table::{ColumnId, ColumnSet, EncodedTable};
use rayon::prelude::*;

pub use self::association::{Association, Pair};
pub use self::cells::{CellLoss, ColumnLoss, Suppression};
pub use self::class_sizes::ClassLoss;
pub use self::covers::{OwnLabels, covers};
pub use self::divergence::Divergence;
pub use self::found::{LeftOut, Losses};
pub use self::marginals::{Bin, Marginal};
pub use self::queries::{QueryLoss, Workload};
pub use self::reading::{Blanks, Buckets, Cover, Reading};

#[cfg(test)]
mod tests;

use self::found::measured;
use self::reconstruction::Reconstruction;
use crate::{Error, Result};

/// Measures what a release loses.
///
/// # Guarantee
/// Every measure is that of its formula, with the conventions on its type. A release that is the
/// original, in whatever order of rows, loses nothing: each loss is 0 and phi2 is what it was.
/// Divergence, association and queries are left out where they take more work than allowed or the
/// run is stopped; nothing else is.
///
/// # Cost
/// Rows times columns for cells and marginals; pairs of columns times distinct rows for the
/// association; queries times rows for the queries. The divergence grows with the pairs of an
/// original and a published row, both distinct, that fit.
///
/// # Example
/// ```
/// use std::collections::BTreeMap;
/// use muslin_engine::Run;
/// use muslin_table::{Column, EncodedTable};
/// use muslin_verify::loss::{Loss, Reading};
/// // Ages of 20 to 60 become two ranges: each covers 10 of 40 years, or 2 of 4 values.
/// let original = EncodedTable::of(&[[20], [30], [50], [60]]);
/// let labels = ["[20-30]", "[50-60]"];
/// let release = Column::of_labels("c0", &labels, [1, 0, 0, 1].into_iter())?;
/// let release = EncodedTable::new(4, vec![release])?;
/// let reading = Reading::of(&original, &release, &BTreeMap::new(), None)?;
/// let loss = Loss::new(original.all_columns());
/// let found = loss.run(&original, &release, &reading, &Run::new())?;
/// assert_eq!(found.cells().gcp(), 0.25);
/// assert_eq!(found.cells().bits(), 4.0);
/// assert_eq!(found.classes().discernibility(), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Loss {
    quasi_identifiers: ColumnSet,
    sensitive: Option<ColumnId>,
    k: Option<u32>,
    workload: Workload,
    work_limit: u64,
}

impl Loss {
    /// Looks at these columns of the original as quasi-identifiers.
    pub fn new(quasi_identifiers: ColumnSet) -> Self {
        let workload = Workload::default();
        Self { quasi_identifiers, sensitive: None, k: None, workload, work_limit: 2_000_000_000 }
    }

    /// The column whose values nobody should learn: in every query, in the divergence, and what RCE
    /// is about.
    #[must_use]
    pub fn sensitive(mut self, column: Option<ColumnId>) -> Self {
        self.sensitive = column;
        self
    }

    /// The `k` that average class sizes are told against.
    #[must_use]
    pub fn k(mut self, k: Option<u32>) -> Self {
        self.k = k;
        self
    }

    /// The counting queries to ask.
    #[must_use]
    pub fn workload(mut self, workload: Workload) -> Self {
        self.workload = workload;
        self
    }

    /// Leaves divergence, association or queries out above this many steps each: two thousand
    /// million unless told.
    #[must_use]
    pub fn work_limit(mut self, steps: u64) -> Self {
        self.work_limit = steps;
        self
    }

    /// Measures `release`, whose labels `reading` has.
    pub fn run(
        &self,
        original: &EncodedTable,
        release: &EncodedTable,
        reading: &Reading,
        run: &Run,
    ) -> Result<Losses> {
        self.check(original)?;
        reading.check(original, release)?;
        if let Some(shared) = reading.shared_column() {
            return Err(Error::Setting(format!(
                "column `{}` is in several slices, and what slices that overlap lose cannot be measured\n  hint: name each column in one slice only: the one that an analyst would take it from",
                muslin_table::printable(original.column(shared).name())
            )));
        }
        run.install(|| {
            let quasi_identifiers: Vec<usize> =
                self.quasi_identifiers.iter().map(ColumnId::index).collect();
            let sensitive = self.sensitive.map(ColumnId::index);
            let both: Vec<usize> = self.columns().iter().map(ColumnId::index).collect();
            let all = 0..original.columns().len();

            let suppression = Suppression::new(original, release, reading);
            let columns: Vec<ColumnLoss> = all
                .clone()
                .into_par_iter()
                .map(|at| ColumnLoss::new(original, at, reading))
                .collect();
            let cells =
                CellLoss::of(&quasi_identifiers.iter().map(|&at| &columns[at]).collect::<Vec<_>>());
            let made = Reconstruction::new(original, release, reading, run)?;
            let (before, has_buckets) = (original.rows() as u64, reading.has_buckets());
            let classes =
                ClassLoss::new(&made, has_buckets, &quasi_identifiers, before, self.k, run)?;
            let reconstruction_error = match sensitive.filter(|_| has_buckets) {
                Some(at) => class_sizes::reconstruction_error(&made, at, run)?,
                None => None,
            };
            let published = all.filter(|&at| made.places[at].is_some()).collect::<Vec<_>>();
            let marginals =
                published.par_iter().map(|&at| Marginal::new(original, &made, at)).collect();
            let limit = self.work_limit;
            let asked = (&self.workload, limit);
            Ok(Losses {
                suppression,
                columns,
                cells,
                classes,
                reconstruction_error,
                marginals,
                divergence: measured(divergence::divergence(original, &made, &both, limit, run))?,
                association: measured(association::association(original, &made, limit, run))?,
                queries: measured(queries::queries(
                    original,
                    &made,
                    &quasi_identifiers,
                    sensitive,
                    asked,
                    run,
                ))?,
            })
        })
    }

    /// Quasi-identifiers and the sensitive column.
    fn columns(&self) -> ColumnSet {
        self.quasi_identifiers.union(&self.sensitive.into_iter().collect())
    }

    fn check(&self, original: &EncodedTable) -> Result<()> {
        let fault = |text: &str| Err(Error::Setting(text.into()));
        if !self.columns().is_subset(&original.all_columns()) {
            return fault(
                "a column to look at is beyond the original's\n  hint: name columns of the original",
            );
        }
        if self.k == Some(0) {
            return fault("`k` is at least 1");
        }
        let Workload { columns_per_query, selectivity, .. } = self.workload;
        if columns_per_query == 0 || !(selectivity > 0.0 && selectivity <= 1.0) {
            return fault(
                "a query has a column at least, and its selectivity is above 0 and at most 1\n  hint: ask for three columns and a selectivity of 0.05",
            );
        }
        Ok(())
    }
}
