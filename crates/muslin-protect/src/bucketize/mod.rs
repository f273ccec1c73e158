//! Bucketization: rows are put into buckets, and sensitive values change places within them.
//!
//! It is slicing with two slices: the sensitive column, and all others.
//!
//! # Method
//! [`BucketMethod::Mondrian`] splits buckets at medians while they stay diverse: rows of a bucket are
//! alike. [`BucketMethod::Anatomy`] makes buckets of l to 2 l - 1 rows with different sensitive values, which is
//! the least error when sensitive values are looked at alone, and puts together rows that are not alike.
//!
//! XT06: Xiao and Tao, Anatomy: simple and effective privacy preservation. VLDB 2006.

mod anatomy;
mod found;

use muslin_engine::{Coverage, Engine, Run};
use muslin_table::{Changes, ColumnId, ColumnSet, EncodedTable, Ratio, printable};

pub use self::found::{Bucketized, SensitiveCount};

use self::anatomy::anatomy;
use self::found::error_of;
use crate::slice::{
    Buckets, Diversity, Layout, Splits, bucket_column, check_columns, check_l, check_name,
    largest_l, rearrange,
};
use crate::{BUCKET_NAME, BucketOrder, Draws, Error, Protection, Protector, Result};

/// How buckets are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BucketMethod {
    /// Rows with different sensitive values.
    #[default]
    Anatomy,
    /// Rows that are alike, by splits at medians.
    Mondrian,
}

/// Puts rows into buckets in which no sensitive value is that of more than one in l rows, and lets
/// sensitive values change places within them.
///
/// # Guarantee
/// In each bucket no sensitive value has more than one in l of the rows, whatever the coverage, and
/// each bucket publishes the sensitive values it had. Who knows somebody's other values tells the
/// sensitive one with a probability of at most 1/l. Whether somebody is in the table is not
/// protected: other columns are published as they are.
///
/// # Cost
/// Anatomy: rows times the logarithm of the number of sensitive values. Mondrian: rows times columns
/// times the levels of splits.
///
/// # Example
/// ```
/// use muslin_engine::Run;
/// use muslin_protect::Bucketize;
/// use muslin_table::{ColumnId, EncodedTable};
/// let table = EncodedTable::of(&[[20, 1], [21, 2], [60, 1], [61, 2]]);
/// let found = Bucketize::new(2, ColumnId::new(1)).run(&table, &Run::new())?;
/// assert_eq!((found.buckets(), found.smallest()), (2, 2));
/// assert_eq!(found.rce(), 2.0);
/// # Ok::<(), muslin_protect::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Bucketize {
    l: u32,
    sensitive: ColumnId,
    method: BucketMethod,
    masked: ColumnSet,
    order: BucketOrder,
    bucket_name: String,
}

/// The part of the draws that chooses which rows are together; 0 and 1 are those of the slices.
const CHOICE: u64 = 2;

impl Bucketize {
    /// By Anatomy, so that no value of `sensitive` is that of more than one in `l` rows of a bucket.
    pub fn new(l: u32, sensitive: ColumnId) -> Self {
        Self {
            l,
            sensitive,
            method: BucketMethod::default(),
            masked: ColumnSet::new(),
            order: BucketOrder::default(),
            bucket_name: BUCKET_NAME.into(),
        }
    }

    /// How buckets are made.
    #[must_use]
    pub fn method(mut self, method: BucketMethod) -> Self {
        self.method = method;
        self
    }

    /// Columns that are withheld.
    #[must_use]
    pub fn masked(mut self, columns: ColumnSet) -> Self {
        self.masked = columns;
        self
    }

    /// The order of sensitive values in a bucket. Anatomy chooses rows by the same draws, or by the
    /// run's seed where values are sorted.
    #[must_use]
    pub fn order(mut self, order: BucketOrder) -> Self {
        self.order = order;
        self
    }

