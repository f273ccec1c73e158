//! Slicing: columns that belong together stay together, and links between them are cut inside
//! buckets of rows; after paper 002.
//!
//! A *slice* is a set of columns (the paper calls it a column), a *bucket* a set of rows. In each bucket
//! the rows of each slice change places by themselves, so that who belongs to what is lost between
//! slices and kept within.
//!
//! # Method
//! Slices are given, or found: columns are clustered by how strongly they are associated. Buckets are
//! split at medians while, for everybody, no sensitive value is likelier than 1/l for who knows the
//! other values ([`SliceCut`]).
//!
//! # Differences from the paper
//! Its check refuses p(t,s) = 1/l, which refuses its own Table (f); by the definition it is allowed,
//! and so it is here. Its loop never checks the table before the first split, and may return one that
//! is not diverse; here that is an error that says which l is possible. It gives a bucket up when the
//! first split is not accepted; here all columns are tried, unless one attempt is asked for.
//!
//! # Slices that overlap
//! A column may be in several slices. It is published once: a slice that shares columns with earlier
//! ones changes places only among rows that agree on these, so that all slices are right. That needs
//! slices that hang together as a tree. In a bucket, somebody's weight is the product of the shares of
//! the slices' values over that of the shares of what they have in common, which is the distribution
//! of the largest entropy. The sensitive column is in one slice; what is known of it there is all
//! that tells about it.
//!
//! # Generalized columns
//! Values that are all different make a slice in which everybody matches one bucket only. Generalize
//! the table first and slice what comes out.

mod attributes;
mod buckets;
mod diversity;
mod found;
mod fraction;
mod growing;
mod layout;
mod likely;
mod matching;
mod measures;
mod medoids;
mod membership;
mod permute;
mod scaled;

use muslin_engine::{Coverage, Engine, Run};
use muslin_table::{Changes, Column, ColumnId, ColumnSet, EncodedTable, Ratio, printable};

pub use self::attributes::Associations;
pub use self::buckets::{SliceCheck, SliceCut};
pub use self::found::Sliced;
pub use self::likely::Weighting;
pub use self::measures::MatchingBuckets;
pub use self::membership::{Combinations, Membership};

pub(crate) use self::buckets::{Buckets, Splits};
pub(crate) use self::diversity::Diversity;
pub(crate) use self::found::largest_l;
pub(crate) use self::fraction::Sum;
use self::growing::Growing;
pub(crate) use self::layout::Layout;
use self::likely::Likely;
pub(crate) use self::permute::rearrange;
pub use self::permute::rows_in_buckets;
use crate::{BucketOrder, Error, Protection, Protector, Result};

/// The name of the published column of buckets, where nobody gives another.
pub const BUCKET_NAME: &str = "bucket";

/// Which columns stay together.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Slices {
    /// These.
    Given(Vec<ColumnSet>),
    /// By association.
    Found {
        /// How many slices.
        count: usize,
        /// How many columns the sensitive column's slice has, itself among them.
        with_sensitive: usize,
    },
}

/// Cuts the links between slices of a table, so that nobody's sensitive value is told with a
/// probability above 1/l.
///
/// # Guarantee
/// In each bucket, each slice publishes the rows it had, in another order. For every row t and
/// sensitive value s, p(t,s) is at most 1/l, whatever the coverage, both when all buckets that match
/// a row are equally likely and when larger ones are likelier, unless buckets were given or
/// [`SliceCheck::Matches`] is used: then it is the former alone. That is about who knows all of a row's values but the sensitive one, and
/// nothing else; whether somebody is in the table is not protected.
///
/// # Cost
/// Rows times columns times the levels of splits. Given buckets are checked in the time it takes to
/// list which buckets match which rows.
///
/// # Example
/// ```
/// use muslin_engine::Run;
/// use muslin_protect::{Slice, Slices};
/// use muslin_table::{ColumnId, ColumnSet, EncodedTable};
/// // Age and a disease.
/// let table = EncodedTable::of(&[[20, 1], [21, 2], [60, 1], [61, 2]]);
/// let column = |at| -> ColumnSet { [ColumnId::new(at)].into_iter().collect() };
/// let slices = Slices::Given(vec![column(0), column(1)]);
/// let found = Slice::new(2, ColumnId::new(1), slices).run(&table, &Run::new())?;
/// assert_eq!(found.bucket_of(), [0, 0, 1, 1]);
/// assert_eq!(found.effective_l(), 2);
/// # Ok::<(), muslin_protect::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Slice {
    l: u32,
    sensitive: ColumnId,
    slices: Slices,
    masked: ColumnSet,
    cut: SliceCut,
    check: SliceCheck,
    one_attempt: bool,
    buckets: Option<Vec<u32>>,
    order: BucketOrder,
    bucket_name: String,
}

