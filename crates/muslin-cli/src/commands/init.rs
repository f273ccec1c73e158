//! `muslin init`.

use std::path::Path;
use std::time::Instant;

use muslin::{InitReport, Role, printable};
use muslin_command::Places;
use muslin_command::args::{Common, Init};

use super::input::title;
use super::{Finished, Outcome, decide, next_line, print, start, talk, to_json};
use crate::exit::Exit;
use crate::stats;
use crate::style::{Style, counted, list};

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
    let title = format!("{} written: check every role in it", printable(file));
    text += &style.heading(style.wrap(&title, 0).trim_end());
    text += "\n\n";
    for (role, names) in &report.roles {
        text += &style.wrap(&format!("{role}: {}", list(names)), 2);
    }
    let undecided = report.roles.get(Role::Undecided.name()).map_or(&[][..], Vec::as_slice);
    if !undecided.is_empty() {
        let text_of = format!(
            "! {} undecided: no release is made before each has a role. Write it into {}, or pass it as `--decide NAME=ROLE`; `identifier` publishes nothing of a column.",
            counted(undecided.len() as u64, "column"),
            printable(file)
        );
        text += &style.wrap(&text_of, 2);
    }
    for warning in &report.warnings {
        text += &style.wrap(&format!("! {warning}"), 2);
    }
    if !undecided.is_empty() {
        let input = args.input.file.display().to_string();
        let decide = decide(&input, file, undecided);
        return text + "\n" + &style.with_copied("next:", &decide, 0);
    }
    text + &next_line(args.next(), style)
}
