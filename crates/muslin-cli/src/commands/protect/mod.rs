//! `muslin protect`.

mod rehearsal;
mod render;

use std::time::Instant;

use muslin::{Input, MissingRule, ProtectJob, Seed};

use self::render::render;
use super::input::Asked;
use super::{Finished, Outcome, print, start, talk, to_json};
use crate::args::{Common, Protect};
use crate::exit::Exit;
use crate::stats;
use crate::style::Style;

/// Makes a release by a policy and prints what was made, or what would be.
pub(crate) fn run(args: &Protect, common: &Common) -> Outcome {
    let started = Instant::now();
    if args.input.missing.is_some_and(|rule| rule != MissingRule::Category) {
        return Err(Finished::Usage(
            "a missing cell is a value of its own when releases are made\n  hint: leave `--missing` out",
        ));
    }
    let job = job(args, common)?;
    let run = start(common)?;
    if args.dry_run {
        let report = job.rehearse(&run)?;
        let style = Style::of_stdout();
        print(&if common.json { to_json(&report)? } else { rehearsal::render(&report, &style) })?;
        if common.stats {
            talk(&stats::line(started, report.rows));
        }
        return Ok(Exit::Fine);
    }
    let report = job.run(&run)?;
    let text = if common.json { to_json(&report)? } else { render(&report, &Style::of_stdout()) };
    print(&text)?;
    if common.stats {
        talk(&stats::line(started, report.rows_before));
    }
    Ok(Exit::Fine)
}

/// The job that the flags and the policy file describe; flags win.
fn job(args: &Protect, common: &Common) -> Result<ProtectJob, muslin::Error> {
    let Asked { read, roles, missing: _, hierarchies: _, policy } = Asked::new(&args.input)?;
    let policy = policy.expect("the policy is a required flag");
    let text = args.input.policy.as_ref().and_then(|path| std::fs::read_to_string(path).ok());
    Ok(ProtectJob {
        read,
        roles,
        policy_text: text,
        seed: args.reproducible.then(|| Seed::new(common.seed)),
        ..ProtectJob::new(Input::named(&args.input.file), policy, &args.output)
    })
}
