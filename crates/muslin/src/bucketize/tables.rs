//! The table of the sensitive values of each bucket.

use muslin_engine::take_rows;
use muslin_io::{Release, RowOrder};
use muslin_protect::{Bucketized, SensitiveCount};
use muslin_table::{Changes, Codes, Column, ColumnId, EncodedTable};

use crate::Result;
use crate::buckets::setting;

/// A row for each bucket and each sensitive value that it has, and how many rows have it there.
pub(super) fn sensitive_table(
    sensitive: &Column,
    found: &Bucketized,
    bucket_name: &str,
) -> Result<Release> {
    let counts = found.sensitive_table();
    let numbers = |name: &str, number: fn(&SensitiveCount) -> u32| {
        let most = counts.iter().map(number).max().map_or(0, |most| most + 1);
        Column::of_numbers(name, most, counts.iter().map(number))
    };
    let values = sensitive.dictionary();
    let slots = Codes::pack(values.len(), counts.iter().map(|own| own.slot));
    // The names of the other two are somebody's choice.
    let free = ["rows", "row_count", "number_of_rows"].into_iter();
    let mut free = free.filter(|&name| name != sensitive.name() && name != bucket_name);
    let columns = vec![
        numbers(bucket_name, |own| own.bucket)?,
        Column::new(sensitive.name(), values.clone(), slots)?,
        numbers(free.next().unwrap_or("rows"), |own| own.count)?,
    ];
    let table = EncodedTable::new(counts.len(), columns)?;
    Ok(Release::new(&table, &Changes::none(&table), RowOrder::Sorted)?)
}

/// A row for each that a table of sensitive values counts.
pub(super) fn expanded(counts: &EncodedTable) -> Result<EncodedTable> {
    let column = counts.column(ColumnId::new(2));
    let mut rows: Vec<u32> = Vec::new();
    for (row, slot) in (0u32..).zip(column.codes().slots()) {
        let text = column.dictionary().text(slot as usize);
        let Ok(count) = text.parse::<usize>() else {
            return Err(setting("a number of rows is none\n  hint: please report this"));
        };
        rows.extend(std::iter::repeat_n(row, count));
    }
    Ok(take_rows(counts, &rows)?)
}
