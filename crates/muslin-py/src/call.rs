//! A call: its words as a job, the job done, what came out.

use std::path::Path;
use std::sync::Arc;

use clap::Parser;
use muslin::{
    Cancel, Coverage, DiffReport, Document, Figure, Input, Spelling, Stop, association_figure,
    loss_figure, marginal_figure, write_document,
};
use muslin_command::Places;
use muslin_command::args::{Args, Command, Report, Scan};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;

use crate::answer::{Answer, Done};
use crate::errors::{Failed, of_parser};
use crate::settings::{Words, args_of, name_of};
use crate::watch::{Gauge, watched};

/// Does what a command does on tables, by settings of its flags' names. `show(stage, done, total)` is called
/// now and then. Tables of the settings in `held` stay in memory where no file is named for them.
#[expect(clippy::needless_pass_by_value, reason = "Python hands lists over")]
#[pyfunction]
#[pyo3(signature = (command, tables, settings, held, show = None))]
pub(crate) fn call(
    py: Python<'_>,
    command: &str,
    tables: Vec<Bound<'_, PyAny>>,
    settings: &Bound<'_, PyDict>,
    held: Vec<String>,
    show: Option<&Bound<'_, PyAny>>,
) -> PyResult<Answer> {
    let settings = settings.copy()?;
    for name in &held {
        if settings.get_item(name)?.is_none_or(|value| value.is_none()) {
            settings.set_item(name, true)?;
        }
    }
    let words = Words::new(command, &tables, &settings)?;
    let args = Args::try_parse_from(&words.all)
        .map_err(|error| Failed::Words(of_parser(&error)).raise(py))?;
    let (gauge, cancel) = (Arc::new(Gauge::default()), Cancel::default());
    let run = args.common.to_run().map_err(|wrong| Failed::Wrong(wrong).raise(py))?;
    // Threads of its own: those that all calls of a process would share do not outlive a fork.
    let run = match args.common.threads {
        Some(_) => run,
        None => run
            .threads(cores())
            .map_err(|error| Failed::from(muslin::Error::from(error)).raise(py))?,
    };
    let run = run.cancel(cancel.clone()).progress(Arc::clone(&gauge) as _);
    let places = words.places;
    let work = move || run.install(|| perform(&args, &places, &run));
    let done = watched(py, &gauge, &cancel, show, work)?;
    Ok(Answer { done, held: words.held })
}

/// Threads where nobody says how many.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A text with flags in it, in the words of arguments.
#[pyfunction]
pub(crate) fn spelled(text: &str) -> String {
    Spelling::Arguments.of(text)
}

/// The settings that a command takes: names, and what they are for.
#[pyfunction]
pub(crate) fn flags(command: &str) -> Vec<(String, String)> {
    let said = |arg: &clap::Arg| {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let values: Vec<_> = arg.get_possible_values();
        let names: Vec<&str> = values.iter().map(clap::builder::PossibleValue::get_name).collect();
        let is_choice = !names.is_empty() && !matches!(names[0], "yes" | "true");
        let choice =
            if is_choice { format!(" One of {}.", names.join(", ")) } else { String::new() };
        (name_of(arg), Spelling::Arguments.of(&help) + &choice)
    };
    args_of(command).iter().map(said).collect()
}

