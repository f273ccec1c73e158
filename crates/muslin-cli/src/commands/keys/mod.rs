//! `muslin keys`.

mod render;
mod render_set;

use std::time::Instant;

use muslin::{
    AllSets, Coverage, Destination, Input, KeysAnswer, KeysJob, KeysOutput, KeysQuestion,
    KeysReport, Measure, SampledSet, SetsMethod, Stop, Target, WriteOptions,
};

pub(super) use self::render::{columns, heading, set_of};
pub(super) use self::render_set::{figures, looked_into};

use self::render::render;
use super::input::Asked;
use super::{Finished, Outcome, print, start, talk, to_json};
use crate::args::{Common, Keys, MinimumArgs, Names, QuestionArgs};
use crate::exit::Exit;
use crate::stats;
use crate::style::{Style, ratio};

/// The probability with which a sample may mislead.
const DELTA: f64 = 0.01;

/// Answers a question about keys, writes the list that was asked for, and prints a summary.
pub(crate) fn run(args: &Keys, common: &Common) -> Outcome {
    let started = Instant::now();
    let job = job(args)?;
    // Where the list goes to standard output, nothing else does.
    let to_stdout = |output: &KeysOutput| output.destination == Destination::Stdout;
    let summary = !job.output.as_ref().is_some_and(to_stdout);
    if common.json && !summary {
        return Err(Finished::Usage(
            "the list and the report cannot both go to standard output\n  hint: name a file for the list with `-o`",
        ));
    }
    let run = start(common)?;
    let report = job.run(&run)?;
    if common.json {
        print(&to_json(&report)?)?;
    } else if summary {
        print(&render(&report, &Style::of_stdout()))?;
    } else {
        report.warnings.iter().for_each(|warning| talk(&format!("! {warning}")));
    }
    let exit = ended(&report);
    if common.stats {
        talk(&stats::line(started, report.rows));
    }
    Ok(exit)
}

/// Says so on standard error when the answer is not what was asked for.
fn ended(report: &KeysReport) -> Exit {
    match report.coverage {
        Coverage::Stopped { by: Stop::Interrupted } => return Exit::Interrupted,
        Coverage::Stopped { by } => {
            talk(&format!("error: {by}"));
            return Exit::Limit;
        }
        _ => {}
    }
    if let KeysAnswer::Minimum(minimum) = &report.answer
        && report.is_unreachable()
    {
        let ceiling = minimum.whole.ceiling.as_ref();
        let most = ceiling.and_then(|all| match minimum.target.measure {
            Some(Measure::Distinct) => all.distinct_ratio,
            _ => all.separation_ratio,
        });
        let most = most.map_or(String::new(), |most| {
            format!("all columns together reach a ratio of {}; ", ratio(most))
        });
        let duplicates = if minimum.sample.is_some() { "" } else { "`--distinct-rows`, or " };
        talk(&format!(
            "error: no set of columns reaches the target\n  hint: {most}pass {duplicates}a `--measure` with a smaller `--beta`"
        ));
        return Exit::Unreachable;
    }
    Exit::Fine
}

/// The job that the flags and the policy file describe; flags win.
fn job(args: &Keys) -> Result<KeysJob, Finished> {
    let question = question(args)?;
    let Asked { read, roles, missing, .. } = Asked::new(&args.input)?;
    let output = args.all.output.as_ref().map(|file| KeysOutput {
        destination: Destination::named(file),
        options: WriteOptions { format: args.all.format, ..WriteOptions::default() },
    });
    Ok(KeysJob {
        read,
        roles,
        missing,
        distinct_rows: args.question.distinct_rows,
        question,
        costs: args.minimum.cost.iter().cloned().collect(),
        output,
        ..KeysJob::new(Input::named(&args.input.file))
    })
}

/// What the flags ask.
fn question(args: &Keys) -> Result<KeysQuestion, Finished> {
    let asked = &args.question;
    if let Some(columns) = &asked.set {
        return Ok(KeysQuestion::Set { columns: Names::all(columns), sample: asked.sample });
    }
    let method = args.all.method.unwrap_or_default();
    let samples = matches!(method, SetsMethod::LevelwiseOneSample | SetsMethod::LevelwiseSamples);
    if asked.delta.is_some() && args.minimum.epsilon.is_none() && !samples {
        return Err(Finished::Usage(
            "nothing is sampled, so nothing may mislead\n  hint: `--delta` goes with `--minimum --epsilon`, and with `--all --method levelwise-samples`",
        ));
    }
    if asked.all {
        let target = target(asked)?;
        return Ok(KeysQuestion::All(AllSets {
            method,
            delta: asked.delta.unwrap_or(DELTA),
            max_size: args.all.max_size,
            limit: args.all.limit,
            ..AllSets::new(target)
        }));
    }
    if !asked.minimum {
        return match asked.measure {
            Some(_) => Err(Finished::Usage(
                "a measure belongs to a set that is looked for\n  hint: add `--all` or `--minimum`",
            )),
            None => Ok(KeysQuestion::Overview),
        };
    }
    match args.minimum.epsilon {
        Some(epsilon) => Ok(KeysQuestion::Sampled(sampled(asked, &args.minimum, epsilon))),
        None => Ok(KeysQuestion::Minimum { target: target(asked)?, exact: args.minimum.exact }),
    }
}

fn sampled(asked: &QuestionArgs, minimum: &MinimumArgs, epsilon: f64) -> SampledSet {
    let measure = asked.measure.unwrap_or(Measure::Separation);
    SampledSet {
        beta: asked.beta,
        bound: minimum.bound,
        verify: !minimum.no_verify,
        ..SampledSet::new(measure, epsilon, asked.delta.unwrap_or(DELTA))
    }
}

fn target(asked: &QuestionArgs) -> Result<Target, Finished> {
    match (asked.measure, asked.beta) {
        (Some(measure), Some(beta)) => Ok(Target::new(measure, beta)),
        (None, _) => Ok(Target::key()),
        (Some(_), None) => Err(Finished::Usage(
            "how much of the measure is enough was not said\n  hint: add a `--beta` such as 0.95; without both, keys are looked for",
        )),
    }
}
