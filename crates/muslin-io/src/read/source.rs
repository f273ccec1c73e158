use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::PathBuf;

use bytes::Bytes;
use muslin_engine::Run;
use serde::{Deserialize, Serialize};

use crate::{Batches, Place, Problem, Result};

/// What to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file.
    Path(PathBuf),
    /// Standard input.
    Stdin,
    /// Batches in memory.
    Memory(Batches),
}

impl Input {
    /// The input that a command line names; `-` is standard input.
    pub fn named(name: impl Into<PathBuf>) -> Self {
        let path = name.into();
        if path.as_os_str() == "-" { Self::Stdin } else { Self::Path(path) }
    }

    /// The name for messages.
    pub fn name(&self) -> String {
        match self {
            Self::Path(path) => path.display().to_string(),
            Self::Stdin => "standard input".into(),
            Self::Memory(batches) => batches.name().into(),
        }
    }
}

/// The format of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Delimited text.
    Csv,
    /// Apache Parquet.
    Parquet,
    /// An Arrow IPC file, also called Feather.
    ArrowFile,
    /// An Arrow IPC stream.
    ArrowStream,
    /// Arrow batches in memory.
    Memory,
    /// What a query gives.
    Query,
}

/// Compression around an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// gzip, one member or several.
    Gzip,
    /// Zstandard.
    Zstd,
}

/// An input whose format is known and that has not been read yet.
pub(super) struct Opened {
    pub(super) format: Format,
    pub(super) compression: Option<Compression>,
    /// The content from its start.
    pub(super) content: Box<dyn Read + Send>,
    /// The file itself, where it is a plain file that is not compressed.
    pub(super) file: Option<File>,
    /// Bytes as stored, where known.
    pub(super) bytes: Option<u64>,
    /// The input's name for messages.
    pub(super) name: String,
}

/// Enough to tell every format, and to guess an encoding.
const HEAD: usize = 4096;

pub(super) fn open(input: &Input) -> Result<Opened> {
    let place = || Place::file(input.name());
    let unreadable = |error: io::Error| place().error(Problem::Unreadable(error.into()));
    let (mut content, file, bytes): (Box<dyn Read + Send>, _, _) = match input {
        Input::Stdin => (Box::new(io::stdin()), None, None),
        // It has no bytes; whoever reads it takes its batches.
        Input::Memory(_) => {
            return Err(place().error(Problem::Unreadable(io::ErrorKind::Unsupported.into())));
        }
        Input::Path(path) => {
            let file = File::open(path).map_err(unreadable)?;
            let metadata = file.metadata().map_err(unreadable)?;
            if metadata.is_dir() {
                return Err(place().error(Problem::Unreadable(io::ErrorKind::IsADirectory.into())));
            }
            let same = file.try_clone().map_err(unreadable)?;
            let plain = metadata.is_file();
            (Box::new(file), plain.then_some(same), plain.then_some(metadata.len()))
        }
    };
    let mut head = read_head(&mut content).map_err(unreadable)?;
    if head.is_empty() {
        return Err(place().error(Problem::Empty));
    }
    let mut compression = None;
    if let Some(found) = compression_of(&head) {
        compression = Some(found);
        let stored = Cursor::new(head).chain(content);
        content = match found {
            Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(stored)),
            Compression::Zstd => {
                let decoder = zstd::stream::read::Decoder::new(stored).map_err(unreadable)?;
                Box::new(decoder)
            }
        };
        head =
            read_head(&mut content).map_err(|_| place().error(Problem::Damaged(found.name())))?;
        if head.is_empty() {
            return Err(place().error(Problem::Empty));
        }
    }
    let format = format_of(&head).map_err(|other| place().error(Problem::OtherFormat(other)))?;
    Ok(Opened {
        format,
        compression,
        content: Box::new(Cursor::new(head).chain(content)),
        file: file.filter(|_| compression.is_none()),
        bytes,
        name: input.name(),
    })
}

/// The format of an input, and its content without the compression around it.
pub(crate) fn content(input: &Input, run: &Run) -> Result<(Format, Bytes)> {
    let opened = open(input)?;
    Ok((opened.format, opened.into_bytes(run)?.into()))
}

