//! What came out of an attack.

use std::collections::BTreeMap;

use muslin_table::ColumnId;

use crate::Released;
use crate::fits::most_frequent;
use crate::released::Seen;

/// Rows of a release that a result names at most.
const ROWS_NAMED: usize = 10;

/// What an attack on a release achieved. It holds counts and row numbers, never a value.
///
/// `success` is the share of scored guesses that are right, unless the attack says otherwise; `baseline`
/// is what somebody achieves who makes the same guesses without the attack: who names the most frequent
/// value, of those that a generalized cell's label allows.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Attack {
    pub(crate) name: &'static str,
    pub(crate) knows: String,
    pub(crate) targets: u64,
    pub(crate) guessed: u64,
    pub(crate) scored: u64,
    pub(crate) right: Option<u64>,
    pub(crate) success: Option<f64>,
    pub(crate) baseline: Option<f64>,
    pub(crate) certain: u64,
    pub(crate) defence: &'static str,
    pub(crate) rows: Vec<u32>,
    pub(crate) columns: Vec<AttackedColumn>,
    pub(crate) note: Option<String>,
}

/// What an attack on cells achieved in one column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttackedColumn {
    name: String,
    targets: u64,
    guessed: u64,
    right: Option<u64>,
}

impl AttackedColumn {
    /// The column's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Cells that are attacked.
    pub fn targets(&self) -> u64 {
        self.targets
    }

    /// Cells that are guessed.
    pub fn guessed(&self) -> u64 {
        self.guessed
    }

    /// Guesses that are known to be right; nothing where nobody can tell.
    pub fn right(&self) -> Option<u64> {
        self.right
    }
}

impl Attack {
    /// The attack's name: lower case with hyphens, the same in every version.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What the attacker knows, in one sentence.
    pub fn knows(&self) -> &str {
        &self.knows
    }

    /// Cells, rows or people that are attacked.
    pub fn targets(&self) -> u64 {
        self.targets
    }

    /// Targets for which the attacker made a guess.
    pub fn guessed(&self) -> u64 {
        self.guessed
    }

    /// Guesses of which it is known whether they are right.
    pub fn scored(&self) -> u64 {
        self.scored
    }

    /// Scored guesses that are right; nothing where nobody can tell.
    pub fn right(&self) -> Option<u64> {
        self.right
    }

    /// The share of right guesses; nothing where nobody can tell.
    pub fn success(&self) -> Option<f64> {
        self.success
    }

    /// The share that is right without the attack.
    pub fn baseline(&self) -> Option<f64> {
        self.baseline
    }

    /// What the attack adds to what one gets without it.
    pub fn advantage(&self) -> Option<f64> {
        Some(self.success? - self.baseline?)
    }

    /// Targets for which exactly one candidate is left.
    pub fn certain(&self) -> u64 {
        self.certain
    }

    /// The setting that defends.
    pub fn defence(&self) -> &'static str {
        self.defence
    }

    /// The first few rows concerned, of the release (of the other file where the targets are people).
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The columns with cells that are attacked, in order; none where the targets are no cells.
    pub fn columns(&self) -> &[AttackedColumn] {
        &self.columns
    }

    /// What else there is to say.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// One more sentence in the note.
    pub(crate) fn noted(mut self, more: impl Into<String>) -> Self {
        let more = more.into();
        self.note = Some(self.note.map_or(more.clone(), |note| format!("{note}; {more}")));
        self
    }
}

/// A part of a whole; nothing where there is nothing.
#[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
pub(crate) fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The first of some rows, in order.
pub(crate) fn first_rows(rows: impl IntoIterator<Item = u32>) -> Vec<u32> {
    let mut rows: Vec<u32> = rows.into_iter().take(ROWS_NAMED).collect();
    rows.dedup();
    rows
}

/// Counts guesses at cells, and scores them where the original is there.
pub(crate) struct Guesses<'a> {
    released: &'a Released<'a>,
    /// The most frequent value of each column.
    priors: Vec<Option<u32>>,
    /// How often the original has each value of a column; counted where a wide cell is guessed.
    counts: Vec<Option<Vec<u64>>>,
    /// The most frequent value that a wide label allows, by column and slot.
    within: BTreeMap<(usize, u32), Option<u32>>,
    /// Targets, guesses and right guesses of each column.
    columns: Vec<(u64, u64, u64)>,
    scored: u64,
    prior: u64,
    certain: u64,
    rows: Vec<u32>,
}

impl<'a> Guesses<'a> {
    pub(crate) fn new(released: &'a Released<'a>) -> Self {
        let columns = released.table().columns().len();
        let prior = |at: usize| released.most_frequent(ColumnId::new(at));
        Self {
            released,
            priors: (0..columns).map(prior).collect(),
            counts: vec![None; columns],
            within: BTreeMap::new(),
            columns: vec![(0, 0, 0); columns],
            scored: 0,
            prior: 0,
            certain: 0,
            rows: Vec::new(),
        }
    }

    /// One more cell that is attacked.
    pub(crate) fn target(&mut self, column: ColumnId) {
        self.columns[column.index()].0 += 1;
    }

    /// A guess at a cell.
    pub(crate) fn guess(&mut self, row: u32, column: ColumnId, value: u32, is_certain: bool) {
        self.columns[column.index()].1 += 1;
        self.certain += u64::from(is_certain);
        self.rows.push(row);
        if let Some(actual) = self.released.actual(row, column) {
            self.scored += 1;
            self.columns[column.index()].2 += u64::from(actual == value);
            self.prior += u64::from(self.prior(row, column) == Some(actual));
        }
    }

    /// What somebody guesses at a cell who knows how frequent values are, and reads the cell's label.
    fn prior(&mut self, row: u32, column: ColumnId) -> Option<u32> {
        let (released, at) = (self.released, column.index());
        let slot = released.table().column(column).codes().slot(row as usize);
        let Seen::Wide(cover) = released.seen(column, slot) else { return self.priors[at] };
        let counts = self.counts[at].get_or_insert_with(|| released.original_counts(column));
        let prior = || most_frequent(cover, counts);
        *self.within.entry((at, slot)).or_insert_with(prior)
    }

    /// The result.
    pub(crate) fn finish(self, name: &'static str, knows: String, defence: &'static str) -> Attack {
        let mut rows = self.rows;
        rows.sort_unstable();
        rows.dedup();
        let is_scored = self.released.has_original();
        let sum = |all: (u64, u64, u64), own: &(u64, u64, u64)| {
            (all.0 + own.0, all.1 + own.1, all.2 + own.2)
        };
        let (targets, guessed, right) = self.columns.iter().fold((0, 0, 0), sum);
        let each = self.columns.iter().zip(self.released.table().columns());
        let columns = each.filter(|(own, _)| own.0 > 0).map(|(own, column)| AttackedColumn {
            name: column.name().to_owned(),
            targets: own.0,
            guessed: own.1,
            right: is_scored.then_some(own.2),
        });
        let attack = Attack {
            name,
            knows,
            targets,
            guessed,
            scored: self.scored,
            right: is_scored.then_some(right),
            success: share(right, self.scored),
            baseline: share(self.prior, self.scored),
            certain: self.certain,
            defence,
            rows: first_rows(rows),
            columns: columns.collect(),
            note: None,
        };
        let left_out = guessed - self.scored;
        match (is_scored, left_out) {
            (false, _) => attack.noted("not scored: the original is not there"),
            (true, 0) => attack,
            (true, _) => attack.noted(format!(
                "{left_out} guesses are not scored: their rows are not told apart in the original"
            )),
        }
    }
}
