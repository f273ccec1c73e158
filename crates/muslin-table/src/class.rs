use crate::{MissingRule, Ratio};

/// How many rows are in classes of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeCount {
    /// Rows of each such class.
    pub size: u64,
    /// Rows in all such classes together.
    pub rows: u64,
}

/// Sizes of the classes that a column set makes, as a histogram.
///
/// With [`MissingRule::Wildcard`] rows do not fall into classes, since a missing cell may match
/// two values that do not match each other. The size that counts for a row is then the number of
/// rows it matches, itself included, and there is no number of classes.
///
/// ```
/// use muslin_table::{ClassSizes, MissingRule, Ratio};
/// // Five rows of paper 004's Table 1, by age: two classes of one row, one of three.
/// let by_age = ClassSizes::from_sizes([1, 1, 3], MissingRule::Category);
/// assert_eq!(by_age.distinct_ratio(), Some(Ratio::new(3, 5)));
/// assert_eq!(by_age.rows_below(2), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassSizes {
    rows: u64,
    counts: Vec<SizeCount>,
    missing: MissingRule,
}

impl ClassSizes {
    /// The histogram of a list of class sizes.
    pub fn from_sizes(sizes: impl IntoIterator<Item = u64>, missing: MissingRule) -> Self {
        // Most classes are small and there may be millions of them: those are counted by index.
        let mut small = [0u64; 256];
        let mut large = Vec::new();
        for size in sizes {
            match usize::try_from(size).ok().and_then(|size| small.get_mut(size)) {
                Some(rows) => *rows += size,
                None => large.push(SizeCount { size, rows: size }),
            }
        }
        let small = (0..).zip(small).map(|(size, rows)| SizeCount { size, rows });
        Self::from_rows(small.chain(large), missing)
    }

    /// The histogram of rows by the size that counts for them.
    pub fn from_rows(rows: impl IntoIterator<Item = SizeCount>, missing: MissingRule) -> Self {
        let mut counts: Vec<_> = rows.into_iter().filter(|c| c.rows > 0).collect();
        counts.sort_unstable_by_key(|c| c.size);
        counts.dedup_by(|later, kept| {
            let same = later.size == kept.size;
            kept.rows += if same { later.rows } else { 0 };
            same
        });
        Self { rows: counts.iter().map(|c| c.rows).sum(), counts, missing }
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The rule that decided what missing cells match.
    pub fn missing(&self) -> MissingRule {
        self.missing
    }

    /// Sizes in rising order, each with the rows it counts for.
    pub fn counts(&self) -> &[SizeCount] {
        &self.counts
    }

    /// Number of classes, where rows fall into classes.
    pub fn classes(&self) -> Option<u64> {
        self.are_classes().then(|| self.counts.iter().map(|c| c.rows / c.size).sum())
    }

    /// The smallest size; none in a table without rows.
    pub fn smallest(&self) -> Option<u64> {
        self.counts.first().map(|c| c.size)
    }

    /// The largest size; none in a table without rows.
    pub fn largest(&self) -> Option<u64> {
        self.counts.last().map(|c| c.size)
    }

    /// Rows in classes of fewer than `k` rows: those that violate k-anonymity.
    pub fn rows_below(&self, k: u64) -> u64 {
        self.below(k).map(|c| c.rows).sum()
    }

    /// Classes of fewer than `k` rows, where rows fall into classes.
    pub fn classes_below(&self, k: u64) -> Option<u64> {
        self.are_classes().then(|| self.below(k).map(|c| c.rows / c.size).sum())
    }

    /// Pairs of different rows.
    pub fn pairs(&self) -> u128 {
        let rows = u128::from(self.rows);
        rows * rows.saturating_sub(1) / 2
    }

    /// Pairs of rows that the columns do not tell apart.
    pub fn unseparated_pairs(&self) -> u128 {
        let twice: u128 =
            self.counts.iter().map(|c| u128::from(c.rows) * u128::from(c.size - 1)).sum();
        twice / 2
    }

    /// Row pairs told apart, of all pairs.
    pub fn separation_ratio(&self) -> Ratio {
        Ratio::new(self.pairs() - self.unseparated_pairs(), self.pairs())
    }

    /// Classes, of all rows; where rows fall into classes.
    pub fn distinct_ratio(&self) -> Option<Ratio> {
        self.classes().map(|classes| Ratio::new(u128::from(classes), u128::from(self.rows)))
    }

    fn are_classes(&self) -> bool {
        self.missing != MissingRule::Wildcard
    }

    fn below(&self, k: u64) -> impl Iterator<Item = &SizeCount> {
        self.counts.iter().take_while(move |c| c.size < k)
    }
}

/// Classes that are alike in size and in the values of a sensitive column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DiversityCount {
    /// Rows of each such class.
    pub rows: u64,
    /// Distinct sensitive values in each; missing is one of them.
    pub distinct: u64,
    /// Rows of each that share its most frequent sensitive value.
    pub most_frequent: u64,
    /// Number of such classes.
    pub classes: u64,
}

