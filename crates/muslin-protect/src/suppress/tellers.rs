//! Columns that tell another one.
//!
//! On the rows where columns X and Y are visible, rows are grouped by X. X *tells* Y when 95 % of the
//! rows have their group's most frequent value of Y, over groups of two rows and more (one row proves
//! nothing), and when this is right for at least half of the rows for which the column's most frequent
//! value is wrong. A column that is nearly always the same is told by itself, not by all others.

use muslin_engine::Run;

use super::harden::BLANK;
use crate::Result;

/// X tells Y in these parts of all rows, at least.
const TOLD: (u64, u64) = (95, 100);

/// What is published: for each column a slot in each row, or [`BLANK`], and the slots that are values.
pub(super) struct Sight<'a> {
    pub(super) strips: &'a [Vec<u32>],
    pub(super) values: &'a [u32],
}

/// A column that tells another one.
pub(super) struct Teller {
    pub(super) from: usize,
    /// For each of its slots, the visible rows that have it together with a value of the other.
    rows: Vec<u32>,
}

impl Teller {
    /// Whether this slot of the column tells, by rows other than `own` ones.
    pub(super) fn tells(&self, slot: u32, own: bool) -> bool {
        self.rows.get(slot as usize).is_some_and(|&rows| rows > u32::from(own))
    }
}

/// For each column, those that tell it.
pub(super) struct Tellers {
    of: Vec<Vec<Teller>>,
}

impl Tellers {
    pub(super) fn none(columns: usize) -> Self {
        Self { of: (0..columns).map(|_| Vec::new()).collect() }
    }

    /// Those that tell a column.
    pub(super) fn of(&self, column: usize) -> &[Teller] {
        &self.of[column]
    }

    /// Each column that tells another one, and that one.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let each = self.of.iter().enumerate();
        each.flat_map(|(to, tellers)| tellers.iter().map(move |own| (own.from, to)))
    }

    /// Adds the columns among `may_lose` that tell one with a blank, and says whether there are more.
    /// What they tell is judged by `first`, in which nothing is hidden that is not in the end.
    pub(super) fn extend(
        &mut self,
        sight: &Sight,
        first: &[Vec<u32>],
        may_lose: &[bool],
        run: &Run,
    ) -> Result<bool> {
        let columns = sight.strips.len();
        let loses = |&at: &usize| sight.strips[at].contains(&BLANK);
        let open: Vec<usize> = (0..columns).filter(loses).collect();
        let mut is_more = false;
        for from in (0..columns).filter(|&at| may_lose[at]) {
            let groups = Groups::of(&sight.strips[from]);
            for &to in open.iter().filter(|&&to| to != from) {
                run.check()?;
                if self.of[to].iter().any(|own| own.from == from) {
                    continue;
                }
                let strip = &sight.strips[to];
                if groups.tell(strip, sight.values[to]) {
                    let rows = Groups::of(&first[from]).seen(&first[to], sight.values[to]);
                    self.of[to].push(Teller { from, rows });
                    is_more = true;
                }
            }
        }
        Ok(is_more)
    }
}

/// The rows of each slot of a column.
struct Groups {
    starts: Vec<usize>,
    rows: Vec<u32>,
}

impl Groups {
    fn of(strip: &[u32]) -> Self {
        let shown = |&&slot: &&u32| slot != BLANK;
        let slots = strip.iter().filter(shown).max().map_or(0, |&most| most as usize + 1);
        let mut starts = vec![0usize; slots + 1];
        strip.iter().filter(shown).for_each(|&slot| starts[slot as usize + 1] += 1);
        (0..slots).for_each(|slot| starts[slot + 1] += starts[slot]);
        let mut next = starts.clone();
        let mut rows = vec![0u32; starts[slots]];
        for (row, &slot) in (0u32..).zip(strip).filter(|(_, slot)| **slot != BLANK) {
            let at = &mut next[slot as usize];
            rows[*at] = row;
            *at += 1;
        }
        Self { starts, rows }
    }

