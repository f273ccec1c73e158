//! Internal: the same questions asked of a cluster.
//!
//! The cluster is [Apache Ballista](ballista_core): a scheduler and executors on as many machines as there
//! are. Questions about classes are queries like any other. A search for minimal uniques is made of tasks
//! that know nothing of each other, so executors run our own search over the table: each reads and encodes
//! it once and keeps it while there is work on it.
//!
//! ```text
//! connect   a cluster's address --> a place where queries are answered
//! serve     scheduler and executors, as they run on the machines of a cluster
//! tasks     a table whose partitions are tasks: our own operator
//! codec     how tasks travel
//! accept    what scheduler and executors take: the plans that muslin sends, and no others
//! token     the shared secret: who shows it is let in
//! flight    how executors serve what they answered
//! folder    the folder of an executor
//! jobs      what a scheduler is told and asked about queries that are under way
//! work      what a task does on an executor
//! uniques   a search for minimal uniques, handed out and put together
//! ```

mod accept;
mod codec;
mod connect;
mod flight;
mod folder;
mod jobs;
mod serve;
mod tasks;
mod token;
mod uniques;
mod work;

pub use connect::{Address, connect};
pub use serve::{ExecutorSettings, SchedulerSettings, executor, scheduler};
pub use token::Token;
pub use uniques::{UniquesSettings, uniques};
