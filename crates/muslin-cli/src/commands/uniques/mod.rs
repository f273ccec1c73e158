//! `muslin uniques`.

mod render;

use std::time::Instant;

use muslin::{Coverage, Destination, Stop, UniquesReport};
use muslin_command::Places;
use muslin_command::args::{Common, Uniques};

use self::render::{render, render_estimate};
use super::{Finished, Outcome, print, start, talk, to_json};
use crate::exit::Exit;
use crate::stats;
use crate::style::Style;

/// Finds minimal uniques, writes the table that was asked for, and prints a summary.
pub(crate) fn run(args: &Uniques, common: &Common) -> Outcome {
    let started = Instant::now();
    let job = args.job(&Places::files())?;
    // Where the table goes to standard output, nothing else does.
    let summary =
        job.output.as_ref().is_none_or(|output| output.destination != Destination::Stdout);
    if common.json && !summary {
        return Err(Finished::Usage(
            "the table and the report cannot both go to standard output\n  hint: name a file for the table with `-o`",
        ));
    }
    let run = start(common)?;
    let style = Style::of_stdout();
    let rows;
    let exit;
    if args.search.dry_run {
        let estimate = job.estimate(&run)?;
        let text =
            if common.json { to_json(&estimate)? } else { render_estimate(&estimate, &style) };
        print(&text)?;
        (rows, exit) = (estimate.rows, Exit::Fine);
    } else {
        let report = job.run(&run)?;
        if common.json {
            print(&to_json(&report)?)?;
        } else if summary {
            print(&render(&report, &style))?;
        } else {
            report.warnings.iter().for_each(|warning| talk(&format!("! {warning}")));
        }
        (rows, exit) = (report.rows, of_coverage(&report));
    }
    if common.stats {
        talk(&stats::line(started, rows));
    }
    Ok(exit)
}

/// Says so on standard error when a limit ended the search.
fn of_coverage(report: &UniquesReport) -> Exit {
    match report.coverage {
        Coverage::Stopped { by: Stop::Interrupted } => Exit::Interrupted,
        Coverage::Stopped { by } => {
            talk(&format!("error: {by}"));
            Exit::Limit
        }
        _ => Exit::Fine,
    }
}
