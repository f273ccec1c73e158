//! `muslin plan`.

mod render;

use std::time::Instant;

use muslin::{Input, MissingRule, Policy, ProtectJob};

use self::render::render;
use super::input::Asked;
use super::{Finished, Outcome, print, start, talk, to_json};
use crate::args::{Common, Plan};
use crate::exit::Exit;
use crate::stats;
use crate::style::Style;

/// Values of k that are tried where nobody says.
const KS: [u32; 4] = [3, 5, 10, 20];

/// Tries protections and prints what each would leave.
pub(crate) fn run(args: &Plan, common: &Common) -> Outcome {
    let started = Instant::now();
    if args.input.missing.is_some_and(|rule| rule != MissingRule::Category) {
        return Err(Finished::Usage(
            "a missing cell is a value of its own when releases are made\n  hint: leave `--missing` out",
        ));
    }
    let Asked { read, roles, missing: _, hierarchies: _, policy } = Asked::new(&args.input)?;
    let policy = match policy {
        Some(policy) => policy,
        None => Policy::parse("no policy", "schema = 1")?,
    };
    let mut ks = if args.k.is_empty() { KS.to_vec() } else { args.k.clone() };
    ks.extend(policy.k().filter(|_| args.k.is_empty()));
    ks.sort_unstable();
    ks.dedup();
    let job =
        ProtectJob { read, roles, ..ProtectJob::new(Input::named(&args.input.file), policy, "") };
    let run = start(common)?;
    let report = job.plan(&ks, &run)?;
    let text = if common.json { to_json(&report)? } else { render(&report, &Style::of_stdout()) };
    print(&text)?;
    if common.stats {
        talk(&stats::line(started, report.rows));
    }
    Ok(Exit::Fine)
}
