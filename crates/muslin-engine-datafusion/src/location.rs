//! Where a table is: a file, a folder, a glob or an address of an object store.

use std::future::ready;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

use datafusion::common::DataFusionError;
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::arrow::ArrowFormat;
use datafusion::datasource::file_format::csv::CsvFormat;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::prelude::SessionContext;
use futures::TryStreamExt;
use muslin_io::{CsvOptions, Format};
use object_store::{ObjectMeta, ObjectStoreExt};

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
        _ if is_queried => {
            let delimiter = options.delimiter.and_then(|own| u8::try_from(own).ok());
            let csv = CsvFormat::default()
                .with_has_header(options.header.unwrap_or(true))
                .with_delimiter(delimiter.unwrap_or(b','));
            (Format::Csv, Arc::new(csv))
        }
        _ => {
            return own_error(
                "only Parquet and Arrow files are read by this engine",
                "leave out `--engine`; or pass `--sql \"select * from input\"`, with types as the engine finds them",
            );
        }
    };
    // In a folder there may be other things too.
    let own = Path::new(first.location.as_ref()).extension().and_then(|own| own.to_str());
    let extension = own.filter(|_| in_folder).map_or(String::new(), |own| format!(".{own}"));
    let options = ListingOptions::new(reader).with_file_extension(extension);
    let config = ListingTableConfig::new(url).with_listing_options(options);
    let config = config.infer_partitions_from_path(&state).await?;
    let config = config.infer_schema(&state).await?;
    let table = Arc::new(ListingTable::try_new(config)?);
    Ok(Located { table, format, files })
}

/// A file that is there is never a glob, whatever its name.
pub(crate) fn address(location: &str) -> Result<ListingTableUrl> {
    let path = Path::new(location);
    if !path.is_file() {
        return ListingTableUrl::parse(location);
    }
    // Stores know no `..`.
    let path = std::fs::canonicalize(path)?;
    match url::Url::from_file_path(&path) {
        Ok(url) => ListingTableUrl::try_new(url, None),
        Err(()) => own_error("the name of the file is no text", "rename it"),
    }
}

/// Marks that other programs leave in folders hold no rows.
fn is_data(file: &ObjectMeta) -> bool {
    let hidden = |part: &str| part.starts_with('_') || part.starts_with('.');
    !file.location.filename().is_some_and(hidden)
}
