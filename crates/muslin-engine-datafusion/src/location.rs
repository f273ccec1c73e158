//! Where a table is: a file, a folder, a glob or an address of an object store.

use std::future::ready;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

use arrow_schema::ArrowError;
use bytes::Bytes;
use datafusion::common::DataFusionError;
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::arrow::ArrowFormat;
use datafusion::datasource::file_format::csv::CsvFormat;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::parquet::file::metadata::ParquetMetaDataReader;
use datafusion::prelude::SessionContext;
use futures::TryStreamExt;
use muslin_engine::Fault;
use muslin_io::{CsvOptions, Encoding, Format};
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};

use crate::error::own_error;

type Result<T, E = DataFusionError> = std::result::Result<T, E>;

/// A table in files of one format.
pub(crate) struct Located {
    pub(crate) table: Arc<ListingTable>,
    pub(crate) format: Format,
    pub(crate) files: Found,
}

/// Files as they are found at a location.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found(Vec<ObjectMeta>);

impl Found {
    /// Files with data, in the order of their names.
    pub(crate) async fn at(context: &SessionContext, url: &ListingTableUrl) -> Result<Self> {
        let store = context.runtime_env().object_store(url)?;
        // What a context has listed before, it remembers.
        let only = if url.is_collection() {
            None
        } else {
            match store.head(url.prefix()).await {
                Err(object_store::Error::NotFound { .. }) => None,
                found => Some(found?),
            }
        };
        let mut files: Vec<ObjectMeta> = match only {
            Some(only) => vec![only],
            None => {
                let listed = store.list(Some(url.prefix()));
                let is_ours = |file: &ObjectMeta| url.contains(&file.location, false);
                listed.try_filter(|file| ready(is_ours(file))).try_collect().await?
            }
        };
        files.retain(is_data);
        files.sort_by(|a, b| a.location.cmp(&b.location));
        Ok(Self(files))
    }

    /// Bytes of all files.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.iter().map(|file| file.size).sum()
    }
}

/// Finds the files at a location; what they are is told by the first one's content. Texts are for queries alone:
/// their types are found out as DataFusion does.
pub(crate) async fn locate(
    context: &SessionContext,
    location: &str,
    options: &CsvOptions,
    is_queried: bool,
) -> Result<Located> {
    let url = address(location)?;
    let state = context.state();
    let in_folder = url.is_collection() && url.get_glob().is_none();
    let files = Found::at(context, &url).await?;
    let Some(first) = files.0.first() else {
        let is_there = Path::new(location).is_dir();
        let kind = if is_there { ErrorKind::InvalidInput } else { ErrorKind::NotFound };
        return Err(io::Error::from(kind).into());
    };
    if files.0.iter().any(|file| file.size == 0) {
        return Err(io::Error::from(ErrorKind::UnexpectedEof).into());
    }
    let store = context.runtime_env().object_store(&url)?;
    let head = store.get_range(&first.location, 0..first.size.min(8)).await?;
    let (format, reader): (Format, Arc<dyn FileFormat>) = match &head[..] {
        [b'P', b'A', b'R', b'1', ..] => (
            Format::Parquet,
            Arc::new(
                ParquetFormat::default()
                    .with_options(context.copied_table_options().parquet.clone()),
            ),
        ),
        [b'A', b'R', b'R', b'O', b'W', b'1', ..] => (Format::ArrowFile, Arc::new(ArrowFormat)),
        _ if is_queried => (Format::Csv, Arc::new(text(&head, options)?)),
        _ => {
            return own_error(
                Fault::Question,
                "only Parquet and Arrow files are read by this engine",
                "leave out `--engine`; or pass `--sql \"select * from input\"`, with types as the engine finds them",
            );
        }
    };
    let names = match format {
        Format::Parquet => parquet_names(&store, first).await?,
        Format::ArrowFile => arrow_names(&store, first).await?,
        _ => Vec::new(),
    };
    check_names(&names)?;
    // In a folder there may be other things too.
    let own = Path::new(first.location.as_ref()).extension().and_then(|own| own.to_str());
    let extension = own.filter(|_| in_folder).map_or(String::new(), |own| format!(".{own}"));
    let options = ListingOptions::new(reader).with_file_extension(extension);
    let config = ListingTableConfig::new(url).with_listing_options(options);
    let config = config.infer_partitions_from_path(&state).await?;
    let config = config.infer_schema(&state).await?;
    let table = Arc::new(ListingTable::try_new(config)?);
    let listed = table.list_files_for_scan(&state, &[], None).await?.file_groups;
    let mut read: Vec<ObjectMeta> =
        listed.iter().flat_map(|group| group.iter().map(|file| file.object_meta.clone())).collect();
    read.sort_by(|a, b| a.location.cmp(&b.location));
    if !read.iter().map(|file| &file.location).eq(files.0.iter().map(|file| &file.location)) {
        return own_error(
            Fault::Table,
            "not all of its files would be read as one table: some names end otherwise than others, or begin with `_` or `.`",
            "name the files that belong to it by a glob, as in `visits/*.parquet`, and move others away",
        );
    }
    Ok(Located { table, format, files })
}

