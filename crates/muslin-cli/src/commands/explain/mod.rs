//! `muslin explain`.

mod render;
mod render_columns;
mod render_row;

use std::time::Instant;

use muslin::{Coverage, ExplainReport, Stop};
use muslin_command::Places;
use muslin_command::args::{Common, Explain};

use self::render::render;
use super::{Outcome, print, start, talk, to_json};
use crate::exit::Exit;
use crate::stats;
use crate::style::Style;

/// Explains a row or a set of columns, and prints a report.
pub(crate) fn run(args: &Explain, common: &Common) -> Outcome {
    let started = Instant::now();
    let job = args.job(&Places::files())?;
    let run = start(common)?;
    let report = job.run(&run)?;
    print(&if common.json { to_json(&report)? } else { render(&report, &Style::of_stdout()) })?;
    let exit = ended(&report);
    if common.stats {
        talk(&stats::line(started, report.rows));
    }
    Ok(exit)
}

/// Says so on standard error when the answer is not all of it.
fn ended(report: &ExplainReport) -> Exit {
    match report.coverage {
        Coverage::Stopped { by: Stop::Interrupted } => Exit::Interrupted,
        Coverage::Stopped { by } => {
            talk(&format!("error: {by}"));
            Exit::Limit
        }
        _ => Exit::Fine,
    }
}
