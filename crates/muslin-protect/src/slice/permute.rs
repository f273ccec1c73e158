//! Whose cells change places.

use muslin_table::{Changes, Codes, ColumnSet, EncodedTable, RowId};
use rayon::prelude::*;

use super::buckets::Buckets;
use super::diversity::classes;
use super::layout::Layout;
use crate::order::shuffle;
use crate::{BucketOrder, Draws, Result};

/// The place of a column `bucket` and of every slice's cells within their buckets.
///
/// # Guarantee
/// In each bucket, each slice shows the same values as before, the cells of a row together. A column
/// that several slices have agrees with all of them.
pub(crate) fn rearrange(
    table: &EncodedTable,
    layout: &Layout,
    buckets: &Buckets,
    order: &BucketOrder,
    changes: &mut Changes,
) -> Result<()> {
    let mut sources: Vec<Vec<u32>> = Vec::with_capacity(layout.parts.len());
    if layout.parts.iter().all(|part| part.shared.is_empty()) {
        let free = |at: usize| within(table, &layout.parts[at].columns, buckets, order, at, None);
        sources = (0..layout.parts.len()).into_par_iter().map(free).collect();
    } else {
        for (at, part) in layout.parts.iter().enumerate() {
            let shared = classes(table, &part.shared);
            // What the part shares is published already: at each place, that of the parent's row.
            let tied = sources.get(part.parent).map(|parent| (shared.class_of(), &parent[..]));
            let made = within(table, &part.columns, buckets, order, at, tied);
            sources.push(made);
        }
    }
    for (part, sources) in layout.parts.iter().zip(sources) {
        let own = part.columns.difference(&part.shared);
        let sources = sources.into_iter().map(RowId::new).collect();
        changes.rearrange(&own, sources).map_err(muslin_engine::Error::from)?;
    }
    Ok(())
}

/// For each row of a table the row whose cells a slice publishes there: what draws make of the buckets of rows that are
/// numbered from zero. `part` is the number of the slice. Slices that share columns are not meant.
///
/// ```
/// use muslin_engine::Seed;
/// use muslin_protect::rows_in_buckets;
/// let sources = rows_in_buckets(&[0, 1, 0, 1], &Seed::new(5), 1);
/// // A row comes from its own bucket.
/// assert!(sources.iter().zip(0u32..).all(|(source, row)| source % 2 == row % 2));
/// ```
pub fn rows_in_buckets(bucket_of: &[u32], draws: &dyn Draws, part: usize) -> Vec<u32> {
    let buckets = Buckets::given(bucket_of);
    let mut draw = draws.sequence(part as u64);
    places_in(&buckets, bucket_of.len(), None, &mut |rows| shuffle(rows, &mut draw))
}

/// For each row the row whose cells are published there. Where the part is tied, by a class of each
/// row and the row that each place has in the parent, only rows of the place's class come there.
fn within(
    table: &EncodedTable,
    columns: &ColumnSet,
    buckets: &Buckets,
    order: &BucketOrder,
    part: usize,
    tied: Option<(&[u32], &[u32])>,
) -> Vec<u32> {
    let mut draw = match order {
        BucketOrder::Random(draws) => Some(draws.sequence(part as u64)),
        BucketOrder::Sorted => None,
    };
    let columns: Vec<&Codes> = columns.iter().map(|id| table.column(id).codes()).collect();
    places_in(buckets, table.rows(), tied, &mut |rows| match &mut draw {
        Some(draw) => shuffle(rows, draw),
        None => sort(rows, &columns),
    })
}

/// For each row the row that comes there when the rows of each bucket are arranged.
fn places_in(
    buckets: &Buckets,
    count: usize,
    tied: Option<(&[u32], &[u32])>,
    arrange: &mut dyn FnMut(&mut [u32]),
) -> Vec<u32> {
    let mut sources = vec![0; count];
    let (mut places, mut rows) = (Vec::new(), Vec::new());
    for bucket in buckets.iter() {
        places.clear();
        places.extend_from_slice(bucket);
        places.sort_unstable();
        rows.clear();
        rows.extend_from_slice(&places);
        match tied {
            None => arrange(&mut rows),
            Some((class_of, parent)) => {
                places.sort_by_key(|&place| class_of[parent[place as usize] as usize]);
                rows.sort_by_key(|&row| class_of[row as usize]);
                let is_same = |a: &u32, b: &u32| class_of[*a as usize] == class_of[*b as usize];
                rows.chunk_by_mut(is_same).for_each(&mut *arrange);
            }
        }
        places.iter().zip(&rows).for_each(|(&place, &row)| sources[place as usize] = row);
    }
    sources
}

/// By value, column by column.
fn sort(rows: &mut [u32], columns: &[&Codes]) {
    rows.sort_by(|&a, &b| {
        let compare = |codes: &&Codes| codes.slot(a as usize).cmp(&codes.slot(b as usize));
        columns.iter().map(compare).find(|order| order.is_ne()).unwrap_or(a.cmp(&b))
    });
}
