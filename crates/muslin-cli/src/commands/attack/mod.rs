//! `muslin attack`.

mod render;

use std::time::Instant;

use muslin::{AttackJob, ColumnChoice, HierarchySource, Input, MissingRule, Policy, ReadOptions};

use self::render::render;
use super::input::Asked;
use super::{Finished, Outcome, print, start, talk, to_json};
use crate::args::{Attack, Common, Names};
use crate::exit::Exit;
use crate::stats;
use crate::style::Style;

/// Attacks a release and prints what that gains.
pub(crate) fn run(args: &Attack, common: &Common) -> Outcome {
    let started = Instant::now();
    if args.input.missing.is_some_and(|rule| rule != MissingRule::Category) {
        return Err(Finished::Usage(
            "a missing cell is a value of its own when releases are attacked\n  hint: leave `--missing` out",
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
fn job(args: &Attack) -> Result<AttackJob, muslin::Error> {
    let Asked { read, roles, missing: _, mut hierarchies, policy } = Asked::new(&args.input)?;
    let (attacker, made) = (&args.attacker, &args.made);
    for (name, file) in &made.hierarchy {
        hierarchies.set(name, HierarchySource::File(file.clone()));
    }
    let is_flagged = args.input.columns.is_some() || args.input.exclude.is_some();
    // What the policy says of types and columns is about the original.
    let original_read = ReadOptions { csv: muslin::CsvOptions::default(), ..read.clone() };
    let columns = if is_flagged { read.columns.clone() } else { ColumnChoice::All };
    let types = args.input.types.iter().cloned().collect();
    // Columns are told by their names, so there are names.
    let csv = muslin::CsvOptions { header: read.csv.header.or(Some(true)), ..read.csv };
    Ok(AttackJob {
        original: attacker.original.as_ref().map(Input::named),
        read: ReadOptions { csv, columns, types, ..read },
        original_read: Some(original_read),
        roles,
        quasi_identifiers: attacker.quasi_identifiers.as_deref().map(Names::all),
        sensitive: attacker.sensitive.clone(),
        bucket: made.bucket.clone(),
        slices: made.slices.as_ref().map(|slices| slices.0.clone()),
        sensitive_table: made.sensitive_table.as_ref().map(Input::named),
        token: made.token.clone(),
        k: made.k.or_else(|| policy.as_ref().and_then(Policy::k)),
        notion: made.notion,
        aux: attacker.aux.as_ref().map(Input::named),
        on: attacker.on.as_deref().map(Names::all).unwrap_or_default(),
        id: attacker.id.clone(),
        previous: attacker.previous.as_ref().map(Input::named),
        seeds: attacker.seeds,
        hierarchies,
        hierarchy_folder: made.hierarchies.clone(),
        only: attacker.only.as_deref().map(Names::all),
        max_advantage: attacker.max_advantage,
        ..AttackJob::new(Input::named(&args.input.file))
    })
}
