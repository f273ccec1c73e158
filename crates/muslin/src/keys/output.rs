//! The list of sets that a search writes.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use muslin_io::{Destination, Input, ResultWriter, WriteOptions};
use muslin_table::{ColumnSet, EncodedTable};

use super::report::SetFacts;
use crate::Result;
use crate::arrays::{LINES, f64s, joined, names, u16s, u64s};

/// Where every set goes, one line for each: `size`, `columns` joined by `|`, `distinct_ratio`,
/// `separation_ratio`, `rows_alone`.
#[derive(Clone, Debug)]
pub struct KeysOutput {
    /// Where.
    pub destination: Destination,
    /// How; the input is never written over.
    pub options: WriteOptions,
}

impl KeysOutput {
    /// Writes to `destination`, in the format that its name says.
    pub fn new(destination: Destination) -> Self {
        Self { destination, options: WriteOptions::default() }
    }

    /// Begins the list.
    pub(super) fn begin(&self, input: &Input) -> Result<Lines> {
        let fields = [
            ("size", DataType::UInt16),
            ("columns", DataType::Utf8),
            ("distinct_ratio", DataType::Float64),
            ("separation_ratio", DataType::Float64),
            ("rows_alone", DataType::UInt64),
        ];
        let field = |(name, data_type)| Field::new(name, data_type, true);
        let schema = Arc::new(Schema::new(fields.map(field).to_vec()));
        let mut options = self.options.clone();
        if let Input::Path(path) = input {
            options.inputs.push(path.clone());
        }
        let writer = ResultWriter::create(&self.destination, &schema, &options)?;
        Ok(Lines { writer, schema })
    }
}

/// Lines on their way to a file.
pub(super) struct Lines {
    writer: ResultWriter,
    schema: SchemaRef,
}

impl Lines {
    pub(super) fn push(
        &mut self,
        table: &EncodedTable,
        sets: &[(&ColumnSet, SetFacts)],
    ) -> Result<()> {
        for part in sets.chunks(LINES) {
            let facts = || part.iter().map(|(_, facts)| facts);
            let distinct: ArrayRef =
                Arc::new(facts().map(|facts| facts.distinct_ratio).collect::<Float64Array>());
            let columns = vec![
                u16s(facts().map(|facts| facts.size)),
                joined(part.iter().map(|(set, _)| names(table, set.iter()))),
                distinct,
                f64s(facts().map(|facts| facts.separation_ratio)),
                u64s(facts().map(|facts| facts.rows_alone)),
            ];
            let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns)
                .expect("columns of one length and of the schema's types");
            self.writer.push(&batch)?;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<()> {
        Ok(self.writer.finish()?)
    }
}
