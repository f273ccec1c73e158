/// What can go wrong while a protection is decided. No message carries a cell's value.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An engine could not answer, or a limit ended the run.
    #[error(transparent)]
    Engine(#[from] muslin_engine::Error),
    /// What the protection rests on could not be found.
    #[error(transparent)]
    Assess(muslin_assess::Error),
    /// A setting is out of range.
    #[error("{0}")]
    Setting(String),
    /// The target cannot be reached with these settings.
    #[error("{0}")]
    Unreachable(String),
    /// A bug of ours, or of a solver.
    #[error("internal: {0}")]
    Internal(String),
}

impl From<muslin_assess::Error> for Error {
    fn from(error: muslin_assess::Error) -> Self {
        match error {
            muslin_assess::Error::Engine(error) => Self::Engine(error),
            muslin_assess::Error::Setting(text) => Self::Setting(text),
            error => Self::Assess(error),
        }
    }
}

/// The result of everything that can fail in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
