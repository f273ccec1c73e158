use crate::Stop;

/// What can go wrong while an engine answers. No message carries a cell's value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The table or a name in the question is wrong.
    #[error(transparent)]
    Table(#[from] muslin_table::Error),
    /// A limit or the user ended the run before there was anything to return.
    #[error("{0}")]
    Stopped(Stop),
    /// The place where the table is did not answer.
    #[error("{reason}\n  hint: {hint}")]
    Elsewhere {
        /// Whose fault it is.
        fault: Fault,
        /// What is wrong there.
        reason: String,
        /// A way out.
        hint: String,
    },
    /// The threads could not be started.
    #[error("cannot start {threads} threads\n  hint: pass a smaller `--threads`")]
    Threads {
        /// How many were asked for.
        threads: usize,
    },
}

/// Why a place did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The question cannot be asked there.
    Question,
    /// The table, or the place itself, cannot be reached or read.
    Table,
    /// A limit is too small for the question.
    Limit,
    /// Our own mistake.
    Internal,
}

/// The result of everything that can fail in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
