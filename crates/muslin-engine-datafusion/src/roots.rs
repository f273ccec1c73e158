//! What may be read by a process that answers others: files below named folders, and addresses below named prefixes.
//!
//! A query names what it reads. An executor runs queries with rights of its own, so it must not follow them everywhere.
//! Every read of a process goes through its stores, and stores that are confined to roots refuse all else and write nothing.

use std::fmt;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use datafusion::common::DataFusionError;
use futures::stream::{self, BoxStream, StreamExt};
use muslin_engine::{Error, Fault, Result};
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult,
};
use url::Url;

use crate::error::Carried;
use crate::location::address;

/// Folders and prefixes of addresses below which tables may be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roots(Vec<Root>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Root {
    /// By its real path, without links.
    Folder(PathBuf),
    /// What is below a path of a store.
    Prefix(Url, Path),
}

impl Roots {
    /// The folders and prefixes with these names; there is at least one.
    pub fn new(names: &[String]) -> Result<Self> {
        if names.is_empty() {
            return Err(wrong(
                "no folder is named below which tables may be read".into(),
                "name one with `--root DIR`",
            ));
        }
        names.iter().map(|name| root(name)).collect::<Result<_>>().map(Self)
    }

    /// Whether what is at a path of a store is below one of the roots. Links are followed first.
    pub fn admit(&self, store: &Url, path: &Path) -> bool {
        if store.scheme() == "file" {
            let Some(real) = on_disk(path).and_then(|path| real_path(&path)) else { return false };
            return self
                .0
                .iter()
                .any(|root| matches!(root, Root::Folder(own) if real.starts_with(own)));
        }
        self.0.iter().any(|root| match root {
            Root::Folder(_) => false,
            Root::Prefix(own, prefix) => {
                own[..url::Position::BeforePath] == store[..url::Position::BeforePath]
                    && path.prefix_matches(prefix)
            }
        })
    }

    /// Whether the table at a location is below one of the roots.
    pub fn admit_location(&self, location: &str) -> bool {
        address(location).is_ok_and(|url| self.admit(url.object_store().as_ref(), url.prefix()))
    }
}

fn root(name: &str) -> Result<Root> {
    if name.contains("://") {
        let not_one = || {
            wrong(
                format!("`{name}` is not an address of an object store"),
                "pass one such as `--root s3://bucket/visits/`, or a folder",
            )
        };
        let url = Url::parse(name).map_err(|_| not_one())?;
        let path = Path::from_url_path(url.path()).map_err(|_| not_one())?;
        return match url.scheme() {
            "s3" | "s3a" | "http" | "https" if url.has_host() => Ok(Root::Prefix(url, path)),
            _ => Err(not_one()),
        };
    }
    let folder = std::fs::canonicalize(name).ok().filter(|path| path.is_dir());
    folder.map(Root::Folder).ok_or_else(|| {
        wrong(
            format!("`{name}` is not a folder"),
            "pass a folder that exists, as in `--root /shared/visits`",
        )
    })
}

fn wrong(reason: String, hint: &str) -> Error {
    Error::Elsewhere { fault: Fault::Question, reason, hint: hint.to_owned() }
}

/// The path of a file of the local store.
fn on_disk(path: &Path) -> Option<PathBuf> {
    let mut url = Url::parse("file:///").ok()?;
    url.path_segments_mut().ok()?.pop_if_empty().extend(path.parts());
    url.to_file_path().ok()
}

/// A path without links. The end of one that is not there yet is taken as it is; stores know no `..`.
fn real_path(path: &FilePath) -> Option<PathBuf> {
    let there = path.ancestors().find_map(|own| Some((own, std::fs::canonicalize(own).ok()?)));
    let (own, real) = there?;
    Some(real.join(path.strip_prefix(own).ok()?))
}

/// A store of which only what is below the roots can be read, and nothing be written.
#[derive(Debug)]
pub(crate) struct Confined {
    inner: Arc<dyn ObjectStore>,
    url: Url,
    roots: Arc<Roots>,
}

impl Confined {
    pub(crate) fn new(inner: Arc<dyn ObjectStore>, url: &Url, roots: &Arc<Roots>) -> Self {
        Self { inner, url: url.clone(), roots: Arc::clone(roots) }
    }

    fn check(&self, path: &Path) -> object_store::Result<()> {
        if self.roots.admit(&self.url, path) { Ok(()) } else { Err(refused(Carried::Outside)) }
    }

    fn check_prefix(&self, prefix: Option<&Path>) -> object_store::Result<()> {
        self.check(prefix.unwrap_or(&Path::ROOT))
    }
}

fn refused(own: Carried) -> object_store::Error {
    object_store::Error::Generic { store: "muslin", source: Box::new(DataFusionError::from(own)) }
}

impl fmt::Display for Confined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Confined({})", self.inner)
    }
}

#[async_trait::async_trait]
impl ObjectStore for Confined {
    async fn put_opts(
        &self,
        _: &Path,
        _: PutPayload,
        _: PutOptions,
    ) -> object_store::Result<PutResult> {
        Err(refused(Carried::Refused))
    }

