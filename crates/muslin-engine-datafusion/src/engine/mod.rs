//! The engine: questions as queries, answers checked and kept.
//!
//! ```text
//! opening    a table as a view of cells
//! counts     classes
//! fetching   samples, and whole columns
//! answers    what queries answer
//! ```

mod answers;
mod counts;
mod fetching;
mod opening;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use datafusion::datasource::listing::ListingTable;
use muslin_engine::{
    ColumnCounts, Engine, Error, Fault, MemoryEngine, Result, Run, Seed, Shape, check_uniques,
};
use muslin_io::{ColumnChoice, Format, ReadOptions, Source, draw_rows, encode_batches};
use muslin_table::{ClassDiversity, ClassSizes, ColumnId, ColumnSet, EncodedTable, MissingRule};

pub use self::answers::of_io;
use self::answers::{changed, mistaken, one, unchanged};
use self::counts::ColumnTotal;
use self::opening::{Opened, open, positions, view, whole_path};
use crate::location::{Found, address};
use crate::place::Place;
use crate::questions::{self, CELLS};
use crate::rows::Files;

/// Answers about a table in files, or about what a query gives, without holding it in memory.
///
/// # Guarantee
/// Every answer is what [`MemoryEngine`] gives for the same rows in the same order: values are equal where it
/// calls them equal, and samples hold the same rows. Missing cells that match anything are counted in memory,
/// as are whole columns that are asked for: an error where they do not fit.
///
/// # Cost
/// A question about classes is one pass over its columns; several sets are one query with a pass for each, so
/// that a cluster does them together. A sample of Parquet files decodes the pages that hold its rows; of a query, one pass. Memory is what the run allows; what does
/// not fit goes to temporary files.
pub struct DataFusionEngine<'a> {
    place: Arc<Place>,
    run: &'a Run,
    read: ReadOptions,
    /// Its name in messages.
    name: String,
    location: String,
    sql: Option<String>,
    source: Source,
    schema: SchemaRef,
    /// The columns that are read, without any row.
    head: EncodedTable,
    /// Their places in the table.
    positions: Vec<usize>,
    input: Rows,
    /// The files as they were when the table was opened.
    files: Found,
    rows: u64,
    known: Mutex<Known>,
}

/// Where rows come from.
enum Rows {
    Files(Arc<ListingTable>, Option<Files>),
    Query,
}

/// Answers that were given before. They decide how quick an answer is, not what it is.
#[derive(Default)]
struct Known {
    sizes: HashMap<(Vec<usize>, MissingRule), ClassSizes>,
    totals: HashMap<usize, ColumnTotal>,
}

impl<'a> DataFusionEngine<'a> {
    /// Opens the table at a location, or what a query about it gives; there it is called `input`.
    pub fn open(
        place: Place,
        location: &str,
        sql: Option<&str>,
        read: &ReadOptions,
        run: &'a Run,
    ) -> muslin_io::Result<Self> {
        run.reporter().stage("opening", None);
        if !read.types.is_empty() {
            return Err(Error::Elsewhere {
                fault: Fault::Question,
                reason: "types of columns cannot be asked for here, the table has its own".into(),
                hint: "leave out `--type`, or pass `--sql \"select cast(age as int) ...\"`".into(),
            }
            .into());
        }
        let opened = place.plan(location, run, open(&place, location, sql, read))?;
        let Opened { located, schema } = opened;
        let files = located.files;
        place.scale_to(files.bytes());
        let head = encode_batches(location, &schema, [], read, run)?;
        let positions = positions(&schema, &head);
        let view = view(&schema, &positions, read);
        place.wait(location, run, async {
            place.counting.register_table(CELLS, place.counting.sql(&view).await?.into_view())?;
            Ok(())
        })?;
        let source = Source {
            file: location.to_owned(),
            format: if sql.is_some() { Format::Query } else { located.format },
            compression: None,
            dialect: None,
            columns: schema.fields().iter().map(|field| field.name().clone()).collect(),
            blank_lines: 0,
            bytes: Some(files.bytes()),
        };
        let count = || place.ask(location, run, &questions::rows(), |found| one(found, 0));
        let mut rows = count()?;
        let input = match (sql, located.format) {
            (None, Format::Parquet) => {
                let files = place.wait(location, run, Files::of(&place.reading, &located.table))?;
                // Footers say how many rows there are, too.
                if files.as_ref().is_some_and(|files| files.rows() != rows) {
                    rows = count()?;
                }
                if files.as_ref().is_some_and(|files| files.rows() != rows) {
                    return Err(changed().into());
                }
                Rows::Files(located.table, files)
            }
            (sql, _) => {
                if place.is_elsewhere() && count()? != rows {
                    return Err(changed().into());
                }
                if sql.is_some() { Rows::Query } else { Rows::Files(located.table, None) }
            }
        };
        run.reporter().finish();
        Ok(Self {
            place: Arc::new(place),
            run,
            read: read.clone(),
            name: location.to_owned(),
            location: whole_path(location),
            sql: sql.map(str::to_owned),
            source,
            schema,
            head,
            positions,
            input,
            files,
            rows,
            known: Mutex::default(),
        })
    }

    /// The same table with these columns alone.
    pub fn keep(mut self, columns: &ColumnSet) -> Result<Self> {
        let kept: Vec<usize> = columns.iter().map(ColumnId::index).collect();
        self.positions = kept.iter().map(|&at| self.positions[at]).collect();
        self.head = self.head.project(columns);
        let names = self.head.columns().iter().map(|column| column.name().to_owned()).collect();
        self.read.columns = ColumnChoice::Only(names);
        let view = view(&self.schema, &self.positions, &self.read);
        let counting = &self.place.counting;
        self.place.wait(&self.name, self.run, async {
            counting.deregister_table(CELLS)?;
            counting.register_table(CELLS, counting.sql(&view).await?.into_view())?;
            Ok(())
        })?;
        self.known = Mutex::default();
        Ok(self)
    }

