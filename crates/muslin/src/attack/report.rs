//! What attacks on a release achieved.

use muslin_attack::{Attack, AttackedColumn};
use muslin_report::Quantity;
use serde::Serialize;

use crate::input::InputReport;

/// What is gained by attacking a release. No value of a cell is here.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AttackReport {
    /// Version of this report's form: 1.
    pub schema: u32,
    /// `attack`.
    pub command: String,
    /// Whether an attack was tried and none is a finding.
    pub met: bool,
    /// The most that an attack may gain over what one gets without it.
    pub max_advantage: f64,
    /// The release.
    pub release: InputReport,
    /// The original, where it was given.
    pub original: Option<InputReport>,
    /// Rows of the release.
    pub rows: u64,
    /// Columns of the release.
    pub columns: u64,
    /// Rows of the original.
    pub original_rows: Option<u64>,
    /// Columns of the original.
    pub original_columns: Option<u64>,
    /// The columns that the attacker may know of a person.
    pub quasi_identifiers: Vec<String>,
    /// The columns that the attacker wants to infer.
    pub sensitive: Vec<String>,
    /// The attacks that ran.
    pub attacks: Vec<AttackResult>,
    /// Those that did not, and why.
    pub skipped: Vec<SkippedAttack>,
    /// The attack with the largest advantage, among findings where there are any.
    pub worst: Option<String>,
    /// What to look at before relying on the figures.
    pub warnings: Vec<String>,
}

/// What one attack achieved.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AttackResult {
    /// The attack.
    pub name: String,
    /// The sensitive column that it aimed at; none where an attack aims at no single column.
    pub sensitive: Option<String>,
    /// Whether the attack succeeds: it gains more than allowed, on all its guesses or on those at one
    /// column, and the interval of its success lies above the baseline; or one candidate is left
    /// somewhere, and of such guesses that can be checked some are right (of cells: most). Where the release
    /// only shows no exception (`dependencies`, `within-groups`), guesses that can be checked must beat the baseline.
    pub finding: bool,
    /// What the attacker knows.
    pub knows: String,
    /// Cells, rows or people that are attacked.
    pub targets: u64,
    /// Targets for which a guess was made.
    pub guessed: u64,
    /// Guesses of which it is known whether they are right.
    pub scored: u64,
    /// Those that are right; none where that is not known.
    pub right: Option<u64>,
    /// The share that is right; none where that is not known, and where nothing was guessed.
    pub success: Option<f64>,
    /// The lower end of the 95 % interval of `success`: of the score interval of Wilson (1927), or, for `membership`, of
    /// that of Hanley and `McNeil` (1982).
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// The share that is right without the attack.
    pub baseline: Option<f64>,
    /// What the attack adds: success less baseline, below zero where the attack does worse.
    pub advantage: Option<f64>,
    /// Targets for which exactly one candidate is left.
    pub certain: u64,
    /// Certain guesses of which it is known whether they are right.
    pub certain_scored: u64,
    /// Those that are right; none where that is not known.
    pub certain_right: Option<u64>,
    /// The setting that defends.
    pub defence: String,
    /// The columns whose cells are attacked.
    pub columns: Vec<AttackedColumnReport>,
    /// The first few rows concerned, from 0, of the release; of the people's table for `composition`.
    pub rows: Vec<u32>,
    /// What else there is to say.
    pub note: Option<String>,
}

/// What an attack on cells achieved in one column.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AttackedColumnReport {
    /// The column.
    pub name: String,
    /// Cells that are attacked.
    pub targets: u64,
    /// Cells that are guessed.
    pub guessed: u64,
    /// Guesses of which it is known whether they are right.
    pub scored: u64,
    /// Guesses that are right; none where that is not known.
    pub right: Option<u64>,
    /// The share that is right; none where that is not known.
    pub success: Option<f64>,
    /// The lower end of the interval of `success`, wider the more columns are attacked.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// The share that is right without the attack: by the most frequent value that the published label allows.
    pub baseline: Option<f64>,
    /// Cells for which exactly one candidate is left.
    pub certain: u64,
    /// Certain guesses of which it is known whether they are right.
    pub certain_scored: u64,
    /// Certain guesses that are right; none where that is not known.
    pub certain_right: Option<u64>,
    /// The published columns that guesses were made by, the best first; each entry is a set of columns.
    pub by: Vec<Vec<String>>,
}

/// An attack that did not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SkippedAttack {
    /// The attack.
    pub name: String,
    /// The sensitive column that it was to aim at; none where the attack aims at no single column.
    pub sensitive: Option<String>,
    /// Why.
    pub reason: String,
    /// What to pass for it to run; none where there is nothing to attack.
    pub hint: Option<String>,
}