    async fn put_multipart_opts(
        &self,
        _: &Path,
        _: PutMultipartOptions,
    ) -> object_store::Result<Box<dyn MultipartUpload>> {
        Err(refused(Carried::Refused))
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> object_store::Result<GetResult> {
        self.check(path)?;
        self.inner.get_opts(path, options).await
    }

    async fn get_ranges(
        &self,
        path: &Path,
        ranges: &[std::ops::Range<u64>],
    ) -> object_store::Result<Vec<Bytes>> {
        self.check(path)?;
        self.inner.get_ranges(path, ranges).await
    }

    fn delete_stream(
        &self,
        _: BoxStream<'static, object_store::Result<Path>>,
    ) -> BoxStream<'static, object_store::Result<Path>> {
        stream::once(async { Err(refused(Carried::Refused)) }).boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        match self.check_prefix(prefix) {
            Ok(()) => self.inner.list(prefix),
            Err(error) => stream::once(async { Err(error) }).boxed(),
        }
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> object_store::Result<ListResult> {
        self.check_prefix(prefix)?;
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> object_store::Result<()> {
        Err(refused(Carried::Refused))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use object_store::ObjectStoreExt;
    use object_store::local::LocalFileSystem;

    use super::*;

    fn named(names: &[&str]) -> Result<Roots> {
        Roots::new(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_below_a_folder_is_admitted() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["inside/deep", "inside-too", "outside"] {
            fs::create_dir_all(path(name)).unwrap();
        }
        for name in ["inside/a", "inside/deep/b", "inside-too/c", "outside/d"] {
            fs::write(path(name), "cells").unwrap();
        }
        #[cfg(unix)]
        for (to, link) in
            [("outside/d", "inside/link"), ("outside", "inside/links"), ("inside", "way")]
        {
            std::os::unix::fs::symlink(path(to), path(link)).unwrap();
        }
        let roots = named(&[path("inside").to_str().unwrap()]).unwrap();
        let is_admitted = |name: &str| roots.admit_location(path(name).to_str().unwrap());
        for name in
            ["inside/a", "inside/deep/b", "inside/deep", "inside/absent", "inside", "inside/*.x"]
        {
            assert!(is_admitted(name), "{name}");
        }
        for name in ["outside/d", "outside", "inside-too/c", "inside/../outside/d", "absent", ""] {
            assert!(!is_admitted(name), "{name}");
        }
        #[cfg(unix)]
        {
            assert!(is_admitted("way/a"), "a link that leads inside");
            for name in ["inside/link", "inside/links/d", "inside/links/absent", "way/link"] {
                assert!(!is_admitted(name), "{name}");
            }
        }
        for name in ["/etc/passwd", "/", "s3://bucket/a", "http://host/a"] {
            assert!(!roots.admit_location(name), "{name}");
        }
    }

    #[test]
    fn what_is_below_a_prefix_is_admitted() {
        let roots = named(&["s3://bucket/visits/", "https://host:8080/data"]).unwrap();
        let is_admitted = |url: &str| {
            let url = Url::parse(url).unwrap();
            roots.admit(&url, &Path::from_url_path(url.path()).unwrap())
        };
        for url in ["s3://bucket/visits/a", "s3://bucket/visits", "https://host:8080/data/a/b"] {
            assert!(is_admitted(url), "{url}");
        }
        for url in [
            "s3://bucket/visits-too/a",
            "s3://bucket/",
            "s3://other/visits/a",
            "https://host/data/a",
            "http://host:8080/data/a",
            "https://host:8080/other",
            "file:///visits/a",
        ] {
            assert!(!is_admitted(url), "{url}");
        }
    }

    #[test]
    fn roots_are_named_and_are_there() {
        for names in
            [&[][..], &["/nowhere/at/all"], &["ftp://host/a"], &["s3://"], &["/etc/passwd"]]
        {
            assert!(named(names).is_err(), "{names:?}");
        }
    }

    #[tokio::test]
    async fn a_confined_store_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "cells").unwrap();
        let roots = Arc::new(named(&[folder.path().to_str().unwrap()]).unwrap());
        let url = Url::parse("file:///").unwrap();
        let store = Confined::new(Arc::new(LocalFileSystem::new()), &url, &roots);
        let own = Path::from_absolute_path(folder.path().join("a")).unwrap();
        let new = Path::from_absolute_path(folder.path().join("b")).unwrap();
        assert_eq!(store.get(&own).await.unwrap().bytes().await.unwrap(), "cells");
        let refused = [
            store.put(&new, "cells".into()).await.err(),
            store.put_multipart(&new).await.err(),
            store.copy(&own, &new).await.err(),
            store.rename(&own, &new).await.err(),
            store.delete(&own).await.err(),
        ];
        for error in refused {
            let error = error.expect("something is written").to_string();
            assert!(error.contains("muslin-refused"), "{error}");
        }
        let outside = store.get(&Path::from("etc/passwd")).await.err().unwrap().to_string();
        assert!(outside.contains("muslin-outside"), "{outside}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