impl Slice {
    /// Slices until no value of `sensitive` is told with a probability above 1/`l`.
    pub fn new(l: u32, sensitive: ColumnId, slices: Slices) -> Self {
        Self {
            l,
            sensitive,
            slices,
            masked: ColumnSet::new(),
            cut: SliceCut::default(),
            check: SliceCheck::default(),
            one_attempt: false,
            buckets: None,
            order: BucketOrder::default(),
            bucket_name: BUCKET_NAME.into(),
        }
    }

    /// Columns that are withheld; all others are in a slice.
    #[must_use]
    pub fn masked(mut self, columns: ColumnSet) -> Self {
        self.masked = columns;
        self
    }

    /// Where buckets are cut.
    #[must_use]
    pub fn cut(mut self, cut: SliceCut) -> Self {
        self.cut = cut;
        self
    }

    /// What is looked at before a split is accepted.
    #[must_use]
    pub fn check(mut self, check: SliceCheck) -> Self {
        self.check = check;
        self
    }

    /// Whether a bucket is final when the split of its widest column is not accepted, as in the
    /// paper.
    #[must_use]
    pub fn one_attempt(mut self, one_attempt: bool) -> Self {
        self.one_attempt = one_attempt;
        self
    }

    /// The bucket of each row, instead of buckets that are found.
    #[must_use]
    pub fn buckets(mut self, buckets: Option<Vec<u32>>) -> Self {
        self.buckets = buckets;
        self
    }

    /// The order of what stands in a bucket.
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

    /// Slices `table`.
    pub fn run(&self, table: &EncodedTable, run: &Run) -> Result<Sliced> {
        self.check_settings(table)?;
        let bytes = table.rows() as u64 * (16 + 4 * table.columns().len() as u64);
        run.check_memory(bytes)?;
        let published = table.all_columns().difference(&self.masked);
        let slices =
            match &self.slices {
                Slices::Given(slices) => slices.clone(),
                Slices::Found { count, with_sensitive } => Associations::new(
                    table, &published, run,
                )?
                .slices(self.sensitive, *count, *with_sensitive)?,
            };
        let layout = Layout::new(table, &slices, self.sensitive, &self.masked)?;
        let own = &layout.parts[layout.sensitive].columns;
        let diversity = run.install(|| Diversity::new(table, own, self.sensitive));
        let rows = u32::try_from(table.rows()).expect("row ids are 32 bits wide");
        let all: Vec<u32> = (0..rows).collect();
        let feasible_l = largest_l(diversity.largest_share(&all, &mut diversity.counts()));
        drop(all);
        let (buckets, max_p) = match &self.buckets {
            Some(numbers) => {
                let buckets = Buckets::given(numbers);
                let likely = run.install(|| Likely::new(table, &layout, self.sensitive, &buckets));
                run.check()?;
                let (max_p, _) = run.install(|| likely.largest(Weighting::Equal));
                let most = largest_l(max_p);
                if self.l > most {
                    return Err(Error::Unreachable(format!(
                        "with these slices and buckets the table allows an l of {most} at most, not {}\n  hint: let the buckets be found, or pass other ones",
                        self.l
                    )));
                }
                (buckets, max_p)
            }
            None => {
                if self.l > feasible_l {
                    return Err(self.unreachable(table, feasible_l, own.len()));
                }
                let columns = published.iter().filter(|&id| id != self.sensitive);
                let splits = Splits::new(table, columns, &diversity, self.l, run)
                    .cut(self.cut)
                    .one_attempt(self.one_attempt);
                match self.check {
                    // In boxes, the buckets by themselves are all there is to look at.
                    SliceCheck::Matches if self.cut != SliceCut::Strict && rows > 0 => {
                        let buckets =
                            Growing::new(table, &layout, self.sensitive, self.l).run(&splits, rows);
                        let likely = Likely::new(table, &layout, self.sensitive, &buckets);
                        let (max_p, _) = run.install(|| likely.largest(Weighting::Equal));
                        (buckets, max_p)
                    }
                    _ => {
                        let buckets =
                            if rows == 0 { Buckets::given(&[]) } else { splits.run(rows) };
                        let mut counts = diversity.counts();
                        let shares =
                            buckets.iter().map(|rows| diversity.largest_share(rows, &mut counts));
                        let max_p = shares.max().unwrap_or(Ratio::new(0, 1));
                        (buckets, max_p)
                    }
                }
            }
        };
        let mut changes = Changes::none(table);
        self.masked.iter().for_each(|id| changes.mask(id));
        run.install(|| rearrange(table, &layout, &buckets, &self.order, &mut changes))?;
        let bucket_of = buckets.of_rows();
        changes
            .add(bucket_column(&self.bucket_name, &bucket_of, buckets.sizes.len())?)
            .map_err(muslin_engine::Error::from)?;
        Ok(Sliced {
            slices,
            bucket_of,
            max_p,
            feasible_l,
            changes,
            coverage: buckets.stop.map_or(Coverage::Complete, |by| Coverage::Stopped { by }),
            sizes: buckets.sizes,
        })
    }