    fn each(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|ends| &self.rows[ends[0]..ends[1]])
    }

    /// Whether the groups tell a column, whose slots below `values` are values.
    fn tell(&self, strip: &[u32], values: u32) -> bool {
        let (mut own, mut all) = (0u64, 0u64);
        let mut counts = vec![0u64; values as usize];
        let mut totals = vec![0u64; values as usize];
        for rows in self.each() {
            let shown = || {
                let slots = rows.iter().map(|&row| strip[row as usize]);
                slots.filter(|&slot| slot < values).map(|slot| slot as usize)
            };
            shown().for_each(|slot| counts[slot] += 1);
            let best = shown().map(|slot| counts[slot]).max().unwrap_or(0);
            let many = shown().count() as u64;
            if many >= 2 {
                own += best;
                all += many;
                shown().for_each(|slot| totals[slot] += 1);
            }
            shown().for_each(|slot| counts[slot] = 0);
        }
        let most = totals.iter().max().copied().unwrap_or(0);
        let is_often = own.saturating_mul(TOLD.1) >= all.saturating_mul(TOLD.0);
        is_often && all > most && 2 * own.saturating_sub(most) >= all - most
    }

    /// The rows of each group with a visible value of a column.
    fn seen(&self, strip: &[u32], values: u32) -> Vec<u32> {
        let shown = |&&row: &&u32| strip[row as usize] < values;
        let rows = |rows: &[u32]| rows.iter().filter(shown).count();
        self.each().map(|own| u32::try_from(rows(own)).unwrap_or(u32::MAX)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tell(from: &[u32], to: &[u32]) -> bool {
        let values = to.iter().filter(|&&slot| slot != BLANK).max().map_or(0, |&most| most + 1);
        Groups::of(from).tell(to, values)
    }

    #[test]
    fn a_column_is_told_by_what_goes_with_it() {
        assert!(tell(&[0, 0, 1, 1, 2, 2], &[0, 0, 1, 1, 0, 0]));
        assert!(!tell(&[0, 0, 1, 1, 2, 2], &[0, 1, 1, 0, 0, 1]));
        // Rows without a value on either side count for nothing, nor do groups of one.
        assert!(tell(&[0, 0, 0, 1, 1, BLANK], &[0, 0, BLANK, 1, 1, 0]));
        assert!(!tell(&[0, 1, 2, 3], &[0, 1, 0, 1]));
        assert!(!tell(&[], &[]));
    }

    #[test]
    fn one_in_twenty_may_differ_and_a_constant_is_told_by_nothing() {
        let from: Vec<u32> = (0..40).map(|row| row / 20).collect();
        let mut to = from.clone();
        to[3] = 1;
        to[30] = 0;
        assert!(tell(&from, &to));
        to[4] = 1;
        assert!(!tell(&from, &to));
        // 38 of 40 are the same: guessing that is as good.
        let nearly: Vec<u32> = (0..40).map(|row| u32::from(row % 20 == 7)).collect();
        assert!(!tell(&from, &nearly) && !tell(&from, &[0; 40]));
    }

    #[test]
    fn tellers_are_added_and_know_the_slots_that_tell() {
        let strips = vec![vec![0, 0, 1, 1, BLANK], vec![2, 2, 3, 3, 3], vec![0, 0, 1, 1, 0]];
        let sight = Sight { strips: &strips, values: &[2, 4, 2] };
        let mut tellers = Tellers::none(3);
        let is_more = tellers.extend(&sight, &strips, &[true, true, false], &Run::new()).unwrap();
        assert!(is_more && tellers.of(0).len() == 1);
        // The third tells the first too, now that it may lose cells.
        assert!(tellers.extend(&sight, &strips, &[true; 3], &Run::new()).unwrap());
        assert!(!tellers.extend(&sight, &strips, &[true; 3], &Run::new()).unwrap());
        let second = &tellers.of(0)[0];
        assert!(second.tells(3, true) && second.tells(2, false) && !second.tells(0, false));
        assert_eq!(tellers.pairs().collect::<Vec<_>>(), [(1, 0), (2, 0)]);
    }
}
