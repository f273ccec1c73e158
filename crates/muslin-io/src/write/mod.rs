//! Releases and tables of results to files: every byte is made from published values, and a file
//! appears whole or not at all.

mod arrow;
mod csv;
mod disk;
mod parquet;
mod places;
mod result;
mod safe_file;
mod safe_folder;
mod temporary;
mod values;

#[cfg(test)]
mod faults;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use muslin_engine::Run;

pub use self::csv::CsvStyle;
pub use self::places::{check_folder, check_outputs};
pub use self::result::ResultWriter;
pub use self::safe_folder::{IsOurs, SafeFolder, ScratchFolder};
pub use self::temporary::remove_temporary_files;

use self::safe_file::{CompleteFile, SafeFile};
use crate::{Batches, Error, Memory, OutputProblem, Release, Result};

/// Where to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A file, written beside itself and renamed when complete.
    Path(PathBuf),
    /// Standard output.
    Stdout,
    /// Batches in memory.
    Memory(Memory),
}

impl Destination {
    /// The destination that a command line names; `-` is standard output.
    pub fn named(name: impl Into<PathBuf>) -> Self {
        let path = name.into();
        if path.as_os_str() == "-" { Self::Stdout } else { Self::Path(path) }
    }

    /// The name for messages.
    pub fn name(&self) -> String {
        match self {
            Self::Path(path) => path.display().to_string(),
            Self::Stdout => "standard output".into(),
            Self::Memory(_) => "memory".into(),
        }
    }

    /// What a report says of a table that was written there; none where it is in memory.
    pub fn written(&self) -> Option<String> {
        (!matches!(self, Self::Memory(_))).then(|| self.name())
    }

    /// Whether both are one place, however they are spelled.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Stdout, Self::Stdout) => true,
            (Self::Memory(one), Self::Memory(other)) => one == other,
            (Self::Path(one), Self::Path(other)) => places::is_same_place(one, other),
            _ => false,
        }
    }
}

/// The format to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteFormat {
    /// Comma-separated text, or as the style says.
    Csv,
    /// Tab-separated text.
    Tsv,
    /// Apache Parquet.
    Parquet,
    /// An Arrow IPC file.
    Arrow,
}

impl WriteFormat {
    /// Every format, in the order in which help texts list them.
    pub const ALL: [Self; 4] = [Self::Csv, Self::Tsv, Self::Parquet, Self::Arrow];

    /// The format's name, as flags spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
        }
    }

    /// The format that a file's name says, if it says one.
    pub fn of_name(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "csv" | "txt" => Some(Self::Csv),
            "tsv" | "tab" => Some(Self::Tsv),
            "parquet" | "pq" => Some(Self::Parquet),
            "arrow" | "feather" | "ipc" => Some(Self::Arrow),
            _ => None,
        }
    }
}

/// How to write a release or a table of results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// The format; by the destination's name, or CSV on standard output, when not given.
    pub format: Option<WriteFormat>,
    /// For text.
    pub csv: CsvStyle,
    /// Files that must not be written over: the inputs.
    pub inputs: Vec<PathBuf>,
}

impl WriteOptions {
    fn format_at(&self, destination: &Destination) -> Result<WriteFormat> {
        match (self.format, destination) {
            (Some(format), _) => Ok(format),
            (None, Destination::Stdout) => Ok(WriteFormat::Csv),
            (None, Destination::Memory(_)) => Ok(WriteFormat::Arrow),
            (None, Destination::Path(path)) => WriteFormat::of_name(path)
                .ok_or_else(|| output(destination, OutputProblem::UnknownFormat)),
        }
    }

    /// How text is written, where the format is one of text.
    pub fn style(&self) -> Option<CsvStyle> {
        let format = self.format.filter(|own| matches!(own, WriteFormat::Csv | WriteFormat::Tsv));
        format.map(|format| self.style_of(format))
    }

    /// How text of a format is written.
    fn style_of(&self, format: WriteFormat) -> CsvStyle {
        let delimiter = if format == WriteFormat::Tsv { '\t' } else { self.csv.delimiter };
        CsvStyle { delimiter, ..self.csv.clone() }
    }
}

/// Writes a release.
///
/// # Guarantee
/// The file holds published values, column names and types, and nothing about the input, the
/// machine or the time. Whenever the program ends, the destination is absent, as it was before, or
/// complete; nobody but its owner may read it. A file left over from a program that was killed is
/// removed by the next write into the same folder.
pub fn write(
    release: &Release,
    destination: &Destination,
    options: &WriteOptions,
    run: &Run,
) -> Result<()> {
    write_together(&[(release, destination, options)], run)
}

/// Writes releases that belong together, each as [`write()`] does: no file appears before all are
/// complete, and what goes to standard output does before any file appears.
pub fn write_together(parts: &[(&Release, &Destination, &WriteOptions)], run: &Run) -> Result<()> {
    for (_, destination, options) in parts {
        options.format_at(destination)?;
    }
    let outputs: Vec<Destination> = parts.iter().map(|(_, to, _)| (*to).clone()).collect();
    check_outputs(&outputs, &[])?;
    let (printed, kept): (Vec<_>, Vec<_>) =
        parts.iter().partition(|(_, to, _)| **to == Destination::Stdout);
    let prepared = |(release, to, options): &(&Release, &Destination, &WriteOptions)| {
        Prepared::release(release, to, options, run)
    };
    let all: Result<Vec<Prepared>> = kept.into_iter().chain(printed).map(prepared).collect();
    Prepared::place_all(all?)
}

