//! `muslin bucketize`.

mod render;

use std::time::Instant;

use muslin::{BucketizeJob, Coverage, Destination, Input, ReleaseOutput, Stop};

use self::render::render;
use super::input::{Asked, set_quasi_identifiers};
use super::{Outcome, is_to_stdout, show, start, talk, to_json};
use crate::args::{Bucketize, Common};
use crate::exit::Exit;
use crate::stats;
use crate::style::Style;

/// Puts rows into buckets, writes the tables that were asked for, and prints a report.
pub(crate) fn run(args: &Bucketize, common: &Common) -> Outcome {
    let started = Instant::now();
    let job = job(args, common)?;
    let to_stdout = is_to_stdout(job.output.as_ref(), common)?
        | is_to_stdout(job.sensitive_output.as_ref(), common)?;
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
fn job(args: &Bucketize, common: &Common) -> Result<BucketizeJob, muslin::Error> {
    let Asked { read, mut roles, missing, .. } = Asked::new(&args.input)?;
    let buckets = &args.buckets;
    set_quasi_identifiers(&mut roles, buckets.quasi_identifiers.as_deref());
    let output = args.release.output(common.seed);
    let sensitive_output = output.as_ref().zip(args.sensitive_table.as_ref());
    let sensitive_output = sensitive_output.map(|(output, file)| ReleaseOutput {
        destination: Destination::named(file),
        ..output.clone()
    });
    Ok(BucketizeJob {
        read,
        roles,
        missing,
        sensitive: buckets.sensitive.clone(),
        method: buckets.method,
        bucket_name: buckets.bucket_name.clone(),
        output,
        sensitive_output,
        ..BucketizeJob::new(Input::named(&args.input.file), buckets.l)
    })
}
