//! What the buckets of a release are like, counted again from the published table.
//!
//! Slicing and bucketization promise that each bucket shows, slice by slice, what its rows had, and
//! that nobody's sensitive value is told from a bucket by what stands beside it. Here the rows of the
//! original and those of the release are sorted by bucket and slice, and compared.

use muslin_engine::Run;
use muslin_table::{Column, EncodedTable, Ratio, printable};
use rayon::prelude::*;

use crate::class_judge::find_all;
use crate::{Error, Result};

/// Counts what each bucket of a release has, against the rows of the original in that bucket.
///
/// # Guarantee
/// The facts are those of the release: in each bucket and slice, whether the combinations of values
/// are those of the original's rows, each as often; and the largest share that a sensitive value has
/// of the rows of a bucket that agree on the other columns of its slice. Missing and suppressed are
/// values of their own. A column may be in several slices.
///
/// # Cost
/// The sorting of the rows, for each slice.
///
/// # Example
/// ```
/// use muslin_engine::Run;
/// use muslin_table::EncodedTable;
/// use muslin_verify::BucketJudge;
/// let original = EncodedTable::of(&[[20, 1], [21, 2], [60, 1], [61, 2]]);
/// // In the first bucket the second column's values have changed places.
/// let release = EncodedTable::of(&[[20, 2, 0], [21, 1, 0], [60, 1, 1], [61, 2, 1]]);
/// let judge = BucketJudge::new("c2", vec![vec!["c0".into()], vec!["c1".into()]]);
/// let judge = judge.sensitive("c1");
/// let facts = judge.run(&original, &[0, 0, 1, 1], &release, &Run::new())?;
/// assert!(facts.is_kept() && facts.is_diverse(2) && !facts.is_diverse(3));
/// # Ok::<(), muslin_verify::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct BucketJudge {
    bucket: String,
    slices: Vec<Vec<String>>,
    sensitive: Option<String>,
}

/// What the buckets of a release are like.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct BucketFacts {
    rows: u64,
    sizes: Vec<u64>,
    differing: u64,
    max_p: Ratio,
    rce: f64,
}

impl BucketJudge {
    /// Looks at the release's column of buckets, which has their numbers, and these slices, by the
    /// names of their columns.
    pub fn new(bucket: impl Into<String>, slices: Vec<Vec<String>>) -> Self {
        Self { bucket: bucket.into(), slices, sensitive: None }
    }

    /// Counts how this column's values are spread in each bucket; it is in one of the slices.
    #[must_use]
    pub fn sensitive(mut self, column: impl Into<String>) -> Self {
        self.sensitive = Some(column.into());
        self
    }

    /// Judges `release`, which was made of `original` with these buckets of its rows.
    pub fn run(
        &self,
        original: &EncodedTable,
        bucket_of: &[u32],
        release: &EncodedTable,
        run: &Run,
    ) -> Result<BucketFacts> {
        if bucket_of.len() != original.rows() {
            return Err(wrong(
                "there are more or fewer buckets listed than rows",
                "list one for each row",
            ));
        }
        let published = self.buckets(release)?;
        let slice = |names: &Vec<String>| {
            run.check()?;
            let before = Sorted::new(bucket_of, names, original, |column| Ok(own_slots(column)))?;
            let after = Sorted::new(&published, names, release, |column| {
                let of = original.column(original.find(column.name())?);
                Ok(slots_of(column, of))
            })?;
            Ok(before.differing(&after))
        };
        let sizes = {
            let mut numbers = published.clone();
            numbers.sort_unstable();
            numbers.chunk_by(|a, b| a == b).map(|same| same.len() as u64).collect()
        };
        run.install(|| {
            let differing: Result<Vec<u64>> = self.slices.par_iter().map(slice).collect();
            let (max_p, rce) = match &self.sensitive {
                Some(sensitive) => self.spread(sensitive, &published, release)?,
                None => (Ratio::new(0, 1), 0.0),
            };
            let rows = release.rows() as u64;
            Ok(BucketFacts { rows, sizes, differing: differing?.iter().sum(), max_p, rce })
        })
    }

    /// The number of each row's bucket.
    fn buckets(&self, release: &EncodedTable) -> Result<Vec<u32>> {
        let column = release.column(release.find(&self.bucket)?);
        let number = |text: String| text.parse().ok();
        let numbers: Option<Vec<u32>> =
            column.dictionary().texts().into_iter().map(number).collect();
        let is_whole = column.missing() == 0 && column.suppressed() == 0;
        let Some(numbers) = numbers.filter(|_| is_whole) else {
            return Err(wrong(
                format!(
                    "column `{}` has something else than numbers of buckets",
                    printable(&self.bucket)
                ),
                "name the column of buckets",
            ));
        };
        Ok(column.codes().slots().map(|slot| numbers[slot as usize]).collect())
    }

