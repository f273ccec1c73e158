use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::{Error, Result, Seed};

/// How far a run got. Every result carries one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase", tag = "coverage")]
#[non_exhaustive]
pub enum Coverage {
    /// Nothing is left out.
    Complete,
    /// Computed on this many rows, drawn with this seed; counts are estimates.
    Sampled {
        /// Rows drawn.
        #[serde(rename = "sampled_rows")]
        rows: u64,
        /// The seed that drew them.
        #[serde(rename = "sampled_seed")]
        seed: Seed,
    },
    /// A limit ended the run: what is listed is right, more may exist.
    Stopped {
        /// The limit.
        #[serde(rename = "stopped_by")]
        by: Stop,
    },
}

/// What ended a run before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Stop {
    /// The user asked for it.
    Interrupted,
    /// The time limit.
    TimeLimit,
    /// The limit on the number of results.
    ResultLimit,
    /// The memory budget.
    MemoryLimit {
        /// Bytes that the work needs, as far as can be told.
        needed: u64,
        /// Bytes that it may use.
        budget: u64,
    },
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interrupted => f.write_str("interrupted"),
            Self::TimeLimit => {
                f.write_str("stopped by the time limit\n  hint: pass a larger `--time-limit`")
            }
            Self::ResultLimit => f.write_str(
                "there are more results than asked for\n  hint: pass a larger `--limit`",
            ),
            Self::MemoryLimit { needed, budget } => write!(
                f,
                "needs about {} of memory, {} allowed\n  hint: pass a larger `--memory` or fewer `--columns`",
                Bytes(*needed),
                Bytes(*budget)
            ),
        }
    }
}

/// A number of bytes, for people.
struct Bytes(u64);

impl fmt::Display for Bytes {
    #[expect(clippy::cast_precision_loss, reason = "three digits are printed")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0 as f64;
        match self.0 {
            0..1_000_000 => write!(f, "{:.0} kB", bytes / 1e3),
            1_000_000..1_000_000_000 => write!(f, "{:.0} MB", bytes / 1e6),
            _ => write!(f, "{:.1} GB", bytes / 1e9),
        }
    }
}

/// Asks a run to stop; clones share the request.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks for the stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the stop was asked for.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Told how far the work is. Called from any thread, a few times a second at most.
pub trait Progress: Send + Sync {
    /// A new stage begins; `total` is its amount of work, where it is known.
    fn stage(&self, name: &'static str, total: Option<u64>);
    /// More of the stage's work is done.
    fn advance(&self, amount: u64);
    /// The last stage is over.
    fn finish(&self);
}

/// Listens to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn stage(&self, _: &'static str, _: Option<u64>) {}
    fn advance(&self, _: u64) {}
    fn finish(&self) {}
}

/// How work is done, apart from what is asked: threads, limits, seed, progress, cancellation.
///
/// Nothing here changes a complete result, except the seed where a draw is part of the question.
/// The default uses every core and no limit. Clones share threads, progress and cancellation.
#[derive(Clone)]
pub struct Run {
    seed: Seed,
    memory: Option<u64>,
    deadline: Option<Instant>,
    cancel: Cancel,
    progress: Arc<dyn Progress>,
    pool: Option<Arc<rayon::ThreadPool>>,
}

impl Run {
    /// A run on every core without limits.
    pub fn new() -> Self {
        Self {
            seed: Seed::default(),
            memory: None,
            deadline: None,
            cancel: Cancel::default(),
            progress: Arc::new(NoProgress),
            pool: None,
        }
    }

    /// Works on this many threads.
    pub fn threads(mut self, threads: usize) -> Result<Self> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        self.pool = Some(Arc::new(pool.map_err(|_| Error::Threads { threads })?));
        Ok(self)
    }

    /// Draws with this seed.
    #[must_use]
    pub fn seed(mut self, seed: Seed) -> Self {
        self.seed = seed;
        self
    }

    /// Keeps to about this many bytes.
    #[must_use]
    pub fn memory(mut self, bytes: Option<u64>) -> Self {
        self.memory = bytes;
        self
    }

    /// Stops after this long, counted from now.
    #[must_use]
    pub fn time_limit(mut self, limit: Option<Duration>) -> Self {
        self.deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        self
    }

    /// Stops after this long, counted from now, if it would not stop earlier anyway.
    #[must_use]
    pub fn at_most(mut self, limit: Duration) -> Self {
        let end = Instant::now().checked_add(limit);
        self.deadline = self.deadline.into_iter().chain(end).min();
        self
    }

    /// Tells `progress` how far the work is.
    #[must_use]
    pub fn progress(mut self, progress: Arc<dyn Progress>) -> Self {
        self.progress = progress;
        self
    }

    /// Stops when `cancel` says so.
    #[must_use]
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// The seed of this run.
    pub fn seed_of_run(&self) -> Seed {
        self.seed
    }

    /// How long it may still take, where there is a limit.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// Bytes to keep to, if there is a budget.
    pub fn memory_budget(&self) -> Option<u64> {
        self.memory
    }

    /// Where to report progress.
    pub fn reporter(&self) -> &dyn Progress {
        &*self.progress
    }

    /// Number of threads that [`Run::install`] works on.
    pub fn thread_count(&self) -> usize {
        self.pool.as_ref().map_or_else(rayon::current_num_threads, |p| p.current_num_threads())
    }

    /// Does `work` on this run's threads.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Why the run must stop now, if it must.
    pub fn stop(&self) -> Option<Stop> {
        if self.cancel.is_cancelled() {
            return Some(Stop::Interrupted);
        }
        self.deadline.filter(|&end| Instant::now() >= end).map(|_| Stop::TimeLimit)
    }

    /// An error when the run must stop now. Long loops call it every few milliseconds.
    pub fn check(&self) -> Result<()> {
        self.stop().map_or(Ok(()), |stop| Err(Error::Stopped(stop)))
    }

    /// An error when `needed` bytes are more than the memory budget.
    pub fn check_memory(&self, needed: u64) -> Result<()> {
        match self.memory {
            Some(budget) if needed > budget => {
                Err(Error::Stopped(Stop::MemoryLimit { needed, budget }))
            }
            _ => Ok(()),
        }
    }
}

impl Default for Run {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("seed", &self.seed)
            .field("memory", &self.memory)
            .field("threads", &self.thread_count())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_run_stops() {
        let cancel = Cancel::default();
        let run = Run::new().cancel(cancel.clone());
        assert_eq!(run.stop(), None);
        cancel.cancel();
        assert_eq!(run.check(), Err(Error::Stopped(Stop::Interrupted)));
    }

    #[test]
    fn a_run_without_time_left_stops() {
        let run = Run::new().time_limit(Some(Duration::ZERO));
        assert_eq!(run.stop(), Some(Stop::TimeLimit));
        assert_eq!(Run::new().time_limit(Some(Duration::MAX)).stop(), None);
        assert_eq!(Run::new().at_most(Duration::ZERO).stop(), Some(Stop::TimeLimit));
        assert_eq!(run.at_most(Duration::from_secs(60)).stop(), Some(Stop::TimeLimit));
    }

    #[test]
    fn a_budget_that_is_too_small_names_both_figures() {
        let run = Run::new().memory(Some(1_000_000));
        assert_eq!(run.check_memory(1_000_000), Ok(()));
        let text = run.check_memory(2_500_000_000).unwrap_err().to_string();
        assert!(text.contains("2.5 GB") && text.contains("1 MB"), "{text}");
    }
}
