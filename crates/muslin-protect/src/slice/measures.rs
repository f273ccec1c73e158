use std::collections::BTreeMap;

use muslin_engine::Run;
use muslin_table::{ColumnId, ColumnSet, EncodedTable, Ratio, RowId};

use super::buckets::Buckets;
use super::layout::Layout;
use super::likely::{Likely, WEIGHTINGS, Weighting};
use super::matching::Index;
use super::membership::Membership;
use crate::{Error, Result};

/// What a slicing gives away: which buckets match which rows, how likely sensitive values are, and
/// how well it is told who is in the table.
///
/// It takes any slices and buckets, found by [`Slice`](crate::Slice) or elsewhere.
///
/// # Guarantee
/// Probabilities are exact fractions where those fit 128 bits; where not, they are rounded up, by
/// less than a billionth, or up to the largest of any bucket that matches. Combinations are
/// counted, or estimated by draws of the run's seed where there are many millions, which
/// [`Combinations`](crate::Combinations) tells.
///
/// # Cost
/// The number of pairs of a different row and a bucket that matches it, times the number of
/// sensitive values.
///
/// # Example
/// ```
/// use muslin_engine::Run;
/// use muslin_protect::{Combinations, MatchingBuckets, Weighting};
/// use muslin_table::{ColumnId, ColumnSet, EncodedTable, Ratio};
/// let table = EncodedTable::of(&[[20, 1], [20, 2], [20, 1], [60, 2]]);
/// let column = |at| -> ColumnSet { [ColumnId::new(at)].into_iter().collect() };
/// let slices = [column(0), column(1)];
/// let found =
///     MatchingBuckets::new(&table, &slices, ColumnId::new(1), &[0, 0, 1, 1], &Run::new())?;
/// // Somebody of 20 is in the first bucket, where all are, or in the second, where half are.
/// assert_eq!(found.max_p(Weighting::Equal), Ratio::new(1, 2));
/// assert_eq!(found.membership().fakes(), Combinations::Exactly(1));
/// # Ok::<(), muslin_protect::Error>(())
/// ```
#[derive(Debug)]
pub struct MatchingBuckets {
    likely: Likely,
    /// The largest probability by each weighting, and whether it is exact.
    largest: [(Ratio, bool); 2],
    histogram: Vec<(u32, u64)>,
    membership: Membership,
}

impl MatchingBuckets {
    /// Measures the slicing of a table by these slices, with the bucket of each row. Columns in no
    /// slice are not published.
    pub fn new(
        table: &EncodedTable,
        slices: &[ColumnSet],
        sensitive: ColumnId,
        bucket_of: &[u32],
        run: &Run,
    ) -> Result<Self> {
        if bucket_of.len() != table.rows() {
            return Err(Error::Setting(
                "there are more or fewer buckets listed than rows\n  hint: list one for each row"
                    .into(),
            ));
        }
        let named = slices.iter().fold(ColumnSet::new(), |set, slice| set.union(slice));
        let masked = table.all_columns().difference(&named);
        let layout = Layout::new(table, slices, sensitive, &masked)?;
        let buckets = Buckets::given(bucket_of);
        run.install(|| {
            let likely = Likely::new(table, &layout, sensitive, &buckets);
            run.check()?;
            let largest = WEIGHTINGS.map(|weighting| likely.largest(weighting));
            run.check()?;
            let index = Index::new(table, &layout, &ColumnSet::new(), &buckets);
            let classes = super::diversity::classes(table, &named);
            let rows = index.distinct_rows(&classes);
            let value = |at: usize, part: usize| index.parts[part].value_of[rows[at] as usize];
            let matches = index.each(rows.len(), value, |_, matches| matches.len());
            let mut of_count: BTreeMap<u32, u64> = BTreeMap::new();
            for (&row, count) in rows.iter().zip(matches) {
                let same = classes.sizes()[classes.class_of()[row as usize] as usize];
                let count = u32::try_from(count).expect("no more buckets than rows");
                *of_count.entry(count).or_default() += u64::from(same);
            }
            run.check()?;
            let membership = Membership::new(&index, &buckets, &rows, run)?;
            Ok(Self { likely, largest, histogram: of_count.into_iter().collect(), membership })
        })
    }

    /// Numbers of buckets that match a row by all its values, and how many rows have so many.
    pub fn histogram(&self) -> &[(u32, u64)] {
        &self.histogram
    }

    /// The largest probability of a sensitive value, of all rows.
    pub fn max_p(&self, weighting: Weighting) -> Ratio {
        self.largest[weighting as usize].0
    }

    /// Whether the largest probability is exact; where not, it is rounded up.
    pub fn is_exact(&self, weighting: Weighting) -> bool {
        self.largest[weighting as usize].1
    }

    /// The largest probability of a sensitive value for a row.
    pub fn max_p_of(&self, row: RowId, weighting: Weighting) -> Ratio {
        let of_row = self.p_of(row, weighting);
        of_row.into_iter().map(|(_, p)| p).max().unwrap_or(Ratio::new(0, 1))
    }

    /// The sensitive slots that a row may have, in order, and how likely each is.
    pub fn p_of(&self, row: RowId, weighting: Weighting) -> Vec<(u32, Ratio)> {
        let row = u32::try_from(row.index()).expect("row ids are 32 bits wide");
        self.likely.of_row(row, weighting).into_iter().map(|(slot, p, _)| (slot, p)).collect()
    }

    /// How well it is told who is in the table.
    pub fn membership(&self) -> &Membership {
        &self.membership
    }
}
