//! Groups whose rows do not give a sensitive value away.

use hashbrown::HashMap;

/// No value of a sensitive column may be that of more than one in l rows of a group.
///
/// Two groups that keep to it keep to it together. So where the whole table does not, no protection
/// does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Diversity<'a> {
    /// The sensitive slot of each kind.
    pub(super) slots: &'a [u32],
    pub(super) l: u32,
}

impl Diversity<'_> {
    /// Whether rows keep to it; given are kinds and how many rows of each.
    pub(super) fn holds(&self, rows: impl IntoIterator<Item = (u32, u32)>) -> bool {
        let mut counts = Counts::default();
        rows.into_iter().for_each(|(kind, rows)| counts.add(self.slots[kind as usize], rows));
        counts.is_diverse(self.l)
    }

    /// Adds fitting rows to chosen ones, as they come, until they keep to it; none where that is
    /// impossible.
    pub(super) fn extend(
        &self,
        mut chosen: Vec<(usize, u32)>,
        kind_of: impl Fn(usize) -> u32,
        fits: impl Iterator<Item = (usize, u32, u32)>,
    ) -> Option<Vec<(usize, u32)>> {
        let mut counts = Counts::default();
        for &(index, rows) in &chosen {
            counts.add(self.slots[kind_of(index) as usize], rows);
        }
        if counts.is_diverse(self.l) {
            return Some(chosen);
        }
        for (index, kind, rows) in fits {
            let slot = self.slots[kind as usize];
            let at = chosen.iter().position(|&(chosen, _)| chosen == index);
            let taken = at.map_or(0, |at| chosen[at].1);
            for _ in taken..rows {
                if counts.would_be_most(slot) {
                    break;
                }
                counts.add(slot, 1);
                match chosen.iter_mut().find(|(chosen, _)| *chosen == index) {
                    Some((_, taken)) => *taken += 1,
                    None => chosen.push((index, 1)),
                }
                if counts.is_diverse(self.l) {
                    return Some(chosen);
                }
            }
        }
        None
    }
}

/// Rows of each sensitive slot.
#[derive(Default)]
struct Counts {
    of: HashMap<u32, u64, foldhash::fast::FixedState>,
    most: u64,
    rows: u64,
}

impl Counts {
    fn add(&mut self, slot: u32, rows: u32) {
        let count = self.of.entry(slot).or_insert(0);
        *count += u64::from(rows);
        self.most = self.most.max(*count);
        self.rows += u64::from(rows);
    }

    /// Whether one more row of a slot would make it the most frequent alone.
    fn would_be_most(&self, slot: u32) -> bool {
        self.of.get(&slot).copied().unwrap_or(0) >= self.most
    }

    fn is_diverse(&self, l: u32) -> bool {
        self.most * u64::from(l) <= self.rows
    }
}
