//! What a sliced or bucketized table tells about a person, from the definitions of Li, Li, Zhang
//! and Molloy, in exact fractions.
//!
//! A slice is what the paper calls a column: columns that stay together. Slices may share columns,
//! never the sensitive one. Then they must be in an order in which what a slice shares with all
//! before it is shared with one of them, and a bucket is read with maximum entropy: the share of a
//! combination is the product of the shares of its parts in the slices, divided by those in what
//! each slice shares with those before it.

use std::collections::{BTreeMap, BTreeSet};

use muslin_table::{ColumnId, ColumnSet, EncodedTable, Ratio};

use super::fraction::Fraction;

/// The slot of each column of the slices, for a row or a combination.
pub type Tuple = BTreeMap<ColumnId, u32>;

/// A table, how it is cut, and the bucket of each row.
#[derive(Clone, Copy, Debug)]
pub struct Slicing<'a> {
    /// The table before values trade places.
    pub table: &'a EncodedTable,
    /// The columns of each slice. Columns of no slice do not count.
    pub slices: &'a [ColumnSet],
    /// The bucket of each row.
    pub buckets: &'a [u32],
}

/// How much a bucket counts among those that a person may be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BucketWeight {
    /// All the same, as in the paper.
    Equal,
    /// By their rows, after Bayes.
    Rows,
}

impl BucketWeight {
    fn of(self, rows: &[usize]) -> Fraction {
        match self {
            Self::Equal => Fraction::ONE,
            Self::Rows => Fraction::new(rows.len(), 1),
        }
    }
}

