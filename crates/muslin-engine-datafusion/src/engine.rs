use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_schema::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::DataFusionError;
use datafusion::datasource::listing::ListingTable;
use datafusion::execution::context::SQLOptions;
use muslin_engine::{
    ColumnCounts, Engine, Error, Fault, MemoryEngine, Result, Run, Seed, Shape, check_uniques,
};
use muslin_io::{ColumnChoice, Format, ReadOptions, Source, draw_rows, encode_batches};
use muslin_table::{
    ClassDiversity, ClassSizes, ColumnId, ColumnSet, DiversityCount, EncodedTable, MissingRule,
    SizeCount,
};

use crate::drawn::DrawnRows;
use crate::error::said;
use crate::location::{Found, Located, address, locate};
use crate::place::Place;
use crate::questions::{self, CELLS};
use crate::rows::{Files, Streamed, in_order, scanned};
use crate::values::{cell, quoted, value};

/// The table that is named first.
const INPUT: &str = "input";
/// What is asked about it.
const ASKED: &str = "asked";

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
        let opened = place.wait(location, run, open(&place, location, sql, read))?;
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
        self.run.check()?;
        self.of_same_files(self.place.ask(&self.name, self.run, sql, understood))
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

    /// Sizes of the classes of sets, asked about together; answers are kept.
    fn sizes_of(&self, sets: &[ColumnSet], missing: MissingRule) -> Result<Vec<ClassSizes>> {
        let key = |set: &ColumnSet| (set.iter().map(ColumnId::index).collect::<Vec<_>>(), missing);
        let mut open: Vec<ColumnSet> = Vec::new();
        for set in sets {
            if !open.contains(set) && !self.known().sizes.contains_key(&key(set)) {
                open.push(set.clone());
            }
        }
        for some in open.chunks(self.place.sets_at_once) {
            let counted = self.count(some, missing)?;
            let mut known = self.known();
            for (set, sizes) in some.iter().zip(counted) {
                known.sizes.insert(key(set), sizes);
            }
        }
        let known = self.known();
        Ok(sets.iter().map(|set| known.sizes[&key(set)].clone()).collect())
    }

    fn count(&self, sets: &[ColumnSet], missing: MissingRule) -> Result<Vec<ClassSizes>> {
        if let [only] = sets
            && only.is_empty()
        {
            return Ok(vec![ClassSizes::from_sizes(
                [self.rows].into_iter().filter(|&n| n > 0),
                missing,
            )]);
        }
        // All rows are one class, and no query says so.
        if sets.iter().any(ColumnSet::is_empty) {
            let one = |set: &ColumnSet| self.count(std::slice::from_ref(set), missing);
            let each: Vec<Vec<ClassSizes>> = sets.iter().map(one).collect::<Result<_>>()?;
            return Ok(each.into_iter().flatten().collect());
        }
        let sql = questions::class_sizes(sets, missing);
        self.ask(&sql, |batches| self.sizes_in(batches, sets.len(), missing))
    }

    /// The sizes of the classes of so many sets, in an answer.
    fn sizes_in(
        &self,
        batches: &[RecordBatch],
        sets: usize,
        missing: MissingRule,
    ) -> Result<Vec<ClassSizes>> {
        let mut found: Vec<Vec<SizeCount>> = vec![Vec::new(); sets];
        let (at, sizes, classes) = (numbers(batches, 0), numbers(batches, 1), numbers(batches, 2));
        for ((at, size), classes) in at.into_iter().zip(sizes).zip(classes) {
            let at = usize::try_from(at).ok().and_then(|at| found.get_mut(at));
            at.ok_or_else(mistaken)?.push(SizeCount { size, rows: size * classes });
        }
        let whole = |counts: Vec<SizeCount>| {
            let counted: u64 = counts.iter().map(|count| count.rows).sum();
            // Rows with missing cells that equal nothing are alone.
            let alone = self.rows.checked_sub(counted).ok_or_else(changed)?;
            if alone > 0 && missing != MissingRule::Distinct {
                return Err(changed());
            }
            let alone = SizeCount { size: 1, rows: alone };
            Ok(ClassSizes::from_rows(counts.into_iter().chain([alone]), missing))
        };
        found.into_iter().map(whole).collect()
    }

    /// All rows of these columns, in order.
    fn rows_of(&self, columns: &ColumnSet) -> Result<EncodedTable> {
        let names: Vec<String> = self.names_of(columns).iter().map(|name| quoted(name)).collect();
        let sql = format!("SELECT {} FROM {ASKED}", names.join(", "));
        let stream = self.place.wait(&self.name, self.run, async {
            self.place.reading.sql(&sql).await?.execute_stream().await
        })?;
        let streamed = Streamed::new(self.place.runtime(), self.run, stream);
        let read = self.reading(columns);
        self.encoded(streamed, |batches, schema| {
            muslin_io::encode_stream(&self.name, schema, batches, &read, self.run)
        })
    }

    /// The drawn rows of files, read by whoever answers queries.
    fn drawn_rows(
        &self,
        table: &ListingTable,
        files: &Files,
        drawn: &[u64],
    ) -> Result<EncodedTable> {
        /// Rows that are worth a part.
        const LEAST: usize = 256;
        let reading = &self.place.reading;
        let scanned = self.place.wait(&self.name, self.run, async {
            scanned(reading, table, files, &self.positions).await
        })?;
        let scanned = scanned.ok_or_else(changed)?;
        let parts = self.place.parts().min(drawn.len().div_ceil(LEAST)).max(1);
        let parts = drawn.chunks(drawn.len().div_ceil(parts).max(1)).map(<[u64]>::to_vec).collect();
        let rows = Arc::new(DrawnRows::new(scanned, parts)) as Arc<dyn TableProvider>;
        self.run.reporter().stage("reading drawn rows", None);
        let mut ordered = self.place.read(&self.name, self.run, &rows, |batches| {
            in_order(batches, drawn).ok_or_else(changed)
        })?;
        let read = self.reading(&self.head.all_columns());
        let schema = match ordered.first() {
            Some(Ok(first)) => first.schema(),
            _ => Arc::clone(&self.schema),
        };
        let batches = &mut ordered.drain(..);
        let encoded = muslin_io::encode_stream(&self.name, &schema, batches, &read, self.run);
        self.run.reporter().finish();
        encoded.map_err(of_io)
    }

    fn names_of(&self, columns: &ColumnSet) -> Vec<String> {
        columns.iter().map(|id| self.head.column(id).name().to_owned()).collect()
    }

    /// How these columns are read.
    fn reading(&self, columns: &ColumnSet) -> ReadOptions {
        ReadOptions { columns: ColumnChoice::Only(self.names_of(columns)), ..self.read.clone() }
    }

    fn encoded(
        &self,
        mut streamed: Streamed<'_>,
        encode: impl FnOnce(&mut Streamed<'_>, &SchemaRef) -> muslin_io::Result<EncodedTable>,
    ) -> Result<EncodedTable> {
        let failure = streamed.failure();
        let schema = streamed.schema();
        let encoded = encode(&mut streamed, &schema);
        if let Some(error) = failure.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(said(&error, &self.name));
        }
        self.run.check()?;
        encoded.map_err(of_io)
    }
}