impl Opened {
    /// What reading the content failed with.
    pub(super) fn failure(
        name: &str,
        compression: Option<Compression>,
        error: &io::Error,
    ) -> crate::Error {
        let problem = match (error.kind(), compression) {
            // A decompressor's errors are about the data; the system's own have other kinds.
            (
                io::ErrorKind::UnexpectedEof
                | io::ErrorKind::InvalidData
                | io::ErrorKind::InvalidInput
                | io::ErrorKind::Other,
                Some(compression),
            ) => Problem::Damaged(compression.name()),
            _ => Problem::Unreadable(error.into()),
        };
        Place::file(name).error(problem)
    }

    /// The whole content in memory.
    pub(super) fn into_bytes(mut self, run: &Run) -> Result<Vec<u8>> {
        const STEP: u64 = 16 << 20;
        let mut all = Vec::new();
        loop {
            run.check()?;
            run.check_memory(all.len() as u64)?;
            let read = self.content.by_ref().take(STEP).read_to_end(&mut all);
            let read = read.map_err(|error| Self::failure(&self.name, self.compression, &error))?;
            if (read as u64) < STEP {
                return Ok(all);
            }
        }
    }
}

impl Compression {
    /// The name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }
}

fn read_head(content: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(HEAD);
    content.take(HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}

fn compression_of(head: &[u8]) -> Option<Compression> {
    match head {
        [0x1F, 0x8B, ..] => Some(Compression::Gzip),
        [0x28, 0xB5, 0x2F, 0xFD, ..] => Some(Compression::Zstd),
        _ => None,
    }
}

/// The format that the first bytes tell, or the name of one that is not read.
fn format_of(head: &[u8]) -> Result<Format, &'static str> {
    match head {
        [b'P', b'A', b'R', b'1', ..] => Ok(Format::Parquet),
        [b'P', b'A', b'R', b'E', ..] => Err("encrypted Parquet"),
        _ if head.starts_with(b"ARROW1") => Ok(Format::ArrowFile),
        [0xFF, 0xFF, 0xFF, 0xFF, ..] => Ok(Format::ArrowStream),
        _ if head.starts_with(b"FEA1") => Err("a Feather file of version 1"),
        _ if head.starts_with(b"PK\x03\x04") => Err("a zip archive or an Excel workbook"),
        _ if head.starts_with(b"\xD0\xCF\x11\xE0") => Err("an old Excel workbook"),
        _ if head.starts_with(b"BZh") => Err("bzip2 data"),
        _ if head.starts_with(b"\xFD7zXZ\0") => Err("xz data"),
        _ if head.starts_with(b"$FL2") || head.starts_with(b"$FL3") => Err("an SPSS file"),
        _ if head.starts_with(b"<stata_dta>") => Err("a Stata file"),
        _ if head.starts_with(b"SQLite format 3") => Err("an SQLite database"),
        _ if head.starts_with(b"ORC") && head.get(3).is_some_and(|b| *b < 0x20) => {
            Err("an ORC file")
        }
        _ if head.starts_with(b"Obj\x01") => Err("an Avro file"),
        _ if head.starts_with(b"%PDF") => Err("a PDF"),
        _ if head.starts_with(b"\x1F\x9D") => Err("compress data"),
        [0x28 | 0x1F, ..] if compression_of(head).is_some() => {
            Err("data that was compressed twice")
        }
        _ => {
            let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
            let start = text.trim_ascii_start();
            let is_json = match start {
                [b'{', rest @ ..] => rest.trim_ascii_start().starts_with(b"\""),
                [b'[', b'\n', ..] => true,
                [b'[', rest @ ..] => rest.trim_ascii_start().starts_with(b"{"),
                _ => false,
            };
            if is_json {
                return Err("JSON");
            }
            let lower: Vec<u8> = start.iter().take(14).map(u8::to_ascii_lowercase).collect();
            if lower.starts_with(b"<!doctype html")
                || lower.starts_with(b"<html")
                || lower.starts_with(b"<?xml")
            {
                return Err("a web page or XML");
            }
            Ok(Format::Csv)
        }
    }
}
