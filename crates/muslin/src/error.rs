use muslin_engine::Fault;
use muslin_table::printable;

/// Why a job did not end with a report. No message carries a cell's value.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] muslin_io::Error),
    /// An engine could not answer.
    #[error(transparent)]
    Engine(#[from] muslin_engine::Error),
    /// A search could not be made.
    #[error(transparent)]
    Assess(muslin_assess::Error),
    /// A protection could not be decided.
    #[error(transparent)]
    Protect(muslin_protect::Error),
    /// A release could not be judged.
    #[error(transparent)]
    Verify(muslin_verify::Error),
    /// A release could not be attacked.
    #[error(transparent)]
    Attack(muslin_attack::Error),
    /// The judge did not find what a protector promised. Nothing was written.
    #[error(
        "{claim} was promised, and {found} was found: this is a mistake of muslin's, and nothing was written\n  hint: please report it with the command and the version"
    )]
    NotHeld {
        /// What was promised.
        claim: String,
        /// What was found.
        found: u64,
    },
    /// A hierarchy cannot be had.
    #[error("{place} {reason}\n  hint: {hint}")]
    Hierarchy {
        /// The file, or whose hierarchy it is.
        place: String,
        /// What is wrong.
        reason: String,
        /// A way out.
        hint: String,
    },
    /// What a release claims cannot be read.
    #[error(
        "{file}: {reason}\n  hint: name a report that `--json` printed, or a folder that `muslin protect` wrote"
    )]
    Claims {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// A column that the job names is in the input, and the job does not read it.
    #[error(
        "column `{}` is in the input and was not read, as the columns to read leave it out\n  hint: name it among `--columns`, or leave it out of `--exclude`, also in the policy file",
        printable(.name)
    )]
    NotRead {
        /// The column.
        name: String,
    },
    /// A column that the job names is not there, or the like.
    #[error(transparent)]
    Table(#[from] muslin_table::Error),
    /// Nobody has decided what columns are, so nothing is released.
    #[error("{}", crate::protect::refusal(.columns))]
    Undecided {
        /// The columns, with why and what to consider.
        columns: Vec<crate::UndecidedColumn>,
    },
    /// The policy file is wrong.
    #[error("{file}{}: {reason}\n  hint: {hint}", .line.map(|line| format!(", line {line}")).unwrap_or_default())]
    Policy {
        /// The file.
        file: String,
        /// The line, from one.
        line: Option<usize>,
        /// What is wrong.
        reason: String,
        /// A way out.
        hint: String,
    },
}

impl From<muslin_assess::Error> for Error {
    /// What an engine or whoever took the results said stays what it was.
    fn from(error: muslin_assess::Error) -> Self {
        match error {
            muslin_assess::Error::Engine(error) => Self::Engine(error),
            muslin_assess::Error::Sink(error) => match error.downcast::<Self>() {
                Ok(error) => *error,
                Err(other) => Self::Assess(muslin_assess::Error::Sink(other)),
            },
            other => Self::Assess(other),
        }
    }
}

impl From<muslin_protect::Error> for Error {
    /// What an engine or a finder said stays what it was.
    fn from(error: muslin_protect::Error) -> Self {
        match error {
            muslin_protect::Error::Engine(error) => Self::Engine(error),
            muslin_protect::Error::Assess(error) => error.into(),
            other => Self::Protect(other),
        }
    }
}

impl From<muslin_verify::Error> for Error {
    /// What an engine said stays what it was.
    fn from(error: muslin_verify::Error) -> Self {
        match error {
            muslin_verify::Error::Engine(error) => Self::Engine(error),
            other => Self::Verify(other),
        }
    }
}

impl From<muslin_attack::Error> for Error {
    /// What an engine, a table or a reader said stays what it was.
    fn from(error: muslin_attack::Error) -> Self {
        match error {
            muslin_attack::Error::Engine(error) => Self::Engine(error),
            muslin_attack::Error::Table(error) => Self::Table(error),
            muslin_attack::Error::Reading(error) => error.into(),
            other => Self::Attack(other),
        }
    }
}

impl From<Error> for muslin_assess::Error {
    fn from(error: Error) -> Self {
        Self::Sink(Box::new(error))
    }
}

/// The result of everything that can fail in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What kind of failure an error is: what a program's exit code or an exception's type says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The question is wrong: a flag, a policy file, a column's name.
    Usage,
    /// The input cannot be read as a table.
    Input,
    /// The target cannot be reached.
    Unreachable,
    /// The release could not be written.
    Output,
    /// A limit ended the work.
    Limit,
    /// The user ended the work.
    Interrupted,
    /// Our own mistake.
    Internal,
}

