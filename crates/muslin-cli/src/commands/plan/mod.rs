//! `muslin plan`.

mod render;

use std::time::Instant;

use muslin_command::Places;
use muslin_command::args::{Common, Plan};

use self::render::render;
use super::{Outcome, next_line, print, start, talk, to_json};
use crate::exit::Exit;
use crate::stats;
use crate::style::Style;

/// Tries protections and prints what each would leave.
pub(crate) fn run(args: &Plan, common: &Common) -> Outcome {
    let started = Instant::now();
    let (job, ks) = args.job(&Places::files())?;
    let run = start(common)?;
    let report = job.plan(&ks, args.budget, &run)?;
    let style = Style::of_stdout();
    let text = if common.json {
        to_json(&report)?
    } else {
        render(&report, &style) + &next_line(args.next(), &style)
    };
    print(&text)?;
    if common.stats {
        talk(&stats::line(started, report.rows));
    }
    Ok(Exit::Fine)
}
