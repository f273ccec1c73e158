//! Errors as exceptions of the package.

use muslin::{Error, Failure, Spelling};
use muslin_command::Wrong;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// Why a call has no answer.
pub(crate) enum Failed {
    /// The settings make no job.
    Wrong(Wrong),
    /// The words are none that the command takes.
    Words(String),
    /// What was asked for cannot be had.
    Infeasible(String),
    /// Our own mistake, and where.
    Mistake(String),
}

impl<E: Into<Wrong>> From<E> for Failed {
    fn from(error: E) -> Self {
        Self::Wrong(error.into())
    }
}

impl Failed {
    /// The exception.
    pub(crate) fn raise(self, py: Python<'_>) -> PyErr {
        let (class, message) = match self {
            Self::Wrong(Wrong::Job(error)) if error.failure() == Failure::Interrupted => {
                return PyKeyboardInterrupt::new_err(());
            }
            Self::Wrong(Wrong::Job(error)) => (class(&error), error.to_string()),
            Self::Wrong(Wrong::Usage(text)) => ("UsageError", text.to_owned()),
            Self::Words(text) => ("UsageError", text),
            Self::Infeasible(text) => ("InfeasibleError", text),
            Self::Mistake(text) => ("InternalError", text),
        };
        raise(py, class, &Spelling::Arguments.of(&message))
    }
}

fn class(error: &Error) -> &'static str {
    match error.failure() {
        Failure::Usage => "UsageError",
        Failure::Input => "InputError",
        Failure::Unreachable => "InfeasibleError",
        Failure::Output => "OutputError",
        Failure::Limit => "LimitError",
        _ => "InternalError",
    }
}

/// An exception of the package by its name.
pub(crate) fn raise(py: Python<'_>, class: &str, message: &str) -> PyErr {
    let made = py.import("muslin._errors").and_then(|own| own.getattr(class)?.call1((message,)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// What the parser of flags says, in the words of arguments.
pub(crate) fn of_parser(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.split("\n\n").next().unwrap_or_default();
    let text = text.strip_prefix("error: ").unwrap_or(text);
    // Flags stand between single quotes there, with what they take.
    let mut parts: Vec<String> = text.split('\'').map(str::to_owned).collect();
    if parts.len() % 2 == 1 {
        for part in parts.iter_mut().skip(1).step_by(2).filter(|part| part.starts_with('-')) {
            let name = part.split([' ', '=']).next().unwrap_or_default();
            *part = format!("\u{0}{}\u{0}", name.trim_start_matches('-').replace('-', "_"));
        }
    }
    parts.join("'").replace("'\u{0}", "`").replace("\u{0}'", "`")
}
