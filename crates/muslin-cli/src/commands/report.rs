//! `muslin report`.

use std::path::Path;
use std::time::Instant;

use muslin::{Document, DocumentFormat, Input, printable, write_document};
use muslin_command::Places;
use muslin_command::args::{Common, Report};

use super::{Finished, Outcome, print, start, talk, to_json};
use crate::exit::Exit;
use crate::stats;
use crate::style::Style;

/// Writes a report for people.
pub(crate) fn run(args: &Report, common: &Common) -> Outcome {
    let started = Instant::now();
    let is_printed = args.output == Path::new("-");
    let Some(format) = DocumentFormat::of(&args.output) else {
        return Err(Finished::Usage(
            "the file's name does not say what to write\n  hint: name it `.html`, `.md` or `.json`",
        ));
    };
    let job = args.job(&Places::files())?;
    let run = start(common)?;
    let document = job.run(&run)?;
    if !is_printed {
        let inputs: Vec<&Input> =
            [Some(&job.input), job.release.as_ref()].into_iter().flatten().collect();
        write_document(&document, &args.output, &inputs)?;
    }
    let text = match (common.json, is_printed) {
        (true, _) => to_json(&document)?,
        (_, true) => format.spell(&document)?,
        _ => said(&document, args),
    };
    print(&text)?;
    if common.stats {
        talk(&stats::line(started, document.rows));
    }
    Ok(Exit::Fine)
}

fn said(document: &Document, args: &Report) -> String {
    let file = args.output.display().to_string();
    let style = Style::of_stdout();
    style.wrap(&document.verdict.headline, 0)
        + &style.wrap(&format!("Written: {}", printable(&file)), 2)
}
