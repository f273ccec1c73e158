//! `muslin keys`, as a job.

use muslin::{
    AllSets, KeysJob, KeysOutput, KeysQuestion, Measure, SampledSet, SetsMethod, Target,
    WriteOptions,
};

use super::{Asked, Wrong, set_quasi_identifiers};
use crate::Places;
use crate::args::{Keys, MinimumArgs, Names, QuestionArgs};

/// The probability with which a sample may mislead.
const DELTA: f64 = 0.01;

impl Keys {
    /// The job that the flags and the policy file describe; flags win.
    pub fn job(&self, places: &Places) -> Result<KeysJob, Wrong> {
        let question = question(self)?;
        let Asked { read, mut roles, missing, .. } = Asked::new(&self.input, places)?;
        set_quasi_identifiers(&mut roles, self.question.quasi_identifiers.as_deref());
        let output = self.all.output.as_ref().map(|file| KeysOutput {
            destination: places.destination(file),
            options: WriteOptions { format: self.all.format, ..WriteOptions::default() },
        });
        Ok(KeysJob {
            at: self.place.at(),
            read,
            roles,
            missing,
            distinct_rows: self.question.distinct_rows,
            question,
            costs: self.minimum.cost.iter().cloned().collect(),
            output,
            ..KeysJob::new(places.input(&self.input.file))
        })
    }
}

/// What the flags ask.
fn question(args: &Keys) -> Result<KeysQuestion, Wrong> {
    let asked = &args.question;
    if let Some(columns) = &asked.set {
        return Ok(KeysQuestion::Set { columns: Names::all(columns), sample: asked.sample });
    }
    let method = args.all.method.unwrap_or_default();
    let samples = matches!(method, SetsMethod::LevelwiseOneSample | SetsMethod::LevelwiseSamples);
    if asked.delta.is_some() && args.minimum.epsilon.is_none() && !samples {
        return Err(Wrong::Usage(
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
            Some(_) => Err(Wrong::Usage(
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

fn target(asked: &QuestionArgs) -> Result<Target, Wrong> {
    match (asked.measure, asked.beta) {
        (Some(measure), Some(beta)) => Ok(Target::new(measure, beta)),
        (None, _) => Ok(Target::key()),
        (Some(_), None) => Err(Wrong::Usage(
            "how much of the measure is enough was not said\n  hint: add a `--beta` such as 0.95; without both, keys are looked for",
        )),
    }
}