impl SkippedAttack {
    /// An attack that did not run, for a reason that may end with a hint.
    pub(super) fn new(name: &str, sensitive: Option<String>, text: &str) -> Self {
        let (reason, hint) = match text.split_once("\n  hint: ") {
            Some((reason, hint)) => (reason, Some(hint.to_owned())),
            None => (text, None),
        };
        Self { name: name.to_owned(), sensitive, reason: reason.to_owned(), hint }
    }
}

impl AttackResult {
    /// What the attack achieved, in a few words.
    pub fn achieved(&self) -> String {
        let count = Quantity::Count;
        let (Some(success), Some(baseline)) = (self.success, self.baseline) else {
            let targets = count(self.targets).of("target");
            return format!("certain of {} of {targets}", count(self.certain));
        };
        let guesses = match self.right {
            // What is averaged over people is no count of guesses.
            Some(right) if self.name != "linkage" && self.name != "composition" => {
                let checked = if self.scored == self.guessed { "" } else { "checked " };
                let noun = if self.scored == 1 { "guess" } else { "guesses" };
                format!("{} of {} {checked}{noun} right", count(right), count(self.scored))
            }
            _ => format!("success {}", Quantity::Fraction(success)),
        };
        let of = if self.guessed < self.targets {
            format!(", {}", count(self.targets).of("target"))
        } else {
            String::new()
        };
        format!("{guesses}{of} (baseline {})", Quantity::Fraction(baseline))
    }

    pub(super) fn new(
        attack: &Attack,
        sensitive: Option<String>,
        max_advantage: f64,
        has_original: bool,
    ) -> Self {
        let advantage = attack.advantage();
        let (low, high) = ends(attack.interval());
        // An attacker who is certain and never right has learned nothing, nor has one who infers cells and is wrong as
        // often as right. What only has no exception in sight must do better than its baseline, as any other guess.
        let (scored, right) = (attack.certain_scored(), attack.certain_right().unwrap_or(0));
        let is_wrong = match attack.columns() {
            _ if attack.is_statistical() => scored > 0,
            [] => scored > 0 && right == 0,
            // Where the original cannot check one of them, nothing shows that they are right.
            _ => (scored > 0 && 2 * right <= scored) || (scored == 0 && has_original),
        };
        let is_certain = attack.certain() > 0 && !is_wrong;
        let margin = Margin { max_advantage };
        let is_much = margin.is_exceeded(attack.success(), attack.baseline());
        let is_beyond = is_beyond_chance(low, attack.baseline());
        let is_rare = |right: Option<u64>, scored: u64, baseline: Option<f64>, tries: usize| {
            let (Some(right), Some(baseline)) = (right, baseline) else { return true };
            #[expect(clippy::cast_precision_loss, reason = "a number of columns")]
            let chance = chance_of(right, scored, drawn(baseline, scored)) * tries.max(1) as f64;
            chance < CHANCE
        };
        let columns = attack.columns();
        // Of guesses that are counted one by one; others have an interval alone.
        let is_beyond = is_beyond
            && (columns.is_empty()
                || is_rare(attack.right(), attack.scored(), attack.baseline(), 1));
        let in_column = |own: &AttackedColumn| {
            margin.is_exceeded(own.success(), own.baseline())
                && is_beyond_chance(ends(own.interval()).0, own.baseline())
                && is_rare(own.right(), own.scored(), own.baseline(), columns.len())
        };
        let by_chance = "chance explains a difference this small";
        let note = match (attack.note(), is_much && !is_beyond && !is_certain) {
            (Some(note), true) => Some(format!("{note}; {by_chance}")),
            (None, true) => Some(by_chance.to_owned()),
            (note, false) => note.map(str::to_owned),
        };
        Self {
            name: attack.name().into(),
            sensitive,
            finding: is_certain || (is_much && is_beyond) || attack.columns().iter().any(in_column),
            knows: attack.knows().into(),
            targets: attack.targets(),
            guessed: attack.guessed(),
            scored: attack.scored(),
            right: attack.right(),
            success: attack.success(),
            low,
            high,
            baseline: attack.baseline(),
            advantage,
            certain: attack.certain(),
            certain_scored: attack.certain_scored(),
            certain_right: attack.certain_right(),
            defence: attack.defence().into(),
            columns: attack.columns().iter().map(AttackedColumnReport::new).collect(),
            rows: attack.rows().to_vec(),
            note,
        }
    }
}

