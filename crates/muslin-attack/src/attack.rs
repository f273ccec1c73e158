//! What came out of an attack.

use std::collections::BTreeMap;

use muslin_table::ColumnId;

use crate::Released;
use crate::fits::most_frequent;
use crate::interval::wilson;
use crate::released::Seen;

/// Rows of a release that a result names at most.
const ROWS_NAMED: usize = 10;

/// What an attack on a release achieved. It holds counts and row numbers, never a value.
///
/// `success` is the share of scored guesses that are right, unless the attack says otherwise; `baseline` is what an
/// attacker achieves at the same cells without the attack, by naming the most frequent value of those that a generalized
/// cell's label allows. `interval` says how far chance may have moved the success.
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
    pub(crate) interval: Option<(f64, f64)>,
    pub(crate) certain: Certain,
    pub(crate) is_statistical: bool,
    pub(crate) defence: &'static str,
    pub(crate) rows: Vec<u32>,
    pub(crate) columns: Vec<AttackedColumn>,
    pub(crate) note: Option<String>,
}

/// Targets for which one candidate is left, and how many of those guesses are right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Certain {
    pub(crate) all: u64,
    pub(crate) scored: u64,
    pub(crate) right: u64,
}

/// What an attack on cells achieved in one column.
#[derive(Clone, Debug, PartialEq)]
pub struct AttackedColumn {
    name: String,
    tally: Tally,
    is_scored: bool,
    /// What the same guesses get by chance, where that is known.
    by_chance: Option<f64>,
    interval: Option<(f64, f64)>,
    by: Vec<Vec<String>>,
}

impl AttackedColumn {
    /// The column's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Cells that are attacked.
    pub fn targets(&self) -> u64 {
        self.tally.targets
    }

    /// Cells that are guessed.
    pub fn guessed(&self) -> u64 {
        self.tally.guessed
    }

    /// Guesses of which it is known whether they are right.
    pub fn scored(&self) -> u64 {
        self.tally.scored
    }

    /// Guesses that are known to be right; nothing where nothing is known.
    pub fn right(&self) -> Option<u64> {
        self.is_scored.then_some(self.tally.right)
    }

    /// The share of scored guesses that are right.
    pub fn success(&self) -> Option<f64> {
        share(self.tally.right, self.tally.scored)
    }

    /// The share that is right without the attack.
    pub fn baseline(&self) -> Option<f64> {
        let prior = share(self.tally.prior, self.tally.scored)?;
        Some(self.by_chance.map_or(prior, |chance| chance.max(prior)))
    }

    /// The same, where guesses that say nothing are right this often.
    pub(crate) fn at_least(&mut self, by_chance: Option<f64>) {
        self.by_chance = by_chance;
    }

    /// From where to where the success may be, as chance goes.
    pub fn interval(&self) -> Option<(f64, f64)> {
        self.interval
    }

    /// Cells for which exactly one candidate is left.
    pub fn certain(&self) -> u64 {
        self.tally.certain.all
    }

    /// Certain guesses of which it is known whether they are right.
    pub fn certain_scored(&self) -> u64 {
        self.tally.certain.scored
    }

    /// Certain guesses that are right; nothing where nothing is known.
    pub fn certain_right(&self) -> Option<u64> {
        self.is_scored.then_some(self.tally.certain.right)
    }

    /// The published columns that guesses were made by, those that guess best first; each entry is a set of columns that
    /// determine the value together.
    pub fn by(&self) -> &[Vec<String>] {
        &self.by
    }
}

impl Attack {
    /// An attack that has not guessed anything yet.
    pub(crate) fn new(name: &'static str, knows: impl Into<String>, defence: &'static str) -> Self {
        Self {
            name,
            knows: knows.into(),
            targets: 0,
            guessed: 0,
            scored: 0,
            right: None,
            success: None,
            baseline: None,
            interval: None,
            certain: Certain::default(),
            is_statistical: false,
            defence,
            rows: Vec::new(),
            columns: Vec::new(),
            note: None,
        }
    }

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

    /// Scored guesses that are right; nothing where that is not known.
    pub fn right(&self) -> Option<u64> {
        self.right
    }

    /// The share of right guesses; nothing where that is not known.
    pub fn success(&self) -> Option<f64> {
        self.success
    }

    /// The share that is right without the attack.
    pub fn baseline(&self) -> Option<f64> {
        self.baseline
    }

    /// From where to where the success may be, as chance goes: a 95 % interval.
    pub fn interval(&self) -> Option<(f64, f64)> {
        self.interval
    }

