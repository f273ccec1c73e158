/// What can go wrong while a release is attacked. No message carries a cell's value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A limit or the user ended the run.
    #[error(transparent)]
    Engine(#[from] muslin_engine::Error),
    /// A table is not what it should be, or a name is unknown.
    #[error(transparent)]
    Table(#[from] muslin_table::Error),
    /// The release and the original do not fit together.
    #[error(transparent)]
    Reading(#[from] muslin_verify::Error),
    /// A setting is out of range, or does not fit the tables.
    #[error("{0}")]
    Setting(String),
    /// An attack needs more steps than allowed.
    #[error(
        "the attack `{attack}` needs more than {limit} steps\n  hint: name fewer columns, or allow more work"
    )]
    TooMuchWork {
        /// The attack.
        attack: &'static str,
        /// Steps that are allowed.
        limit: u64,
    },
}

/// The result of everything that can fail in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A setting that is wrong, and the way out.
pub(crate) fn fault<T>(what: &str, hint: &str) -> Result<T> {
    Err(Error::Setting(format!("{what}\n  hint: {hint}")))
}
