//! An original and a release of it, and how the cells of one relate to the other.

mod in_place;
mod together;
mod two_tables;

use std::collections::BTreeMap;
use std::path::Path;

use arrow_schema::DataType;
use muslin_engine::Run;
use muslin_io::{
    ColumnChoice, Encoding, Error as IoError, Format, Input, Problem, ReadOptions, ReadTable,
    Source,
};
use muslin_protect::BUCKET_NAME;
use muslin_table::{
    Codes, Column, ColumnId, EncodedTable, Error as TableError, Hierarchy, Role, printable,
};
use muslin_verify::Error as VerifyError;
use muslin_verify::loss::{Blanks, Buckets, Reading};

use crate::hierarchies::Hierarchies;
use crate::input::{names, warnings};
use crate::label_format::{self, LabelFormat};
use crate::suppressed_cells::with_suppressed;
use crate::whole::Whole;
use crate::{Error, Result};

/// What to read, and what is known about how the release was made.
pub(crate) struct PairSettings<'a> {
    pub(crate) original: &'a Input,
    /// The file of the release's data.
    pub(crate) release: &'a Input,
    /// The table that says which of its cells are suppressed, where its format does not show it.
    pub(crate) suppressed: Option<&'a Input>,
    /// How the original is read.
    pub(crate) read: &'a ReadOptions,
    /// How the release is read.
    pub(crate) release_read: &'a ReadOptions,
    pub(crate) roles: &'a BTreeMap<String, Role>,
    /// The sensitive column; the one with that role, where nothing is said.
    pub(crate) sensitive: Option<&'a str>,
    pub(crate) hierarchies: &'a Hierarchies,
    pub(crate) hierarchy_folder: Option<&'a Path>,
    pub(crate) bucket: Option<&'a str>,
    pub(crate) slices: Option<&'a [Vec<String>]>,
    pub(crate) sensitive_table: Option<&'a Input>,
    /// Cells of the release that are suppressed, besides `*`.
    pub(crate) token: Option<&'a str>,
    /// Forms of the release's labels.
    pub(crate) label_formats: &'a [LabelFormat],
}

/// An original and a release of it.
pub(crate) struct Pair {
    pub(crate) whole: Whole,
    /// The place of the sensitive column.
    pub(crate) sensitive: Option<usize>,
    pub(crate) release: EncodedTable,
    pub(crate) release_source: Source,
    pub(crate) reading: Reading,
    /// The hierarchies that labels were read by.
    pub(crate) trees: BTreeMap<String, Hierarchy>,
    pub(crate) warnings: Vec<String>,
}

/// An original that was read.
#[derive(Clone)]
pub(crate) struct Original {
    pub(crate) whole: Whole,
    /// Columns that flags name and that it lacks: the release must have them.
    lacking: Vec<String>,
}

impl PairSettings<'_> {
    /// What is wrong before anything is read.
    pub(crate) fn check(&self) -> Result<()> {
        if *self.original == Input::Stdin && *self.release == Input::Stdin {
            return Err(wrong(
                "the original and the release cannot both come from standard input\n  hint: name a file for one of them",
            ));
        }
        Ok(())
    }

    /// Columns that flags name for both tables need be in one of them.
    fn are_for_both(&self) -> bool {
        self.read.columns == self.release_read.columns
    }

    /// Reads the original.
    pub(crate) fn original(&self, run: &Run) -> Result<Original> {
        let (whole, lacking) = read_some(self.original, self.read, self.are_for_both(), |read| {
            Whole::of(self.original, read, self.roles, false, run)
        })?;
        Ok(Original { whole, lacking })
    }
}

impl Pair {
    pub(crate) fn of(job: &PairSettings, run: &Run) -> Result<Self> {
        job.check()?;
        Self::with(job.original(run)?, job, run)
    }