    /// What the attack adds to what one gets without it; below zero where it does worse.
    pub fn advantage(&self) -> Option<f64> {
        Some(self.success? - self.baseline?)
    }

    /// Targets for which exactly one candidate is left.
    pub fn certain(&self) -> u64 {
        self.certain.all
    }

    /// Certain guesses of which it is known whether they are right.
    pub fn certain_scored(&self) -> u64 {
        self.certain.scored
    }

    /// Certain guesses that are right; nothing where that is not known.
    pub fn certain_right(&self) -> Option<u64> {
        (self.certain.scored > 0 || self.right.is_some()).then_some(self.certain.right)
    }

    /// Whether a certain guess is one that the release shows no exception to, and not the only candidate that is left.
    pub fn is_statistical(&self) -> bool {
        self.is_statistical
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
    columns: Vec<Tally>,
    /// The columns that guesses at each column were made by.
    by: Vec<Vec<Vec<String>>>,
    rows: Vec<u32>,
}

/// Guesses at the cells of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    targets: u64,
    guessed: u64,
    scored: u64,
    right: u64,
    prior: u64,
    certain: Certain,
}

impl Tally {
    fn add(mut self, other: &Self) -> Self {
        self.targets += other.targets;
        self.guessed += other.guessed;
        self.scored += other.scored;
        self.right += other.right;
        self.prior += other.prior;
        self.certain.all += other.certain.all;
        self.certain.scored += other.certain.scored;
        self.certain.right += other.certain.right;
        self
    }
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
            columns: vec![Tally::default(); columns],
            by: vec![Vec::new(); columns],
            rows: Vec::new(),
        }
    }

    /// One more cell that is attacked.
    pub(crate) fn target(&mut self, column: ColumnId) {
        self.columns[column.index()].targets += 1;
    }

    /// Names columns by which guesses at a column are made.
    pub(crate) fn made_by(&mut self, column: ColumnId, from: impl Iterator<Item = ColumnId>) {
        let table = self.released.table();
        let names = from.map(|id| table.column(id).name().to_owned()).collect();
        self.by[column.index()].push(names);
    }

    /// A guess at a cell.
    pub(crate) fn guess(&mut self, row: u32, column: ColumnId, value: u32, is_certain: bool) {
        let actual = self.released.actual(row, column);
        let prior = actual.and_then(|_| self.prior(row, column));
        let own = &mut self.columns[column.index()];
        own.guessed += 1;
        own.certain.all += u64::from(is_certain);
        self.rows.push(row);
        if let Some(actual) = actual {
            let is_right = actual == value;
            own.scored += 1;
            own.right += u64::from(is_right);
            own.prior += u64::from(prior == Some(actual));
            own.certain.scored += u64::from(is_certain);
            own.certain.right += u64::from(is_certain && is_right);
        }
    }

    /// The baseline's guess at a cell: the most frequent value of those that its label allows.
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
        let all = self.columns.iter().fold(Tally::default(), Tally::add);
        let attacked = self.columns.iter().filter(|own| own.guessed > 0).count() as u64;
        let each = self.columns.iter().zip(self.by).zip(self.released.table().columns());
        let each = each.filter(|((own, _), _)| own.targets > 0);
        let columns = each.map(|((own, by), column)| AttackedColumn {
            name: column.name().to_owned(),
            tally: *own,
            is_scored,
            by_chance: None,
            interval: interval(own, attacked),
            by,
        });
        let attack = Attack {
            targets: all.targets,
            guessed: all.guessed,
            scored: all.scored,
            right: is_scored.then_some(all.right),
            success: share(all.right, all.scored),
            baseline: share(all.prior, all.scored),
            interval: interval(&all, 1),
            certain: all.certain,
            rows: first_rows(rows),
            columns: columns.collect(),
            ..Attack::new(name, knows, defence)
        };
        let left_out = all.guessed - all.scored;
        match (is_scored, left_out) {
            (false, _) => attack.noted(UNSCORED),
            (true, 0) => attack,
            (true, _) => attack.noted(ambiguous(left_out)),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
fn interval(own: &Tally, choices: u64) -> Option<(f64, f64)> {
    wilson(own.right as f64, own.scored, choices)
}

/// Why guesses are not scored.
pub(crate) const UNSCORED: &str = "not scored: no original was given";

/// Why some guesses are not scored.
pub(crate) fn ambiguous(guesses: u64) -> String {
    let noun = if guesses == 1 { "guess is" } else { "guesses are" };
    let guesses = grouped(guesses);
    format!("{guesses} {noun} not scored: several rows of the original fit the published row")
}

/// A number for people to read: 12,345.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