/// What was found at a location.
struct Opened {
    located: Located,
    schema: SchemaRef,
}

/// Both contexts know the table as `input`, and what is asked about it as `asked`.
async fn open(
    place: &Place,
    location: &str,
    sql: Option<&str>,
    read: &ReadOptions,
) -> Result<Opened, DataFusionError> {
    let located = locate(&place.reading, location, &read.csv, sql.is_some()).await?;
    let mut schema = None;
    for context in [&place.counting, &place.reading] {
        context.register_table(INPUT, Arc::clone(&located.table) as _)?;
        let frame = match sql {
            None => context.table(INPUT).await?,
            Some(sql) => {
                let only_select = SQLOptions::new()
                    .with_allow_ddl(false)
                    .with_allow_dml(false)
                    .with_allow_statements(false);
                let context = context.clone().enable_url_table();
                context.sql_with_options(sql, only_select).await?
            }
        };
        schema = Some(Arc::new(frame.schema().as_arrow().clone()));
        context.register_table(ASKED, frame.into_view())?;
    }
    let schema = schema.unwrap_or_else(|| located.table.schema());
    Ok(Opened { located, schema })
}

/// Others look from another folder.
fn whole_path(location: &str) -> String {
    if location.contains("://") {
        return location.to_owned();
    }
    let whole = std::path::absolute(location).ok();
    whole.and_then(|path| path.to_str().map(str::to_owned)).unwrap_or_else(|| location.to_owned())
}

/// Places of the columns of `head`.
fn positions(schema: &SchemaRef, head: &EncodedTable) -> Vec<usize> {
    let place = |name: &str| schema.fields().iter().position(|field| field.name() == name);
    head.columns().iter().filter_map(|column| place(column.name())).collect()
}

