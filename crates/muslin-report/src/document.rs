//! What a report says, before it has a form.

use serde::Serialize;

use crate::Figure;
use crate::quantity::Quantity;

/// A report: what was found, in sections.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Document {
    /// Version of this form: 1.
    pub schema: u32,
    /// What it is about.
    pub title: String,
    /// A line below the title.
    pub subtitle: String,
    /// Rows of the table that it is about.
    pub rows: u64,
    /// `internal`, or `external` for what everybody may see.
    pub audience: String,
    /// What to know first.
    pub verdict: VerdictBox,
    /// The rest.
    pub sections: Vec<Section>,
    /// Which program made it, in which version.
    pub made_by: String,
}

/// What was found out about a release, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Every check passed, and nothing was found beside them.
    Passed,
    /// Every check passed; something else was found that a person must decide about.
    Findings,
    /// A check failed, or could not be decided.
    Failed,
}

impl Verdict {
    /// Its name, as JSON has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Findings => "findings",
            Self::Failed => "failed",
        }
    }
}

/// What to know first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerdictBox {
    /// The verdict on a release; none where there is no release.
    pub state: Option<Verdict>,
    /// One sentence.
    pub headline: String,
    /// What it rests on, the worst first.
    pub findings: Vec<Finding>,
    /// What is not claimed.
    pub not_claimed: Vec<String>,
}

/// A thing that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// `good`, `bad` or `look`: to be looked at by a person.
    pub tone: String,
    /// What it is.
    pub text: String,
}

impl Finding {
    /// Something that is as it should be.
    pub fn good(text: impl Into<String>) -> Self {
        Self { tone: "good".into(), text: text.into() }
    }

    /// Something that is not as it should be.
    pub fn bad(text: impl Into<String>) -> Self {
        Self { tone: "bad".into(), text: text.into() }
    }

    /// Something that a person must look at.
    pub fn look(text: impl Into<String>) -> Self {
        Self { tone: "look".into(), text: text.into() }
    }
}

/// A part of a report.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Section {
    /// A short name without spaces, for links.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// Whether it is for those who have the data, and nobody else.
    pub internal: bool,
    /// What it says.
    pub blocks: Vec<Block>,
}

impl Document {
    /// Its figures, in their order.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        let blocks = self.sections.iter().flat_map(|section| &section.blocks);
        blocks.filter_map(|block| match block {
            Block::Figure(figure) => Some(figure),
            _ => None,
        })
    }
}

impl Section {
    /// An empty section for everybody.
    pub fn new(id: &str, title: &str) -> Self {
        Self { id: id.into(), title: title.into(), internal: false, blocks: Vec::new() }
    }

    /// An empty section for those who have the data.
    pub fn internal(id: &str, title: &str) -> Self {
        Self { internal: true, ..Self::new(id, title) }
    }

    /// Adds a paragraph.
    pub fn text(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Text(text.into()));
    }

    /// Adds a list; nothing where there are no items.
    pub fn list(&mut self, items: Vec<String>) {
        if !items.is_empty() {
            self.blocks.push(Block::List(items));
        }
    }

    /// Adds a table; nothing where it has no rows.
    pub fn table(&mut self, table: Table) {
        if !table.rows.is_empty() {
            self.blocks.push(Block::Table(table));
        }
    }

    /// Adds a figure; nothing where it is empty.
    pub fn figure(&mut self, figure: Figure) {
        if !figure.chart.is_empty() {
            self.blocks.push(Block::Figure(figure));
        }
    }
}

/// A part of a section.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// A list.
    List(Vec<String>),
    /// Commands to type, one a line.
    Commands(Vec<String>),
    /// A table.
    Table(Table),
    /// A figure.
    Figure(Figure),
}

/// A table of a report.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// Names of its columns.
    pub header: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    pub fn new(caption: &str, header: &[&str]) -> Self {
        let header = header.iter().map(|&name| name.to_owned()).collect();
        Self { caption: caption.into(), header, rows: Vec::new() }
    }
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Cell {
    /// Words of our own, and names of columns.
    Text(String),
    /// A number.
    Quantity(Quantity),
    /// A row of the input, from 0. Never for everybody.
    Row(u64),
    /// A value of the data, and how many rows have it.
    Value {
        /// The value.
        text: String,
        /// Rows that have it.
        rows: u64,
    },
    /// Whether something is as it should be.
    Met(bool),
    /// Nothing to say.
    Nothing,
}

impl Cell {
    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A count of rows, cells or people.
    pub fn count(count: u64) -> Self {
        Self::Quantity(Quantity::Count(count))
    }

    /// A part of rows, cells or people.
    pub fn share(part: u64, of: u64) -> Self {
        Self::Quantity(Quantity::Share { part, of })
    }

    /// A share that is no count of people.
    pub fn fraction(number: f64) -> Self {
        Self::Quantity(Quantity::Fraction(number))
    }

    /// A number.
    pub fn number(number: f64) -> Self {
        Self::Quantity(Quantity::Number(number))
    }

    /// Whether it is aligned as a number.
    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Self::Quantity(_) | Self::Row(_))
    }

    /// What it says.
    pub(crate) fn said(&self) -> String {
        match self {
            Self::Text(text) | Self::Value { text, .. } => {
                muslin_table::printable(text).into_owned()
            }
            Self::Quantity(quantity) => quantity.to_string(),
            Self::Row(row) => row.to_string(),
            Self::Met(true) => "yes".into(),
            Self::Met(false) => "no".into(),
            Self::Nothing => "-".into(),
        }
    }
}
