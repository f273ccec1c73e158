use std::process::ExitCode;

use muslin::{Failure, Verdict};

/// How the program ends; the numbers are part of its interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Fine, or the requirement is met.
    Fine = 0,
    /// A requirement is not met.
    NotMet = 1,
    /// The command line or the policy file is wrong.
    Usage = 2,
    /// The input cannot be read.
    Input = 3,
    /// The target cannot be reached.
    Unreachable = 4,
    /// A limit ended the work.
    Limit = 5,
    /// The output could not be written.
    Output = 6,
    /// A mistake in muslin.
    Internal = 101,
    /// The user ended the work.
    Interrupted = 130,
}

impl Exit {
    /// By the verdict on a release.
    pub(crate) fn by(verdict: Verdict, are_findings_allowed: bool) -> Self {
        match verdict {
            Verdict::Passed => Self::Fine,
            Verdict::Findings if are_findings_allowed => Self::Fine,
            Verdict::Findings | Verdict::Failed => Self::NotMet,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl From<Failure> for Exit {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Usage => Self::Usage,
            Failure::Input => Self::Input,
            Failure::Unreachable => Self::Unreachable,
            Failure::Output => Self::Output,
            Failure::Limit => Self::Limit,
            Failure::Interrupted => Self::Interrupted,
            Failure::Internal => Self::Internal,
        }
    }
}