    /// The pair of an original that was read.
    pub(crate) fn with(original: Original, job: &PairSettings, run: &Run) -> Result<Self> {
        let Original { mut whole, lacking } = original;
        let sensitive = sensitive(job, &whole)?;
        let name = sensitive.map(|id| whole.name(id));
        whole.leave_sensitive(job.roles, &name.as_deref().into_iter().collect::<Vec<_>>());
        let sensitive = sensitive.map(ColumnId::index);

        let options = release_options(job, &whole.table);
        let (ReadTable { table, source }, lacking_too) =
            read_some(job.release, &options, job.are_for_both(), |options| {
                read_alike(job.release, options, &whole.table, Some(&whole.source), run)
            })?;
        if let Some(name) = lacking.iter().find(|name| lacking_too.contains(name)) {
            whole.find(name)?;
        }
        let table = with_suppressed(table, job.suppressed, run)?;
        label_format::check(&table, job.label_formats)?;
        let release = with_token(table, job.token)?;
        let mut release = label_format::spelled(release, job.label_formats, Some(&whole.table))?;
        if let Some(input) = job.sensitive_table {
            let Some(at) = sensitive else {
                return Err(unnamed());
            };
            let counts = read_alike(input, &options, &whole.table, Some(&whole.source), run)?.table;
            let name = whole.table.column(ColumnId::new(at)).name();
            release = joined(release, &counts, job.bucket, name)?;
        }
        let known = &whole.warnings;
        let mut of_release = warnings(&release, &source, &options);
        of_release.retain(|warning| !known.contains(warning));
        let mut told: Vec<String> =
            of_release.into_iter().map(|warning| format!("in the release: {warning}")).collect();

        let buckets = buckets(job, &whole, sensitive, &release, &mut told)?;
        let hierarchies = hierarchies(job, &whole)?;
        let mut trees = trees(&hierarchies, &whole, run)?;
        for id in Reading::unknown(&whole.table, &release, &trees)? {
            let column = whole.table.column(id);
            if hierarchies.of(column.name()).is_some() {
                continue;
            }
            trees.insert(column.name().to_owned(), hierarchies.build(column, run)?);
            told.push(format!(
                "labels of column `{}` were read by the hierarchy that muslin makes from its values: pass `--hierarchy` if they are of another",
                printable(column.name())
            ));
        }
        let is_marked = source.format == Format::Csv || job.suppressed.is_some();
        let blanks = if is_marked { Blanks::Marked } else { Blanks::Unmarked };
        let reading =
            Reading::with_blanks(&whole.table, &release, &trees, buckets.as_ref(), blanks)?;
        told.extend(unclear(&whole.table, &reading));
        // What was not read of the original on purpose is not looked at on purpose.
        let ignored = reading.ignored().iter().filter(|name| !whole.source.columns.contains(name));
        let ignored: Vec<&str> = ignored.map(String::as_str).collect();
        if !ignored.is_empty() {
            told.push(format!(
                "the original lacks these columns of the release, which are not looked at: {}",
                names(&ignored)
            ));
        }
        told.extend(together::warnings(&whole.table, &release, &reading));
        told.extend(whole.warnings.iter().cloned());
        let release_source = source;
        Ok(Self { whole, sensitive, release, release_source, reading, trees, warnings: told })
    }
}

/// A warning where missing and suppressed cells look the same.
fn unclear(original: &EncodedTable, reading: &Reading) -> Option<String> {
    let all = original.all_columns();
    let columns = all.iter().filter(|&id| reading.is_unclear(id));
    let unclear: Vec<&str> = columns.map(|id| original.column(id).name()).collect();
    (!unclear.is_empty()).then(|| {
        format!(
            "the release shows suppressed cells as missing ones in {}, whose original has missing cells too: the fewest possible suppressed cells are counted",
            names(&unclear)
        )
    })
}

/// A release of two tables as one: with the sensitive column, whose values are those that `counts` has
/// for each bucket, in any order.
pub(crate) fn joined(
    release: EncodedTable,
    counts: &EncodedTable,
    bucket: Option<&str>,
    sensitive: &str,
) -> Result<EncodedTable> {
    two_tables::joined(release, counts, bucket.unwrap_or(BUCKET_NAME), sensitive)
}

/// A table of sensitive values of which nobody said what they are of.
pub(crate) fn unnamed() -> Error {
    wrong(
        "a table of sensitive values says nothing without the column that they are of\n  hint: pass `--sensitive NAME`",
    )
}

