//! The one error type of the tool: what went wrong, and a way out.

use std::fmt;
use std::process::ExitCode;

/// A result whose error can be shown as it is.
pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// What went wrong, where, and what to do about it.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    hint: String,
    exit_code: u8,
}

impl Failure {
    /// A failure of the work: exit code 1.
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into(), exit_code: 1 }
    }

    /// A command line we do not understand: exit code 2.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: "run `cargo xtask help` for the commands and their options".into(),
            exit_code: 2,
        }
    }

    /// What the process returns to its caller.
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.exit_code)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "error: {}\n  hint: {}", self.message, self.hint)
    }
}
