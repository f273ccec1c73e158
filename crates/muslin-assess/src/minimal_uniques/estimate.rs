//! What a search would take, from a few rows.

#![expect(clippy::cast_precision_loss, reason = "estimates are rough")]

use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::agree::{AgreeSets, Shared};
use super::plan::{Method, Plan};
use super::search::Search;
use super::tally::Totals;
use crate::Result;

/// What a search would take: guesses with intervals, from rows drawn by the run's seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The way that it would go.
    pub method: Method,
    /// Rows that were searched to find out.
    pub sampled_rows: u64,
    /// Number of minimal uniques.
    pub total: Interval,
    /// Seconds on this run's threads.
    pub seconds: Interval,
    /// Bytes of memory.
    pub memory: Interval,
}

/// A guess, and bounds that hold mostly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower bound.
    pub low: f64,
    /// The guess.
    pub likely: f64,
    /// The upper bound.
    pub high: f64,
}

impl Interval {
    fn within(likely: f64, factor: f64) -> Self {
        Self { low: likely / factor, likely, high: likely * factor }
    }
}

/// Pairs of rows that are compared, about.
const TRIED_PAIRS: usize = 500_000_000;
/// Rows that are tried at least.
const FEWEST_TRIED: usize = 50;
/// A guess of a time that a count of steps was turned into is right within this factor, mostly.
const ROUGH: f64 = 4.0;

impl Search<'_> {
    /// Searches `wanted` distinct rows and scales up.
    pub(super) fn estimate<const W: usize>(
        &self,
        plan: &Plan,
        totals: &Totals<'_>,
        wanted: usize,
        singles: u64,
    ) -> Result<Estimate> {
        let distinct = u32::try_from(self.ranked.distinct()).expect("row ids are 32 bits wide");
        let seed = self.run.seed_of_run();
        let mut rows: Vec<u32> = (0..distinct).collect();
        // Each row is compared with all others: fewer rows of a very long table.
        let wanted = wanted.min((TRIED_PAIRS / rows.len().max(1)).max(FEWEST_TRIED));
        if wanted < rows.len() {
            rows.select_nth_unstable_by_key(wanted, |&row| seed.draw(u64::from(row)));
            rows.truncate(wanted);
        }
        self.run.reporter().stage("trying some rows", Some(rows.len() as u64));
        let agree = AgreeSets::new(self.ranked, self.k, self.tuning, 0, 0..distinct);
        let tried: Result<Vec<(u64, usize, Duration)>> = rows
            .par_iter()
            .map(|&row| {
                self.run.check()?;
                let shared: Vec<Shared<W>> = agree.of_row(row, self.run);
                let started = Instant::now();
                let count = self.count_row(row, &shared, totals.sizes());
                self.run.reporter().advance(1);
                Ok((count, shared.len(), started.elapsed()))
            })
            .collect();
        let tried = tried?;
        let (sampled, all) = (tried.len() as f64, f64::from(distinct));
        let scale = if tried.is_empty() { 0.0 } else { all / sampled };
        let counts = || tried.iter().map(|&(count, ..)| count as f64);
        let mean = if tried.is_empty() { 0.0 } else { counts().sum::<f64>() / sampled };
        let spread = counts().map(|count| (count - mean).powi(2)).sum::<f64>();
        let spread = (spread / (sampled - 1.0).max(1.0) / sampled.max(1.0)).sqrt() * all;
        let spread = 1.96 * spread * (1.0 - sampled / all.max(1.0)).max(0.0).sqrt();
        let (seen, likely) = (counts().sum::<f64>(), mean * all);
        let alone = singles as f64;
        let total = Interval {
            low: (likely - spread).max(seen) + alone,
            likely: likely + alone,
            high: likely + spread + alone,
        };
        let threads = rayon::current_num_threads() as f64;
        let listing: f64 = tried.iter().map(|(.., time)| time.as_secs_f64()).sum::<f64>() * scale;
        let seconds = match plan.method {
            Method::AgreeSets => plan.agreement_seconds() + listing,
            Method::ColumnSets => plan.column_set_seconds(),
        };
        let sets = tried.iter().map(|&(_, sets, _)| sets as f64).sum::<f64>() * scale;
        let held = match plan.method {
            Method::AgreeSets => sets * 2.0 * size_of::<Shared<W>>() as f64,
            Method::ColumnSets => plan.remembered_bytes(),
        };
        let fixed =
            (self.ranked.memory() + Totals::memory(self.ranked, totals.sizes(), false)) as f64;
        let memory = Interval { low: fixed, likely: fixed + held, high: fixed + 2.0 * held };
        Ok(Estimate {
            method: plan.method,
            sampled_rows: rows.len() as u64,
            total,
            seconds: Interval::within(seconds / threads, ROUGH),
            memory,
        })
    }
}
