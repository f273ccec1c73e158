//! `muslin mask`.

mod render;

use std::time::Instant;

use muslin::{Coverage, Input, MaskJob, MaskMethod, MaskReport, Stop, Target};

use self::render::render;
use super::input::Asked;
use super::{Outcome, is_to_stdout, show, start, talk, to_json};
use crate::args::{Common, Mask, Names};
use crate::exit::Exit;
use crate::stats;
use crate::style::Style;

/// Chooses the columns to publish, writes the release that was asked for, and prints a report.
pub(crate) fn run(args: &Mask, common: &Common) -> Outcome {
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
    Ok(exit(&report))
}

/// How the program ends; says why on standard error when that is not well.
fn exit(report: &MaskReport) -> Exit {
    match (report.coverage, report.unreached()) {
        (Coverage::Stopped { by: Stop::Interrupted }, _) => Exit::Interrupted,
        (Coverage::Stopped { by }, _) => {
            talk(&format!("error: {by}"));
            Exit::Limit
        }
        (_, Some(error)) => {
            talk(&format!("error: {error}"));
            Exit::from(error.failure())
        }
        (_, None) => Exit::Fine,
    }
}

/// The job that the flags and the policy file describe; flags win.
fn job(args: &Mask, common: &Common) -> Result<MaskJob, muslin::Error> {
    let Asked { read, roles, missing, .. } = Asked::new(&args.input)?;
    let search = &args.search;
    let method = match search.sample {
        _ if search.exact => MaskMethod::Exact,
        Some(draws) => MaskMethod::Sampled { draws, delta: search.delta },
        None => MaskMethod::Greedy,
    };
    let output = args.release.output(common.seed);
    let target = Target::new(search.measure, search.beta);
    Ok(MaskJob {
        read,
        roles,
        missing,
        method,
        keep: Names::all(&search.keep),
        drop: Names::all(&search.drop),
        weights: search.weight.iter().cloned().collect(),
        distinct_rows: search.distinct_rows,
        output,
        ..MaskJob::new(Input::named(&args.input.file), target)
    })
}
