//! What each cell of a release may stand for.

use std::collections::BTreeMap;
use std::fmt;

use arrow_schema::DataType;
use muslin_table::{Column, ColumnId, EncodedTable, Hierarchy};

use super::decode::{Decoder, Read};
use crate::error::Unread;
use crate::{Error, Result};

/// The values of the original that a published cell may stand for, as codes of the original's
/// column.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cover {
    /// This value.
    Exact(u32),
    /// One of the values from the first to the last.
    Range {
        /// The smallest value.
        first: u32,
        /// The largest value.
        last: u32,
    },
    /// One of these values, in rising order.
    Set(Box<[u32]>),
    /// One of these values, each as often as it is counted; values in rising order.
    Multiset(Box<[(u32, u32)]>),
    /// Anything: the cell is suppressed.
    Any,
    /// Nothing: the input had no value.
    Missing,
}

impl Cover {
    /// One of some values; nothing where there are none.
    pub(super) fn of_values(mut values: Vec<u32>) -> Option<Self> {
        values.sort_unstable();
        values.dedup();
        let (&first, &last) = (values.first()?, values.last()?);
        Some(match last - first {
            0 => Self::Exact(first),
            span if span as usize + 1 == values.len() => Self::Range { first, last },
            _ => Self::Set(values.into()),
        })
    }

    /// The values from `first` up to, and without, `end`; nothing where there are none.
    pub(super) fn of_ends(first: u32, end: u32) -> Option<Self> {
        let last = end.checked_sub(1).filter(|&last| first <= last)?;
        Some(if first == last { Self::Exact(first) } else { Self::Range { first, last } })
    }

    /// Values with their counts, in any order; nothing where there are none.
    pub(super) fn of_counts(mut values: Vec<(u32, u32)>) -> Option<Self> {
        values.sort_unstable();
        values.dedup_by(|later, kept| {
            let is_same = later.0 == kept.0;
            kept.1 = kept.1.saturating_add(if is_same { later.1 } else { 0 });
            is_same
        });
        Some(match values[..] {
            [] => return None,
            [(value, _)] => Self::Exact(value),
            _ => Self::Multiset(values.into()),
        })
    }

    /// The smallest and the largest value, where there are values.
    pub(super) fn ends(&self) -> Option<(u32, u32)> {
        match self {
            Self::Exact(value) => Some((*value, *value)),
            Self::Range { first, last } => Some((*first, *last)),
            Self::Set(values) => Some((*values.first()?, *values.last()?)),
            Self::Multiset(values) => Some((values.first()?.0, values.last()?.0)),
            Self::Any | Self::Missing => None,
        }
    }

    /// Number of values; nothing for a suppressed cell.
    pub(crate) fn len(&self) -> Option<usize> {
        match self {
            Self::Exact(_) => Some(1),
            Self::Range { first, last } => Some((last - first) as usize + 1),
            Self::Set(values) => Some(values.len()),
            Self::Multiset(values) => Some(values.len()),
            Self::Missing => Some(0),
            Self::Any => None,
        }
    }

    /// Whether the cell says less than the original's did, and yet something.
    pub fn is_generalized(&self) -> bool {
        matches!(self, Self::Range { .. } | Self::Set(_) | Self::Multiset(_))
    }
}

/// Which rows of a release belong together, and which of its columns.
///
/// Within a bucket, the rows of one slice say nothing about the rows of another. A column that no
/// slice names is a slice of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buckets {
    /// The column of the release that numbers buckets.
    pub column: String,
    /// Names of the columns whose cells stayed together.
    pub slices: Vec<Vec<String>>,
}

/// Whether a release shows which of its cells are suppressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blanks {
    /// A suppressed cell has a mark of its own, as `*` in a text.
    Marked,
    /// A suppressed cell may look like a missing one, as in a file with types.
    #[default]
    Unmarked,
}

