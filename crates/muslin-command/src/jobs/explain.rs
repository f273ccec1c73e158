//! `muslin explain`, as a job.

use muslin::{ExplainJob, ExplainQuestion};

use super::{Asked, Wrong, set_quasi_identifiers};
use crate::Places;
use crate::args::{Explain, Names};

impl Explain {
    /// The job that the flags and the policy file describe; flags win.
    pub fn job(&self, places: &Places) -> Result<ExplainJob, Wrong> {
        let asked = &self.question;
        let question = match (asked.row, &self.input.columns) {
            (Some(row), None) => ExplainQuestion::Row(row),
            (None, Some(columns)) => ExplainQuestion::Columns(Names::all(columns)),
            (None, None) => {
                return Err(Wrong::Usage(
                    "what to explain was not said\n  hint: pass `--row 0` for the first row, or `--columns` with some names for a set of columns",
                ));
            }
            (Some(_), Some(_)) => {
                return Err(Wrong::Usage(
                    "a row and a set of columns are two questions\n  hint: leave one out; which columns a row is looked at by is said by `--qi`",
                ));
            }
        };
        if asked.quasi_identifiers.is_some() && asked.row.is_none() {
            return Err(Wrong::Usage(
                "a set of columns is looked at by itself\n  hint: name all of it in `--columns`; `--qi` goes with `--row`",
            ));
        }
        let Asked { read, mut roles, missing, .. } = Asked::new(&self.input, places)?;
        set_quasi_identifiers(&mut roles, asked.quasi_identifiers.as_deref());
        Ok(ExplainJob {
            read,
            roles,
            missing,
            max_size: asked.max_size,
            score: asked.score,
            limit: asked.limit,
            nearest: asked.nearest,
            show_values: asked.show_values,
            ..ExplainJob::new(places.input(&self.input.file), question)
        })
    }
}
