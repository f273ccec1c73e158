//! Tables of results, batch by batch: findings about a table, not a release of it.

use std::io::{self, BufWriter, Stdout, Write};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::writer::FileWriter;
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;

use super::safe_file::SafeFile;
use super::{
    CsvStyle, Destination, Failed, Kind, Prepared, WriteFormat, WriteOptions, arrow, csv, output,
    parquet as pq,
};
use crate::{Batches, Memory, Result};

/// Writes a table of results while it is being found.
///
/// # Guarantee
/// The destination is absent or as it was before until [`ResultWriter::finish`] puts the whole
/// table there; dropped without that, nothing is left. Standard output gets what is pushed.
///
/// # Cost
/// Memory for some batches, whatever the number of rows.
pub struct ResultWriter {
    destination: Destination,
    rows: Rows,
}

/// Rows on their way into a format.
enum Rows {
    Text(Text),
    Parquet(Box<ArrowWriter<Out>>),
    Arrow(Box<FileWriter<Out>>),
    Memory { memory: Memory, schema: SchemaRef, batches: Vec<RecordBatch> },
}

/// Delimited text; the header waits for the first lines or the end, so that a table given up
/// leaves nothing on standard output either.
struct Text {
    out: Out,
    style: CsvStyle,
    header: String,
}

impl Text {
    fn write(&mut self, lines: &str) -> Result<(), Failed> {
        self.out.write_all(std::mem::take(&mut self.header).as_bytes())?;
        Ok(self.out.write_all(lines.as_bytes())?)
    }
}

/// Where bytes go.
enum Out {
    File(SafeFile),
    Stdout(BufWriter<Stdout>),
    /// Somebody else has it now.
    Taken,
}

impl ResultWriter {
    /// Begins a table of this schema.
    pub fn create(
        destination: &Destination,
        schema: &SchemaRef,
        options: &WriteOptions,
    ) -> Result<Self> {
        let format = options.format_at(destination)?;
        let out = match destination {
            Destination::Memory(memory) => {
                let (memory, schema) = (memory.clone(), Arc::clone(schema));
                let rows = Rows::Memory { memory, schema, batches: Vec::new() };
                return Ok(Self { destination: destination.clone(), rows });
            }
            Destination::Stdout => Out::Stdout(BufWriter::with_capacity(1 << 16, io::stdout())),
            Destination::Path(path) => Out::File(
                SafeFile::create(path, &options.inputs)
                    .map_err(|problem| output(destination, problem))?,
            ),
        };
        let rows = Rows::new(out, format, schema, options).map_err(|e| e.at(destination))?;
        Ok(Self { destination: destination.clone(), rows })
    }

    /// Adds rows, which are of the schema.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let pushed = match &mut self.rows {
            Rows::Text(text) => text.write(&csv::lines(batch, &text.style)),
            Rows::Parquet(writer) => writer.write(batch).map_err(pq::io_error),
            Rows::Arrow(writer) => writer.write(batch).map_err(arrow::io_error),
            Rows::Memory { batches, .. } => {
                batches.push(batch.clone());
                Ok(())
            }
        };
        pushed.map_err(|error| error.at(&self.destination))
    }

    /// Ends the table and puts it in its place.
    pub fn finish(self) -> Result<()> {
        Prepared::place_all(vec![self.prepare()?])
    }

    /// Ends the table, which is then ready for its place.
    pub fn prepare(self) -> Result<Prepared> {
        let destination = self.destination;
        let out = match self.rows {
            Rows::Text(mut text) => text.write("").map(|()| text.out),
            Rows::Parquet(mut writer) => {
                // What takes the writer apart to give its sink back forgets what the system said.
                let done = writer.finish().map_err(pq::io_error);
                done.map(|_| std::mem::replace(writer.inner_mut(), Out::Taken))
            }
            Rows::Arrow(writer) => writer.into_inner().map_err(arrow::io_error),
            Rows::Memory { memory, schema, batches } => {
                return Ok(Prepared(Kind::Memory(
                    memory,
                    Batches::new("results", schema, batches),
                )));
            }
        };
        Ok(Prepared(match out.map_err(|error| error.at(&destination))? {
            Out::File(file) => Kind::file(file, &destination)?,
            Out::Stdout(mut out) => {
                out.flush().map_err(|error| Failed::from(error).at(&destination))?;
                Kind::Printed
            }
            Out::Taken => return Err(crate::Error::Internal("a table was ended twice".into())),
        }))
    }
}

