//! Stores that tables are read from. Every process that reads makes them by itself, from the address of a table:
//! the asking program, the scheduler and the executors of a cluster alike.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::object_store::{DefaultObjectStoreRegistry, ObjectStoreRegistry};
use muslin_engine::Fault;
use object_store::ObjectStore;
use url::Url;

use crate::error::own_error;
use crate::roots::{Confined, Roots};

/// Stores by their addresses; credentials come from the environment, as for other programs.
#[derive(Debug, Default)]
pub struct Stores {
    known: DefaultObjectStoreRegistry,
    /// What may be read; everything where nothing is said.
    roots: Option<Arc<Roots>>,
}

impl Stores {
    /// Stores of which nothing but what is below `roots` can be read, and nothing be written.
    pub fn confined(roots: &Arc<Roots>) -> Self {
        Self { known: DefaultObjectStoreRegistry::default(), roots: Some(Arc::clone(roots)) }
    }

    /// The store at an address, made where it is not known yet.
    fn store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        if let Ok(known) = self.known.get_store(url) {
            return Ok(known);
        }
        let store = store_at(url)?;
        self.known.register_store(url, Arc::clone(&store));
        Ok(store)
    }
}

impl ObjectStoreRegistry for Stores {
    fn register_store(
        &self,
        url: &Url,
        store: Arc<dyn ObjectStore>,
    ) -> Option<Arc<dyn ObjectStore>> {
        self.known.register_store(url, store)
    }

    fn deregister_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        self.known.deregister_store(url)
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        let store = self.store(url)?;
        Ok(match &self.roots {
            Some(roots) => Arc::new(Confined::new(store, url, roots)),
            None => store,
        })
    }
}

#[cfg(not(feature = "object-stores"))]
fn store_at(_: &Url) -> Result<Arc<dyn ObjectStore>> {
    own_error(
        Fault::Question,
        "this build of muslin reads files alone",
        "build it with `--features object-stores`",
    )
}

#[cfg(feature = "object-stores")]
fn store_at(url: &Url) -> Result<Arc<dyn ObjectStore>> {
    use object_store::aws::AmazonS3Builder;
    use object_store::http::HttpBuilder;
    use object_store::{ClientOptions, RetryConfig};

    let retry = RetryConfig {
        max_retries: 3,
        retry_timeout: std::time::Duration::from_secs(20),
        ..RetryConfig::default()
    };
    match url.scheme() {
        "s3" | "s3a" => Ok(Arc::new(
            AmazonS3Builder::from_env()
                .with_url(url.as_str())
                .with_allow_http(true)
                .with_retry(retry)
                .build()?,
        )),
        "http" | "https" => Ok(Arc::new(
            HttpBuilder::new()
                .with_url(url[..url::Position::BeforePath].to_owned())
                .with_client_options(ClientOptions::new().with_allow_http(true))
                .with_retry(retry)
                .build()?,
        )),
        _ => own_error(
            Fault::Question,
            "tables are read from files, and from addresses that begin with s3:, http: or https:",
            "name one of these",
        ),
    }
}
