//! `muslin protect`.

mod rehearsal;
mod render;

use std::time::Instant;

use muslin_command::Places;
use muslin_command::args::{Common, Protect};

use self::render::render;
use super::{Outcome, next_line, print, start, talk, to_json};
use crate::exit::Exit;
use crate::stats;
use crate::style::Style;

/// Makes a release by a policy and prints what was made, or what would be.
pub(crate) fn run(args: &Protect, common: &Common) -> Outcome {
    let started = Instant::now();
    let job = args.job(common, &Places::files())?;
    let run = start(common)?;
    if args.dry_run {
        let report = job.rehearse(&run)?;
        let style = Style::of_stdout();
        let text = if common.json {
            to_json(&report)?
        } else {
            rehearsal::render(&report, &style) + &next_line(args.next(), &style)
        };
        print(&text)?;
        if common.stats {
            talk(&stats::line(started, report.rows));
        }
        return Ok(Exit::Fine);
    }
    let report = job.run(&run)?;
    let style = Style::of_stdout();
    let text = if common.json {
        to_json(&report)?
    } else {
        render(&report, &style) + &next_line(args.next(), &style)
    };
    print(&text)?;
    if common.stats {
        talk(&stats::line(started, report.rows_before));
    }
    Ok(Exit::by(report.verdict, args.verdict.allow_findings))
}