/// An output that is complete and on the disk, and not in its place yet; dropped, nothing is left of it.
/// What goes to standard output is there already.
#[must_use = "an output that is not placed is gone"]
pub struct Prepared(Kind);

enum Kind {
    File(CompleteFile, Destination),
    Memory(Memory, Batches),
    Printed,
}

impl Prepared {
    /// Makes the file of a release.
    pub fn release(
        release: &Release,
        destination: &Destination,
        options: &WriteOptions,
        run: &Run,
    ) -> Result<Self> {
        Ok(Self(match destination {
            Destination::Memory(memory) => Kind::Memory(memory.clone(), batches_of(release, run)?),
            Destination::Path(path) => {
                let mut file = SafeFile::create(path, &options.inputs)
                    .map_err(|problem| output(destination, problem))?;
                write_part(release, destination, options, run, &mut file)?;
                Kind::file(file, destination)?
            }
            Destination::Stdout => {
                let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout());
                write_part(release, destination, options, run, &mut out)?;
                Kind::Printed
            }
        }))
    }

    /// Makes the file of a text that has no cells, such as a plot; over none of `inputs`.
    pub fn text(text: &str, path: &Path, inputs: &[PathBuf]) -> Result<Self> {
        let destination = Destination::Path(path.to_owned());
        let mut file =
            SafeFile::create(path, inputs).map_err(|problem| output(&destination, problem))?;
        file.write_all(text.as_bytes()).map_err(|error| Failed::from(error).at(&destination))?;
        Ok(Self(Kind::file(file, &destination)?))
    }

    /// Puts the outputs of a run in their places: all or none. Where a file cannot get its name, those
    /// before it give theirs back to what was there; the error names those that could not.
    pub fn place_all(outputs: Vec<Self>) -> Result<()> {
        let (mut files, mut named, mut held) = (Vec::new(), Vec::new(), Vec::new());
        for output in outputs {
            match output.0 {
                Kind::File(file, destination) => {
                    files.push(file);
                    named.push(destination);
                }
                Kind::Memory(memory, batches) => held.push((memory, batches)),
                Kind::Printed => {}
            }
        }
        CompleteFile::place_all(files).map_err(|failed| {
            let problem = if failed.placed.is_empty() {
                OutputProblem::Unwritable(failed.cause)
            } else {
                let placed = failed.placed.iter().map(|path| path.display().to_string()).collect();
                OutputProblem::Parted { cause: failed.cause, placed }
            };
            output(&named[failed.at], problem)
        })?;
        held.into_iter().for_each(|(memory, batches)| memory.put(batches));
        Ok(())
    }
}

impl Kind {
    fn file(file: SafeFile, destination: &Destination) -> Result<Self> {
        let complete = file.complete().map_err(|error| Failed::from(error).at(destination))?;
        Ok(Self::File(complete, destination.clone()))
    }
}

/// The batches of a release.
fn batches_of(release: &Release, run: &Run) -> Result<Batches> {
    let table = release.table();
    run.reporter().stage("writing", Some(table.rows() as u64));
    let made = run.install(|| arrow::batches_of(table, run));
    run.reporter().finish();
    let (schema, batches) = made?;
    Ok(Batches::new("release", schema, batches))
}

fn write_part(
    release: &Release,
    destination: &Destination,
    options: &WriteOptions,
    run: &Run,
    out: &mut (dyn Write + Send),
) -> Result<()> {
    let format = options.format_at(destination)?;
    run.reporter().stage("writing", Some(release.table().rows() as u64));
    let written = write_format(release, format, options, run, out)
        .and_then(|()| Ok(out.flush()?))
        .map_err(|error| error.at(destination));
    run.reporter().finish();
    written
}

/// Writes a text that has no cells, such as a plot; as a whole or not at all, and over none of `inputs`.
pub fn write_text(text: &str, path: &Path, inputs: &[PathBuf]) -> Result<()> {
    Prepared::place_all(vec![Prepared::text(text, path, inputs)?])
}

/// Finds out, before any work, whether something could be written there; leaves nothing behind.
pub fn check_destination(destination: &Destination, options: &WriteOptions) -> Result<()> {
    options.format_at(destination)?;
    match destination {
        Destination::Stdout | Destination::Memory(_) => Ok(()),
        Destination::Path(path) => SafeFile::create(path, &options.inputs)
            .map(drop)
            .map_err(|problem| output(destination, problem)),
    }
}

fn output(destination: &Destination, problem: OutputProblem) -> Error {
    Error::Output { file: destination.name(), problem }
}

fn write_format(
    release: &Release,
    format: WriteFormat,
    options: &WriteOptions,
    run: &Run,
    out: &mut (dyn Write + Send),
) -> Result<(), Failed> {
    run.install(|| match format {
        WriteFormat::Csv | WriteFormat::Tsv => {
            csv::write(release.table(), &options.style_of(format), run, out)
        }
        WriteFormat::Parquet => parquet::write(release.table(), run, out),
        WriteFormat::Arrow => arrow::write(release.table(), run, out),
    })
}

/// Why a format could not be written to the end.
enum Failed {
    Io(io::Error),
    NotEncodable(&'static str),
    Stopped(muslin_engine::Error),
}

impl Failed {
    fn at(self, destination: &Destination) -> Error {
        match self {
            Self::Io(error) => output(destination, OutputProblem::Unwritable(error.into())),
            Self::NotEncodable(name) => output(destination, OutputProblem::NotEncodable(name)),
            Self::Stopped(error) => error.into(),
        }
    }
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<muslin_engine::Error> for Failed {
    fn from(error: muslin_engine::Error) -> Self {
        Self::Stopped(error)
    }
}
