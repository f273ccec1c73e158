//! `muslin diff`, as a job.

use muslin::{DiffJob, Seed, Workload};

use super::{Asked, Wrong, same_missing, set_hierarchies, set_quasi_identifiers};
use crate::Places;
use crate::args::{Common, Diff};

impl Diff {
    /// The job that the flags and the policy file describe; flags win.
    pub fn job(&self, common: &Common, places: &Places) -> Result<DiffJob, Wrong> {
        let Asked { read, mut roles, missing: _, mut hierarchies, .. } =
            Asked::new(&self.input, places)?;
        same_missing(&self.input, "compared")?;
        set_quasi_identifiers(&mut roles, self.measured.quasi_identifiers.as_deref());
        set_hierarchies(&mut hierarchies, &self.labels.hierarchy);
        Ok(DiffJob {
            read,
            roles,
            sensitive: self.measured.sensitive.clone(),
            k: self.measured.k,
            hierarchies,
            hierarchy_folder: self.labels.hierarchies.clone(),
            bucket: self.labels.bucket.clone(),
            slices: self.labels.slices.as_ref().map(|slices| slices.0.clone()),
            sensitive_table: self.labels.sensitive_table.as_ref().map(|name| places.input(name)),
            workload: Workload {
                queries: self.asked.queries,
                columns_per_query: self.asked.columns_per_query,
                selectivity: self.asked.selectivity,
                seed: Seed::new(common.seed),
            },
            show_values: self.shown.show_values,
            plots: self.shown.plots.clone(),
            ..DiffJob::new(places.input(&self.input.file), places.input(&self.release))
        })
    }
}
