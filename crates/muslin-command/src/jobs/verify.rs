//! `muslin verify`, as a job.

use muslin::{ColumnChoice, Policy, ReadOptions, VerifyJob};

use super::{Asked, Wrong, same_missing, set_hierarchies};
use crate::Places;
use crate::args::{Names, Verify};

impl Verify {
    /// The job that the flags and the policy file describe; flags win.
    pub fn job(&self, places: &Places) -> Result<VerifyJob, Wrong> {
        let Asked { read, roles, missing: _, mut hierarchies, policy } =
            Asked::new(&self.input, places)?;
        same_missing(&self.input, "judged")?;
        let claimed = &self.claimed;
        set_hierarchies(&mut hierarchies, &self.labels.hierarchy);
        let is_flagged = self.input.columns.is_some() || self.input.exclude.is_some();
        // What the policy says of types and columns is about the original.
        let original_read = ReadOptions { csv: muslin::CsvOptions::default(), ..read.clone() };
        let columns = if is_flagged { read.columns.clone() } else { ColumnChoice::All };
        let types = self.input.types.iter().cloned().collect();
        // Columns are told by their names, so there are names.
        let csv = muslin::CsvOptions { header: read.csv.header.or(Some(true)), ..read.csv };
        let mut spreads: Vec<_> =
            claimed.diversity.iter().chain(&claimed.closeness).cloned().collect();
        if spreads.is_empty() {
            spreads = policy.as_ref().map(Policy::spreads).unwrap_or_default();
        }
        Ok(VerifyJob {
            at: self.place.at(),
            original: claimed.original.as_ref().map(|name| places.input(name)),
            read: ReadOptions { csv, columns, types, ..read },
            original_read: Some(original_read),
            roles,
            quasi_identifiers: claimed.quasi_identifiers.as_deref().map(Names::all),
            token: claimed.token.clone(),
            k: claimed.k.or_else(|| policy.as_ref()?.k()),
            spreads,
            claims: policy.as_ref().map(Policy::claims).unwrap_or_default(),
            claims_report: claimed.claims.as_deref().map(|name| places.report(name)),
            certificate: claimed.certificate.as_ref().map(|name| places.input(name)),
            weights: claimed.weight.iter().cloned().collect(),
            hierarchies,
            hierarchy_folder: self.labels.hierarchies.clone(),
            bucket: self.labels.bucket.clone(),
            slices: self.labels.slices.as_ref().map(|slices| slices.0.clone()),
            sensitive: claimed.sensitive.clone(),
            sensitive_table: self.labels.sensitive_table.as_ref().map(|name| places.input(name)),
            ..VerifyJob::new(places.input(&self.input.file))
        })
    }
}
