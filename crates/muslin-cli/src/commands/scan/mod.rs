mod parts;
mod render;

use std::time::Instant;

use muslin::{Input, printable, write_document};
use muslin_command::Places;
use muslin_command::args::{Common, Scan};

use super::{Outcome, print, start, talk, to_json};
use crate::exit::Exit;
use crate::stats;
use crate::style::Style;

/// Scans a file and prints what it found.
pub(crate) fn run(args: &Scan, common: &Common) -> Outcome {
    let started = Instant::now();
    let run = start(common)?;
    let mut report = args.job(&Places::files())?.run(&run)?;
    // What was said about reading the file goes for the next command as well.
    if let Some(next) = &mut report.next {
        next.extend(args.input.reading_flags());
    }
    if let Some(file) = &args.html {
        write_document(&report.document(), file, &[&Input::named(&args.input.file)])?;
        talk(&format!("Report written to {}.", printable(&file.display().to_string())));
    }
    let style = Style::of_stdout();
    let text = if common.json { to_json(&report)? } else { render::render(&report, &style) };
    print(&text)?;
    if common.stats {
        talk(&stats::line(started, report.rows));
    }
    Ok(Exit::Fine)
}
