//! What protections would cost, before one is chosen.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use muslin_engine::{Coverage, Engine, MemoryEngine, Run};
use muslin_verify::loss::Reading;
use serde::Serialize;

use super::settle::Settled;
use super::steps::{Work, internal, unreachable};
use super::{ProtectJob, ProtectLoss, ProtectStep};
use crate::Result;
use crate::generalize::Recoding;
use crate::input::InputReport;
use crate::policy::{
    BucketizePolicy, GeneralizePolicy, MaskPolicy, ProtectMethod, SlicePolicy, SuppressPolicy,
};
use crate::verify::judged;

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
    /// The recoding that generalizes, as `protect.generalize.recoding` spells it: `mondrian`, `local`,
    /// `full-domain`, or `full-domain, limit 0.02`, with a `suppression_limit`; or the method `suppress`.
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
    /// Whether no other candidate is as good in both mean risk and loss, and better in one.
    pub best: bool,
    /// Why there are no figures: what the policy asks for is not reached, or not within the budget.
    pub failed: Option<String>,
    /// The sections `[release]` and `[protect]` of the policy that asks for this candidate.
    pub toml: String,
}

impl ProtectJob {
    /// Tries protections for each k, and writes nothing. A table of many rows is tried in part: loss is
    /// then higher than for all of it. Each candidate gets an equal part of `budget`; one that takes longer has
    /// no figures.
    pub fn plan(&self, ks: &[u32], budget: Duration, run: &Run) -> Result<PlanReport> {
        let Settled { job, mut whole, .. } = self.settled(run)?;
        let rows = whole.table.rows();
        let seed = run.seed_of_run();
        if rows as u64 > TRIED {
            whole.table = MemoryEngine::new(&whole.table, run).sample(TRIED, seed)?;
        }
        self.check_columns(&whole)?;
        let work = Work::new(whole.clone());
        let is_all = work.whole.table.rows() == rows;
        let (highest_risk, mean_risk) = work.risks(run)?;
        let mut candidates = Vec::new();
        let all = u32::try_from(ks.len() * METHODS.len()).unwrap_or(u32::MAX).max(1);
        for &k in ks {
            for method in METHODS {
                run.check()?;
                candidates.push(job.tried(method, k, (&work, is_all), budget / all, run)?);
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

    fn tried(
        &self,
        method: Method,
        k: u32,
        (before, is_all): (&Work, bool),
        time: Duration,
        run: &Run,
    ) -> Result<Candidate> {
        let started = Instant::now();
        let of_plan = run;
        let run = &run.clone().at_most(time);
        let job = self.with(method, k, run);
        let mut candidate = Candidate {
            method: method.name().into(),
            k,
            loss: 1.0,
            removed_share: 0.0,
            highest_risk: 1.0,
            mean_risk: 1.0,
            seconds: 0.0,
            best: false,
            failed: None,
            toml: job.policy.sections(),
        };
        let found = job.worked(&before.whole, run).and_then(|after| {
            job.check_claims(method, before, &after, run)?;
            let cost = Cost::of(method, before, &after)?;
            if is_all {
                job.check_limits(&cost.as_loss())?;
            }
            Ok((cost, after.risks(run)?))
        });
        candidate.seconds = started.elapsed().as_secs_f64();
        match found {
            Ok((Cost { loss, removed, .. }, risks)) => {
                (candidate.highest_risk, candidate.mean_risk) = risks;
                (candidate.loss, candidate.removed_share) = (loss, removed);
            }
            // What one method cannot do, another may.
            Err(error) if error.failure() == crate::Failure::Unreachable => {
                let why = first_line(&error.to_string());
                candidate.failed = Some(format!("what the policy asks for is not reached: {why}"));
            }
            // The limits of the whole plan end it; those of a candidate end the candidate.
            Err(error) if error.failure() == crate::Failure::Limit => {
                of_plan.check()?;
                candidate.failed = Some(format!(
                    "it takes longer than {:.1} s; pass a larger `--budget`",
                    time.as_secs_f64()
                ));
            }
            Err(error) => return Err(error),
        }
        Ok(candidate)
    }

    /// The same with another method and k: what a candidate stands for.
    fn with(&self, method: Method, k: u32, run: &Run) -> Self {
        let mut policy = self.policy.clone();
        policy.release.k = Some(k);
        // A preset's k gives way; another threshold stays.
        if policy.preset().is_some_and(|preset| preset.k().is_some()) {
            policy.release.preset = None;
        }
        let own = &mut policy.protect;
        own.methods = Some(vec![method.of_policy()]);
        own.generalize.levels.clear();
        if let Some((recoding, limit)) = method.recoding() {
            own.generalize.recoding = Some(recoding);
            own.generalize.suppression_limit = limit;
        }
        let mut job = Self { policy, seed: Some(run.seed_of_run()), ..self.clone() };
        for (_, attack, _) in job.known_attacks() {
            if !job.policy.release.accept.iter().any(|own| own == attack) {
                job.policy.release.accept.push(attack.into());
            }
        }
        // Sections of methods that are not taken say nothing.
        let protect = &mut job.policy.protect;
        protect.mask = MaskPolicy::default();
        protect.bucketize = BucketizePolicy::default();
        protect.slice = SlicePolicy::default();
        match method.of_policy() {
            ProtectMethod::Suppress => protect.generalize = GeneralizePolicy::default(),
            _ => protect.suppress = SuppressPolicy::default(),
        }
        job
    }

    /// An error where the release is not what the policy asks for: what `protect` would judge.
    fn check_claims(&self, method: Method, before: &Work, after: &Work, run: &Run) -> Result<()> {
        let (original, release) = (&before.whole.table, &after.whole.table);
        let mut claims = self.claims(after);
        let reading = match method.of_policy() {
            ProtectMethod::Suppress => {
                Some(Reading::of(original, release, &BTreeMap::new(), None)?)
            }
            // Labels need hierarchies to be read, and how classes are spread was judged by the job.
            _ => {
                claims.retain(|claim| claim.sensitive.is_none());
                None
            }
        };
        let checks = judged(release, reading.as_ref().map(|own| (original, own)), &claims, run)?;
        match checks.into_iter().find(|check| !check.met) {
            Some(check) => Err(unreachable(&format!("{}: {}", check.claim, check.reason))),
            None => Ok(()),
        }
    }
}

/// What a candidate loses.
struct Cost {
    /// The mean part of the detail of quasi-identifiers.
    loss: f64,
    /// Suppressed cells, as a share of all that are published.
    suppressed: f64,
    /// Rows that were removed, as a share.
    removed: f64,
}

impl Cost {
    #[expect(clippy::cast_precision_loss, reason = "figures to read")]
    fn of(method: Method, before: &Work, after: &Work) -> Result<Self> {
        let rows = before.whole.table.rows() as f64;
        let sum = |of: fn(&ProtectStep) -> u64| after.steps.iter().map(of).sum::<u64>() as f64;
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let loss = match method.of_policy() {
            ProtectMethod::Suppress => {
                let cells = rows * before.quasi.len() as f64;
                share(sum(|step| step.suppressed_cells), cells)
            }
            _ => {
                let report = after.steps.last().map(|step| &step.report["loss"]["gcp"]);
                report.and_then(serde_json::Value::as_f64).ok_or_else(|| internal("a loss"))?
            }
        };
        let table = &after.whole.table;
        let published = table.rows() as f64 * table.columns().len() as f64;
        Ok(Self {
            loss,
            suppressed: share(sum(|step| step.suppressed_cells), published),
            removed: share(sum(|step| step.removed_rows), rows),
        })
    }

    /// As the limits of a policy see it; what counting queries lose is not measured here.
    fn as_loss(&self) -> ProtectLoss {
        ProtectLoss {
            gcp: self.loss,
            suppressed_share: self.suppressed,
            removed_share: self.removed,
            counts_off: None,
            columns: Vec::new(),
        }
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
    /// The recoding or the method, as a policy spells them.
    fn name(self) -> &'static str {
        match self {
            Self::Mondrian => "mondrian",
            Self::Local => "local",
            Self::FullDomain => "full-domain",
            Self::FullDomainLess => "full-domain, limit 0.02",
            Self::Suppress => "suppress",
        }
    }

    fn of_policy(self) -> ProtectMethod {
        match self {
            Self::Suppress => ProtectMethod::Suppress,
            _ => ProtectMethod::Generalize,
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

/// Marks those that no other beats: as good in both, and better in one. Figures that differ by rounding
/// are the same.
fn mark_best(candidates: &mut [Candidate]) {
    const ROUNDING: f64 = 1e-9;
    let all: Vec<(f64, f64, bool)> =
        candidates.iter().map(|own| (own.mean_risk, own.loss, own.failed.is_none())).collect();
    for own in candidates.iter_mut().filter(|own| own.failed.is_none()) {
        let beats = |&(risk, loss, is_there): &(f64, f64, bool)| {
            let is_less = risk < own.mean_risk - ROUNDING || loss < own.loss - ROUNDING;
            let is_no_more = risk <= own.mean_risk + ROUNDING && loss <= own.loss + ROUNDING;
            is_there && is_no_more && is_less
        };
        own.best = !all.iter().any(beats);
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(mean_risk: f64, loss: f64) -> Candidate {
        Candidate {
            method: "suppress".into(),
            k: 3,
            loss,
            removed_share: 0.0,
            highest_risk: mean_risk,
            mean_risk,
            seconds: 0.0,
            best: false,
            failed: None,
            toml: String::new(),
        }
    }

    #[test]
    fn the_best_are_those_that_no_other_beats() {
        let best = |of: &[(f64, f64)]| {
            let mut all: Vec<_> = of.iter().map(|&(risk, loss)| candidate(risk, loss)).collect();
            mark_best(&mut all);
            all.iter().map(|own| own.best).collect::<Vec<_>>()
        };
        assert_eq!(best(&[(0.2, 0.5), (0.3, 0.4), (0.3, 0.6)]), [true, true, false]);
        // Of the same risk, the one that loses less; of the same loss, the one of less risk.
        assert_eq!(best(&[(0.2, 0.5), (0.2, 0.4)]), [false, true]);
        assert_eq!(best(&[(0.2, 0.5), (0.1, 0.5)]), [false, true]);
        // The same in both: neither beats the other, also where they differ by rounding.
        assert_eq!(best(&[(0.2, 0.5), (0.2, 0.5)]), [true, true]);
        assert_eq!(best(&[(0.2, 5.0 / 18.0), (0.2, 0.277_777_777_77)]), [true, true]);
        let mut all = vec![Candidate { failed: Some("no".into()), ..candidate(0.0, 0.0) }];
        all.push(candidate(0.5, 0.5));
        mark_best(&mut all);
        assert_eq!((all[0].best, all[1].best), (false, true));
    }
}
