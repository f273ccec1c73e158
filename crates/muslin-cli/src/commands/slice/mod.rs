//! `muslin slice`.

mod render;

use std::time::Instant;

use muslin::{Coverage, Stop};
use muslin_command::Places;
use muslin_command::args::{Common, Slice};

use self::render::render;
use super::{Outcome, is_to_stdout, show, start, talk, to_json};
use crate::exit::Exit;
use crate::stats;
use crate::style::Style;

/// Cuts links, writes the release that was asked for, and prints a report.
pub(crate) fn run(args: &Slice, common: &Common) -> Outcome {
    let started = Instant::now();
    let job = args.job(common, &Places::files())?;
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