/// How a text is read by a query; what cannot be said to the engine is refused.
fn text(head: &[u8], options: &CsvOptions) -> Result<CsvFormat> {
    let CsvOptions { delimiter, quote, header, encoding, decimal_comma, trim } = options;
    if let [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] | [0xff, 0xff, 0xff, 0xff, ..] = head {
        return own_error(
            Fault::Table,
            "compressed texts and Arrow streams are not read by a query",
            "unpack it or write it as a file first, or leave out `--sql`",
        );
    }
    let is_utf8 = encoding.is_none_or(|own| own == Encoding::Utf8);
    if !is_utf8 || *decimal_comma == Some(true) || *trim || *quote == Some(None) {
        return own_error(
            Fault::Question,
            "a text that is read by a query is UTF-8 with points in its numbers, quotes, and spaces as they are",
            "leave out `--encoding`, `--decimal-comma`, `--trim` and `--quote none`, or `--sql`",
        );
    }
    let byte = |own: char| u8::try_from(own).ok();
    Ok(CsvFormat::default()
        .with_has_header(header.unwrap_or(true))
        .with_delimiter(delimiter.and_then(byte).unwrap_or(b','))
        .with_quote(quote.flatten().and_then(byte).unwrap_or(b'"')))
}

/// Names of columns as a file has them: a schema that is found out has each name once.
async fn parquet_names(store: &Arc<dyn ObjectStore>, file: &ObjectMeta) -> Result<Vec<String>> {
    let footer = footer(store, file, b"PAR1").await?;
    let metadata = ParquetMetaDataReader::decode_metadata(&footer)?;
    let fields = metadata.file_metadata().schema_descr().root_schema().get_fields();
    Ok(fields.iter().map(|field| field.name().to_owned()).collect())
}

async fn arrow_names(store: &Arc<dyn ObjectStore>, file: &ObjectMeta) -> Result<Vec<String>> {
    let footer = footer(store, file, b"ARROW1").await?;
    let footer = datafusion::arrow::ipc::root_as_footer(&footer).map_err(|_| damaged())?;
    let fields = footer.schema().and_then(|schema| schema.fields()).ok_or_else(damaged)?;
    Ok(fields.iter().map(|field| field.name().unwrap_or_default().to_owned()).collect())
}

/// What stands before its length and the mark that both formats end with.
async fn footer(store: &Arc<dyn ObjectStore>, file: &ObjectMeta, mark: &[u8]) -> Result<Bytes> {
    let end = file.size.checked_sub(4 + mark.len() as u64).ok_or_else(damaged)?;
    let last = store.get_range(&file.location, end..file.size).await?;
    let length = last.first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes));
    let start = length.and_then(|length| end.checked_sub(length.into())).ok_or_else(damaged)?;
    if !last.ends_with(mark) {
        return Err(damaged());
    }
    Ok(store.get_range(&file.location, start..end).await?)
}

fn damaged() -> DataFusionError {
    DataFusionError::ArrowError(Box::new(ArrowError::IpcError(String::new())), None)
}

fn check_names(names: &[String]) -> Result<()> {
    for (at, name) in names.iter().enumerate() {
        if let Some(before) = names[..at].iter().position(|other| other == name) {
            let reason = format!("columns {} and {} have the same name", before + 1, at + 1);
            return own_error(Fault::Table, &reason, "rename one of them");
        }
    }
    Ok(())
}

/// What is there by its name is no glob, whatever its name.
pub(crate) fn address(location: &str) -> Result<ListingTableUrl> {
    let path = Path::new(location);
    if !path.exists() {
        return ListingTableUrl::parse(location);
    }
    // Stores know no `..`.
    let path = std::fs::canonicalize(path)?;
    let url = if path.is_dir() {
        url::Url::from_directory_path(&path)
    } else {
        url::Url::from_file_path(&path)
    };
    match url {
        Ok(url) => ListingTableUrl::try_new(url, None),
        Err(()) => own_error(Fault::Table, "its name is no text", "rename it"),
    }
}

/// Marks that other programs leave in folders hold no rows.
fn is_data(file: &ObjectMeta) -> bool {
    let hidden = |part: &str| part.starts_with('_') || part.starts_with('.');
    !file.location.filename().is_some_and(hidden)
}
