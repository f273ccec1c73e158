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
    let mut told = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('-') {
        let (before, from) = rest.split_at(at);
        let dashes = from.len() - from.trim_start_matches('-').len();
        let word = from[dashes..].split(|c: char| !c.is_ascii_lowercase() && c != '-').next();
        let word = word.unwrap_or_default();
        let begins = before.is_empty() || before.ends_with([' ', '\'']);
        let is_flag = begins
            && word.starts_with(|c: char| c.is_ascii_lowercase())
            && (dashes == 2 || (dashes == 1 && word.len() == 1));
        if !is_flag {
            told += &rest[..at + dashes];
            rest = &from[dashes..];
            continue;
        }
        let is_quoted = before.ends_with('\'');
        told += before.strip_suffix('\'').unwrap_or(before);
        told += "`";
        told += &word.replace('-', "_");
        told += "`";
        rest = &from[dashes + word.len()..];
        // What it takes is said by its name.
        if let Some(after) = rest.strip_prefix([' ', '=']).filter(|after| after.starts_with('<')) {
            rest = after.find('>').map_or(rest, |end| &after[end + 1..]);
        }
        rest = if is_quoted { rest.strip_prefix('\'').unwrap_or(rest) } else { rest };
    }
    told + rest
}
