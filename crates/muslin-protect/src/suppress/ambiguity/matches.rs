//! How many rows each row matches, without looking at every pair.
//!
//! Rows with the same suppressed columns and the same values elsewhere are one *kind*. Kinds with
//! the same suppressed columns make a *pattern*. A kind of one pattern matches a kind of another
//! when they agree on the columns that neither suppresses; so the kinds of one are counted by
//! their values there, and those of the other look themselves up.

use hashbrown::HashTable;
use muslin_engine::{Run, fold_bits};
use rayon::prelude::*;

use super::discernibility::Discernibility;
use crate::Result;

/// Rows with the same suppressed columns and the same values elsewhere.
struct Kind {
    first: usize,
    rows: u64,
    id: u32,
}

/// The kinds with the same suppressed columns; never empty once it is made.
type Pattern = Vec<Kind>;

/// A hash, the first row that has it, and the rows that agree with that one.
type Counted = (u64, usize, u64);

/// What rows are compared on: some columns, and the class where there is one.
struct View<'a> {
    table: &'a Discernibility,
    class: Option<&'a [u32]>,
    spread: fn(u64) -> u64,
}

impl Discernibility {
    /// For each row, the rows that it cannot be told apart from, itself included; only those of
    /// its own class, where classes are given.
    pub(super) fn matches(&self, class: Option<&[u32]>, run: &Run) -> Result<Vec<u64>> {
        View { table: self, class, spread: fold_bits }.matches(run)
    }
}

impl View<'_> {
    fn matches(&self, run: &Run) -> Result<Vec<u64>> {
        let (patterns, kind_of) = self.patterns(run)?;
        let kinds: usize = patterns.iter().map(Vec::len).sum();
        let counted: Result<Vec<Vec<(u32, u64)>>> =
            patterns.par_iter().map(|pattern| self.count(pattern, &patterns, run)).collect();
        let mut of_kind = vec![0; kinds];
        for (kind, rows) in counted?.into_iter().flatten() {
            of_kind[kind as usize] = rows;
        }
        Ok(kind_of.into_iter().map(|kind| of_kind[kind as usize]).collect())
    }

    /// The patterns, and the kind of each row.
    fn patterns(&self, run: &Run) -> Result<(Vec<Pattern>, Vec<u32>)> {
        let mut patterns: Vec<Pattern> = Vec::new();
        // With their hashes: pattern and place of a kind, by its values; patterns, by their masks.
        let mut kinds: HashTable<(u64, usize, usize)> = HashTable::new();
        let mut masks: HashTable<(u64, usize)> = HashTable::new();
        let mut kind_of = Vec::with_capacity(self.table.rows);
        let mut count = 0u32;
        for row in 0..self.table.rows {
            if row % 4096 == 0 {
                run.check()?;
            }
            let hidden = self.table.hidden_of(row);
            let mask_hash = hidden.iter().fold(0, |hash, &word| (self.spread)(hash ^ word));
            let hash = self.hash(row, hidden, mask_hash);
            let same = |&(_, pattern, place): &(u64, usize, usize)| {
                let first = patterns[pattern][place].first;
                self.table.hidden_of(first) == hidden && self.agree(first, row, hidden)
            };
            if let Some(&(_, pattern, place)) = kinds.find(hash, same) {
                let kind = &mut patterns[pattern][place];
                kind.rows += 1;
                kind_of.push(kind.id);
                continue;
            }
            let same = |&(_, at): &(u64, usize)| self.hidden_by(&patterns[at]) == hidden;
            let at = masks.find(mask_hash, same).map_or(patterns.len(), |&(_, at)| at);
            if at == patterns.len() {
                patterns.push(Vec::new());
                masks.insert_unique(mask_hash, (mask_hash, at), |&(hash, _)| hash);
            }
            kinds.insert_unique(hash, (hash, at, patterns[at].len()), |&(hash, _, _)| hash);
            patterns[at].push(Kind { first: row, rows: 1, id: count });
            kind_of.push(count);
            count += 1;
        }
        Ok((patterns, kind_of))
    }

    /// The suppressed columns of a pattern.
    fn hidden_by(&self, pattern: &Pattern) -> &[u64] {
        self.table.hidden_of(pattern[0].first)
    }

    /// The rows that each kind of a pattern matches.
    fn count(&self, pattern: &Pattern, patterns: &[Pattern], run: &Run) -> Result<Vec<(u32, u64)>> {
        let mut found: Vec<(u32, u64)> = pattern.iter().map(|kind| (kind.id, 0)).collect();
        let own = self.hidden_by(pattern);
        let mut hidden = own.to_vec();
        for (at, other) in patterns.iter().enumerate() {
            if at % 64 == 0 || pattern.len() > 64 {
                run.check()?;
            }
            let theirs = self.hidden_by(other);
            hidden.iter_mut().zip(own.iter().zip(theirs)).for_each(|(h, (a, b))| *h = a | b);
            // A table of counts costs as much as some comparisons for each kind.
            if pattern.len().min(other.len()) <= 8 {
                for (kind, (_, rows)) in pattern.iter().zip(&mut found) {
                    let alike = |k: &&Kind| self.agree(kind.first, k.first, &hidden);
                    *rows += other.iter().filter(alike).map(|k| k.rows).sum::<u64>();
                }
                continue;
            }
            let counts = self.counts(other, &hidden);
            for (kind, (_, rows)) in pattern.iter().zip(&mut found) {
                let same = |&(_, first, _): &Counted| self.agree(first, kind.first, &hidden);
                let hash = self.hash(kind.first, &hidden, 0);
                *rows += counts.find(hash, same).map_or(0, |&(_, _, rows)| rows);
            }
        }
        Ok(found)
    }

    /// The rows of a pattern by their values outside `hidden`.
    fn counts(&self, pattern: &Pattern, hidden: &[u64]) -> HashTable<Counted> {
        let mut counts: HashTable<Counted> = HashTable::with_capacity(pattern.len());
        for kind in pattern {
            let hash = self.hash(kind.first, hidden, 0);
            let same = |&(_, first, _): &Counted| self.agree(first, kind.first, hidden);
            match counts.find_mut(hash, same) {
                Some((_, _, rows)) => *rows += kind.rows,
                None => {
                    counts.insert_unique(hash, (hash, kind.first, kind.rows), |&(hash, _, _)| hash);
                }
            }
        }
        counts
    }

    /// Whether two rows agree outside `hidden`, and in their class.
    fn agree(&self, a: usize, b: usize, hidden: &[u64]) -> bool {
        let shown = |place: usize| hidden[place / 64] >> (place % 64) & 1 == 0;
        let mut slots = self.table.row(a).iter().zip(self.table.row(b)).enumerate();
        self.class.is_none_or(|class| class[a] == class[b])
            && slots.all(|(place, (x, y))| x == y || !shown(place))
    }

    /// The hash of a row's values outside `hidden`, and its class.
    fn hash(&self, row: usize, hidden: &[u64], start: u64) -> u64 {
        let start = (self.spread)(start ^ self.class.map_or(0, |class| u64::from(class[row])));
        let shown = |place: usize| hidden[place / 64] >> (place % 64) & 1 == 0;
        let slots = self.table.row(row).iter().enumerate().filter(|&(place, _)| shown(place));
        slots.fold(start, |hash, (_, &slot)| (self.spread)(hash.rotate_left(5) ^ u64::from(slot)))
    }
}

