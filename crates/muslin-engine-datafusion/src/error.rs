use std::io::ErrorKind;

use datafusion::common::DataFusionError;
use muslin_engine::{Error, Fault};

/// An error of ours on its way through those of others.
pub(crate) fn own_error<T>(reason: &str, hint: &str) -> Result<T, DataFusionError> {
    Err(DataFusionError::Configuration(format!("{reason}{OURS}{hint}")))
}

/// Between reason and way out of an error of ours.
const OURS: &str = "\n  hint: ";

/// What a scheduler says that has nobody to do the work.
pub const NO_EXECUTOR: &str = "muslin: there is no executor";

/// What may be said of an error about the table at `name`. A message of a query that ran may quote
/// cells, so only its kind is told; one of a query that could not even begin quotes the query.
pub fn said(error: &DataFusionError, name: &str) -> Error {
    let elsewhere = |fault, reason: String, hint: &str| Error::Elsewhere {
        fault,
        reason,
        hint: hint.to_owned(),
    };
    let unreadable =
        |reason: &str, hint: &str| elsewhere(Fault::Table, format!("{name}: {reason}"), hint);
    match error.find_root() {
        DataFusionError::ResourcesExhausted(_) => elsewhere(
            Fault::Limit,
            format!(
                "{name}: the memory limit is too small for this question, though work was put on disk"
            ),
            "pass a larger `--memory` or fewer `--threads`",
        ),
        DataFusionError::Configuration(text) if text.contains(OURS) => {
            let (reason, hint) = text.split_once(OURS).unwrap_or((text, ""));
            elsewhere(Fault::Question, format!("{name}: {reason}"), hint)
        }
        DataFusionError::SQL(error, _) => elsewhere(
            Fault::Question,
            format!("the query is no SQL: {error}"),
            "pass one `select`, as in `--sql \"select age, sex from input\"`",
        ),
        error @ (DataFusionError::Plan(_)
        | DataFusionError::SchemaError(..)
        | DataFusionError::NotImplemented(_)) => elsewhere(
            Fault::Question,
            format!("the query cannot be asked: {}", of_planning(&error.strip_backtrace())),
            "the table that is named first is called `input`; other files are named in quotes, as in `'other.parquet'`",
        ),
        DataFusionError::ObjectStore(error) => match error.as_ref() {
            object_store::Error::NotFound { .. } => unreadable(
                "it is not there, or is gone since the question began",
                "check the name, and ask again once all of it is there",
            ),
            object_store::Error::PermissionDenied { .. }
            | object_store::Error::Unauthenticated { .. } => unreadable(
                "it may not be read with these credentials",
                "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or ask who owns it",
            ),
            _ => unreadable("its store did not answer", "check the address and the network"),
        },
        DataFusionError::IoError(error) => match error.kind() {
            ErrorKind::NotFound => unreadable(
                "it is not there, or is gone since the question began",
                "check the name, and ask again once all of it is there",
            ),
            ErrorKind::PermissionDenied => unreadable("it may not be read", "ask who owns it"),
            ErrorKind::StorageFull => elsewhere(
                Fault::Limit,
                "there is no room for what memory does not hold".into(),
                "set TMPDIR to a larger disk, or pass a larger `--memory`",
            ),
            ErrorKind::InvalidInput => unreadable(
                "there is no file with data in it",
                "check the name; files whose names begin with `_` or `.` are passed over",
            ),
            ErrorKind::UnexpectedEof => {
                unreadable("one of its files is empty", "check that the export has finished")
            }
            kind => unreadable(&kind.to_string(), "check that it can be read"),
        },
        DataFusionError::ParquetError(_) | DataFusionError::ArrowError(..) => unreadable(
            "it is damaged, or a value is not of its type",
            "make the file again, or look at it with another program",
        ),
        other if other.to_string().contains(NO_EXECUTOR) => elsewhere(
            Fault::Table,
            "the cluster has no executor".into(),
            "start some with `muslin cluster executor`, and wait until they have found the scheduler",
        ),
        _ => elsewhere(
            Fault::Table,
            format!("{name}: the query did not end well"),
            "ask again; should it stay so, try `--engine memory`",
        ),
    }
}

/// What planning says, without how it says that it is planning.
fn of_planning(text: &str) -> &str {
    let plain = text.strip_prefix("Error during planning: ").unwrap_or(text);
    plain.lines().next().unwrap_or(plain)
}
