//! Where releases go.

use muslin_engine::Run;
use muslin_io::{Destination, Input, Release, RowOrder, WriteOptions};

use muslin_table::Changes;

use crate::Result;

/// What a job made of a table.
pub(crate) struct Made<R> {
    /// What it decided.
    pub(crate) changes: Changes,
    pub(crate) release: Release,
    pub(crate) report: R,
}

/// Where a release goes, and how.
#[derive(Clone, Debug)]
pub struct ReleaseOutput {
    /// Where.
    pub destination: Destination,
    /// How; the input is never written over.
    pub options: WriteOptions,
    /// The order of its rows.
    pub order: RowOrder,
}

impl ReleaseOutput {
    /// Writes to `destination`, rows shuffled by the operating system's randomness.
    pub fn new(destination: Destination) -> Self {
        Self { destination, options: WriteOptions::default(), order: RowOrder::Shuffled }
    }

    /// An error where nothing could be written: who cannot write need not wait.
    pub(crate) fn check(&self, input: &Input) -> Result<()> {
        Ok(muslin_io::check_destination(&self.destination, &self.options_for(input))?)
    }

    /// Writes a release, as a whole or not at all. What was found keeps its promises whatever time
    /// it took, so a limit that is over does not end its writing.
    pub(crate) fn write(&self, release: &Release, input: &Input, run: &Run) -> Result<()> {
        Self::write_together(&[(self, release)], input, run)
    }

    /// Writes releases that belong together: no file appears before all are complete.
    pub(crate) fn write_together(
        outputs: &[(&Self, &Release)],
        input: &Input,
        run: &Run,
    ) -> Result<()> {
        let run = run.clone().time_limit(None);
        let options: Vec<WriteOptions> =
            outputs.iter().map(|(output, _)| output.options_for(input)).collect();
        let parts: Vec<_> = outputs
            .iter()
            .zip(&options)
            .map(|((output, release), options)| (*release, &output.destination, options))
            .collect();
        Ok(muslin_io::write_together(&parts, &run)?)
    }

    /// The order's name, as flags spell it.
    pub(crate) fn order_name(&self) -> &'static str {
        match self.order {
            RowOrder::AsRead => "as-read",
            RowOrder::Sorted => "sorted",
            RowOrder::Shuffled => "shuffled",
            RowOrder::Seeded(_) => "seeded",
        }
    }

    /// What the order of the rows gives away.
    pub(crate) fn warning(&self) -> Option<String> {
        match self.order {
            RowOrder::AsRead => Some(
                "the release's rows are in the input's order: neighbours stay neighbours, which can give values away".into(),
            ),
            RowOrder::Seeded(_) => Some(
                "the release is reproducible: whoever guesses the seed can undo the shuffling of its rows".into(),
            ),
            RowOrder::Shuffled | RowOrder::Sorted => None,
        }
    }

    pub(crate) fn options_for(&self, input: &Input) -> WriteOptions {
        let mut options = self.options.clone();
        if let Input::Path(path) = input {
            options.inputs.push(path.clone());
        }
        options
    }
}
