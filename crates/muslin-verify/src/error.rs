use muslin_table::printable;

/// What can go wrong while a release is judged. No message carries a cell's value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A limit or the user ended the run.
    #[error(transparent)]
    Engine(#[from] muslin_engine::Error),
    /// A table is not what it should be, or a name is unknown.
    #[error(transparent)]
    Table(#[from] muslin_table::Error),
    /// A setting is out of range, or does not fit the table.
    #[error("{0}")]
    Setting(String),
    /// Labels of a release that say nothing about the original's values.
    #[error(
        "column `{}`: labels of the release are no values of the original nor ranges or sets of them ({labels} distinct, in {cells} cells)\n  hint: pass `--hierarchy {}=FILE` with the hierarchy that has these labels",
        printable(column),
        printable(column)
    )]
    UnknownLabels {
        /// The column's name.
        column: String,
        /// How many labels.
        labels: u64,
        /// How many cells have them.
        cells: u64,
    },
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
