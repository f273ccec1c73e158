//! Tables in memory: batches that somebody holds already, and a place for those that we make.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

/// Batches of one schema that are in memory already. Clones share them.
#[derive(Clone)]
pub struct Batches {
    all: Arc<Shared>,
}

struct Shared {
    name: String,
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Batches {
    /// Batches of `schema`, under a name for messages.
    pub fn new(name: impl Into<String>, schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self { all: Arc::new(Shared { name: name.into(), schema, batches }) }
    }

    /// The name for messages.
    pub fn name(&self) -> &str {
        &self.all.name
    }

    /// Names and types of the columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.all.schema
    }

    /// The batches.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.all.batches
    }
}

impl PartialEq for Batches {
    /// Whether both are the same, not whether they are alike.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.all, &other.all)
    }
}

impl Eq for Batches {}

impl fmt::Debug for Batches {
    /// The name and no cell.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batches").field("name", &self.all.name).finish_non_exhaustive()
    }
}

/// Where a table goes that is to stay in memory. Clones are one place.
///
/// # Guarantee
/// It holds nothing, or a whole table; what is in it was made from published values, bytes of cells that
/// are missing and unused categories included.
#[derive(Clone, Default)]
pub struct Memory {
    held: Arc<Mutex<Option<Batches>>>,
}

impl Memory {
    /// A place with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// What was written there, if anything was; nothing stays.
    pub fn take(&self) -> Option<Batches> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// What was written there, if anything was.
    pub fn batches(&self) -> Option<Batches> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts a table there.
    pub fn put(&self, batches: Batches) {
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(batches);
    }
}

impl PartialEq for Memory {
    /// Whether both are one place.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.held, &other.held)
    }
}

impl Eq for Memory {}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}
