//! `muslin init`.

use std::path::Path;
use std::time::Instant;

use muslin::{InitReport, printable};
use muslin_command::Places;
use muslin_command::args::{Common, Init, command_for_shell};

use super::input::title;
use super::{Finished, Outcome, print, start, talk, to_json};
use crate::exit::Exit;
use crate::stats;
use crate::style::{Style, list};

/// Writes a first policy for a file.
pub(crate) fn run(args: &Init, common: &Common) -> Outcome {
    let started = Instant::now();
    let is_printed = args.output == Path::new("-");
    if is_printed && common.json {
        return Err(Finished::Usage(
            "the policy and the report cannot both go to standard output\n  hint: leave `--json` or `-o -` out",
        ));
    }
    let job = args.job(&Places::files())?;
    let run = start(common)?;
    let report = if is_printed { job.run(&run)? } else { job.write(&args.output, &run)? };
    let text = match (is_printed, common.json) {
        (true, _) => report.policy.clone(),
        (_, true) => to_json(&report)?,
        _ => render(&report, args, &Style::of_stdout()),
    };
    print(&text)?;
    if common.stats {
        talk(&stats::line(started, report.rows));
    }
    Ok(Exit::Fine)
}

fn render(report: &InitReport, args: &Init, style: &Style) -> String {
    let columns = report.roles.values().map(Vec::len).sum();
    let mut text = title(&report.input, report.rows, columns, style);
    text.push('\n');
    let file = report.written.as_deref().unwrap_or_default();
    text += &style.heading(&format!("{} written: look at every role in it", printable(file)));
    text += "\n\n";
    for (role, names) in &report.roles {
        text += &style.wrap(&format!("{role}: {}", list(names)), 2);
    }
    for warning in &report.warnings {
        text += &style.wrap(&format!("! {warning}"), 2);
    }
    let input = args.input.file.display().to_string();
    let next = ["muslin", "protect", &input, "-p", file, "-o", "release", "--dry-run"];
    let next: Vec<String> = next.iter().map(|&word| word.to_owned()).collect();
    text + &format!("\nnext: {}\n", command_for_shell(&next))
}