/// The view of the columns that are read. One without columns still has rows.
fn view(schema: &SchemaRef, positions: &[usize], read: &ReadOptions) -> String {
    let one = |(index, &at): (usize, &usize)| {
        let field = schema.field(at);
        format!("{} AS {}", value(field.name(), field.data_type(), read), cell(index))
    };
    let mut values: Vec<String> = positions.iter().enumerate().map(one).collect();
    if values.is_empty() {
        values.push("1 AS nothing".into());
    }
    format!("SELECT {} FROM {ASKED}", values.join(", "))
}

/// Whole numbers of a column of an answer.
pub(crate) fn numbers(batches: &[RecordBatch], column: usize) -> Vec<u64> {
    let all = batches.iter().flat_map(|batch| {
        let values = batch.column(column).as_primitive::<Int64Type>();
        (0..values.len()).map(|at| u64::try_from(values.value(at)).unwrap_or(0)).collect::<Vec<_>>()
    });
    all.collect()
}

/// The only number of a column of an answer.
fn one(batches: &[RecordBatch], column: usize) -> Result<u64> {
    match numbers(batches, column)[..] {
        [number] => Ok(number),
        _ => Err(mistaken()),
    }
}

fn mistaken() -> Error {
    Error::Elsewhere {
        fault: Fault::Internal,
        reason: "the query's answer is not one to this question: this is a mistake of muslin's"
            .into(),
        hint: "please report it with the command and the version".into(),
    }
}

/// A table of as many rows as there must be.
fn unchanged(table: EncodedTable, rows: u64) -> Result<EncodedTable> {
    if table.rows() as u64 == rows { Ok(table) } else { Err(changed()) }
}

fn changed() -> Error {
    Error::Elsewhere {
        fault: Fault::Table,
        reason: "the table changed while it was asked about".into(),
        hint: "ask again once nobody writes to it".into(),
    }
}

/// What reading said, as an engine says it.
fn of_io(error: muslin_io::Error) -> Error {
    match error {
        muslin_io::Error::Engine(error) => error,
        muslin_io::Error::Table(error) => Error::Table(error),
        muslin_io::Error::Stopped(stop) => Error::Stopped(stop),
        other => {
            let said = other.to_string();
            let (reason, hint) =
                said.split_once("\n  hint: ").unwrap_or((&said, "check the table"));
            Error::Elsewhere { fault: Fault::Table, reason: reason.into(), hint: hint.into() }
        }
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
        let valued = self.ask(&questions::valued(all.len()), |batches| {
            if one(batches, 0)? != self.rows {
                return Err(changed());
            }
            (1..=all.len()).map(|column| one(batches, column)).collect::<Result<Vec<u64>>>()
        })?;
        let counts = sizes.iter().zip(valued).map(|(sizes, valued)| {
            let missing = self.rows.checked_sub(valued).ok_or_else(changed)?;
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
        self.ask(&questions::diversity(by, sensitive.index()), |batches| {
            let of = |column| numbers(batches, column);
            let counts = of(0).into_iter().zip(of(1)).zip(of(2)).zip(of(3));
            let found = counts.map(|(((rows, distinct), most_frequent), classes)| DiversityCount {
                rows,
                distinct,
                most_frequent,
                classes,
            });
            let found: Vec<DiversityCount> = found.collect();
            let rows: u64 = found.iter().map(|class| class.rows * class.classes).sum();
            if rows == self.rows { Ok(ClassDiversity::new(found)) } else { Err(changed()) }
        })
    }

    fn minimal_uniques_of(&self, set: &ColumnSet, k: u32, missing: MissingRule) -> Result<u64> {
        check_uniques(set, missing)?;
        self.ask(&questions::minimal_uniques(set, k, missing), |batches| {
            if one(batches, 1)? == self.rows { one(batches, 0) } else { Err(changed()) }
        })
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
        let names: Vec<String> =
            self.head.columns().iter().map(|column| quoted(column.name())).collect();
        let sql = format!("SELECT {} FROM {ASKED}", names.join(", "));
        let stream = self.place.wait(&self.name, self.run, async {
            self.place.reading.sql(&sql).await?.execute_stream().await
        })?;
        let streamed = Streamed::new(self.place.runtime(), self.run, stream);
        let run = self.run.clone().seed(seed);
        let read = ReadOptions { columns: ColumnChoice::All, ..self.read.clone() };
        let table = self.encoded(streamed, |batches, schema| {
            muslin_io::sample_batches(&self.name, schema, batches, &read, rows, &run)
        });
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
