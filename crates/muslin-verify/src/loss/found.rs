use std::fmt;

use muslin_engine::{Coverage, Stop};
use muslin_table::ColumnId;

use super::association::Association;
use super::cells::{CellLoss, ColumnLoss, Suppression};
use super::class_sizes::ClassLoss;
use super::divergence::Divergence;
use super::marginals::Marginal;
use super::queries::QueryLoss;
use crate::Error;

/// Why a measure was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeftOut {
    /// It takes more steps than allowed.
    Work {
        /// The steps that are allowed.
        limit: u64,
    },
    /// The run was stopped before or in it.
    Stopped(Stop),
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Work { limit } => write!(f, "left out: takes more than {limit} steps"),
            Self::Stopped(stop) => write!(f, "left out: {stop}"),
        }
    }
}

/// Why a measure has no result: it is left out, or something failed.
pub(super) enum Halt {
    Left(LeftOut),
    Failed(Error),
}

impl From<LeftOut> for Halt {
    fn from(left_out: LeftOut) -> Self {
        Self::Left(left_out)
    }
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        match error {
            Error::Engine(muslin_engine::Error::Stopped(stop)) => {
                Self::Left(LeftOut::Stopped(stop))
            }
            error => Self::Failed(error),
        }
    }
}

/// A measure that may be left out.
pub(super) type Measured<T> = Result<T, LeftOut>;

/// A measure, or why it was left out; an error where it failed.
pub(super) fn measured<T>(result: Result<T, Halt>) -> crate::Result<Measured<T>> {
    match result {
        Ok(found) => Ok(Ok(found)),
        Err(Halt::Left(left_out)) => Ok(Err(left_out)),
        Err(Halt::Failed(error)) => Err(error),
    }
}

/// What an analyst loses.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Losses {
    pub(super) suppression: Suppression,
    pub(super) columns: Vec<ColumnLoss>,
    pub(super) cells: CellLoss,
    pub(super) classes: ClassLoss,
    pub(super) reconstruction_error: Option<f64>,
    pub(super) marginals: Vec<Marginal>,
    pub(super) divergence: Measured<Divergence>,
    pub(super) association: Measured<Association>,
    pub(super) queries: Measured<QueryLoss>,
}

impl Losses {
    /// Suppressed cells, removed rows, withheld columns.
    pub fn suppression(&self) -> &Suppression {
        &self.suppression
    }

    /// The cells of each column of the original, in order.
    pub fn columns(&self) -> &[ColumnLoss] {
        &self.columns
    }

    /// The cells of the quasi-identifiers together: GCP, loss by leaves, entropy.
    pub fn cells(&self) -> &CellLoss {
        &self.cells
    }

    /// The sizes of the classes.
    pub fn classes(&self) -> &ClassLoss {
        &self.classes
    }

    /// RCE: the sum over rows of the squared error of what their bucket says about the sensitive
    /// value; nothing without buckets or without a sensitive column.
    pub fn reconstruction_error(&self) -> Option<f64> {
        self.reconstruction_error
    }

    /// Each published column by itself, in the original's order.
    pub fn marginals(&self) -> &[Marginal] {
        &self.marginals
    }

    /// The marginal of a column of the original, unless it is withheld.
    pub fn marginal(&self, column: ColumnId) -> Option<&Marginal> {
        self.marginals.iter().find(|marginal| marginal.column() == column)
    }

    /// KL(P || Q) over quasi-identifiers and the sensitive column, or why it is left out.
    pub fn divergence(&self) -> Result<&Divergence, LeftOut> {
        self.divergence.as_ref().map_err(|&left_out| left_out)
    }

    /// How strongly columns go together, or why that is left out.
    pub fn association(&self) -> Result<&Association, LeftOut> {
        self.association.as_ref().map_err(|&left_out| left_out)
    }

    /// The error of counting queries, or why that is left out.
    pub fn queries(&self) -> Result<&QueryLoss, LeftOut> {
        self.queries.as_ref().map_err(|&left_out| left_out)
    }

    /// Complete, or stopped where a stop of the run left a measure out. What takes more work than
    /// allowed is left out of a complete run, and says so itself.
    pub fn coverage(&self) -> Coverage {
        let left_out = [
            self.divergence.as_ref().err(),
            self.association.as_ref().err(),
            self.queries.as_ref().err(),
        ];
        let stop = left_out.into_iter().flatten().find_map(|left_out| match left_out {
            LeftOut::Stopped(stop) => Some(*stop),
            LeftOut::Work { .. } => None,
        });
        stop.map_or(Coverage::Complete, |by| Coverage::Stopped { by })
    }
}
