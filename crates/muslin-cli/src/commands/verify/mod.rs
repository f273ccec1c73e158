//! `muslin verify`.

mod render;

use std::time::Instant;

use muslin_command::Places;
use muslin_command::args::{Common, Verify};

use self::render::render;
use super::{Outcome, print, start, talk, to_json};
use crate::exit::Exit;
use crate::stats;
use crate::style::Style;

/// Judges a release and prints the verdict.
pub(crate) fn run(args: &Verify, common: &Common) -> Outcome {
    let started = Instant::now();
    let job = args.job(&Places::files())?;
    let run = start(common)?;
    let report = job.run(&run)?;
    let text = if common.json { to_json(&report)? } else { render(&report, &Style::of_stdout()) };
    print(&text)?;
    if common.stats {
        talk(&stats::line(started, report.rows));
    }
    Ok(if report.met { Exit::Fine } else { Exit::NotMet })
}
