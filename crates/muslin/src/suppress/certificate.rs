//! The proof of a bound, as a table, and its checker.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use muslin_engine::Run;
use muslin_io::{Destination, Input, Prepared, ReadOptions, ResultWriter, WriteOptions};
use muslin_table::{Column, EncodedTable};
use muslin_verify::Certificate;

use super::{CellCost, wrong};
use crate::Result;
use crate::arrays::u64s;

/// Prepares a certificate: each row of the input and its multiplier.
pub(super) fn prepare(
    proof: &Certificate,
    destination: &Destination,
    options: &WriteOptions,
) -> Result<Prepared> {
    let field = |name: &str| Field::new(name, DataType::UInt64, false);
    let schema = Arc::new(Schema::new(vec![field("row"), field("multiplier")]));
    let mut writer = ResultWriter::create(destination, &schema, options)?;
    let rows = u64s(0..proof.multipliers.len() as u64);
    let columns: Vec<ArrayRef> = vec![rows, u64s(proof.multipliers.iter().copied())];
    let batch = RecordBatch::try_new(schema, columns).expect("two columns of one length");
    writer.push(&batch)?;
    Ok(writer.prepare()?)
}

/// Whether the checker comes to the bound that the search claims.
pub(super) fn is_proven(
    proof: &Certificate,
    bound: u64,
    table: &EncodedTable,
    run: &Run,
) -> Result<bool> {
    match proof.bound(table, run) {
        Ok(found) if found >= bound => Ok(true),
        // Of many columns there may be more sets than it looks at; then the bound stays unchecked.
        Err(muslin_verify::Error::TooManyPatterns { .. }) => Ok(false),
        Ok(found) => Err(crate::Error::NotHeld {
            claim: format!("a lower bound of {bound} millionths"),
            found,
        }),
        Err(error) => Err(error.into()),
    }
}

/// Computes a bound again, from the original table and a certificate alone.
#[derive(Clone, Debug)]
pub struct CertificateCheck {
    /// The original table.
    pub original: Input,
    /// How to read it.
    pub read: ReadOptions,
    /// The certificate: a table of rows and multipliers.
    pub certificate: Input,
    /// The columns that may lose cells, and what a cell of each costs.
    pub columns: Vec<(String, CellCost)>,
    /// Of how many each row is one.
    pub k: u32,
}

impl CertificateCheck {
    /// What no suppression costs less than.
    pub fn bound(&self, run: &Run) -> Result<f64> {
        let table = muslin_io::read(&self.original, &self.read, run)?.table;
        let proof = read(&self.certificate, &self.columns, self.k, &table, run)?;
        Ok(super::units(proof.bound(&table, run)?))
    }
}

/// Reads a certificate about the columns of a table.
pub(crate) fn read(
    file: &Input,
    columns: &[(String, CellCost)],
    k: u32,
    table: &EncodedTable,
    run: &Run,
) -> Result<Certificate> {
    let proof = muslin_io::read(file, &ReadOptions::default(), run)?.table;
    let numbers = |name: &str| proof.find(name).ok().and_then(|id| whole_numbers(proof.column(id)));
    let (Some(rows), Some(multipliers)) = (numbers("row"), numbers("multiplier")) else {
        return Err(wrong(
            "the certificate is no table of the whole numbers `row` and `multiplier`\n  hint: give the file that `muslin suppress --certificate` wrote",
        ));
    };
    if !rows.into_iter().eq(0..multipliers.len() as u64) {
        return Err(wrong(
            "the rows of the certificate are not those of a table, one after the other\n  hint: give the file that `muslin suppress --certificate` wrote",
        ));
    }
    let weight = |(_, cost): &(String, CellCost)| match cost {
        CellCost::Weight(weight) => Some(weight.millionths()),
        CellCost::Never => None,
    };
    let ids = columns.iter().map(|(name, _)| table.find(name));
    Ok(Certificate {
        columns: ids.collect::<Result<_, _>>()?,
        k,
        weights: columns.iter().map(weight).collect(),
        scale: 1,
        multipliers,
    })
}

/// The numbers of a column, where all of it are whole numbers from zero on.
fn whole_numbers(column: &Column) -> Option<Vec<u64>> {
    let values = column.dictionary().values();
    let numbers: Vec<u64> = match values.data_type() {
        DataType::UInt64 => values.as_primitive::<UInt64Type>().values().to_vec(),
        DataType::Int64 => {
            let values = values.as_primitive::<Int64Type>().values();
            values.iter().map(|&value| u64::try_from(value).ok()).collect::<Option<_>>()?
        }
        _ => return None,
    };
    column.codes().slots().map(|slot| numbers.get(slot as usize).copied()).collect()
}
