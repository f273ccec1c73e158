//! `muslin diff`, as a job.

use muslin::{ColumnChoice, DiffJob, Input, ProtectMethod, ReadOptions, Seed, Workload};

use super::{Asked, Wrong, release_read, same_missing, set_hierarchies, set_quasi_identifiers};
use crate::Places;
use crate::args::{Common, Diff};

impl Diff {
    /// The releases, in their order.
    pub fn releases(&self, places: &Places) -> Vec<Input> {
        self.release.iter().map(|name| places.input(name)).collect()
    }

    /// The job that the flags and the policy file describe, for the first release; flags win.
    pub fn job(&self, common: &Common, places: &Places) -> Result<DiffJob, Wrong> {
        let asked = Asked::new(&self.input, places)?;
        same_missing(&asked, self.input.missing, "tables are compared")?;
        let slices = asked.policy_with(ProtectMethod::Slice);
        let slices = slices.and_then(|policy| policy.protect.slice.slices.clone());
        let Asked { read, mut roles, mut hierarchies, policy, .. } = asked;
        if self.release.len() > 1 && self.shown.plots.is_some() {
            return Err(Wrong::Usage("`--plots` draws one release: name one release"));
        }
        let Some(first) = self.release.first() else {
            return Err(Wrong::Usage("name a release"));
        };
        set_quasi_identifiers(&mut roles, self.measured.quasi_identifiers.as_deref());
        set_hierarchies(&mut hierarchies, &self.labels.hierarchy);
        let of_release =
            release_read(&read, &self.input, &self.release_read, policy.as_ref(), true);
        // What of the original is left out is left out of the comparison anyway.
        let columns = ColumnChoice::All;
        Ok(DiffJob {
            release_read: Some(ReadOptions { columns, ..of_release }),
            read,
            roles,
            sensitive: self.measured.sensitive.clone(),
            k: self.measured.k.or_else(|| policy.as_ref()?.k()),
            hierarchies,
            hierarchy_folder: self.labels.hierarchies.clone(),
            label_formats: self.labels.label_format.clone(),
            bucket: self.labels.bucket.clone(),
            slices: self.labels.slices.as_ref().map(|slices| slices.0.clone()).or(slices),
            sensitive_table: self.labels.sensitive_table.as_ref().map(|name| places.input(name)),
            workload: Workload {
                queries: self.asked.queries,
                columns_per_query: self.asked.columns_per_query,
                selectivity: self.asked.selectivity,
                seed: Seed::new(common.seed),
            },
            show_values: self.shown.show_values,
            plots: self.shown.plots.clone(),
            ..DiffJob::new(places.input(&self.input.file), places.input(first))
        })
    }
}