/// Reads a table. Where columns are named that another table may have instead, those that this one
/// lacks are passed over, and told.
fn read_some<T>(
    input: &Input,
    options: &ReadOptions,
    may_lack: bool,
    read: impl Fn(&ReadOptions) -> Result<T>,
) -> Result<(T, Vec<String>)> {
    let mut options = options.clone();
    let mut lacking = Vec::new();
    loop {
        let done = read(&options);
        let named = match &mut options.columns {
            ColumnChoice::Only(named) | ColumnChoice::Except(named) => named,
            ColumnChoice::All => return Ok((done?, lacking)),
        };
        match done {
            Err(Error::Io(IoError::Table(TableError::UnknownColumn { name, .. })))
                if may_lack
                    && *input != Input::Stdin
                    && named.len() > 1
                    && named.contains(&name) =>
            {
                named.retain(|own| *own != name);
                lacking.push(name);
            }
            done => return Ok((done?, lacking)),
        }
    }
}

/// How the release is read.
fn release_options(job: &PairSettings, original: &EncodedTable) -> ReadOptions {
    let mut options = job.release_read.clone();
    // A release as muslin writes it has nothing where a cell is missing, however the original
    // spelled that.
    let mut columns = original.columns().iter();
    let has_empty =
        |column: &Column| column.dictionary().texts().first().is_some_and(String::is_empty);
    let has_missing = columns.clone().any(|column| column.missing() > 0);
    if has_missing && !columns.any(has_empty) && !options.null.contains(&String::new()) {
        options.null.push(String::new());
    }
    options
}

/// A table whose cells of this spelling are suppressed.
pub(crate) fn with_token(table: EncodedTable, token: Option<&str>) -> Result<EncodedTable> {
    let Some(token) = token else { return Ok(table) };
    let rows = table.rows();
    let column = |column: Column| {
        let texts = column.dictionary().texts();
        let Some(at) = texts.iter().position(|text| text == token) else { return Ok(column) };
        let (at, blank) =
            (u32::try_from(at).expect("values have numbers"), column.suppressed_slot());
        let slots = column.codes().slots().map(|slot| if slot == at { blank } else { slot });
        let codes = Codes::pack(column.slots(), slots.collect::<Vec<_>>().into_iter());
        let made = Column::new(column.name(), column.dictionary().clone(), codes)?;
        Ok(made.with_role(column.role()))
    };
    let columns = table.into_columns().into_iter().map(column).collect::<Result<Vec<_>>>()?;
    Ok(EncodedTable::new(rows, columns)?)
}

/// The sensitive column that is named, or the only one with that role.
fn sensitive(job: &PairSettings, whole: &Whole) -> Result<Option<ColumnId>> {
    let found = whole.sensitive(job.sensitive, job.roles)?;
    Ok(found.first().copied().filter(|_| found.len() == 1))
}

/// Reads a release. A text file says nothing about types: columns get those of the original where
/// their values have them. Where nothing is said and the text is not UTF-8, it may be stored as the
/// original is.
pub(crate) fn read_alike(
    input: &Input,
    options: &ReadOptions,
    original: &EncodedTable,
    source: Option<&Source>,
    run: &Run,
) -> Result<ReadTable> {
    let is_encoded_otherwise = |error: &IoError| match error {
        IoError::Input { problem: Problem::NotEncoded(_), .. } => options.csv.encoding.is_none(),
        _ => false,
    };
    let of_original = source.and_then(|source| source.dialect.as_ref()).map(|own| own.encoding);
    let read = match (muslin_io::read(input, options, run), of_original) {
        (Err(error), Some(encoding))
            if is_encoded_otherwise(&error)
                && encoding != Encoding::Utf8
                && *input != Input::Stdin =>
        {
            let mut options = options.clone();
            options.csv.encoding = Some(encoding);
            muslin_io::read(input, &options, run)
        }
        (read, _) => read,
    };
    let read = read.map_err(|error| match error {
        IoError::Input { place, problem: Problem::NotEncoded(name) } => {
            IoError::Input { place, problem: Problem::ReleaseNotEncoded(name) }
        }
        other => other,
    });
    let ReadTable { table, source } = read?;
    let is_text = source.format == Format::Csv;
    let rows = table.rows();
    let alike = |column: Column| {
        let like = original.find(column.name()).map(|id| original.column(id));
        // A format with types has said what is text and what is not.
        let like = like.ok().filter(|like| is_text || *like.data_type() != DataType::Utf8);
        like.and_then(|like| muslin_io::retyped(&column, like)).unwrap_or(column)
    };
    let columns = table.into_columns().into_iter().map(alike).collect();
    Ok(ReadTable { table: EncodedTable::new(rows, columns)?, source })
}

