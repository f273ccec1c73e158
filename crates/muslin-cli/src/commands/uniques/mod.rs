//! `muslin uniques`.

mod render;

use std::time::Instant;

use muslin::{
    Coverage, Destination, Input, Stop, UniquesJob, UniquesOutput, UniquesReport, UniquesTable,
    WriteOptions,
};

use self::render::{render, render_estimate};
use super::input::Asked;
use super::{Finished, Outcome, print, start, talk, to_json};
use crate::args::{Common, TableArgs, Uniques};
use crate::exit::Exit;
use crate::stats;
use crate::style::Style;

/// Finds minimal uniques, writes the table that was asked for, and prints a summary.
pub(crate) fn run(args: &Uniques, common: &Common) -> Outcome {
    let started = Instant::now();
    let output = output(&args.table)?;
    // Where the table goes to standard output, nothing else does.
    let summary = output.as_ref().is_none_or(|output| output.destination != Destination::Stdout);
    if common.json && !summary {
        return Err(Finished::Usage(
            "the table and the report cannot both go to standard output\n  hint: name a file for the table with `-o`",
        ));
    }
    let job = job(args, output)?;
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

/// The job that the flags and the policy file describe; flags win.
fn job(args: &Uniques, output: Option<UniquesOutput>) -> Result<UniquesJob, muslin::Error> {
    let Asked { read, roles, missing, .. } = Asked::new(&args.input)?;
    let search = &args.search;
    Ok(UniquesJob {
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
        ..UniquesJob::new(Input::named(&args.input.file))
    })
}

/// The table that the flags ask for.
fn output(args: &TableArgs) -> Result<Option<UniquesOutput>, Finished> {
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
            return Err(Finished::Usage(
                "no table to write was asked for\n  hint: add `--list`, `--scores`, `--groups`, `--novelty`, `--contributions` or `--values`",
            ));
        }
        return Ok(None);
    };
    let destination = args.output.as_ref().map_or(Destination::Stdout, Destination::named);
    let options = WriteOptions { format: args.format, ..WriteOptions::default() };
    Ok(Some(UniquesOutput { table, destination, options, show_values: args.show_values }))
}
