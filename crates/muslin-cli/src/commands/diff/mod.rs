//! `muslin diff`.

mod render;
mod table;

use std::time::Instant;

use muslin::{Coverage, Stop};
use muslin_command::Places;
use muslin_command::args::{Common, Diff};

use self::render::render;
use super::{Outcome, print, start, talk, to_json};
use crate::exit::Exit;
use crate::stats;
use crate::style::Style;

/// Measures what a release loses and prints a report.
pub(crate) fn run(args: &Diff, common: &Common) -> Outcome {
    let started = Instant::now();
    let job = args.job(common, &Places::files())?;
    let run = start(common)?;
    let style = Style::of_stdout();
    let (text, rows, coverage) = if args.release.len() > 1 {
        let report = job.run_each(&args.releases(&Places::files()), &run)?;
        let text = if common.json { to_json(&report)? } else { table::render(&report, &style) };
        (text, report.rows_before, report.coverage)
    } else {
        let report = job.run(&run)?;
        let text = if common.json { to_json(&report)? } else { render(&report, &style) };
        (text, report.rows_before, report.coverage)
    };
    print(&text)?;
    if common.stats {
        talk(&stats::line(started, rows));
    }
    Ok(match coverage {
        Coverage::Stopped { by: Stop::Interrupted } => Exit::Interrupted,
        Coverage::Stopped { by } => {
            talk(&format!("error: {by}"));
            Exit::Limit
        }
        _ => Exit::Fine,
    })
}
