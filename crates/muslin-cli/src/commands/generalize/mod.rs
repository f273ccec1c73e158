//! `muslin generalize`.

mod render;

use std::time::Instant;

use muslin::{Coverage, GeneralizeJob, HierarchySource, Input, Stop};

use self::render::render;
use super::input::{Asked, set_quasi_identifiers};
use super::{Outcome, is_to_stdout, show, start, talk, to_json};
use crate::args::{Bounds, Common, Generalize};
use crate::exit::Exit;
use crate::stats;
use crate::style::Style;

/// Recodes, writes the release that was asked for, and prints a report.
pub(crate) fn run(args: &Generalize, common: &Common) -> Outcome {
    let started = Instant::now();
    let job = job(args, common)?;
    let to_stdout = is_to_stdout(job.output.as_ref(), common)?;
    let run = start(common)?;
    let report = job.run(&run)?;
    let text = if common.json { to_json(&report)? } else { render(&report, &Style::of_stdout()) };
    show(&text, to_stdout)?;
    if common.stats {
        talk(&stats::line(started, report.rows));
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
fn job(args: &Generalize, common: &Common) -> Result<GeneralizeJob, muslin::Error> {
    let Asked { read, mut roles, missing, mut hierarchies, .. } = Asked::new(&args.input)?;
    let (target, recode) = (&args.target, &args.recode);
    set_quasi_identifiers(&mut roles, target.quasi_identifiers.as_deref());
    for (name, file) in &recode.hierarchy {
        hierarchies.set(name, HierarchySource::File(file.clone()));
    }
    let spreads = target.diversity.iter().chain(&target.closeness).cloned().collect();
    Ok(GeneralizeJob {
        read,
        roles,
        missing,
        spreads,
        recoding: recode.recoding,
        hierarchies,
        hierarchy_folder: recode.hierarchies.clone(),
        suppression_limit: target.suppression_limit,
        labels: recode.labels,
        tight: recode.bounds == Bounds::Tight,
        grids: recode.grid.iter().cloned().collect(),
        cut: recode.cut,
        relaxed: recode.relaxed,
        output: args.release.output(common.seed),
        ..GeneralizeJob::new(Input::named(&args.input.file), target.k)
    })
}
