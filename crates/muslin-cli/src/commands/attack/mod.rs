//! `muslin attack`.

mod render;

use std::time::Instant;

use muslin_command::Places;
use muslin_command::args::{Attack, Common};

use self::render::render;
use super::{Outcome, next_line, print, start, talk, to_json};
use crate::exit::Exit;
use crate::stats;
use crate::style::Style;

/// Attacks a release and prints what the attacks infer. Where none could be tried, nothing was shown, and the exit code
/// says that something is missing.
pub(crate) fn run(args: &Attack, common: &Common) -> Outcome {
    let started = Instant::now();
    let job = args.job(&Places::files())?;
    let run = start(common)?;
    let report = job.run(&run)?;
    let style = Style::of_stdout();
    let text = if common.json {
        to_json(&report)?
    } else {
        render(&report, args.again().as_deref(), &style) + &next_line(args.next(), &style)
    };
    print(&text)?;
    if common.stats {
        talk(&stats::line(started, report.rows));
    }
    Ok(if report.attacks.is_empty() {
        Exit::Usage
    } else if report.met {
        Exit::Fine
    } else {
        Exit::NotMet
    })
}
