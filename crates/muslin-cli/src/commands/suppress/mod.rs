//! `muslin suppress`.

mod render;

use std::path::PathBuf;
use std::time::Instant;

use muslin::{BrokenDependency, Coverage, Destination, Input, ReleaseOutput, Stop, SuppressJob};

use self::render::render;
use super::input::{Asked, set_quasi_identifiers};
use super::{Outcome, is_to_stdout, show, start, talk, to_json};
use crate::args::{Common, Suppress};
use crate::exit::Exit;
use crate::stats;
use crate::style::Style;

/// Chooses the cells to withhold, writes the release that was asked for, and prints a report.
pub(crate) fn run(args: &Suppress, common: &Common) -> Outcome {
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

/// Where a table of our own goes.
fn table(file: Option<&PathBuf>) -> Option<ReleaseOutput> {
    file.map(|file| ReleaseOutput::new(Destination::named(file)))
}

/// The job that the flags and the policy file describe; flags win.
fn job(args: &Suppress, common: &Common) -> Result<SuppressJob, muslin::Error> {
    let Asked { read, mut roles, missing, .. } = Asked::new(&args.input)?;
    let search = &args.search;
    set_quasi_identifiers(&mut roles, search.quasi_identifiers.as_deref());
    let dependency = search.r#break.as_ref().map(|(from, to)| BrokenDependency {
        from: from.clone(),
        to: to.clone(),
        one_counterexample: search.one_counterexample,
    });
    Ok(SuppressJob {
        read,
        roles,
        missing,
        notion: search.notion,
        method: search.method,
        ties: search.ties,
        irredundant: search.irredundant,
        dependency,
        weights: search.weight.iter().cloned().collect(),
        budgets: search.budget.iter().cloned().collect(),
        diversity: search.diversity.clone(),
        robust: search.robust,
        closed: search.closed,
        gap: search.gap,
        output: args.release.output(common.seed),
        certificate: table(search.certificate.as_ref()),
        ledger: table(search.ledger.as_ref()),
        ..SuppressJob::new(Input::named(&args.input.file), search.k)
    })
}
