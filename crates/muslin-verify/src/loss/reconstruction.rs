//! What a release says about the original's table: the *reconstruction*.
//!
//! A published row stands for one row of the original; what its cells may be is independent, each
//! with the weights of [`Spread`]. In a release with buckets the rows of a bucket B are |B| rows, and
//! the parts of a row in different slices are independent, too: if a share
//! f(x) of the rows of B have the tuple x in a slice, then |B| times the product of the f(x) of all
//! slices is how many rows of the bucket are x. A release without buckets is one bucket with one slice. A column that is withheld is
//! independent of all others.
//!
//! So what is expected of a release is not what one random arrangement of it shows.

use muslin_engine::Run;
use muslin_table::{ColumnId, EncodedTable};
use rayon::prelude::*;

use super::reading::Reading;
use super::spread::Spread;
use super::tuples::{Strip, Tuples};
use crate::Result;

/// The reconstruction of a table. Columns are the original's.
pub(super) struct Reconstruction {
    /// Rows of the release.
    pub(super) rows: u64,
    pub(super) spreads: Vec<Spread>,
    pub(super) parts: Vec<Part>,
    /// The part of each column and its place in the part's tuples; nothing where it is withheld.
    pub(super) places: Vec<Option<(usize, usize)>>,
    /// Rows of each bucket.
    pub(super) buckets: Vec<u64>,
}

/// A slice.
pub(super) struct Part {
    /// The bucket, then what the cell of each column stands for.
    pub(super) tuples: Tuples,
}

impl Reconstruction {
    pub(super) fn new(
        original: &EncodedTable,
        release: &EncodedTable,
        reading: &Reading,
        run: &Run,
    ) -> Result<Self> {
        let columns = original.columns().par_iter().zip(&reading.columns);
        let spreads: Vec<Spread> =
            columns.map(|(column, reading)| Spread::new(column, reading)).collect();
        let published = |&at: &usize| reading.columns[at].release.is_some();
        let slices = match &reading.buckets {
            Some(buckets) => buckets.slices.clone(),
            None => vec![(0..spreads.len()).filter(published).collect()],
        };
        let (bucket_of, buckets) = buckets(release, reading.buckets.as_ref().map(|b| b.column));
        let part = |slice: &Vec<usize>| -> Result<Part> {
            let mut strips = vec![Strip { numbers: bucket_of.clone(), end: buckets.len() }];
            for &at in slice {
                let Some(id) = reading.columns[at].release else { continue };
                let slots = release.column(id).codes().slots();
                let numbers = slots.map(|slot| spreads[at].number(slot)).collect();
                strips.push(Strip { numbers, end: spreads[at].len() });
            }
            Ok(Part { tuples: Tuples::of(&strips, release.rows(), None, run)? })
        };
        let parts = slices.par_iter().map(part).collect::<Result<_>>()?;
        let mut places = vec![None; spreads.len()];
        for (part, slice) in slices.iter().enumerate() {
            slice.iter().enumerate().for_each(|(at, &c)| places[c] = Some((part, at + 1)));
        }
        Ok(Self { rows: release.rows() as u64, spreads, parts, places, buckets })
    }

    /// Whether rows are in buckets: two columns are then in one slice or not.
    pub(super) fn is_linked(&self, a: usize, b: usize) -> bool {
        matches!((self.places[a], self.places[b]), (Some((a, _)), Some((b, _))) if a == b)
    }
}

/// The bucket of each row and the rows of each; buckets are in the order of the column's values.
fn buckets(release: &EncodedTable, column: Option<ColumnId>) -> (Vec<u32>, Vec<u64>) {
    let Some(column) = column.map(|id| release.column(id)) else {
        // No bucket is empty.
        let rows = Some(release.rows() as u64).filter(|&rows| rows > 0);
        return (vec![0; release.rows()], rows.into_iter().collect());
    };
    let mut rows = vec![0u64; column.slots()];
    column.codes().slots().for_each(|slot| rows[slot as usize] += 1);
    let mut number = vec![0u32; column.slots()];
    let used = number.iter_mut().zip(&rows).filter(|(_, rows)| **rows > 0);
    used.zip(0u32..).for_each(|((number, _), next)| *number = next);
    let of_row = column.codes().slots().map(|slot| number[slot as usize]).collect();
    rows.retain(|&rows| rows > 0);
    (of_row, rows)
}

/// The numbers of some columns of the original: values, then missing.
pub(super) fn positions(original: &EncodedTable, column: usize) -> Strip {
    let column = original.column(ColumnId::new(column));
    Strip { numbers: column.codes().slots().collect(), end: column.dictionary().len() + 1 }
}
