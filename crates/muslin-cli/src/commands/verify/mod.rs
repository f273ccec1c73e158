//! `muslin verify`.

mod render;

use std::time::Instant;

use muslin::{ColumnChoice, HierarchySource, Input, MissingRule, Policy, ReadOptions, VerifyJob};

use self::render::render;
use super::input::Asked;
use super::{Finished, Outcome, print, start, talk, to_json};
use crate::args::{Common, Names, Verify};
use crate::exit::Exit;
use crate::stats;
use crate::style::Style;

/// Judges a release and prints the verdict.
pub(crate) fn run(args: &Verify, common: &Common) -> Outcome {
    let started = Instant::now();
    if args.input.missing.is_some_and(|rule| rule != MissingRule::Category) {
        return Err(Finished::Usage(
            "a missing cell is a value of its own when releases are judged\n  hint: leave `--missing` out",
        ));
    }
    let job = job(args)?;
    let run = start(common)?;
    let report = job.run(&run)?;
    let text = if common.json { to_json(&report)? } else { render(&report, &Style::of_stdout()) };
    print(&text)?;
    if common.stats {
        talk(&stats::line(started, report.rows));
    }
    Ok(if report.met { Exit::Fine } else { Exit::NotMet })
}

/// The job that the flags and the policy file describe; flags win.
fn job(args: &Verify) -> Result<VerifyJob, muslin::Error> {
    let Asked { read, roles, missing: _, mut hierarchies, policy } = Asked::new(&args.input)?;
    let claimed = &args.claimed;
    for (name, file) in &args.labels.hierarchy {
        hierarchies.set(name, HierarchySource::File(file.clone()));
    }
    let is_flagged = args.input.columns.is_some() || args.input.exclude.is_some();
    // What the policy says of types and columns is about the original.
    let original_read = ReadOptions { csv: muslin::CsvOptions::default(), ..read.clone() };
    let columns = if is_flagged { read.columns.clone() } else { ColumnChoice::All };
    let types = args.input.types.iter().cloned().collect();
    // Columns are told by their names, so there are names.
    let csv = muslin::CsvOptions { header: read.csv.header.or(Some(true)), ..read.csv };
    let mut spreads: Vec<_> = claimed.diversity.iter().chain(&claimed.closeness).cloned().collect();
    if spreads.is_empty() {
        spreads = policy.as_ref().map(Policy::spreads).unwrap_or_default();
    }
    Ok(VerifyJob {
        original: claimed.original.as_ref().map(Input::named),
        read: ReadOptions { csv, columns, types, ..read },
        original_read: Some(original_read),
        roles,
        quasi_identifiers: claimed.quasi_identifiers.as_deref().map(Names::all),
        token: claimed.token.clone(),
        k: claimed.k.or_else(|| policy.as_ref()?.k()),
        spreads,
        claims: policy.as_ref().map(Policy::claims).unwrap_or_default(),
        claims_file: claimed.claims.clone(),
        certificate: claimed.certificate.as_ref().map(Input::named),
        weights: claimed.weight.iter().cloned().collect(),
        hierarchies,
        hierarchy_folder: args.labels.hierarchies.clone(),
        bucket: args.labels.bucket.clone(),
        slices: args.labels.slices.as_ref().map(|slices| slices.0.clone()),
        sensitive: claimed.sensitive.clone(),
        sensitive_table: args.labels.sensitive_table.as_ref().map(Input::named),
        ..VerifyJob::new(Input::named(&args.input.file))
    })
}
