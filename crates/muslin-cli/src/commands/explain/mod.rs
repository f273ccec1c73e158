//! `muslin explain`.

mod render;
mod render_columns;
mod render_row;

use std::time::Instant;

use muslin::{Coverage, ExplainJob, ExplainQuestion, ExplainReport, Input, Stop};

use self::render::render;
use super::input::{Asked, set_quasi_identifiers};
use super::{Finished, Outcome, print, start, talk, to_json};
use crate::args::{Common, Explain, Names};
use crate::exit::Exit;
use crate::stats;
use crate::style::Style;

/// Explains a row or a set of columns, and prints a report.
pub(crate) fn run(args: &Explain, common: &Common) -> Outcome {
    let started = Instant::now();
    let job = job(args)?;
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

/// The job that the flags and the policy file describe; flags win.
fn job(args: &Explain) -> Result<ExplainJob, Finished> {
    let asked = &args.question;
    let question = match (asked.row, &args.input.columns) {
        (Some(row), None) => ExplainQuestion::Row(row),
        (None, Some(columns)) => ExplainQuestion::Columns(Names::all(columns)),
        (None, None) => {
            return Err(Finished::Usage(
                "what to explain was not said\n  hint: pass `--row 0` for the first row, or `--columns` with some names for a set of columns",
            ));
        }
        (Some(_), Some(_)) => {
            return Err(Finished::Usage(
                "a row and a set of columns are two questions\n  hint: leave one out; which columns a row is looked at by is said by `--qi`",
            ));
        }
    };
    if asked.quasi_identifiers.is_some() && asked.row.is_none() {
        return Err(Finished::Usage(
            "a set of columns is looked at by itself\n  hint: name all of it in `--columns`; `--qi` goes with `--row`",
        ));
    }
    let Asked { read, mut roles, missing, .. } = Asked::new(&args.input)?;
    set_quasi_identifiers(&mut roles, asked.quasi_identifiers.as_deref());
    Ok(ExplainJob {
        read,
        roles,
        missing,
        max_size: asked.max_size,
        score: asked.score,
        limit: asked.limit,
        nearest: asked.nearest,
        show_values: asked.show_values,
        ..ExplainJob::new(Input::named(&args.input.file), question)
    })
}