    /// The name of the published column of buckets.
    #[must_use]
    pub fn bucket_name(mut self, name: impl Into<String>) -> Self {
        self.bucket_name = name.into();
        self
    }

    /// Puts the rows of `table` into buckets.
    pub fn run(&self, table: &EncodedTable, run: &Run) -> Result<Bucketized> {
        check_l(self.l)?;
        check_columns(table, self.sensitive, &self.masked)?;
        check_name(table, &self.bucket_name)?;
        run.check_memory(table.rows() as u64 * 32)?;
        let own: ColumnSet = [self.sensitive].into_iter().collect();
        let others = table.all_columns().difference(&self.masked).difference(&own);
        let diversity = run.install(|| Diversity::new(table, &own, self.sensitive));
        let rows = u32::try_from(table.rows()).expect("row ids are 32 bits wide");
        let all: Vec<u32> = (0..rows).collect();
        let feasible_l = largest_l(diversity.largest_share(&all, &mut diversity.counts()));
        drop(all);
        if self.l > feasible_l {
            let name = printable(table.column(self.sensitive).name()).into_owned();
            let hint = if feasible_l < 2 {
                "name another sensitive column".to_owned()
            } else {
                format!("pass an `l` of at most {feasible_l}, or merge frequent values")
            };
            return Err(Error::Unreachable(format!(
                "the most frequent value of column `{name}` is that of more than one in {} rows: it allows an l of {feasible_l} at most\n  hint: {hint}",
                self.l
            )));
        }
        let column = table.column(self.sensitive);
        let buckets = match self.method {
            _ if rows == 0 => Buckets::given(&[]),
            BucketMethod::Anatomy => {
                let seed = run.seed_of_run();
                let draws: &dyn Draws = match &self.order {
                    BucketOrder::Random(draws) => draws.as_ref(),
                    BucketOrder::Sorted => &seed,
                };
                let mut draw = draws.sequence(CHOICE);
                let mut stop = || run.stop();
                anatomy(column.codes(), column.slots(), self.l as usize, &mut draw, &mut stop)
            }
            BucketMethod::Mondrian => {
                Splits::new(table, others.iter(), &diversity, self.l, run).run(rows)
            }
        };
        let mut counts = diversity.counts();
        let shares = buckets.iter().map(|rows| diversity.largest_share(rows, &mut counts));
        let max_p = shares.max().unwrap_or(Ratio::new(0, 1));
        let mut changes = Changes::none(table);
        self.masked.iter().for_each(|id| changes.mask(id));
        // Sorted values beside rows as they stood would tell in which order those were read: in a table
        // sorted by the sensitive column, everything. So the rows are sorted too.
        let (slices, left) = match &self.order {
            BucketOrder::Sorted if !others.is_empty() => (vec![others, own], self.masked.clone()),
            _ => (vec![own], self.masked.union(&others)),
        };
        let layout = Layout::new(table, &slices, self.sensitive, &left)?;
        rearrange(table, &layout, &buckets, &self.order, &mut changes)?;
        let bucket_of = buckets.of_rows();
        changes
            .add(bucket_column(&self.bucket_name, &bucket_of, buckets.sizes.len())?)
            .map_err(muslin_engine::Error::from)?;
        let sensitive = found::counts(&buckets, column.codes());
        let (rce, rce_exact) = error_of(&sensitive, &buckets.sizes);
        Ok(Bucketized {
            l: self.l,
            bucket_of,
            sensitive,
            rce,
            rce_exact,
            max_p,
            feasible_l,
            changes,
            coverage: buckets.stop.map_or(Coverage::Complete, |by| Coverage::Stopped { by }),
            sizes: buckets.sizes,
        })
    }
}

impl Protector for Bucketize {
    fn protect(&self, table: &dyn Engine, run: &Run) -> Result<Protection> {
        let all = ColumnSet::first(table.shape()?.columns);
        let table = table.collect(&all)?;
        Ok(self.run(&table, run)?.into())
    }
}
