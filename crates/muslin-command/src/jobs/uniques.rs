//! `muslin uniques`, as a job.

use muslin::{Destination, UniquesJob, UniquesOutput, UniquesTable, WriteOptions};

use super::{Asked, Wrong, set_quasi_identifiers};
use crate::Places;
use crate::args::{TableArgs, Uniques};

impl Uniques {
    /// The job that the flags and the policy file describe; flags win.
    pub fn job(&self, places: &Places) -> Result<UniquesJob, Wrong> {
        let Asked { read, mut roles, missing, .. } = Asked::new(&self.input, places)?;
        set_quasi_identifiers(&mut roles, self.search.quasi_identifiers.as_deref());
        let search = &self.search;
        let output = output(&self.table, places)?;
        Ok(UniquesJob {
            at: self.place.at(),
            read,
            roles,
            missing,
            k: search.k,
            max_size: search.max_size,
            score: search.score,
            dis_fraction: search.dis_fraction,
            method: search.method,
            top: search.top,
            distinct_rows: search.distinct_rows,
            output,
            ..UniquesJob::new(places.input(&self.input.file))
        })
    }
}

/// The table that the flags ask for.
fn output(args: &TableArgs, places: &Places) -> Result<Option<UniquesOutput>, Wrong> {
    let asked = [
        (args.list, UniquesTable::List),
        (args.scores, UniquesTable::Scores),
        (args.novelty, UniquesTable::Novelty),
        (args.contributions, UniquesTable::Contributions),
        (args.values, UniquesTable::Values),
    ];
    let named = asked.into_iter().find(|(is_asked, _)| *is_asked).map(|(_, table)| table);
    let Some(table) = named.or(args.groups.map(UniquesTable::Groups)) else {
        if args.output.is_some() || args.format.is_some() || args.show_values {
            return Err(Wrong::Usage(
                "no table to write was asked for\n  hint: add `--list`, `--scores`, `--groups`, `--novelty`, `--contributions` or `--values`",
            ));
        }
        return Ok(None);
    };
    let destination =
        args.output.as_ref().map_or(Destination::Stdout, |file| places.destination(file));
    let options = WriteOptions { format: args.format, ..WriteOptions::default() };
    Ok(Some(UniquesOutput { table, destination, options, show_values: args.show_values }))
}