/// How diverse a sensitive column is inside each class of a column set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassDiversity {
    counts: Vec<DiversityCount>,
}

impl ClassDiversity {
    /// Collects classes; those that are alike are counted together.
    pub fn new(classes: impl IntoIterator<Item = DiversityCount>) -> Self {
        let mut counts: Vec<_> = classes.into_iter().collect();
        counts.sort_unstable();
        counts.dedup_by(|later, kept| {
            let key = |c: &DiversityCount| (c.rows, c.distinct, c.most_frequent);
            let same = key(later) == key(kept);
            kept.classes += if same { later.classes } else { 0 };
            same
        });
        Self { counts }
    }

    /// Kinds of classes, smallest first.
    pub fn counts(&self) -> &[DiversityCount] {
        &self.counts
    }

    /// The fewest distinct values in any class: the l of distinct l-diversity.
    pub fn fewest_distinct(&self) -> Option<u64> {
        self.counts.iter().map(|c| c.distinct).min()
    }

    /// The largest share that one sensitive value has in any class. Probabilistic l-diversity
    /// asks that it is not above 1/l.
    pub fn largest_share(&self) -> Option<Ratio> {
        let share = |c: &DiversityCount| Ratio::new(c.most_frequent.into(), c.rows.into());
        self.counts.iter().map(share).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_in_128_bits() {
        let rows = u64::from(u32::MAX) * 16;
        let one = ClassSizes::from_sizes([rows], MissingRule::Category);
        assert_eq!(one.unseparated_pairs(), u128::from(rows) * u128::from(rows - 1) / 2);
        assert_eq!(one.separation_ratio(), Ratio::new(0, 1));
    }

    #[test]
    fn published_ages_separate_eight_of_ten_pairs() {
        // Motwani and Xu, Table 1: ages 20, 30, 40, 20, 40 give classes of 2, 1 and 2 rows.
        let by_age = ClassSizes::from_sizes([2, 1, 2], MissingRule::Category);
        assert_eq!(by_age.separation_ratio(), Ratio::new(8, 10));
        assert_eq!(by_age.distinct_ratio(), Some(Ratio::new(3, 5)));
    }

    #[test]
    fn no_rows_and_one_row_have_defined_ratios() {
        for sizes in [vec![], vec![1]] {
            let counted = ClassSizes::from_sizes(sizes, MissingRule::Category);
            assert_eq!(counted.separation_ratio(), Ratio::new(1, 1));
            assert_eq!(counted.distinct_ratio(), Some(Ratio::new(1, 1)));
        }
    }

    #[test]
    fn wildcard_matches_have_no_number_of_classes() {
        let matches = ClassSizes::from_rows(
            [SizeCount { size: 2, rows: 2 }, SizeCount { size: 3, rows: 1 }],
            MissingRule::Wildcard,
        );
        assert_eq!((matches.classes(), matches.distinct_ratio()), (None, None));
        // One row matches both others, which do not match each other: 2 of 3 pairs are not told apart.
        assert_eq!(matches.unseparated_pairs(), 2);
    }

    #[test]
    fn alike_classes_are_counted_together() {
        let class = |rows, distinct, most_frequent| DiversityCount {
            rows,
            distinct,
            most_frequent,
            classes: 1,
        };
        let found = ClassDiversity::new([class(4, 2, 3), class(2, 2, 1), class(4, 2, 3)]);
        assert_eq!(found.counts().len(), 2);
        assert_eq!(found.fewest_distinct(), Some(2));
        assert_eq!(found.largest_share(), Some(Ratio::new(3, 4)));
    }
}
