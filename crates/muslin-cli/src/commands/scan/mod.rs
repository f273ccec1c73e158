mod parts;
mod render;

use std::time::Instant;

use muslin::{Input, ScanJob, printable, write_document};

use super::input::Asked;
use super::{Outcome, print, start, talk, to_json};
use crate::args::{Common, Names, Scan};
use crate::exit::Exit;
use crate::stats;
use crate::style::Style;

/// Scans a file and prints what it found.
pub(crate) fn run(args: &Scan, common: &Common) -> Outcome {
    let started = Instant::now();
    let run = start(common)?;
    let mut report = job(args)?.run(&run)?;
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

fn job(args: &Scan) -> Result<ScanJob, muslin::Error> {
    let Asked { read, roles, missing, .. } = Asked::new(&args.input)?;
    let quasi_identifiers = args.quasi_identifiers.as_deref().map(Names::all);
    Ok(ScanJob {
        read,
        roles,
        missing,
        quasi_identifiers,
        k: args.k,
        budget: args.budget,
        ..ScanJob::new(Input::named(&args.input.file))
    })
}