impl AttackedColumnReport {
    fn new(own: &AttackedColumn) -> Self {
        let (low, high) = ends(own.interval());
        Self {
            name: own.name().to_owned(),
            targets: own.targets(),
            guessed: own.guessed(),
            scored: own.scored(),
            right: own.right(),
            success: own.success(),
            low,
            high,
            baseline: own.baseline(),
            certain: own.certain(),
            certain_scored: own.certain_scored(),
            certain_right: own.certain_right(),
            by: own.by().to_vec(),
        }
    }
}

/// What an attack may gain.
#[derive(Clone, Copy)]
struct Margin {
    max_advantage: f64,
}

impl Margin {
    fn is_exceeded(self, success: Option<f64>, baseline: Option<f64>) -> bool {
        let gained = success.zip(baseline).map(|(success, baseline)| success - baseline);
        gained.is_some_and(|gained| gained > self.max_advantage)
    }
}

/// Whether chance alone hardly explains that an attack is right more often than its baseline: the interval of its success
/// lies above it. A success without an interval is no matter of chance.
fn is_beyond_chance(low: Option<f64>, baseline: Option<f64>) -> bool {
    low.is_none_or(|low| baseline.is_none_or(|baseline| low > baseline))
}

/// The probability that at least `right` of `scored` guesses are right where each is right with the probability of the
/// baseline: the exact binomial tail, which few guesses need. Of more than a thousand the interval says enough.
fn chance_of(right: u64, scored: u64, baseline: f64) -> f64 {
    if right == 0 || baseline >= 1.0 {
        return 1.0;
    }
    if baseline <= 0.0 || scored > 1_000 {
        return 0.0;
    }
    let odds = (baseline / (1.0 - baseline)).ln();
    #[expect(clippy::cast_precision_loss, reason = "at most a thousand")]
    let (all, step) = (scored as f64, |k: u64| ((scored - k) as f64 / (k + 1) as f64).ln());
    // Logarithms of the terms, each from the one before.
    let mut term = all * (1.0 - baseline).ln();
    let mut tail = 0.0;
    for k in 0..=scored {
        if k >= right {
            tail += term.exp();
        }
        if k < scored {
            term += step(k) + odds;
        }
    }
    tail
}

/// A baseline as an estimate: that none of two guesses was right does not mean that none ever is. It is drawn towards
/// one half as by one more right guess and one more wrong one (Laplace's rule of succession).
#[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
fn drawn(baseline: f64, scored: u64) -> f64 {
    let all = scored as f64;
    if baseline >= 1.0 { 1.0 } else { (baseline.max(0.0) * all + 1.0) / (all + 2.0) }
}

/// The chance below which a success is no chance, in each direction.
const CHANCE: f64 = 0.025;

fn ends(interval: Option<(f64, f64)>) -> (Option<f64>, Option<f64>) {
    (interval.map(|own| own.0), interval.map(|own| own.1))
}

/// The attack with the largest advantage, among findings where there are any; the first of several.
pub(super) fn worst(attacks: &[AttackResult]) -> Option<String> {
    let gains = |own: &AttackResult| (own.finding, own.advantage.unwrap_or(f64::NEG_INFINITY));
    let scored = attacks.iter().filter(|own| own.finding || own.advantage.is_some());
    let worse = |best: &'_ AttackResult, own: &'_ AttackResult| {
        let (a, b) = (gains(best), gains(own));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).is_lt()
    };
    let found = scored.reduce(|best, own| if worse(best, own) { own } else { best });
    found.map(|own| own.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_the_tail_of_the_binomial_distribution() {
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(near(chance_of(1, 1, 0.1), 0.1));
        assert!(near(chance_of(4, 5, 0.5), 6.0 / 32.0));
        assert!(near(chance_of(0, 5, 0.5), 1.0) && near(chance_of(5, 5, 0.0), 0.0));
        assert!(near(chance_of(5, 5, 0.5), 1.0 / 32.0));
        assert!(near(chance_of(3, 3, 1.0), 1.0));
        // One of two, where the baseline was wrong twice, is nothing to speak of; eight of ten are.
        assert!(chance_of(1, 2, drawn(0.0, 2)) > CHANCE && chance_of(1, 1, drawn(0.0, 1)) > CHANCE);
        assert!(chance_of(8, 10, drawn(0.0, 10)) < CHANCE);
        assert!(near(drawn(0.5, 2), 0.5) && near(drawn(0.0, 8), 0.1) && near(drawn(1.0, 8), 1.0));
        assert!(chance_of(600, 1_000, 0.5) < 1e-9 && chance_of(500, 1_000, 0.5) > 0.5);
    }
}
