/// What can go wrong while a table is assessed. No message carries a cell's value.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An engine could not answer, or a limit ended the run.
    #[error(transparent)]
    Engine(#[from] muslin_engine::Error),
    /// The table has more columns than the search takes.
    #[error(
        "{columns} columns are more than the {most} that this search takes\n  hint: pass fewer with `--columns` or `--exclude`"
    )]
    TooManyColumns {
        /// Columns of the table.
        columns: usize,
        /// The most that are taken.
        most: usize,
    },
    /// There are more results than can be counted.
    #[error(
        "more minimal uniques than 64 bits can count\n  hint: pass a smaller `--max-size` or fewer `--columns`"
    )]
    TooManyResults,
    /// A setting is out of range.
    #[error("{0}")]
    Setting(String),
    /// Whoever takes the results could not.
    #[error(transparent)]
    Sink(Box<dyn std::error::Error + Send + Sync>),
}

/// The result of everything that can fail in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