impl Rows {
    fn new(
        out: Out,
        format: WriteFormat,
        schema: &SchemaRef,
        options: &WriteOptions,
    ) -> Result<Self, Failed> {
        Ok(match format {
            WriteFormat::Csv | WriteFormat::Tsv => {
                let style = options.style_of(format);
                let names = schema.fields().iter().map(|field| field.name().as_str());
                let header = csv::header(names, &style);
                Self::Text(Text { out, style, header })
            }
            WriteFormat::Parquet => Self::Parquet(Box::new(pq::writer(out, schema)?)),
            WriteFormat::Arrow => Self::Arrow(Box::new(
                FileWriter::try_new(out, &Arc::clone(schema)).map_err(arrow::io_error)?,
            )),
        })
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Stdout(out) => out.write(bytes),
            Self::Taken => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Stdout(out) => out.flush(),
            Self::Taken => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::{ArrayRef, Float64Array, StringArray, UInt16Array, UInt32Array, UInt64Array};
    use arrow_schema::{DataType, Field, Schema};
    use muslin_engine::Run;
    use muslin_table::RowId;

    use super::*;
    use crate::{ColumnType, Input, OutputProblem, ReadOptions, read};

    fn schema() -> SchemaRef {
        let field = |name: &str, data_type| Field::new(name, data_type, true);
        Arc::new(Schema::new(vec![
            field("row", DataType::UInt32),
            field("smallest", DataType::UInt16),
            field("uniques", DataType::UInt64),
            field("score", DataType::Float64),
            field("columns", DataType::Utf8),
        ]))
    }

    fn batch(from: u32) -> RecordBatch {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(UInt32Array::from(vec![from, from + 1])),
            Arc::new(UInt16Array::from(vec![1, 2])),
            Arc::new(UInt64Array::from(vec![u64::from(u32::MAX) + 1, 7])),
            Arc::new(Float64Array::from(vec![0.1 + 0.2, 1e300])),
            Arc::new(StringArray::from(vec![Some("age|sex \"x\""), None])),
        ];
        RecordBatch::try_new(schema(), columns).unwrap()
    }

    #[test]
    fn every_format_reads_back_as_what_was_pushed() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["r.csv", "r.tsv", "r.parquet", "r.arrow"] {
            let path = folder.path().join(name);
            let to = Destination::named(&path);
            let mut writer =
                ResultWriter::create(&to, &schema(), &WriteOptions::default()).unwrap();
            writer.push(&batch(0)).unwrap();
            writer.push(&batch(2)).unwrap();
            assert!(!path.exists(), "{name}");
            writer.finish().unwrap();

            let text = [("columns".to_owned(), ColumnType::Text)].into();
            let options =
                ReadOptions { types: text, null: vec![String::new()], ..ReadOptions::default() };
            let table = read(&Input::named(&path), &options, &Run::new()).unwrap().table;
            let style = CsvStyle::default();
            let cell = |name: &str, row: u32| {
                let column = table.column(table.find(name).unwrap());
                let at = column.code(RowId::new(row)).value()?;
                Some(style.spell(column.dictionary(), at))
            };
            assert_eq!(table.rows(), 4, "{name}");
            for (row, smallest, uniques, score, columns) in [
                (0, "1", "4294967296", "0.30000000000000004", Some("age|sex \"x\"")),
                (3, "2", "7", "1e300", None),
            ] {
                assert_eq!(cell("row", row), Some(row.to_string()), "{name}");
                assert_eq!(cell("smallest", row).as_deref(), Some(smallest), "{name}");
                assert_eq!(cell("uniques", row).as_deref(), Some(uniques), "{name}");
                assert_eq!(cell("score", row).as_deref(), Some(score), "{name}");
                assert_eq!(cell("columns", row).as_deref(), columns, "{name}");
            }
        }
    }

    #[test]
    fn a_table_without_rows_has_its_columns() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.csv");
        let to = Destination::named(&path);
        ResultWriter::create(&to, &schema(), &WriteOptions::default()).unwrap().finish().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "row,smallest,uniques,score,columns\n");
    }

    #[test]
    fn a_table_that_is_not_finished_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["r.csv", "r.parquet", "r.arrow"] {
            let to = Destination::named(folder.path().join(name));
            let mut writer =
                ResultWriter::create(&to, &schema(), &WriteOptions::default()).unwrap();
            writer.push(&batch(0)).unwrap();
            drop(writer);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_input_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("in.csv");
        std::fs::write(&path, "a\n1\n").unwrap();
        let options = WriteOptions { inputs: vec![path.clone()], ..WriteOptions::default() };
        let refused = ResultWriter::create(&Destination::named(&path), &schema(), &options);
        let is_input = |error: &crate::Error| {
            matches!(error, crate::Error::Output { problem: OutputProblem::IsInput, .. })
        };
        assert!(refused.err().is_some_and(|error| is_input(&error)));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "a\n1\n");
    }
}