fn perform(args: &Args, places: &Places, run: &muslin::Run) -> Result<Done, Failed> {
    let common = &args.common;
    args.check_places(places)?;
    match &args.command {
        Command::Scan(args) => scan(args, places, run),
        Command::Init(args) => {
            let job = args.job(places)?;
            let is_kept = args.output == Path::new("-");
            reported(&if is_kept { job.run(run)? } else { job.write(&args.output, run)? })
        }
        Command::Uniques(args) if args.search.dry_run => {
            reported(&args.job(places)?.estimate(run)?)
        }
        Command::Uniques(args) => {
            let report = args.job(places)?.run(run)?;
            Ok(reported(&report)?.of(report.coverage))
        }
        Command::Keys(args) => {
            let report = args.job(places)?.run(run)?;
            let done = reported(&report)?.of(report.coverage);
            if done.stopped.is_none() && report.is_unreachable() {
                return Err(Failed::Infeasible("no set of columns reaches the target\n  hint: pass `--distinct-rows`, or a `--measure` with a smaller `--beta`".into()));
            }
            Ok(done)
        }
        Command::Explain(args) => {
            let report = args.job(places)?.run(run)?;
            Ok(reported(&report)?.of(report.coverage))
        }
        Command::Mask(args) => {
            let report = args.job(common, places)?.run(run)?;
            if let Some(error) = report.unreached() {
                return Err(error.into());
            }
            Ok(reported(&report)?.of(report.coverage))
        }
        Command::Suppress(args) => {
            let report = args.job(common, places)?.run(run)?;
            Ok(reported(&report)?.of(report.coverage))
        }
        Command::Generalize(args) => {
            let report = args.job(common, places)?.run(run)?;
            Ok(reported(&report)?.of(report.coverage))
        }
        Command::Bucketize(args) => {
            let report = args.job(common, places)?.run(run)?;
            Ok(reported(&report)?.of(report.coverage))
        }
        Command::Slice(args) => {
            let report = args.job(common, places)?.run(run)?;
            Ok(reported(&report)?.of(report.coverage))
        }
        Command::Plan(args) => {
            let (job, ks) = args.job(places)?;
            reported(&job.plan(&ks, args.budget, run)?)
        }
        Command::Protect(args) if args.dry_run => {
            reported(&args.job(common, places)?.rehearse(run)?)
        }
        Command::Protect(args) => reported(&args.job(common, places)?.run(run)?),
        Command::Diff(args) => {
            let job = args.job(common, places)?;
            if args.release.len() > 1 {
                let report = job.run_each(&args.releases(places), run)?;
                return Ok(reported(&report)?.of(report.coverage));
            }
            let report = job.run(run)?;
            let done = Done { figures: figures(&report), ..reported(&report)? };
            Ok(done.of(report.coverage))
        }
        Command::Verify(args) => reported(&args.job(places)?.run(run)?),
        Command::Attack(args) => reported(&args.job(places)?.run(run)?),
        Command::Report(args) => report(args, places, run),
        Command::DemoData(args) => {
            let data = muslin::DemoData::new(args.rows, muslin::Seed::new(common.seed));
            data.write(&places.destination(&args.output), &muslin::WriteOptions::default(), run)?;
            Ok(Done { json: "{}".into(), ..Done::default() })
        }
        Command::Cluster(_) => {
            Err(Failed::Words("a machine of a cluster is run by the command line".into()))
        }
        Command::Completions { .. } => Err(Failed::Words("there is no shell here".into())),
    }
}

fn scan(args: &Scan, places: &Places, run: &muslin::Run) -> Result<Done, Failed> {
    let job = args.job(places)?;
    let mut report = job.run(run)?;
    // What was said about reading the file goes for the next command as well.
    if let Some(next) = &mut report.next {
        next.extend(args.input.reading_flags());
    }
    let document = report.document();
    if let Some(file) = &args.html {
        write_document(&document, file, &[&job.input])?;
    }
    Ok(Done { document: Some(document), ..reported(&report)? })
}

fn report(args: &Report, places: &Places, run: &muslin::Run) -> Result<Done, Failed> {
    let job = args.job(places)?;
    let document: Document = job.run(run)?;
    if args.output != Path::new("-") {
        let inputs: Vec<&Input> = std::iter::once(&job.input).chain(&job.release).collect();
        write_document(&document, &args.output, &inputs)?;
    }
    let done = reported(&document)?;
    Ok(Done { document: Some(document), ..done })
}

fn figures(report: &DiffReport) -> Vec<Figure> {
    let marginals = (1..).zip(&report.marginals).map(|(number, own)| marginal_figure(number, own));
    let whole = [loss_figure(&report.columns), association_figure(&report.association)];
    whole.into_iter().chain(marginals).collect()
}

fn reported(report: &impl Serialize) -> Result<Done, Failed> {
    let json = serde_json::to_string(report);
    let json = json.map_err(|_| Failed::Mistake("a report could not be written".into()))?;
    Ok(Done { json, ..Done::default() })
}

impl Done {
    /// The same, with why it is not all.
    fn of(mut self, coverage: Coverage) -> Self {
        if let Coverage::Stopped { by } = coverage {
            let stopped = Spelling::Arguments.of(&by.to_string());
            self.stopped = (by != Stop::Interrupted).then_some(stopped);
        }
        self
    }
}
