//! `muslin diff`.

mod render;

use std::time::Instant;

use muslin::{Coverage, DiffJob, HierarchySource, Input, MissingRule, Seed, Stop, Workload};

use self::render::render;
use super::input::{Asked, set_quasi_identifiers};
use super::{Finished, Outcome, print, start, talk, to_json};
use crate::args::{Common, Diff};
use crate::exit::Exit;
use crate::stats;
use crate::style::Style;

/// Measures what a release loses and prints a report.
pub(crate) fn run(args: &Diff, common: &Common) -> Outcome {
    let started = Instant::now();
    if args.input.missing.is_some_and(|rule| rule != MissingRule::Category) {
        return Err(Finished::Usage(
            "a missing cell is a value of its own when tables are compared\n  hint: leave `--missing` out",
        ));
    }
    let job = job(args, common)?;
    let run = start(common)?;
    let report = job.run(&run)?;
    let text = if common.json { to_json(&report)? } else { render(&report, &Style::of_stdout()) };
    print(&text)?;
    if common.stats {
        talk(&stats::line(started, report.rows_before));
    }
    Ok(match report.coverage {
        Coverage::Stopped { by: Stop::Interrupted } => Exit::Interrupted,
        Coverage::Stopped { by } => {
            talk(&format!("error: {by}"));
            Exit::Limit
        }
        _ => Exit::Fine,
    })
}

/// The job that the flags and the policy file describe; flags win.
fn job(args: &Diff, common: &Common) -> Result<DiffJob, muslin::Error> {
    let Asked { read, mut roles, missing: _, mut hierarchies, .. } = Asked::new(&args.input)?;
    set_quasi_identifiers(&mut roles, args.measured.quasi_identifiers.as_deref());
    for (name, file) in &args.labels.hierarchy {
        hierarchies.set(name, HierarchySource::File(file.clone()));
    }
    Ok(DiffJob {
        read,
        roles,
        sensitive: args.measured.sensitive.clone(),
        k: args.measured.k,
        hierarchies,
        hierarchy_folder: args.labels.hierarchies.clone(),
        bucket: args.labels.bucket.clone(),
        slices: args.labels.slices.as_ref().map(|slices| slices.0.clone()),
        sensitive_table: args.labels.sensitive_table.as_ref().map(Input::named),
        workload: Workload {
            queries: args.asked.queries,
            columns_per_query: args.asked.columns_per_query,
            selectivity: args.asked.selectivity,
            seed: Seed::new(common.seed),
        },
        show_values: args.shown.show_values,
        plots: args.shown.plots.clone(),
        ..DiffJob::new(Input::named(&args.input.file), Input::named(&args.release))
    })
}
