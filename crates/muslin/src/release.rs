//! Where releases go.

use muslin_engine::Run;
use muslin_io::{
    CsvStyle, Destination, Encoding, Input, Prepared, Release, RowOrder, Source, WriteOptions,
};

use muslin_table::Changes;

use crate::Result;

/// What a job made of a table.
pub(crate) struct Made<R> {
    /// What it decided.
    pub(crate) changes: Changes,
    pub(crate) release: Release,
    pub(crate) report: R,
}

/// How the text of a release is to be written: as its input, where nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReleaseStyle {
    /// The character between fields.
    pub delimiter: Option<char>,
    /// How characters are stored.
    pub encoding: Option<Encoding>,
    /// Whether the decimal mark is a comma.
    pub decimal_comma: Option<bool>,
}

impl ReleaseStyle {
    /// What is said here, and what another says where nothing is said.
    #[must_use]
    pub fn or(self, other: &Self) -> Self {
        Self {
            delimiter: self.delimiter.or(other.delimiter),
            encoding: self.encoding.or(other.encoding),
            decimal_comma: self.decimal_comma.or(other.decimal_comma),
        }
    }

    /// The style of a release of this input.
    pub(crate) fn of(&self, input: &Source) -> CsvStyle {
        let usual = CsvStyle::default();
        let dialect = input.dialect.as_ref();
        // Tabs are for files that are named so.
        let delimiter = dialect.map(|own| own.delimiter).filter(|own| *own != '\t');
        CsvStyle {
            delimiter: self.delimiter.or(delimiter).unwrap_or(usual.delimiter),
            quote: dialect.and_then(|own| own.quote).unwrap_or(usual.quote),
            encoding: self.encoding.or(dialect.map(|own| own.encoding)).unwrap_or(usual.encoding),
            decimal_comma: self
                .decimal_comma
                .or(dialect.map(|own| own.decimal_comma))
                .unwrap_or(usual.decimal_comma),
            ..usual
        }
    }
}

/// Where a release goes, and how.
#[derive(Clone, Debug)]
pub struct ReleaseOutput {
    /// Where.
    pub destination: Destination,
    /// How; the input is never written over.
    pub options: WriteOptions,
    /// The dialect of its text.
    pub style: ReleaseStyle,
    /// The order of its rows.
    pub order: RowOrder,
}

impl ReleaseOutput {
    /// Writes to `destination`, rows shuffled by the operating system's randomness.
    pub fn new(destination: Destination) -> Self {
        Self {
            destination,
            options: WriteOptions::default(),
            style: ReleaseStyle::default(),
            order: RowOrder::Shuffled,
        }
    }

    /// An error where nothing could be written: who cannot write need not wait.
    pub(crate) fn check(&self, input: &Input) -> Result<()> {
        Ok(muslin_io::check_destination(&self.destination, &self.options_for(input))?)
    }

    /// The same for several, which must be at different places.
    pub(crate) fn check_all<'a>(
        outputs: impl Iterator<Item = &'a Self> + Clone,
        input: &Input,
    ) -> Result<()> {
        let places: Vec<_> = outputs.clone().map(|output| output.destination.clone()).collect();
        muslin_io::check_outputs(&places, &[])?;
        outputs.into_iter().try_for_each(|output| output.check(input))
    }

    /// Writes a release, as a whole or not at all. What was found keeps its promises whatever time
    /// it took, so a limit that is over does not end its writing.
    pub(crate) fn write(
        &self,
        release: &Release,
        input: &Input,
        source: &Source,
        run: &Run,
    ) -> Result<()> {
        Self::write_together(&[(self, release)], input, source, run)
    }

    /// Makes the file of a release, which is then ready for its place; whatever limit is over.
    pub(crate) fn prepare(
        &self,
        release: &Release,
        input: &Input,
        source: &Source,
        run: &Run,
    ) -> Result<Prepared> {
        let run = run.clone().time_limit(None);
        let options = self.options_of(input, source);
        Ok(Prepared::release(release, &self.destination, &options, &run)?)
    }

    /// Writes releases that belong together: no file appears before all are complete.
    pub(crate) fn write_together(
        outputs: &[(&Self, &Release)],
        input: &Input,
        source: &Source,
        run: &Run,
    ) -> Result<()> {
        let run = run.clone().time_limit(None);
        let options: Vec<WriteOptions> =
            outputs.iter().map(|(output, _)| output.options_of(input, source)).collect();
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
                "the release is reproducible: an attacker who guesses the seed can undo its draws".into(),
            ),
            RowOrder::Shuffled | RowOrder::Sorted => None,
        }
    }

    fn options_of(&self, input: &Input, source: &Source) -> WriteOptions {
        WriteOptions { csv: self.style.of(source), ..self.options_for(input) }
    }

    pub(crate) fn options_for(&self, input: &Input) -> WriteOptions {
        let mut options = self.options.clone();
        if let Input::Path(path) = input {
            options.inputs.push(path.clone());
        }
        options
    }
}
