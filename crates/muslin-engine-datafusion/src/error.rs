use std::io::ErrorKind;

use datafusion::common::DataFusionError;
use muslin_engine::{Error, Fault, Stop};

/// An error of ours on its way through those of others.
pub(crate) fn own_error<T>(reason: &str, hint: &str) -> Result<T, DataFusionError> {
    Err(DataFusionError::Configuration(format!("{reason}{OURS}{hint}")))
}

/// Between reason and way out of an error of ours.
const OURS: &str = "\n  hint: ";

/// An error of ours on its way from another machine, through errors of others that quote it as a text.
pub fn carried(error: &Error) -> DataFusionError {
    let fault = match error {
        Error::Elsewhere { fault, .. } => *fault,
        Error::Stopped(Stop::MemoryLimit { .. }) => Fault::Limit,
        _ => Fault::Table,
    };
    let fault = FAULTS.iter().position(|&own| own == fault).unwrap_or(0);
    let said = error.to_string().replace(OURS, BETWEEN);
    DataFusionError::Execution(format!("{BEGIN}{fault} {said}{END}"))
}

/// Around an error that is carried, and between its reason and its way out: what quoting leaves alone.
const BEGIN: &str = "muslin<< ";
const BETWEEN: &str = " <|> ";
const END: &str = " >>";
const FAULTS: [Fault; 4] = [Fault::Table, Fault::Limit, Fault::Question, Fault::Internal];

/// The error of ours in a text, if one was carried there.
fn arrived(text: &str) -> Option<Error> {
    let (_, rest) = text.split_once(BEGIN)?;
    let (said, _) = rest.split_once(END)?;
    let (fault, said) = said.split_once(' ')?;
    let fault = *FAULTS.get(fault.parse::<usize>().ok()?)?;
    let (reason, hint) = said.split_once(BETWEEN).unwrap_or((said, "ask again"));
    Some(Error::Elsewhere { fault, reason: reason.into(), hint: hint.into() })
}

/// What executors say of a table that they cannot read, by what their messages hold.
const OF_EXECUTORS: [(&[&str], Fault, &str, &str); 4] = [
    (
        &["NotFound", "No such file or directory", "not found"],
        Fault::Table,
        "an executor does not find it",
        "a table must have the same name on every machine of the cluster",
    ),
    (
        &["Permission", "Unauthenticated", "403 Forbidden", "401 Unauthorized"],
        Fault::Table,
        "an executor may not read it with its credentials",
        "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY where executors run, too, or ask who owns it",
    ),
    (
        &["ResourcesExhausted", "Resources exhausted"],
        Fault::Limit,
        "an executor's memory is too small for this question, though work was put on disk",
        "start executors with a larger `--memory` or fewer `--threads`",
    ),
    (
        &["No space left"],
        Fault::Limit,
        "an executor has no room for what memory does not hold",
        "start executors with a `--work-dir` on a larger disk",
    ),
];

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
        other => {
            let text = other.to_string();
            if let Some(error) = arrived(&text) {
                return error;
            }
            let holds = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
            match OF_EXECUTORS.iter().find(|(parts, ..)| holds(parts)) {
                Some((_, fault, reason, hint)) => {
                    elsewhere(*fault, format!("{name}: {reason}"), hint)
                }
                None => unreadable(
                    "the query did not end well",
                    "ask again; should it stay so, try `--engine memory`",
                ),
            }
        }
    }
}

/// What planning says, without how it says that it is planning.
fn of_planning(text: &str) -> &str {
    let plain = text.strip_prefix("Error during planning: ").unwrap_or(text);
    plain.lines().next().unwrap_or(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_ours_survives_being_quoted() {
        let own = Error::Elsewhere {
            fault: Fault::Limit,
            reason: "a reason: with `marks`".into(),
            hint: "a way out".into(),
        };
        let quoted = DataFusionError::Execution(format!("Job 7 failed: {:?}", carried(&own)));
        assert_eq!(said(&quoted, "visits"), own);
        let limit = Error::Stopped(Stop::MemoryLimit { needed: 5_000_000, budget: 1_000_000 });
        let Error::Elsewhere { fault: Fault::Limit, reason, hint } =
            said(&carried(&limit), "visits")
        else {
            panic!("a limit is a limit");
        };
        assert!(reason.contains("5 MB") && hint.contains("--memory"), "{reason}, {hint}");
    }

    #[test]
    fn what_executors_cannot_read_is_told_by_kind() {
        let gone = std::io::Error::from(ErrorKind::NotFound);
        let gone = object_store::Error::NotFound { path: "a".into(), source: Box::new(gone) };
        let gone = DataFusionError::ObjectStore(Box::new(gone));
        for quoted in [format!("Job 7 failed: {gone}"), format!("Job 7 failed: {gone:?}")] {
            let error = said(&DataFusionError::Execution(quoted), "visits").to_string();
            assert!(error.starts_with("visits: an executor does not find it"), "{error}");
        }
    }
}
