//! Releases of two tables: one of rows with their buckets, one of the sensitive values of buckets.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use muslin_table::{Codes, Column, ColumnId, EncodedTable, printable};
use muslin_verify::Error as VerifyError;

use crate::{Error, Result};

/// The values of a bucket that are not given to a row yet: slots, and how many of each.
type Left = Vec<(u32, u64)>;

/// Buckets by their names.
type Buckets = HashMap<String, Left, FixedState>;

/// The release with its sensitive column: rows of a bucket have the values that `counts` says, in
/// any order, since nobody knows who has which.
pub(super) fn joined(
    release: EncodedTable,
    counts: &EncodedTable,
    bucket: &str,
    sensitive: &str,
) -> Result<EncodedTable> {
    if release.find(sensitive).is_ok() {
        return Err(wrong(format!(
            "the release has the sensitive column `{}` already\n  hint: leave `--sensitive-table` out",
            printable(sensitive)
        )));
    }
    let values = counts.column(counts.find(sensitive)?);
    let mut left = left(counts, bucket, sensitive)?;
    let mut slots = Vec::with_capacity(release.rows());
    let buckets = release.column(release.find(bucket)?);
    let names = buckets.dictionary().texts();
    for slot in buckets.codes().slots() {
        let own = names.get(slot as usize).and_then(|name| left.get_mut(name.as_str()));
        let Some((value, count)) = own.and_then(|own| own.last_mut()) else {
            return Err(apart());
        };
        slots.push(*value);
        *count -= 1;
        if *count == 0 {
            left.get_mut(names[slot as usize].as_str()).map(Left::pop);
        }
    }
    if left.values().any(|own| !own.is_empty()) {
        return Err(apart());
    }
    let codes = Codes::pack(values.slots(), slots.into_iter());
    let column = Column::new(sensitive, values.dictionary().clone(), codes)?;
    let rows = release.rows();
    let columns = release.into_columns().into_iter().chain([column]).collect();
    Ok(EncodedTable::new(rows, columns)?)
}

/// What each bucket has.
fn left(counts: &EncodedTable, bucket: &str, sensitive: &str) -> Result<Buckets> {
    let (buckets, values) = (counts.find(bucket)?, counts.find(sensitive)?);
    let mut others = (0..counts.columns().len()).map(ColumnId::new);
    let numbers = others.find(|id| ![buckets, values].contains(id));
    let Some(numbers) = numbers.filter(|_| counts.columns().len() == 3) else {
        return Err(wrong(
            "the table of sensitive values needs three columns: buckets, values, and the rows that have them\n  hint: give the table that `muslin bucketize --sensitive-table` wrote".into(),
        ));
    };
    let [buckets, values, numbers] = [buckets, values, numbers].map(|id| counts.column(id));
    let names = buckets.dictionary().texts();
    let counted: Vec<Option<u64>> =
        numbers.dictionary().texts().iter().map(|text| text.parse().ok()).collect();
    let mut left = Buckets::default();
    let cells = buckets.codes().slots().zip(values.codes().slots()).zip(numbers.codes().slots());
    for ((bucket, value), number) in cells {
        let count = counted.get(number as usize).copied().flatten().filter(|&count| count > 0);
        let Some((name, count)) = names.get(bucket as usize).zip(count) else {
            return Err(wrong(
                "the table of sensitive values has a row without a bucket or a number of rows\n  hint: give the table that `muslin bucketize --sensitive-table` wrote".into(),
            ));
        };
        left.entry_ref(name.as_str()).or_default().push((value, count));
    }
    Ok(left)
}

fn apart() -> Error {
    wrong("a bucket has another number of rows in the release than in the table of sensitive values\n  hint: give the two tables of one release".into())
}

fn wrong(text: String) -> Error {
    Error::Verify(VerifyError::Setting(text))
}
