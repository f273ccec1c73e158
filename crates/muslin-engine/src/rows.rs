use arrow_array::UInt32Array;
use arrow_select::take::take;
use muslin_table::{Codes, Column, EncodedTable, Error, Result};
use rayon::prelude::*;

/// The table of these rows, in this order, with dictionaries of the values that are left.
///
/// # Guarantee
/// A value that no listed row has is in no byte of the result.
pub fn take_rows(table: &EncodedTable, rows: &[u32]) -> Result<EncodedTable> {
    let columns: Result<Vec<_>> =
        table.columns().par_iter().map(|column| take_column(column, rows)).collect();
    EncodedTable::new(rows.len(), columns?)
}

fn take_column(column: &Column, rows: &[u32]) -> Result<Column> {
    let codes = column.codes();
    let mut used = vec![false; column.slots()];
    rows.iter().for_each(|&row| used[codes.slot(row as usize) as usize] = true);

    let values = column.dictionary().len();
    let kept: Vec<u32> =
        (0u32..).zip(&used[..values]).filter(|(_, u)| **u).map(|(v, _)| v).collect();
    let mut new_slot = vec![0u32; column.slots()];
    (0u32..).zip(&kept).for_each(|(slot, &value)| new_slot[value as usize] = slot);
    let missing = u32::try_from(kept.len()).expect("no more values than before");
    new_slot[values] = missing;
    new_slot[values + 1] = missing + 1;

    let slots = rows.iter().map(|&row| new_slot[codes.slot(row as usize) as usize]);
    let packed = Codes::pack(kept.len(), slots);
    // `take` copies the chosen values into new buffers: nothing else comes along.
    let kept = UInt32Array::from(kept);
    let dictionary = column.dictionary().select(|values| take(values, &kept, None));
    let dictionary =
        dictionary.map_err(|error| Error::Internal(format!("cannot select values: {error}")))?;
    Ok(Column::new(column.name(), dictionary, packed)?.with_role(column.role()))
}