impl Error {
    /// What kind of failure it is.
    pub fn failure(&self) -> Failure {
        match self {
            Self::Io(error) => of_io(error),
            Self::Engine(error) => of_engine(error),
            Self::Assess(error) => of_assess(error),
            Self::Protect(error) => of_protect(error),
            Self::Table(error) => of_table(error),
            Self::Attack(muslin_attack::Error::TooMuchWork { .. }) => Failure::Limit,
            Self::Attack(_)
            | Self::Verify(_)
            | Self::NotRead { .. }
            | Self::Undecided { .. }
            | Self::Policy { .. } => Failure::Usage,
            Self::Hierarchy { .. } | Self::Claims { .. } => Failure::Input,
            Self::NotHeld { .. } => Failure::Internal,
        }
    }

    /// A flag and its value that may let the same command go on.
    pub fn flag(&self) -> Option<[&'static str; 2]> {
        match self {
            Self::Io(muslin_io::Error::Input { problem, .. }) => problem.flag(),
            _ => None,
        }
    }

    /// Whether the reader of standard output went away, which is no mistake of anybody's.
    pub fn is_closed_pipe(&self) -> bool {
        let closed = muslin_io::OutputProblem::Unwritable(std::io::ErrorKind::BrokenPipe.into());
        matches!(self, Self::Io(muslin_io::Error::Output { problem, .. }) if *problem == closed)
    }
}

fn of_io(error: &muslin_io::Error) -> Failure {
    match error {
        muslin_io::Error::Input { .. } => Failure::Input,
        muslin_io::Error::Output { problem: muslin_io::OutputProblem::UnknownFormat, .. } => {
            Failure::Usage
        }
        muslin_io::Error::Options(_) => Failure::Usage,
        muslin_io::Error::Output { .. } => Failure::Output,
        muslin_io::Error::Table(error) => of_table(error),
        muslin_io::Error::Stopped(stop) => of_stop(*stop),
        muslin_io::Error::Engine(error) => of_engine(error),
        _ => Failure::Internal,
    }
}

fn of_engine(error: &muslin_engine::Error) -> Failure {
    match error {
        muslin_engine::Error::Table(error) => of_table(error),
        muslin_engine::Error::Stopped(stop) => of_stop(*stop),
        muslin_engine::Error::Threads { .. } => Failure::Usage,
        muslin_engine::Error::Elsewhere { fault, .. } => match fault {
            Fault::Question => Failure::Usage,
            Fault::Table => Failure::Input,
            Fault::Limit => Failure::Limit,
            Fault::Internal => Failure::Internal,
        },
        _ => Failure::Internal,
    }
}

fn of_assess(error: &muslin_assess::Error) -> Failure {
    match error {
        muslin_assess::Error::TooManyColumns { .. } | muslin_assess::Error::Setting(_) => {
            Failure::Usage
        }
        muslin_assess::Error::TooManyResults => Failure::Limit,
        muslin_assess::Error::Engine(error) => of_engine(error),
        _ => Failure::Internal,
    }
}

fn of_protect(error: &muslin_protect::Error) -> Failure {
    match error {
        muslin_protect::Error::Setting(_) => Failure::Usage,
        muslin_protect::Error::Unreachable(_) => Failure::Unreachable,
        muslin_protect::Error::Engine(error) => of_engine(error),
        muslin_protect::Error::Assess(error) => of_assess(error),
        _ => Failure::Internal,
    }
}

fn of_table(error: &muslin_table::Error) -> Failure {
    match error {
        muslin_table::Error::UnknownColumn { .. } => Failure::Usage,
        muslin_table::Error::UnevenHierarchy { .. }
        | muslin_table::Error::TangledHierarchy { .. }
        | muslin_table::Error::DuplicateName { .. }
        | muslin_table::Error::TooManyRows
        | muslin_table::Error::TooManyValues { .. } => Failure::Input,
        _ => Failure::Internal,
    }
}

fn of_stop(stop: muslin_engine::Stop) -> Failure {
    match stop {
        muslin_engine::Stop::Interrupted => Failure::Interrupted,
        _ => Failure::Limit,
    }
}

#[cfg(test)]
mod tests {
    use muslin_io::OutputProblem;

    use super::*;

    #[test]
    fn what_a_sink_says_keeps_its_kind() {
        let full = muslin_io::Error::Output {
            file: "list.csv".into(),
            problem: OutputProblem::Unwritable(std::io::ErrorKind::StorageFull.into()),
        };
        let carried = muslin_assess::Error::from(Error::Io(full));
        let error = Error::from(carried);
        assert_eq!(error.failure(), Failure::Output);
        assert!(error.to_string().starts_with("list.csv: "), "{error}");
    }

    #[test]
    fn settings_of_a_search_are_questions() {
        let wide = muslin_assess::Error::TooManyColumns { columns: 2_000, most: 1_024 };
        assert_eq!(Error::from(wide).failure(), Failure::Usage);
    }
}
