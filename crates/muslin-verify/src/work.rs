use std::sync::atomic::{AtomicU64, Ordering};

/// Steps that were done, and how many may be.
#[derive(Debug)]
pub(crate) struct Work {
    done: AtomicU64,
    limit: u64,
}

impl Work {
    pub(crate) fn new(limit: u64) -> Self {
        Self { done: AtomicU64::new(0), limit }
    }

    /// Some more steps; whether they are still within the limit. The sum is the same in any order of
    /// steps, so whether all of them are within the limit is too.
    pub(crate) fn add(&self, steps: u64) -> bool {
        self.done.fetch_add(steps, Ordering::Relaxed).saturating_add(steps) <= self.limit
    }

    pub(crate) fn is_within(&self) -> bool {
        self.done.load(Ordering::Relaxed) <= self.limit
    }
}
