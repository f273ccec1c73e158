//! `muslin attack`, as a job.

use muslin::{AttackJob, ColumnChoice, Policy, ReadOptions};

use super::{Asked, Wrong, same_missing, set_hierarchies};
use crate::Places;
use crate::args::{Attack, Names};

impl Attack {
    /// The job that the flags and the policy file describe; flags win.
    pub fn job(&self, places: &Places) -> Result<AttackJob, Wrong> {
        let Asked { read, roles, missing: _, mut hierarchies, policy } =
            Asked::new(&self.input, places)?;
        same_missing(&self.input, "attacked")?;
        let (attacker, made) = (&self.attacker, &self.made);
        set_hierarchies(&mut hierarchies, &made.hierarchy);
        let is_flagged = self.input.columns.is_some() || self.input.exclude.is_some();
        // What the policy says of types and columns is about the original.
        let original_read = ReadOptions { csv: muslin::CsvOptions::default(), ..read.clone() };
        let columns = if is_flagged { read.columns.clone() } else { ColumnChoice::All };
        let types = self.input.types.iter().cloned().collect();
        // Columns are told by their names, so there are names.
        let csv = muslin::CsvOptions { header: read.csv.header.or(Some(true)), ..read.csv };
        Ok(AttackJob {
            original: attacker.original.as_ref().map(|name| places.input(name)),
            read: ReadOptions { csv, columns, types, ..read },
            original_read: Some(original_read),
            roles,
            quasi_identifiers: attacker.quasi_identifiers.as_deref().map(Names::all),
            sensitive: attacker.sensitive.clone(),
            bucket: made.bucket.clone(),
            slices: made.slices.as_ref().map(|slices| slices.0.clone()),
            sensitive_table: made.sensitive_table.as_ref().map(|name| places.input(name)),
            token: made.token.clone(),
            k: made.k.or_else(|| policy.as_ref().and_then(Policy::k)),
            notion: made.notion,
            aux: attacker.aux.as_ref().map(|name| places.input(name)),
            on: attacker.on.as_deref().map(Names::all).unwrap_or_default(),
            id: attacker.id.clone(),
            previous: attacker.previous.as_ref().map(|name| places.input(name)),
            seeds: attacker.seeds,
            hierarchies,
            hierarchy_folder: made.hierarchies.clone(),
            only: attacker.only.as_deref().map(Names::all),
            max_advantage: attacker.max_advantage,
            ..AttackJob::new(places.input(&self.input.file))
        })
    }
}