/// How the cells of a release relate to the values of the original.
///
/// # Guarantee
/// Each label that a cell has is read once, by the first of these that fits:
///
/// 1. a value of the original: of the same type, or written the same, or the same number;
/// 2. `*`: anything;
/// 3. a label of the column's hierarchy; where several levels have it, the lowest;
/// 4. a range, a set or values with counts, of values of the original: `[22-52]`, `[a to b]`,
///    `[0-10)`, `(0,10]`, `<18`, `>=65`, `{a, b}`, `a:2,b:1`; or a beginning, `4790*`, whose stars stand for a
///    character each. A range, a set or a beginning stands for the values of the original within it; a
///    range of texts that have a hierarchy, for those from one to the other in its order.
/// 5. a label as other tools write them: of numbers and dates `40-49`, `70+` or `70 and over`, of dates a
///    year or a month, `1980` and `1980-05`, and a set without braces, `a;b`.
///
/// A label that stands for no value of the original, and one that is not understood, is an
/// [error](Error::UnknownLabels) that tells the two apart.
///
/// A suppressed cell is anything. A missing cell is anything too where the original's column has no missing
/// cell. Otherwise it is missing where the release marks suppressed cells, or has no more missing cells
/// than the original; where suppressed cells are [not marked](Blanks::Unmarked), it also needs as many rows.
/// What is left are columns in which some missing cells are suppressed ones and nothing shows which. Such a
/// cell may be anything, and as many of them as the original has missing cells are taken to be missing: so
/// the fewest possible cells are suppressed.
///
/// # Example
/// ```
/// use std::collections::BTreeMap;
/// use muslin_table::{Column, ColumnId, EncodedTable};
/// use muslin_verify::loss::{Cover, Reading};
/// let original = EncodedTable::of(&[[22], [33], [52], [64]]);
/// let ages = Column::of_labels("c0", &["[22-52]", "64"], [0, 0, 1, 0].into_iter())?;
/// let release = EncodedTable::new(4, vec![ages])?;
/// let reading = Reading::of(&original, &release, &BTreeMap::new(), None)?;
/// assert_eq!(reading.cover(ColumnId::new(0), 0), &Cover::Exact(3));
/// assert_eq!(reading.cover(ColumnId::new(0), 1), &Cover::Range { first: 0, last: 2 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Reading {
    pub(super) original_rows: usize,
    pub(super) release_rows: usize,
    pub(super) columns: Vec<ColumnReading>,
    pub(super) buckets: Option<BucketReading>,
    ignored: Vec<String>,
}

/// How the cells of one column relate to the values of the original's.
#[derive(Clone, PartialEq)]
pub(super) struct ColumnReading {
    /// The column of the release; nothing where it is withheld.
    pub(super) release: Option<ColumnId>,
    /// What each slot of the release's column stands for; suppressed alone where it is withheld.
    pub(super) covers: Vec<Cover>,
    /// Cells of each of these slots.
    pub(super) cells: Vec<u64>,
    /// For each slot (leaves - 1) / (all leaves - 1), where the column has a hierarchy that knows
    /// the label.
    pub(super) leaf_loss: Option<Vec<Option<f64>>>,
    /// Of the missing cells that may be anything, those that are taken to be missing: they lose nothing.
    pub(super) missing_before: u64,
}

/// The buckets of a release.
#[derive(Clone, PartialEq)]
pub(super) struct BucketReading {
    pub(super) column: ColumnId,
    /// Columns of the original that the release has: each in a slice, or in several.
    pub(super) slices: Vec<Vec<usize>>,
}

impl Reading {
    /// Reads the labels of `release`, which may show suppressed cells as missing ones. `hierarchies` has
    /// those of the original's columns, by name.
    pub fn of(
        original: &EncodedTable,
        release: &EncodedTable,
        hierarchies: &BTreeMap<String, Hierarchy>,
        buckets: Option<&Buckets>,
    ) -> Result<Self> {
        Self::with_blanks(original, release, hierarchies, buckets, Blanks::Unmarked)
    }

    /// Reads the labels of `release`, of which it is known whether suppressed cells are marked.
    pub fn with_blanks(
        original: &EncodedTable,
        release: &EncodedTable,
        hierarchies: &BTreeMap<String, Hierarchy>,
        buckets: Option<&Buckets>,
        blanks: Blanks,
    ) -> Result<Self> {
        let mut columns = Vec::with_capacity(original.columns().len());
        let mut unread = Vec::new();
        // Whoever marks suppressed cells means missing by missing.
        let has_marks = release.columns().iter().any(marks_suppressed);
        let has_rows = original.rows() == release.rows();
        let trust = match (has_marks, blanks == Blanks::Marked || has_rows) {
            (true, _) => Trust::All,
            (false, true) => Trust::AsMany,
            (false, false) => Trust::None,
        };
        for column in original.columns() {
            if column.suppressed() > 0 {
                return Err(Error::Setting(format!(
                    "column `{}` of the original has suppressed cells\n  hint: give the table as it was before anything was protected",
                    muslin_table::printable(column.name())
                )));
            }
            let hierarchy = hierarchies.get(column.name());
            let at = release.columns().iter().position(|other| other.name() == column.name());
            columns.push(match at.map(ColumnId::new) {
                Some(id) => {
                    match ColumnReading::of(column, release.column(id), hierarchy, trust) {
                        Ok(read) => ColumnReading { release: Some(id), ..read },
                        // All such columns are found before any is refused.
                        Err(Error::UnknownLabels { columns }) => {
                            unread.extend(columns);
                            continue;
                        }
                        Err(error) => return Err(error),
                    }
                }
                None => ColumnReading::withheld(release.rows(), hierarchy.is_some()),
            });
        }
        if !unread.is_empty() {
            return Err(Error::UnknownLabels { columns: unread });
        }
        if columns.iter().all(|column| column.release.is_none()) && !columns.is_empty() {
            return Err(Error::Setting(
                "the release has no column of the original\n  hint: give the original first, then the release".into(),
            ));
        }
        let buckets = match buckets {
            Some(buckets) => Some(BucketReading::of(original, release, &columns, buckets)?),
            None => None,
        };
        let is_bucket = |name: &str| {
            buckets.as_ref().is_some_and(|read| release.column(read.column).name() == name)
        };
        let names = release.columns().iter().map(Column::name);
        let ignored = names.filter(|name| original.find(name).is_err() && !is_bucket(name));
        let ignored = ignored.map(str::to_owned).collect();
        let (original_rows, release_rows) = (original.rows(), release.rows());
        Ok(Self { original_rows, release_rows, columns, buckets, ignored })
    }

