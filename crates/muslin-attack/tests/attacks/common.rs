//! Releases made by hand.

use std::collections::BTreeMap;

use muslin_engine::Seed;
use muslin_table::{Codes, Column, ColumnId, ColumnSet, EncodedTable};
use muslin_testkit::data;

pub(crate) fn set(columns: &[usize]) -> ColumnSet {
    columns.iter().copied().map(ColumnId::new).collect()
}

/// The table with some cells suppressed.
pub(crate) fn blanked(table: &EncodedTable, cells: &[(usize, usize)]) -> EncodedTable {
    let column = |(at, column): (usize, &Column)| {
        let slots = column.codes().slots().enumerate().map(|(row, slot)| {
            if cells.contains(&(row, at)) { column.suppressed_slot() } else { slot }
        });
        let slots: Vec<u32> = slots.collect();
        let codes = Codes::pack(column.dictionary().len(), slots.into_iter());
        Column::new(column.name(), column.dictionary().clone(), codes).unwrap()
    };
    let columns = table.columns().iter().enumerate().map(column).collect();
    EncodedTable::new(table.rows(), columns).unwrap()
}

/// The table with another column in place of one.
pub(crate) fn replaced(table: &EncodedTable, at: usize, slots: &[u32]) -> EncodedTable {
    let mut columns = table.columns().to_vec();
    let own = &columns[at];
    let codes = Codes::pack(own.dictionary().len(), slots.iter().copied());
    columns[at] = Column::new(own.name(), own.dictionary().clone(), codes).unwrap();
    EncodedTable::new(table.rows(), columns).unwrap()
}

/// An order that a seed makes.
pub(crate) fn shuffled(seed: Seed, rows: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0u32..).take(rows).collect();
    for last in (1..rows).rev() {
        let at = seed.below(last as u64, last as u64 + 1);
        order.swap(last, usize::try_from(at).unwrap());
    }
    order
}

/// The same as the only order of a seed.
pub(crate) fn orders(seed: Seed, rows: usize) -> Vec<Vec<u32>> {
    vec![shuffled(seed, rows)]
}

/// Buckets of `l` rows with different values of a column (the last ones may have more): each step takes
/// a row of each of the most frequent values left. Rows are taken in an order that the seed makes.
pub(crate) fn anatomy(table: &EncodedTable, sensitive: usize, l: usize, seed: Seed) -> Vec<u32> {
    let column = &table.columns()[sensitive];
    let mut left: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for row in shuffled(seed, table.rows()) {
        left.entry(column.codes().slot(row as usize)).or_default().push(row);
    }
    let mut bucket_of = vec![0u32; table.rows()];
    let mut buckets = 0;
    loop {
        let mut sizes: Vec<(usize, u32)> =
            left.iter().map(|(&value, rows)| (rows.len(), value)).filter(|own| own.0 > 0).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        if sizes.len() < l {
            break;
        }
        for &(_, value) in &sizes[..l] {
            let row = left.get_mut(&value).unwrap().pop().unwrap();
            bucket_of[row as usize] = buckets;
        }
        buckets += 1;
    }
    for (nth, row) in (0u32..).zip(left.into_values().flatten()) {
        bucket_of[row as usize] = nth % buckets.max(1);
    }
    bucket_of
}

/// A release with a column `bucket`, in which the rows of a bucket have its sensitive values in order.
pub(crate) fn bucketized(
    table: &EncodedTable,
    sensitive: usize,
    bucket_of: &[u32],
) -> EncodedTable {
    let column = &table.columns()[sensitive];
    let mut values: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (&bucket, slot) in bucket_of.iter().zip(column.codes().slots()) {
        values.entry(bucket).or_default().push(slot);
    }
    values.values_mut().for_each(|own| own.sort_unstable_by(|a, b| b.cmp(a)));
    let slots: Vec<u32> =
        bucket_of.iter().map(|bucket| values.get_mut(bucket).unwrap().pop().unwrap()).collect();
    let mut columns = replaced(table, sensitive, &slots).into_columns();
    let count = bucket_of.iter().max().map_or(0, |&last| last + 1);
    columns.push(Column::of_numbers("bucket", count, bucket_of.iter().copied()).unwrap());
    EncodedTable::new(table.rows(), columns).unwrap()
}

/// Some columns of the Adult data, without rows that lack a value; nothing where the file is absent.
#[expect(clippy::print_stdout, reason = "says why nothing is tested")]
pub(crate) fn adult(names: &[&str]) -> Option<EncodedTable> {
    let Some(path) = data::real("adult.csv") else {
        println!("adult.csv is absent: skipped");
        return None;
    };
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let rows: Vec<Vec<&str>> = lines
        .filter(|line| !line.contains('?'))
        .map(|line| line.split(',').map(str::trim).collect())
        .collect();
    let column = |name: &&str| {
        let at = header.iter().position(|own| own == name).unwrap();
        if name.starts_with("age") {
            let cells = rows.iter().map(|row| row[at].parse().ok()).collect();
            return EncodedTable::of_columns([((*name).to_owned(), cells)])
                .into_columns()
                .remove(0);
        }
        let mut labels: Vec<&str> = rows.iter().map(|row| row[at]).collect();
        labels.sort_unstable();
        labels.dedup();
        let position =
            |row: &Vec<&str>| u32::try_from(labels.partition_point(|own| *own < row[at])).unwrap();
        let positions: Vec<u32> = rows.iter().map(position).collect();
        Column::of_labels(*name, &labels, positions.into_iter()).unwrap()
    };
    Some(EncodedTable::new(rows.len(), names.iter().map(column).collect()).unwrap())
}
