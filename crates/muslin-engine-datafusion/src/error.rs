use std::io::ErrorKind;

use datafusion::common::DataFusionError;
use muslin_engine::{Error, Fault};

/// An error of ours on its way through those of others.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
struct Own {
    fault: Fault,
    reason: String,
    hint: String,
}

/// An error of ours, for whoever passes on errors of others.
pub(crate) fn own_error<T>(fault: Fault, reason: &str, hint: &str) -> Result<T, DataFusionError> {
    let (reason, hint) = (reason.to_owned(), hint.to_owned());
    Err(DataFusionError::External(Box::new(Own { fault, reason, hint })))
}

/// Where an error comes from decides what of it may be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saying {
    /// From a query that is read and planned: it quotes the query, and no cell.
    Planning,
    /// From a query that ran here: it may quote cells, so its kind alone is told.
    Here,
    /// From one that ran elsewhere: the same, as a text.
    Elsewhere,
}

/// What the machines of a cluster say by themselves. It travels as a word, so that nothing else can travel with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    /// There is nobody to do the work.
    NoExecutor,
    /// An executor read other cells than the asking program.
    Changed,
    /// The table does not fit an executor.
    NoRoom,
    /// An executor could not read the table.
    Unread,
    /// Something is to be read that is below no root.
    Outside,
    /// A plan, or a setting, is not one that muslin sends.
    Refused,
    /// There is no token, or not the one of the cluster.
    NoToken,
}

const CARRIED: [(Carried, &str, Fault, &str, &str); 7] = [
    (
        Carried::NoExecutor,
        "muslin-no-executor",
        Fault::Table,
        "the cluster has no executor",
        "start some with `muslin cluster executor`, and wait until they have found the scheduler",
    ),
    (
        Carried::Changed,
        "muslin-changed",
        Fault::Table,
        "the table changed while it was asked about",
        "ask again once nobody writes to it",
    ),
    (
        Carried::NoRoom,
        "muslin-no-room",
        Fault::Limit,
        "the table does not fit the memory of an executor",
        "start executors with a larger `--memory`, or pass fewer `--columns`",
    ),
    (
        Carried::Unread,
        "muslin-unread",
        Fault::Table,
        "an executor could not read the table",
        "it must have the same name on every machine of the cluster, and executors need its credentials",
    ),
    (
        Carried::Outside,
        "muslin-outside",
        Fault::Table,
        "the cluster may not read this table: it is not below a root of the cluster",
        "start the scheduler and the executors with `--root` and the folder or the address of the table",
    ),
    (
        Carried::Refused,
        "muslin-refused",
        Fault::Question,
        "the cluster does not accept this query: it accepts queries that only read",
        "pass a simpler query, or run it on this machine with `--engine datafusion`",
    ),
    (
        Carried::NoToken,
        "muslin-token",
        Fault::Table,
        "the cluster requires a token, and none or a wrong one was given",
        "pass `--token-file` with the file that the scheduler was started with",
    ),
];

impl Carried {
    /// As a text that is known again wherever it arrives.
    pub fn text(self) -> String {
        let known = CARRIED.iter().find(|(known, ..)| *known == self);
        known.map_or(String::new(), |(_, word, _, reason, _)| format!("{word}: {reason}"))
    }

    /// What the asking program says of it.
    pub fn said(self) -> Error {
        let text = self.text();
        of_others(&text, "")
    }

    /// The same with what it is about, for whoever reads it where it arises. It holds no cell.
    pub fn about(self, what: &str) -> DataFusionError {
        DataFusionError::Execution(format!("{} ({what})", self.text()))
    }
}

impl From<Carried> for DataFusionError {
    fn from(own: Carried) -> Self {
        Self::Execution(own.text())
    }
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
pub fn said(error: &DataFusionError, name: &str, saying: Saying) -> Error {
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
        DataFusionError::External(error) if error.is::<Own>() => match error.downcast_ref() {
            Some(Own { fault, reason, hint }) => {
                elsewhere(*fault, format!("{name}: {reason}"), hint)
            }
            None => unreadable("the query did not end well", "ask again"),
        },
        DataFusionError::SQL(error, _) => elsewhere(
            Fault::Question,
            format!("the query is no SQL: {error}"),
            "pass one `select`, as in `--sql \"select age, sex from input\"`",
        ),
        error @ (DataFusionError::Plan(_)
        | DataFusionError::SchemaError(..)
        | DataFusionError::NotImplemented(_))
            if saying == Saying::Planning =>
        {
            elsewhere(
                Fault::Question,
                format!("the query cannot be asked: {}", of_planning(&error.strip_backtrace())),
                "the table that is named first is called `input`; other files are named in quotes, as in `'other.parquet'`",
            )
        }
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
        DataFusionError::Plan(_)
        | DataFusionError::SchemaError(..)
        | DataFusionError::NotImplemented(_) => elsewhere(
            Fault::Question,
            format!("{name}: the query cannot be asked of these columns"),
            "look for a function that does not take what it is given; `cast(... as ...)` changes types",
        ),
        other if saying == Saying::Elsewhere => of_others(&other.to_string(), name),
        _ => unreadable(
            "the query did not end well",
            "ask again; should it stay so, try `--engine memory`",
        ),
    }
}

/// What may be said of a text from another machine.
fn of_others(text: &str, name: &str) -> Error {
    let elsewhere = |fault, reason: String, hint: &str| Error::Elsewhere {
        fault,
        reason,
        hint: hint.to_owned(),
    };
    if let Some((.., fault, reason, hint)) =
        CARRIED.iter().find(|(_, word, ..)| text.contains(word))
    {
        return elsewhere(*fault, (*reason).to_owned(), hint);
    }
    let holds = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
    match OF_EXECUTORS.iter().find(|(parts, ..)| holds(parts)) {
        Some((_, fault, reason, hint)) => elsewhere(*fault, format!("{name}: {reason}"), hint),
        None => elsewhere(
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_ours_survives_being_quoted() {
        for (own, _, fault, reason, _) in CARRIED {
            let quoted = format!("Job 7 failed: {:?}", DataFusionError::from(own));
            let quoted = DataFusionError::Execution(quoted);
            let Error::Elsewhere { fault: found, reason: told, .. } =
                said(&quoted, "visits", Saying::Elsewhere)
            else {
                panic!("{own:?}");
            };
            assert_eq!((found, told.as_str()), (fault, reason));
        }
    }

    #[test]
    fn cells_in_messages_stay_there() {
        let cell = "No such file: muslin-changed SECRET";
        for error in [
            DataFusionError::Plan(cell.into()),
            DataFusionError::NotImplemented(cell.into()),
            DataFusionError::Execution(cell.into()),
        ] {
            for saying in [Saying::Here, Saying::Elsewhere] {
                let told = said(&error, "visits", saying).to_string();
                assert!(!told.contains("SECRET"), "{told}");
            }
            let here = said(&error, "visits", Saying::Here).to_string();
            assert!(!here.contains("executor") && !here.contains("changed"), "{here}");
        }
    }

    #[test]
    fn what_executors_cannot_read_is_told_by_kind() {
        let gone = std::io::Error::from(ErrorKind::NotFound);
        let gone = object_store::Error::NotFound { path: "a".into(), source: Box::new(gone) };
        let gone = DataFusionError::ObjectStore(Box::new(gone));
        for quoted in [format!("Job 7 failed: {gone}"), format!("Job 7 failed: {gone:?}")] {
            let error =
                said(&DataFusionError::Execution(quoted), "visits", Saying::Elsewhere).to_string();
            assert!(error.starts_with("visits: an executor does not find it"), "{error}");
        }
    }
}