    /// The largest share of a sensitive value among rows of a bucket that are alike in its slice, and
    /// the sum over rows of the squared error of those shares.
    #[expect(clippy::cast_precision_loss, reason = "a figure to read")]
    fn spread(
        &self,
        sensitive: &str,
        buckets: &[u32],
        release: &EncodedTable,
    ) -> Result<(Ratio, f64)> {
        let has = |names: &&Vec<String>| names.iter().any(|name| name == sensitive);
        let Some(slice) = self.slices.iter().find(has) else {
            return Err(wrong(
                format!("the sensitive column `{}` is in no slice", printable(sensitive)),
                "put it in one",
            ));
        };
        // The sensitive column last, so that rows with the same known values stand together.
        let known = slice.iter().filter(|name| *name != sensitive);
        let names: Vec<String> = known.cloned().chain([sensitive.to_owned()]).collect();
        let sorted = Sorted::new(buckets, &names, release, |column| Ok(own_slots(column)))?;
        let (mut part, mut whole, mut error) = (0u64, 1u64, 0.0);
        for alike in sorted.runs(names.len()) {
            let size = alike.len() as u64;
            let mut squares = 0.0;
            for same in sorted.split(alike, names.len() + 1) {
                let own = same.len() as u64;
                squares += (own as f64).powi(2);
                // Both are numbers of rows, hence below 2^32.
                if own * whole > part * size {
                    (part, whole) = (own, size);
                }
            }
            error += size as f64 - squares / size as f64;
        }
        Ok((Ratio::new(part.into(), whole.into()), error))
    }
}

/// Rows in the order of their buckets and some columns.
struct Sorted {
    /// The bucket, then the columns: a number for each row.
    keys: Vec<Vec<u32>>,
    order: Vec<u32>,
}

impl Sorted {
    fn new(
        buckets: &[u32],
        names: &[String],
        table: &EncodedTable,
        slots: impl Fn(&Column) -> Result<Vec<u32>>,
    ) -> Result<Self> {
        let mut keys = vec![buckets.to_vec()];
        for name in names {
            let id = table.find(name)?;
            keys.push(slots(table.column(id))?);
        }
        let mut order: Vec<u32> = (0u32..).take(buckets.len()).collect();
        order.par_sort_unstable_by(|&a, &b| {
            let compare = |key: &Vec<u32>| key[a as usize].cmp(&key[b as usize]);
            keys.iter().map(compare).find(|order| order.is_ne()).unwrap_or(a.cmp(&b))
        });
        Ok(Self { keys, order })
    }

    fn are_alike(&self, a: u32, b: u32, columns: usize) -> bool {
        self.keys[..columns].iter().all(|key| key[a as usize] == key[b as usize])
    }

    /// Rows that agree on the bucket and the first of the columns, `count` numbers in all.
    fn runs(&self, count: usize) -> impl Iterator<Item = &[u32]> {
        self.split(&self.order, count)
    }

    fn split<'a>(&'a self, rows: &'a [u32], count: usize) -> impl Iterator<Item = &'a [u32]> {
        rows.chunk_by(move |&a, &b| self.are_alike(a, b, count))
    }

    /// Places, of the longer list, at which the two have different rows.
    fn differing(&self, other: &Self) -> u64 {
        let is_same = |(&a, &b): (&u32, &u32)| {
            let pairs = self.keys.iter().zip(&other.keys);
            pairs.into_iter().all(|(own, other)| own[a as usize] == other[b as usize])
        };
        let same = self.order.iter().zip(&other.order).filter(|&pair| is_same(pair)).count();
        (self.order.len().max(other.order.len()) - same) as u64
    }
}

fn own_slots(column: &Column) -> Vec<u32> {
    column.codes().slots().collect()
}

/// The slots of a published column as those of its original. A column with values that the original
/// lacks has none of its slots.
fn slots_of(column: &Column, original: &Column) -> Vec<u32> {
    let is_same_type = column.data_type() == original.data_type();
    let found =
        is_same_type.then(|| find_all(column.dictionary(), original.dictionary())).flatten();
    let Some(found) = found else {
        return vec![u32::MAX; column.rows()];
    };
    let narrow = |slot: usize| u32::try_from(slot).expect("slots are 32 bits wide");
    let mut slots: Vec<u32> = found.into_iter().map(narrow).collect();
    slots.extend([original.missing_slot(), original.suppressed_slot()]);
    column.codes().slots().map(|slot| slots[slot as usize]).collect()
}

impl BucketFacts {
    /// Rows of the release.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Number of buckets.
    pub fn buckets(&self) -> usize {
        self.sizes.len()
    }

    /// Rows of the smallest bucket; none without rows.
    pub fn smallest(&self) -> Option<u64> {
        self.sizes.iter().copied().min()
    }

    /// Rows of the largest bucket; none without rows.
    pub fn largest(&self) -> Option<u64> {
        self.sizes.iter().copied().max()
    }

    /// Whether each bucket shows in each slice what its rows had, each combination as often.
    pub fn is_kept(&self) -> bool {
        self.differing == 0
    }

    /// Places at which the sorted rows of a slice are not the original's, over all slices.
    pub fn differing(&self) -> u64 {
        self.differing
    }

    /// The largest share of a sensitive value among rows of a bucket that are alike in its slice.
    pub fn max_p(&self) -> Ratio {
        self.max_p
    }

    /// Whether no such share is more than one in `l`.
    pub fn is_diverse(&self, l: u32) -> bool {
        self.max_p.part() * u128::from(l) <= self.max_p.whole()
    }

    /// RCE: the sum over rows of the squared distance between the row's sensitive value and the shares
    /// of values among the rows of its bucket that are alike in its slice.
    pub fn rce(&self) -> f64 {
        self.rce
    }
}

fn wrong(text: impl Into<String>, hint: &str) -> Error {
    Error::Setting(format!("{}\n  hint: {hint}", text.into()))
}
