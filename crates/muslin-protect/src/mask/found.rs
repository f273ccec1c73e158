use muslin_assess::{Beta, Target, Weight};
use muslin_engine::{Coverage, Seed};
use muslin_table::{ClassSizes, ColumnId, ColumnSet, Ratio};

/// A column that greedy published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaskStep {
    /// The column.
    pub column: ColumnId,
    /// The ratio of what is published with it; on the sample, where one was drawn.
    pub ratio: Ratio,
}

/// The sample that a mask was chosen on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaskSample {
    /// Rows that were drawn, or pairs of rows, as the measure asks.
    pub draws: u64,
    /// The ratio that was not to be exceeded on the sample.
    pub beta: Beta,
    /// The probability, at most, that the sample suggests a set which is not allowed.
    pub delta: Beta,
    /// The seed that drew them.
    pub seed: Seed,
    /// Whether the sample suggested a set which is not allowed, so that columns were taken out.
    pub is_repaired: bool,
}

/// What to publish and what to mask.
#[derive(Clone, Debug)]
#[must_use]
pub struct MaskFound {
    pub(super) target: Target,
    pub(super) publish: ColumnSet,
    pub(super) masked: ColumnSet,
    pub(super) weight: Weight,
    pub(super) upper_bound: Weight,
    pub(super) sizes: ClassSizes,
    pub(super) steps: Vec<MaskStep>,
    pub(super) sample: Option<MaskSample>,
    pub(super) coverage: Coverage,
}

impl MaskFound {
    /// The columns that may be published together.
    pub fn publish(&self) -> &ColumnSet {
        &self.publish
    }

    /// All other columns.
    pub fn masked(&self) -> &ColumnSet {
        &self.masked
    }

    /// What the published columns are worth.
    pub fn weight(&self) -> Weight {
        self.weight
    }

    /// No allowed set is worth more than this.
    pub fn upper_bound(&self) -> Weight {
        self.upper_bound
    }

    /// Whether no allowed set is worth more than what is published.
    pub fn is_optimal(&self) -> bool {
        self.weight >= self.upper_bound
    }

    /// Whether a column is published. When none is, every column alone exceeds the target.
    pub fn is_reached(&self) -> bool {
        !self.publish.is_empty()
    }

    /// The classes that the published columns make of the whole table.
    pub fn sizes(&self) -> &ClassSizes {
        &self.sizes
    }

    /// The ratio of the published columns on the whole table.
    pub fn ratio(&self) -> Ratio {
        self.target.measure().ratio(&self.sizes).expect("the settings were checked")
    }

    /// The columns that greedy published, in order. Where the heaviest set was looked for, this is
    /// how the search began; where columns were taken out of a sample's set, what it was.
    pub fn steps(&self) -> &[MaskStep] {
        &self.steps
    }

    /// The sample that the columns were chosen on, if there was one.
    pub fn sample(&self) -> Option<MaskSample> {
        self.sample
    }

    /// How far the run got. What is published is allowed in any case.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }
}