impl Slicing<'_> {
    /// The columns of the slices.
    pub fn columns(&self) -> ColumnSet {
        self.slices.iter().fold(ColumnSet::new(), |all, slice| all.union(slice))
    }

    /// A row of the table.
    pub fn tuple(&self, row: usize) -> Tuple {
        self.columns().iter().map(|id| (id, self.slot(row, id))).collect()
    }

    /// Whether what each slice shares with all before it is shared with one of them.
    pub fn is_in_order(&self) -> bool {
        let shared = self.shared();
        let within = |at: usize| {
            shared[at].is_empty() || self.slices[..at].iter().any(|s| shared[at].is_subset(s))
        };
        (0..self.slices.len()).all(within)
    }

    /// p(t, s) for each sensitive value that the tuple can have, by the definition: over the
    /// buckets, p(t, B) times the share of the value among the rows of the bucket that have the
    /// tuple's other values of the sensitive slice. Nothing where no bucket matches.
    ///
    /// The tuple's own sensitive value makes no difference. The sensitive column is in one slice.
    pub fn chances(
        &self,
        tuple: &Tuple,
        sensitive: ColumnId,
        weight: BucketWeight,
    ) -> BTreeMap<u32, Ratio> {
        let known = self.columns().difference(&only(sensitive));
        let slice = self.slices.iter().find(|slice| slice.contains(sensitive));
        let beside = slice.expect("a slice has the sensitive column").intersection(&known);
        let fit = |rows: &[usize]| weight.of(rows).times(self.share(rows, tuple, &known));
        let whole = Fraction::sum(self.bucket_rows().iter().map(|rows| fit(rows)));
        let mut chances = BTreeMap::new();
        for rows in self.bucket_rows().iter().filter(|rows| fit(rows) != Fraction::ZERO) {
            let in_bucket = fit(rows).over(whole);
            let alike = rows.iter().filter(|&&row| self.has(row, tuple, &beside));
            let alike: Vec<u32> = alike.map(|&row| self.slot(row, sensitive)).collect();
            for &value in &alike {
                let chance = chances.entry(value).or_insert(Fraction::ZERO);
                *chance = chance.plus(in_bucket.times(Fraction::new(1, alike.len())));
            }
        }
        ratios(chances)
    }

    /// The same as [`Self::chances`], by listing every combination of each bucket.
    pub fn chances_by_enumeration(
        &self,
        tuple: &Tuple,
        sensitive: ColumnId,
        weight: BucketWeight,
    ) -> BTreeMap<u32, Ratio> {
        let known = self.columns().difference(&only(sensitive));
        let mut chances = BTreeMap::new();
        for rows in self.bucket_rows() {
            for (combination, share) in self.drawn(&rows) {
                if known.iter().all(|id| combination[&id] == tuple[&id]) {
                    let chance = chances.entry(combination[&sensitive]).or_insert(Fraction::ZERO);
                    *chance = chance.plus(share.times(weight.of(&rows)));
                }
            }
        }
        let whole = Fraction::sum(chances.values().copied());
        ratios(chances.into_iter().map(|(value, chance)| (value, chance.over(whole))))
    }

    /// The greatest p(t, s) of all rows and values; 0 in a table without rows.
    pub fn greatest_chance(&self, sensitive: ColumnId, weight: BucketWeight) -> Ratio {
        let of_row = |row| self.chances(&self.tuple(row), sensitive, weight).into_values();
        (0..self.table.rows()).flat_map(of_row).max().unwrap_or(Fraction::ZERO.ratio())
    }

    /// Whether p(t, s) is at most one in `l` for each row and value.
    pub fn is_l_diverse(&self, sensitive: ColumnId, l: u32) -> bool {
        self.greatest_chance(sensitive, BucketWeight::Equal) <= Ratio::new(1, u128::from(l))
    }

    /// Number of buckets that match the tuple: for each slice a row of the bucket has the tuple's
    /// values of it. Of the columns only those in `known` count.
    pub fn matching_buckets(&self, tuple: &Tuple, known: &ColumnSet) -> usize {
        let fits = |rows: &[usize], slice: &ColumnSet| {
            rows.iter().any(|&row| self.has(row, tuple, &slice.intersection(known)))
        };
        let matches = |rows: &&Vec<usize>| self.slices.iter().all(|slice| fits(rows, slice));
        self.bucket_rows().iter().filter(matches).count()
    }

    /// The rows to expect that equal the tuple: over the buckets, their rows times the tuple's share.
    pub fn expected_rows(&self, tuple: &Tuple) -> Ratio {
        let of_bucket = |rows: &Vec<usize>| {
            Fraction::new(rows.len(), 1).times(self.share(rows, tuple, &self.columns()))
        };
        Fraction::sum(self.bucket_rows().iter().map(of_bucket)).ratio()
    }

    /// The share of each combination in each bucket, buckets in rising order.
    pub fn combination_shares(&self) -> Vec<BTreeMap<Tuple, Ratio>> {
        let buckets = self.bucket_rows().into_iter();
        buckets.map(|rows| ratios(self.drawn(&rows))).collect()
    }

    /// The combinations that some bucket allows.
    pub fn combinations(&self) -> BTreeSet<Tuple> {
        self.bucket_rows().iter().flat_map(|rows| self.drawn(rows).into_keys()).collect()
    }

    /// The combinations that no row has.
    pub fn fakes(&self) -> BTreeSet<Tuple> {
        self.combinations().difference(&self.real()).cloned().collect()
    }

    /// The combinations that a row has.
    pub fn real(&self) -> BTreeSet<Tuple> {
        (0..self.table.rows()).map(|row| self.tuple(row)).collect()
    }

    /// Every combination of rows of a bucket, one for each slice, and how likely it is to draw it:
    /// slice by slice, any row is as likely as another that has the same values of the columns
    /// drawn before. Equal combinations are one.
    fn drawn(&self, rows: &[usize]) -> BTreeMap<Tuple, Fraction> {
        let mut combinations = BTreeMap::from([(Tuple::new(), Fraction::ONE)]);
        for (slice, shared) in self.slices.iter().zip(self.shared()) {
            let mut longer = BTreeMap::new();
            for (combination, share) in combinations {
                let fits = |row: &&usize| self.has(**row, &combination, &shared);
                let fitting: Vec<&usize> = rows.iter().filter(fits).collect();
                for &&row in &fitting {
                    let mut with = combination.clone();
                    with.extend(slice.iter().map(|id| (id, self.slot(row, id))));
                    let all = longer.entry(with).or_insert(Fraction::ZERO);
                    *all = all.plus(share.times(Fraction::new(1, fitting.len())));
                }
            }
            combinations = longer;
        }
        combinations
    }

    /// f(t, B), the product of the shares of the slices. Of the columns only those in `known` count.
    fn share(&self, rows: &[usize], tuple: &Tuple, known: &ColumnSet) -> Fraction {
        let share = |columns: &ColumnSet| {
            let on = columns.intersection(known);
            let alike = rows.iter().filter(|&&row| self.has(row, tuple, &on)).count();
            Fraction::new(alike, rows.len())
        };
        let product = Fraction::product(self.slices.iter().map(share));
        if product == Fraction::ZERO {
            return product;
        }
        product.over(Fraction::product(self.shared().iter().map(share)))
    }

    /// What each slice shares with all before it.
    fn shared(&self) -> Vec<ColumnSet> {
        let before = |at: usize| Self { slices: &self.slices[..at], ..*self }.columns();
        (0..self.slices.len()).map(|at| self.slices[at].intersection(&before(at))).collect()
    }

    /// The rows of each bucket.
    fn bucket_rows(&self) -> Vec<Vec<usize>> {
        let mut buckets: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (row, &bucket) in self.buckets.iter().enumerate() {
            buckets.entry(bucket).or_default().push(row);
        }
        buckets.into_values().collect()
    }

    fn has(&self, row: usize, tuple: &Tuple, on: &ColumnSet) -> bool {
        on.iter().all(|id| self.slot(row, id) == tuple[&id])
    }

    fn slot(&self, row: usize, id: ColumnId) -> u32 {
        self.table.column(id).codes().slot(row)
    }
}

