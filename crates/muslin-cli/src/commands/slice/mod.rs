//! `muslin slice`.

mod render;

use std::time::Instant;

use muslin::{Coverage, HierarchySource, Input, SliceJob, SliceSetting, Stop};

use self::render::render;
use super::input::Asked;
use super::{Outcome, is_to_stdout, show, start, talk, to_json};
use crate::args::{Common, Slice};
use crate::exit::Exit;
use crate::stats;
use crate::style::Style;

/// Cuts links, writes the release that was asked for, and prints a report.
pub(crate) fn run(args: &Slice, common: &Common) -> Outcome {
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
fn job(args: &Slice, common: &Common) -> Result<SliceJob, muslin::Error> {
    let Asked { read, roles, missing, mut hierarchies, .. } = Asked::new(&args.input)?;
    let (cut, how) = (&args.cut, &args.how);
    for (name, file) in &how.hierarchy {
        hierarchies.set(name, HierarchySource::File(file.clone()));
    }
    let slices = match &cut.slices {
        Some(slices) => SliceSetting::Given(slices.0.clone()),
        None => SliceSetting::Found { count: cut.count, with_sensitive: cut.with_sensitive },
    };
    Ok(SliceJob {
        read,
        roles,
        missing,
        sensitive: cut.sensitive.clone(),
        slices,
        one_attempt: how.one_attempt,
        relaxed: how.relaxed,
        check: how.check,
        levels: how.level.iter().cloned().collect(),
        hierarchies,
        hierarchy_folder: how.hierarchies.clone(),
        membership: how.membership,
        bucket_name: how.bucket_name.clone(),
        output: args.release.output(common.seed),
        ..SliceJob::new(Input::named(&args.input.file), cut.l)
    })
}
