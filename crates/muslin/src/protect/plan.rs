//! What protections would cost, before one is chosen.

use std::time::Instant;

use muslin_engine::{Coverage, Engine, MemoryEngine, Run};
use serde::Serialize;

use super::ProtectJob;
use super::steps::Work;
use crate::generalize::Recoding;
use crate::input::InputReport;
use crate::whole::Whole;
use crate::{GeneralizeJob, Result, SuppressJob};

/// Rows that candidates are tried on at most.
const TRIED: u64 = 10_000;

/// Candidate protections of a table, and what each would leave of risk and of detail.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanReport {
    /// Version of this report's form: 1.
    pub schema: u32,
    /// `plan`.
    pub command: String,
    /// Whether all rows were looked at, or some of them.
    pub coverage: Coverage,
    /// The input.
    pub input: InputReport,
    /// Rows of the input.
    pub rows: u64,
    /// Columns of the input.
    pub columns: u64,
    /// Rows that candidates were tried on.
    pub tried_rows: u64,
    /// The columns that somebody may know.
    pub quasi_identifiers: Vec<String>,
    /// The risk without any protection: the highest of anybody, and the mean.
    pub highest_risk: f64,
    /// Classes by rows: the share of people that guessing within classes finds.
    pub mean_risk: f64,
    /// What was tried, by k and loss.
    pub candidates: Vec<Candidate>,
    /// What to look at before relying on the figures.
    pub warnings: Vec<String>,
}

/// A protection that was tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Candidate {
    /// `mondrian`, `local`, `full-domain`, `full-domain 2 %` or `suppress`.
    pub method: String,
    /// The least rows of a class.
    pub k: u32,
    /// The mean part of the detail of quasi-identifiers that is lost; a withheld cell counts 1.
    pub loss: f64,
    /// Rows withheld, as a share.
    pub removed_share: f64,
    /// The highest risk of anybody: one by the smallest class.
    pub highest_risk: f64,
    /// Classes by rows.
    pub mean_risk: f64,
    /// Seconds that it took on the rows that were tried.
    pub seconds: f64,
    /// Whether no other candidate has both less risk and less loss.
    pub best: bool,
    /// Why there are no figures.
    pub failed: Option<String>,
}

impl ProtectJob {
    /// Tries protections for each k, and writes nothing. A table of many rows is tried in part: loss is
    /// then higher than for all of it.
    pub fn plan(&self, ks: &[u32], run: &Run) -> Result<PlanReport> {
        let mut whole = Whole::of(&self.input, &self.read, &self.roles, false, run)?;
        let named = self.sensitive();
        whole.leave_sensitive(&self.roles, &named.iter().map(String::as_str).collect::<Vec<_>>());
        let rows = whole.table.rows();
        let seed = run.seed_of_run();
        if rows as u64 > TRIED {
            whole.table = MemoryEngine::new(&whole.table, run).sample(TRIED, seed)?;
        }
        let work = Work::new(whole.clone());
        let (highest_risk, mean_risk) = work.risks(run)?;
        let mut candidates = Vec::new();
        for &k in ks {
            for method in METHODS {
                run.check()?;
                candidates.push(self.tried(method, k, &work, run)?);
            }
        }
        mark_best(&mut candidates);
        let tried = work.whole.table.rows();
        Ok(PlanReport {
            schema: 1,
            command: "plan".into(),
            coverage: if tried < rows {
                Coverage::Sampled { rows: tried as u64, seed }
            } else {
                Coverage::Complete
            },
            input: InputReport::new(&whole.source),
            rows: rows as u64,
            columns: whole.table.columns().len() as u64,
            tried_rows: tried as u64,
            quasi_identifiers: work.quasi.clone(),
            highest_risk,
            mean_risk,
            candidates,
            warnings: whole.warnings.clone(),
        })
    }

    fn tried(&self, method: Method, k: u32, work: &Work, run: &Run) -> Result<Candidate> {
        let started = Instant::now();
        let mut whole = work.whole.clone();
        let found = match method.recoding() {
            Some((recoding, limit)) => {
                let job = GeneralizeJob {
                    roles: self.roles.clone(),
                    recoding,
                    suppression_limit: limit,
                    ..self.generalize(k)
                };
                job.on(&mut whole, run)
                    .map(|made| (made.report.loss.gcp, made.report.removed_share, made.release))
            }
            None => {
                let job = SuppressJob { roles: self.roles.clone(), ..self.suppress(k, work) };
                job.on(&mut whole, run)
                    .map(|made| (made.report.suppressed_share, 0.0, made.release))
            }
        };
        let mut candidate = Candidate {
            method: method.name().into(),
            k,
            loss: 1.0,
            removed_share: 0.0,
            highest_risk: 1.0,
            mean_risk: 1.0,
            seconds: started.elapsed().as_secs_f64(),
            best: false,
            failed: None,
        };
        match found {
            Ok((loss, removed, release)) => {
                let after = Work::new(work.whole.then(release));
                (candidate.highest_risk, candidate.mean_risk) = after.risks(run)?;
                (candidate.loss, candidate.removed_share) = (loss, removed);
            }
            // What one method cannot do, another may.
            Err(error) if error.failure() == crate::Failure::Unreachable => {
                candidate.failed = Some(first_line(&error.to_string()));
            }
            Err(error) => return Err(error),
        }
        Ok(candidate)
    }
}

/// A way of protecting that is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Mondrian,
    Local,
    FullDomain,
    FullDomainLess,
    Suppress,
}

const METHODS: [Method; 5] =
    [Method::Mondrian, Method::Local, Method::FullDomain, Method::FullDomainLess, Method::Suppress];

impl Method {
    fn name(self) -> &'static str {
        match self {
            Self::Mondrian => "mondrian",
            Self::Local => "local",
            Self::FullDomain => "full-domain",
            Self::FullDomainLess => "full-domain 2 %",
            Self::Suppress => "suppress",
        }
    }

    /// How values are recoded, and the rows that may be withheld.
    fn recoding(self) -> Option<(Recoding, Option<f64>)> {
        match self {
            Self::Mondrian => Some((Recoding::Mondrian, None)),
            Self::Local => Some((Recoding::Local, None)),
            Self::FullDomain => Some((Recoding::FullDomain, Some(0.0))),
            Self::FullDomainLess => Some((Recoding::FullDomain, Some(0.02))),
            Self::Suppress => None,
        }
    }
}

/// Marks those that no other beats in both.
fn mark_best(candidates: &mut [Candidate]) {
    let all: Vec<(f64, f64, bool)> =
        candidates.iter().map(|own| (own.mean_risk, own.loss, own.failed.is_none())).collect();
    for own in candidates.iter_mut().filter(|own| own.failed.is_none()) {
        let beats = |&(risk, loss, is_there): &(f64, f64, bool)| {
            let is_less = risk < own.mean_risk || loss < own.loss;
            is_there && risk <= own.mean_risk && loss <= own.loss && is_less
        };
        own.best = !all.iter().any(beats);
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