    fn check_settings(&self, table: &EncodedTable) -> Result<()> {
        check_l(self.l)?;
        check_columns(table, self.sensitive, &self.masked)?;
        check_name(table, &self.bucket_name)?;
        if self.buckets.as_ref().is_some_and(|buckets| buckets.len() != table.rows()) {
            return Err(Error::Setting(
                "there are more or fewer buckets listed than rows\n  hint: list one for each row"
                    .into(),
            ));
        }
        Ok(())
    }

    fn unreachable(&self, table: &EncodedTable, most: u32, width: usize) -> Error {
        let name = printable(table.column(self.sensitive).name()).into_owned();
        let way = if width > 1 {
            "or put fewer columns in the sensitive column's slice"
        } else {
            "or merge frequent sensitive values"
        };
        let hint = if most < 2 {
            way.trim_start_matches("or ").to_owned()
        } else {
            format!("pass an `l` of at most {most}, {way}")
        };
        Error::Unreachable(format!(
            "with these slices column `{name}` allows an l of {most} at most, not {}: a value is too frequent among rows that are alike in its slice\n  hint: {hint}",
            self.l
        ))
    }
}

/// An error for an l that protects nothing.
pub(crate) fn check_l(l: u32) -> Result<()> {
    if l < 2 {
        return Err(Error::Setting(
            "a diversity below 2 asks for nothing\n  hint: pass one of 2 or more".into(),
        ));
    }
    Ok(())
}

/// An error for a sensitive column that is not published, or columns that are not there.
pub(crate) fn check_columns(
    table: &EncodedTable,
    sensitive: ColumnId,
    masked: &ColumnSet,
) -> Result<()> {
    let all = table.all_columns();
    if !masked.is_subset(&all) || !all.contains(sensitive) {
        return Err(Error::Setting(
            "a column is beyond those of the table\n  hint: name columns of the table".into(),
        ));
    }
    if masked.contains(sensitive) {
        return Err(Error::Setting(format!(
            "the sensitive column `{}` is withheld, so that nothing is to be protected\n  hint: do not exclude it, or name another one",
            printable(table.column(sensitive).name())
        )));
    }
    Ok(())
}

/// An error for a new column that has an old one's name.
pub(crate) fn check_name(table: &EncodedTable, name: &str) -> Result<()> {
    if table.columns().iter().any(|column| column.name() == name) {
        return Err(Error::Setting(format!(
            "the table has a column `{}` already\n  hint: give the column of buckets another name",
            printable(name)
        )));
    }
    Ok(())
}

/// The published column of buckets.
pub(crate) fn bucket_column(name: &str, bucket_of: &[u32], count: usize) -> Result<Column> {
    let count = u32::try_from(count).expect("no more buckets than rows");
    let column = Column::of_numbers(name, count, bucket_of.iter().copied());
    Ok(column.map_err(muslin_engine::Error::from)?)
}

impl Protector for Slice {
    fn protect(&self, table: &dyn Engine, run: &Run) -> Result<Protection> {
        let all = ColumnSet::first(table.shape()?.columns);
        let table = table.collect(&all)?;
        Ok(self.run(&table, run)?.into())
    }
}
