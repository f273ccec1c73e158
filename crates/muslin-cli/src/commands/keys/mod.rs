//! `muslin keys`.

mod render;
mod render_set;

use std::time::Instant;

use muslin::{Coverage, Destination, KeysAnswer, KeysOutput, KeysReport, Measure, Stop};
use muslin_command::Places;
use muslin_command::args::{Common, Keys};

pub(super) use self::render::{columns, heading, set_of};
pub(super) use self::render_set::{figures, looked_into};

use self::render::render;
use super::{Finished, Outcome, print, start, talk, to_json};
use crate::exit::Exit;
use crate::stats;
use crate::style::{Style, ratio};

/// Answers a question about keys, writes the list that was asked for, and prints a summary.
pub(crate) fn run(args: &Keys, common: &Common) -> Outcome {
    let started = Instant::now();
    let job = args.job(&Places::files())?;
    // Where the list goes to standard output, nothing else does.
    let to_stdout = |output: &KeysOutput| output.destination == Destination::Stdout;
    let summary = !job.output.as_ref().is_some_and(to_stdout);
    if common.json && !summary {
        return Err(Finished::Usage(
            "the list and the report cannot both go to standard output\n  hint: name a file for the list with `-o`",
        ));
    }
    let run = start(common)?;
    let report = job.run(&run)?;
    if common.json {
        print(&to_json(&report)?)?;
    } else if summary {
        print(&render(&report, &Style::of_stdout()))?;
    } else {
        report.warnings.iter().for_each(|warning| talk(&format!("! {warning}")));
    }
    let exit = ended(&report);
    if common.stats {
        talk(&stats::line(started, report.rows));
    }
    Ok(exit)
}

/// Says so on standard error when the answer is not what was asked for.
fn ended(report: &KeysReport) -> Exit {
    match report.coverage {
        Coverage::Stopped { by: Stop::Interrupted } => return Exit::Interrupted,
        Coverage::Stopped { by } => {
            talk(&format!("error: {by}"));
            return Exit::Limit;
        }
        _ => {}
    }
    if let KeysAnswer::Minimum(minimum) = &report.answer
        && report.is_unreachable()
    {
        let ceiling = minimum.whole.ceiling.as_ref();
        let most = ceiling.and_then(|all| match minimum.target.measure {
            Some(Measure::Distinct) => all.distinct_ratio,
            _ => all.separation_ratio,
        });
        let most = most.map_or(String::new(), |most| {
            format!("all columns together reach a ratio of {}; ", ratio(most))
        });
        let duplicates = if minimum.sample.is_some() { "" } else { "`--distinct-rows`, or " };
        talk(&format!(
            "error: no set of columns reaches the target\n  hint: {most}pass {duplicates}a `--measure` with a smaller `--beta`"
        ));
        return Exit::Unreachable;
    }
    Exit::Fine
}