    /// What a slot of the release's column stands for. `column` is the original's. A column that is
    /// withheld has one slot.
    ///
    /// # Panics
    /// When there is no such column or slot.
    pub fn cover(&self, column: ColumnId, slot: u32) -> &Cover {
        &self.columns[column.index()].covers[slot as usize]
    }

    /// The columns of the original that have labels in the release which are not understood, or stand for
    /// no value: those for which [`Reading::of`] would ask for a hierarchy.
    pub fn unknown(
        original: &EncodedTable,
        release: &EncodedTable,
        hierarchies: &BTreeMap<String, Hierarchy>,
    ) -> Result<Vec<ColumnId>> {
        let mut unknown = Vec::new();
        for (at, column) in original.columns().iter().enumerate() {
            let mut names = release.columns().iter();
            let Some(published) = names.find(|other| other.name() == column.name()) else {
                continue;
            };
            match ColumnReading::of(column, published, hierarchies.get(column.name()), Trust::None)
            {
                Ok(_) => {}
                Err(Error::UnknownLabels { .. }) => unknown.push(ColumnId::new(at)),
                Err(error) => return Err(error),
            }
        }
        Ok(unknown)
    }

    /// The column of the release that publishes a column of the original.
    pub fn published(&self, column: ColumnId) -> Option<ColumnId> {
        self.columns[column.index()].release
    }

    /// The columns of the original that the release lacks.
    pub fn withheld(&self) -> impl Iterator<Item = ColumnId> + '_ {
        let columns = self.columns.iter().enumerate();
        columns.filter(|(_, column)| column.release.is_none()).map(|(at, _)| ColumnId::new(at))
    }

    /// Names of the columns of the release that the original lacks and that are not looked at.
    pub fn ignored(&self) -> &[String] {
        &self.ignored
    }

    /// The columns of the original that stayed together in buckets, where there are buckets.
    pub fn slices(&self) -> Option<Vec<Vec<ColumnId>>> {
        let ids = |slice: &Vec<usize>| slice.iter().map(|&at| ColumnId::new(at)).collect();
        self.buckets.as_ref().map(|read| read.slices.iter().map(ids).collect())
    }

    /// The first column that is in several slices. What such slices tell of a row, and whether they are
    /// true, can be judged; what they lose cannot be measured.
    pub fn shared_column(&self) -> Option<ColumnId> {
        let slices = &self.buckets.as_ref()?.slices;
        let count = |at: &usize| slices.iter().filter(|slice| slice.contains(at)).count();
        (0..self.columns.len()).find(|at| count(at) > 1).map(ColumnId::new)
    }

    /// The column of the release that numbers buckets.
    pub fn bucket_column(&self) -> Option<ColumnId> {
        self.buckets.as_ref().map(|read| read.column)
    }

    /// Whether missing cells of a column of the original may be suppressed ones, and nothing shows which.
    pub fn is_unclear(&self, column: ColumnId) -> bool {
        self.columns[column.index()].missing_before > 0
    }

    /// Whether the release has buckets.
    pub fn has_buckets(&self) -> bool {
        self.buckets.is_some()
    }

    /// An error unless these are the tables that were read.
    pub(crate) fn check(&self, original: &EncodedTable, release: &EncodedTable) -> Result<()> {
        let fits = |column: &ColumnReading| match column.release {
            Some(id) => {
                let columns = release.columns();
                columns.get(id.index()).is_some_and(|read| read.slots() == column.covers.len())
            }
            None => true,
        };
        let rows = (original.rows(), release.rows()) == (self.original_rows, self.release_rows);
        let bucket = self.buckets.as_ref().map_or(0, |read| read.column.index() + 1);
        let are_same = rows
            && original.columns().len() == self.columns.len()
            && bucket <= release.columns().len()
            && self.columns.iter().all(fits);
        if are_same {
            return Ok(());
        }
        Err(Error::Setting(
            "the reading is that of other tables\n  hint: give the tables that were read".into(),
        ))
    }
}