/// The chance that a real one has the greater score of two, a real one and a fake; equal scores
/// count half. By comparing all pairs; nothing where there is none.
pub fn membership_auc<S: Ord>(real: &[S], fakes: &[S]) -> Option<Ratio> {
    let won = |a: &S, b: &S| 1 + u128::from(a > b) - u128::from(a < b);
    let halves: u128 = real.iter().flat_map(|a| fakes.iter().map(move |b| won(a, b))).sum();
    let pairs = (real.len() * fakes.len()) as u128;
    (pairs > 0).then(|| Ratio::new(halves, 2 * pairs))
}

/// The reconstruction error of Xiao and Tao: over the rows, the squared distance of the bucket's
/// shares of sensitive values from the row's own value for sure.
pub fn reconstruction_error(table: &EncodedTable, sensitive: ColumnId, buckets: &[u32]) -> Ratio {
    let value = |row: usize| table.column(sensitive).codes().slot(row);
    let of_row = |row: usize| {
        let bucket: Vec<u32> =
            (0..table.rows()).filter(|&r| buckets[r] == buckets[row]).map(value).collect();
        let values: BTreeSet<u32> = bucket.iter().copied().collect();
        let squared = |&other: &u32| {
            let count = bucket.iter().filter(|&&v| v == other).count();
            let far = if other == value(row) { bucket.len() - count } else { count };
            Fraction::new(far * far, bucket.len() * bucket.len())
        };
        Fraction::sum(values.iter().map(squared))
    };
    Fraction::sum((0..table.rows()).map(of_row)).ratio()
}

fn only(column: ColumnId) -> ColumnSet {
    [column].into_iter().collect()
}

fn ratios<K: Ord>(fractions: impl IntoIterator<Item = (K, Fraction)>) -> BTreeMap<K, Ratio> {
    fractions.into_iter().map(|(of, fraction)| (of, fraction.ratio())).collect()
}
