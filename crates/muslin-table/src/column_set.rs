use std::cmp::Ordering;
use std::fmt;

use crate::ColumnId;

/// A set of columns, of any width.
///
/// One bit per column up to the largest member, so sets of narrow tables stay small. Sets are
/// ordered by size, then by their columns.
///
/// # Invariant
/// The last word is not zero, so equal sets have equal words.
///
/// ```
/// use muslin_table::{ColumnId, ColumnSet};
/// let wide: ColumnSet = [3, 1_023, 70].map(ColumnId::new).into_iter().collect();
/// assert_eq!(wide.iter().map(ColumnId::index).collect::<Vec<_>>(), [3, 70, 1_023]);
/// assert!(wide.contains(ColumnId::new(1_023)) && !wide.contains(ColumnId::new(4)));
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct ColumnSet {
    words: Vec<u64>,
}

impl ColumnSet {
    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// The first `count` columns.
    pub fn first(count: usize) -> Self {
        (0..count).map(ColumnId::new).collect()
    }

    /// Adds a column; true when it was not there.
    pub fn insert(&mut self, column: ColumnId) -> bool {
        let (word, bit) = place(column);
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        new
    }

    /// Takes a column out; true when it was there.
    pub fn remove(&mut self, column: ColumnId) -> bool {
        let (word, bit) = place(column);
        let found = self.contains(column);
        if found {
            self.words[word] &= !bit;
            self.trim();
        }
        found
    }

    /// Whether the column is in the set.
    pub fn contains(&self, column: ColumnId) -> bool {
        let (word, bit) = place(column);
        self.words.get(word).is_some_and(|w| w & bit != 0)
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Whether there is no column.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether every column of this set is in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.words.len() <= other.words.len()
            && self.words.iter().zip(&other.words).all(|(a, b)| a & !b == 0)
    }

    /// Whether the sets have no column in common.
    pub fn is_disjoint(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).all(|(a, b)| a & b == 0)
    }

    /// The columns of either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let (long, short) =
            if self.words.len() >= other.words.len() { (self, other) } else { (other, self) };
        let mut words = long.words.clone();
        words.iter_mut().zip(&short.words).for_each(|(a, b)| *a |= b);
        Self { words }
    }

    /// The columns of both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let words = self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect();
        let mut set = Self { words };
        set.trim();
        set
    }

    /// The columns of this set that are not in `other`.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let mut set = self.clone();
        set.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a &= !b);
        set.trim();
        set
    }

    /// The columns, in rising order.
    pub fn iter(&self) -> impl Iterator<Item = ColumnId> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            std::iter::successors(Some(word), |w| Some(w & w.wrapping_sub(1)))
                .take_while(|&w| w != 0)
                .map(move |w| ColumnId::new(index * 64 + w.trailing_zeros() as usize))
        })
    }

    fn trim(&mut self) {
        let used = self.words.iter().rposition(|&w| w != 0).map_or(0, |last| last + 1);
        self.words.truncate(used);
    }
}

fn place(column: ColumnId) -> (usize, u64) {
    (column.index() / 64, 1 << (column.index() % 64))
}

impl FromIterator<ColumnId> for ColumnSet {
    fn from_iter<I: IntoIterator<Item = ColumnId>>(columns: I) -> Self {
        let mut set = Self::new();
        columns.into_iter().for_each(|column| {
            set.insert(column);
        });
        set
    }
}

impl Ord for ColumnSet {
    fn cmp(&self, other: &Self) -> Ordering {
        self.len().cmp(&other.len()).then_with(|| self.iter().cmp(other.iter()))
    }
}

impl PartialOrd for ColumnSet {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for ColumnSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(ColumnId::index)).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn set(of: &BTreeSet<usize>) -> ColumnSet {
        of.iter().copied().map(ColumnId::new).collect()
    }

    fn columns() -> impl Strategy<Value = BTreeSet<usize>> {
        prop::collection::btree_set(0usize..1_500, 0..20)
    }

    proptest! {
        #[test]
        fn behaves_as_a_tree_set(a in columns(), b in columns(), extra in 0usize..1_500) {
            let (x, y) = (set(&a), set(&b));
            prop_assert_eq!(x.len(), a.len());
            prop_assert_eq!(x.union(&y), set(&(&a | &b)));
            prop_assert_eq!(x.intersection(&y), set(&(&a & &b)));
            prop_assert_eq!(x.difference(&y), set(&(&a - &b)));
            prop_assert_eq!(x.is_subset(&y), a.is_subset(&b));
            prop_assert_eq!(x.is_disjoint(&y), a.is_disjoint(&b));
            prop_assert_eq!(x.contains(ColumnId::new(extra)), a.contains(&extra));
            prop_assert_eq!(x == y, a == b);
            let mut with = x.clone();
            prop_assert_eq!(with.insert(ColumnId::new(extra)), !a.contains(&extra));
            prop_assert!(with.remove(ColumnId::new(extra)));
            let mut without = a.clone();
            without.remove(&extra);
            prop_assert_eq!(with, set(&without));
        }

        #[test]
        fn order_is_size_then_columns(a in columns(), b in columns()) {
            let expected = a.len().cmp(&b.len()).then_with(|| a.iter().cmp(b.iter()));
            prop_assert_eq!(set(&a).cmp(&set(&b)), expected);
        }
    }
}
