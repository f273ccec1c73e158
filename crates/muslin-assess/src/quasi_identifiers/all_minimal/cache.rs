//! Classes that other sets need again.

use std::sync::Arc;

use hashbrown::HashMap;

use super::classes::Classes;
use crate::mask::Mask;

/// Classes of the sets that were needed last.
pub(super) struct Cache<const W: usize> {
    of: HashMap<Mask<W>, Kept, foldhash::fast::FixedState>,
    rows: usize,
    bytes: usize,
    budget: usize,
    now: u64,
}

struct Kept {
    classes: Arc<Classes>,
    used: u64,
}

impl<const W: usize> Cache<W> {
    /// An empty cache of at most so many bytes, for a table of `rows` rows.
    pub(super) fn new(rows: usize, budget: usize) -> Self {
        Self { of: HashMap::default(), rows, bytes: 0, budget, now: 0 }
    }

    pub(super) fn find(&mut self, set: Mask<W>) -> Option<Arc<Classes>> {
        self.now += 1;
        let kept = self.of.get_mut(&set)?;
        kept.used = self.now;
        Some(Arc::clone(&kept.classes))
    }

    /// The kept classes of the proper part of a set that leaves the fewest rows together.
    pub(super) fn best_within(&mut self, set: Mask<W>) -> Option<(Mask<W>, Arc<Classes>)> {
        self.now += 1;
        let parts = self.of.iter_mut().filter(|(part, _)| part.is_within(set) && **part != set);
        let (&part, kept) = parts.min_by(|a, b| {
            a.1.classes.rows().cmp(&b.1.classes.rows()).then_with(|| a.0.order(b.0))
        })?;
        kept.used = self.now;
        Some((part, Arc::clone(&kept.classes)))
    }

    pub(super) fn keep(&mut self, set: Mask<W>, classes: &Arc<Classes>) {
        // Classes of almost all rows are quickly made again from fewer columns.
        if set.len() > 1 && classes.rows() * 20 > self.rows * 19 {
            return;
        }
        let bytes = classes.memory() + 64;
        while self.bytes + bytes > self.budget {
            let oldest = self.of.iter().min_by_key(|(_, kept)| kept.used).map(|(&set, _)| set);
            let Some(gone) = oldest.and_then(|oldest| self.of.remove(&oldest)) else { break };
            self.bytes -= gone.classes.memory() + 64;
        }
        let kept = Kept { classes: Arc::clone(classes), used: self.now };
        if let Some(twice) = self.of.insert(set, kept) {
            self.bytes -= twice.classes.memory() + 64;
        }
        self.bytes += bytes;
    }
}
