/// What can go wrong while a release is judged. No message carries a cell's value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A limit or the user ended the run.
    #[error(transparent)]
    Engine(#[from] muslin_engine::Error),
    /// A setting is out of range, or does not fit the table.
    #[error("{0}")]
    Setting(String),
    /// A certificate asks for more work than is done.
    #[error(
        "the certificate makes the checker look at more than {limit} sets of columns\n  hint: give rows smaller multipliers or columns larger weights"
    )]
    TooManyPatterns {
        /// How many are looked at.
        limit: usize,
    },
}

/// The result of everything that can fail in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