    /// The columns that are read, without any row.
    pub fn head(&self) -> &EncodedTable {
        &self.head
    }

    /// Facts about the table.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Where queries about it are answered.
    pub fn place(&self) -> &Arc<Place> {
        &self.place
    }

    /// Asks about the view of cells.
    fn ask<T>(&self, sql: &str, understood: impl Fn(&[RecordBatch]) -> Result<T>) -> Result<T> {
        self.asked(|| self.place.ask(&self.name, self.run, sql, understood))
    }

    fn asked<T>(&self, ask: impl FnOnce() -> Result<T>) -> Result<T> {
        self.run.check()?;
        self.of_same_files(ask())
    }

    /// What was found out, if the files are still those that were there in the beginning. Whatever else went
    /// wrong, files that changed are why.
    fn of_same_files<T>(&self, found: Result<T>) -> Result<T> {
        if let Err(Error::Stopped(_)) = found {
            return found;
        }
        let now = self.place.wait(&self.name, self.run, async {
            Found::at(&self.place.reading, &address(&self.name)?).await
        });
        match now {
            Ok(now) if now == self.files => found,
            Ok(_) => Err(changed()),
            Err(error) => found.and(Err(error)),
        }
    }

    /// Where the table is; a file by its whole path.
    pub fn location(&self) -> &str {
        &self.location
    }

    /// The query whose answer is the table.
    pub fn sql(&self) -> Option<&str> {
        self.sql.as_deref()
    }

    /// How it is read.
    pub fn read_options(&self) -> &ReadOptions {
        &self.read
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // A poisoned lock still guards whole answers.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Engine for DataFusionEngine<'_> {
    fn shape(&self) -> Result<Shape> {
        Ok(Shape { rows: self.rows, columns: self.head.columns().len() })
    }

    fn column_counts(&self) -> Result<Vec<ColumnCounts>> {
        let all: Vec<ColumnId> = self.head.all_columns().iter().collect();
        if all.is_empty() {
            return Ok(Vec::new());
        }
        let sizes = self.class_sizes_of_each(&ColumnSet::new(), &all, MissingRule::Category)?;
        let totals = self.totals_of(&self.head.all_columns())?;
        let counts = sizes.iter().zip(totals).map(|(sizes, total)| {
            let missing = self.rows.checked_sub(total.valued).ok_or_else(changed)?;
            let classes = sizes.classes().unwrap_or(0);
            Ok(ColumnCounts { distinct: classes.saturating_sub(u64::from(missing > 0)), missing })
        });
        counts.collect()
    }

    fn class_sizes(&self, by: &ColumnSet, missing: MissingRule) -> Result<ClassSizes> {
        if missing == MissingRule::Wildcard {
            let table = self.collect(by)?;
            return MemoryEngine::new(&table, self.run).class_sizes(&table.all_columns(), missing);
        }
        let sizes = self.sizes_of(std::slice::from_ref(by), missing)?;
        sizes.into_iter().next().ok_or_else(mistaken)
    }

    fn class_sizes_of_each(
        &self,
        by: &ColumnSet,
        more: &[ColumnId],
        missing: MissingRule,
    ) -> Result<Vec<ClassSizes>> {
        let with = |&column: &ColumnId| {
            let mut set = by.clone();
            set.insert(column);
            set
        };
        let sets: Vec<ColumnSet> = more.iter().map(with).collect();
        if missing == MissingRule::Wildcard {
            return sets.iter().map(|set| self.class_sizes(set, missing)).collect();
        }
        self.sizes_of(&sets, missing)
    }

    fn class_sizes_of_sets(
        &self,
        sets: &[ColumnSet],
        missing: MissingRule,
    ) -> Result<Vec<ClassSizes>> {
        if missing == MissingRule::Wildcard {
            return sets.iter().map(|set| self.class_sizes(set, missing)).collect();
        }
        self.sizes_of(sets, missing)
    }

    fn class_diversity(&self, by: &ColumnSet, sensitive: ColumnId) -> Result<ClassDiversity> {
        self.diversity_of(by, sensitive)
    }

    fn minimal_uniques_of(&self, set: &ColumnSet, k: u32, missing: MissingRule) -> Result<u64> {
        check_uniques(set, missing)?;
        self.uniques_of(set, k, missing)
    }

    fn sample(&self, rows: u64, seed: Seed) -> Result<EncodedTable> {
        let all = self.head.all_columns();
        if rows >= self.rows {
            return self.collect(&all);
        }
        if let (Rows::Files(table, Some(files)), false) = (&self.input, all.is_empty()) {
            // There is a draw where fewer rows are wanted than there are.
            let drawn = draw_rows(self.rows, rows, seed, self.run).map_err(of_io)?;
            let table = self.drawn_rows(table, files, &drawn.unwrap_or_default());
            return self.of_same_files(table);
        }
        let table = self.rows_drawn_in_passing(rows, seed);
        self.of_same_files(table)
    }

    fn collect(&self, columns: &ColumnSet) -> Result<EncodedTable> {
        // What cannot fit is told before it is read.
        self.run.check_memory(self.rows.saturating_mul(columns.len() as u64))?;
        if columns.is_empty() {
            let rows = usize::try_from(self.rows).unwrap_or(usize::MAX);
            return Ok(EncodedTable::new(rows, Vec::new())?);
        }
        let table = self.rows_of(columns).and_then(|table| unchanged(table, self.rows));
        self.of_same_files(table)
    }
}