// Codes of many cells would say nothing to a reader.
impl fmt::Debug for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reading")
            .field("columns", &self.columns.len())
            .field("withheld", &self.withheld().count())
            .field("ignored", &self.ignored.len())
            .field("has_buckets", &self.has_buckets())
            .finish_non_exhaustive()
    }
}

impl ColumnReading {
    /// The slot of missing cells that may be suppressed ones, where some are taken to be missing.
    pub(super) fn unclear(&self) -> Option<usize> {
        (self.missing_before > 0).then(|| self.covers.len() - 2)
    }

    fn withheld(rows: usize, has_hierarchy: bool) -> Self {
        Self {
            release: None,
            covers: vec![Cover::Any],
            cells: vec![rows as u64],
            leaf_loss: has_hierarchy.then(|| vec![Some(1.0)]),
            missing_before: 0,
        }
    }

    fn of(
        original: &Column,
        release: &Column,
        hierarchy: Option<&Hierarchy>,
        trust: Trust,
    ) -> Result<Self> {
        let mut cells = vec![0u64; release.slots()];
        release.codes().slots().for_each(|slot| cells[slot as usize] += 1);
        let values = release.dictionary().len();
        let decoder = Decoder::new(original, release, hierarchy)?;
        let (mut covers, mut leaf_loss) = (Vec::new(), Vec::new());
        let mut unread = Unread::of(original.name());
        for (at, &cells) in cells[..values].iter().enumerate() {
            // What no cell has may stay unread.
            let read = if cells == 0 { Read::Cover(Cover::Any, None) } else { decoder.read(at) };
            let (cover, leaves) = match read {
                Read::Cover(cover, leaves) => (cover, leaves),
                Read::NoValue => {
                    unread.of_no_value += cells;
                    (Cover::Any, None)
                }
                Read::Unknown => {
                    unread.not_understood += cells;
                    (Cover::Any, None)
                }
            };
            covers.push(cover);
            leaf_loss.push(leaves);
        }
        if unread.not_understood + unread.of_no_value > 0 {
            return Err(Error::UnknownLabels { columns: vec![unread] });
        }
        let is_missing = original.missing() > 0
            && match trust {
                Trust::All => true,
                Trust::AsMany => release.missing() <= original.missing(),
                Trust::None => false,
            };
        covers.extend([if is_missing { Cover::Missing } else { Cover::Any }, Cover::Any]);
        leaf_loss.extend([Some(if is_missing { 0.0 } else { 1.0 }), Some(1.0)]);
        let leaf_loss = hierarchy.map(|_| leaf_loss);
        let missing_before = if is_missing { 0 } else { original.missing().min(release.missing()) };
        Ok(Self { release: None, covers, cells, leaf_loss, missing_before })
    }
}

/// Which missing cells are certainly missing, in a column of which the original has some.
#[derive(Clone, Copy)]
enum Trust {
    /// All of them.
    All,
    /// All of them where there are no more than before.
    AsMany,
    /// None.
    None,
}

/// Whether a column has cells that are marked as suppressed.
fn marks_suppressed(column: &Column) -> bool {
    let texts = || column.dictionary().texts();
    column.suppressed() > 0
        || (*column.data_type() == DataType::Utf8 && texts().iter().any(|text| text == "*"))
}

impl BucketReading {
    fn of(
        original: &EncodedTable,
        release: &EncodedTable,
        columns: &[ColumnReading],
        buckets: &Buckets,
    ) -> Result<Self> {
        let column = release.find(&buckets.column)?;
        let name = muslin_table::printable(&buckets.column);
        if original.find(&buckets.column).is_ok() {
            return Err(Error::Setting(format!(
                "column `{name}` numbers buckets and is a column of the original too\n  hint: name the column that was added to the release"
            )));
        }
        let mut taken = vec![false; columns.len()];
        let mut slices: Vec<Vec<usize>> = Vec::new();
        for names in &buckets.slices {
            let mut slice = Vec::new();
            for name in names {
                let at = original.find(name)?.index();
                taken[at] = true;
                slice.extend(columns[at].release.map(|_| at));
            }
            slice.sort_unstable();
            slice.dedup();
            slices.push(slice);
        }
        let alone = (0..columns.len()).filter(|&at| !taken[at] && columns[at].release.is_some());
        slices.extend(alone.map(|at| vec![at]));
        slices.retain(|slice| !slice.is_empty());
        Ok(Self { column, slices })
    }
}