#[cfg(test)]
mod tests {
    use muslin_table::EncodedTable;
    use muslin_testkit::generate::ugly_tables;
    use proptest::prelude::*;

    use super::*;

    /// The table many times over, with some cells suppressed.
    fn suppressed(table: &EncodedTable, picks: &[(usize, usize)], times: usize) -> Discernibility {
        let rows = u32::try_from(table.rows()).expect("a small table");
        let rows: Vec<u32> = (0..times).flat_map(|_| 0..rows).collect();
        let table = muslin_engine::take_rows(table, &rows).expect("rows of the table");
        let mut all = Discernibility::new(&table, &table.all_columns()).expect("its own columns");
        for &(row, column) in picks {
            if all.rows > 0 && !all.columns.is_empty() {
                all.suppress(row % all.rows, all.columns[column % all.columns.len()]);
            }
        }
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(1_000)))]

        #[test]
        fn grouping_counts_as_pairs_do(
            table in ugly_tables(),
            picks in prop::collection::vec((0usize..90, 0usize..7), 0..60),
            times in 1usize..5,
        ) {
            let all = suppressed(&table, &picks, times);
            let class: Vec<u32> = (0u32..).take(all.rows).map(|row| row * 7 / 3 % 3).collect();
            for class in [None, Some(&class[..])] {
                let same = |a: usize, b: usize| class.is_none_or(|class| class[a] == class[b]);
                let alike = |a: usize| {
                    (0..all.rows).filter(|&b| same(a, b) && all.are_alike(a, b)).count() as u64
                };
                let expected: Vec<u64> = (0..all.rows).map(alike).collect();
                let collide: fn(u64) -> u64 = |_| 0;
                for spread in [fold_bits, collide] {
                    let view = View { table: &all, class, spread };
                    prop_assert_eq!(&view.matches(&Run::new()).unwrap(), &expected);
                }
            }
        }
    }
}