/// Where hierarchies come from, the folder's included.
fn hierarchies(job: &PairSettings, whole: &Whole) -> Result<Hierarchies> {
    let mut hierarchies = job.hierarchies.clone();
    // A policy may know columns that this run does not read, but none that are not there.
    let is_there = |name: &&str| whole.source.columns.iter().any(|own| own == name);
    if let Some(name) = job.hierarchies.columns().find(|name| !is_there(name)) {
        whole.table.find(name)?;
    }
    if let Some(folder) = job.hierarchy_folder {
        let names: Vec<&str> = whole.table.columns().iter().map(Column::name).collect();
        hierarchies.add_folder(folder, &names)?;
    }
    Ok(hierarchies)
}

/// The hierarchies that somebody gave; of the other columns, values and nothing.
fn trees(
    hierarchies: &Hierarchies,
    whole: &Whole,
    run: &Run,
) -> Result<BTreeMap<String, Hierarchy>> {
    let mut trees = BTreeMap::new();
    for column in whole.table.columns() {
        let tree = match hierarchies.of(column.name()) {
            Some(_) => hierarchies.build(column, run)?,
            None => Hierarchy::flat(column),
        };
        trees.insert(column.name().to_owned(), tree);
    }
    Ok(trees)
}

/// The column of the release that numbers buckets.
fn bucket_name<'a>(job: &PairSettings<'a>) -> &'a str {
    job.bucket.unwrap_or(BUCKET_NAME)
}

/// The buckets that were named, or those that the release seems to have.
fn buckets(
    job: &PairSettings,
    whole: &Whole,
    sensitive: Option<usize>,
    release: &EncodedTable,
    told: &mut Vec<String>,
) -> Result<Option<Buckets>> {
    let column = bucket_name(job).to_owned();
    if let Some(slices) = job.slices {
        return Ok(Some(Buckets { column, slices: slices.to_vec() }));
    }
    let is_there = release.find(&column).is_ok() && whole.table.find(&column).is_err();
    if job.bucket.is_none() && !is_there {
        return Ok(None);
    }
    let name = printable(&column).into_owned();
    let Some(sensitive) = sensitive else {
        if job.bucket.is_some() {
            return Err(wrong(
                "buckets say nothing without the columns that stayed together in them\n  hint: pass `--slices`, such as `age,sex|town,diagnosis`, or `--sensitive`",
            ));
        }
        told.push(format!(
            "column `{name}` seems to number buckets, which are not looked at: pass `--slices` with the columns that stayed together, or `--sensitive`"
        ));
        return Ok(None);
    };
    let all = whole.table.columns().iter().map(|column| column.name().to_owned());
    let (alone, others) = all.enumerate().partition::<Vec<_>, _>(|(at, _)| *at == sensitive);
    let slice = |columns: Vec<(usize, String)>| columns.into_iter().map(|(_, name)| name).collect();
    if release.find(&alone[0].1).is_ok() && job.sensitive_table.is_none() {
        told.push(format!(
            "column `{name}` numbers buckets; the sensitive column was taken for one slice and all others for the other: pass `--slices` if they were cut otherwise"
        ));
    }
    Ok(Some(Buckets { column, slices: vec![slice(others), slice(alone)] }))
}

fn wrong(text: &str) -> Error {
    Error::Verify(VerifyError::Setting(text.into()))
}
