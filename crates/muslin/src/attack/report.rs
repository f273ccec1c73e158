//! What attacks on a release achieved.

use muslin_attack::{Attack, AttackedColumn};
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
    /// Whether no attack is a finding.
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
    /// The columns that the attacker may know of somebody.
    pub quasi_identifiers: Vec<String>,
    /// The column that the attacker wants to know.
    pub sensitive: Option<String>,
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
    /// Whether it gains more than allowed and than chance explains, or leaves one candidate somewhere
    /// and is right: ever, or of cells more often than not.
    pub finding: bool,
    /// What the attacker knows.
    pub knows: String,
    /// Cells, rows or people that are attacked.
    pub targets: u64,
    /// Targets for which a guess was made.
    pub guessed: u64,
    /// Guesses of which it is known whether they are right.
    pub scored: u64,
    /// Those that are right; none where nobody can tell.
    pub right: Option<u64>,
    /// The share that is right; none where nobody can tell.
    pub success: Option<f64>,
    /// The share that is right without the attack.
    pub baseline: Option<f64>,
    /// What the attack adds.
    pub advantage: Option<f64>,
    /// Targets for which exactly one candidate is left.
    pub certain: u64,
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AttackedColumnReport {
    /// The column.
    pub name: String,
    /// Cells that are attacked.
    pub targets: u64,
    /// Cells that are guessed.
    pub guessed: u64,
    /// Guesses that are right; none where nobody can tell.
    pub right: Option<u64>,
}

/// An attack that did not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SkippedAttack {
    /// The attack.
    pub name: String,
    /// Why.
    pub reason: String,
    /// What to pass for it to run; none where there is nothing to attack.
    pub hint: Option<String>,
}

impl SkippedAttack {
    /// An attack that did not run, for a reason that may end with a hint.
    pub(super) fn new(name: &str, text: &str) -> Self {
        let (reason, hint) = match text.split_once("\n  hint: ") {
            Some((reason, hint)) => (reason, Some(hint.to_owned())),
            None => (text, None),
        };
        Self { name: name.to_owned(), reason: reason.to_owned(), hint }
    }
}

impl AttackResult {
    pub(super) fn new(attack: &Attack, max_advantage: f64) -> Self {
        let advantage = attack.advantage();
        // Who is certain and never right has learned nothing, nor has who refills cells and is wrong as
        // often as right.
        let right = attack.right().unwrap_or(0);
        let is_wrong = match attack.columns() {
            [] => attack.scored() > 0 && attack.right() == Some(0),
            _ => attack.scored() > 0 && 2 * right <= attack.scored(),
        };
        let is_certain = attack.certain() > 0 && !is_wrong;
        let is_much = advantage.is_some_and(|own| own > max_advantage);
        let is_chance = is_much && is_by_chance(attack);
        let by_chance = "so few right guesses may be chance".to_owned();
        let note = match (attack.note().filter(|_| is_chance), is_chance) {
            (Some(note), _) => Some(format!("{note}; {by_chance}")),
            (None, true) => Some(by_chance),
            (None, false) => attack.note().map(str::to_owned),
        };
        let column = |own: &AttackedColumn| AttackedColumnReport {
            name: own.name().to_owned(),
            targets: own.targets(),
            guessed: own.guessed(),
            right: own.right(),
        };
        Self {
            name: attack.name().into(),
            finding: is_certain || (is_much && !is_chance),
            knows: attack.knows().into(),
            targets: attack.targets(),
            guessed: attack.guessed(),
            scored: attack.scored(),
            right: attack.right(),
            success: attack.success(),
            baseline: attack.baseline(),
            advantage,
            certain: attack.certain(),
            defence: attack.defence().into(),
            columns: attack.columns().iter().map(column).collect(),
            rows: attack.rows().to_vec(),
            note,
        }
    }
}

/// Whether chance explains that an attack is right more often than the prior: of the guesses at which
/// only one of them is right, it would have more than its half as often as one time in twenty.
#[expect(clippy::cast_precision_loss, reason = "a rough test")]
fn is_by_chance(attack: &Attack) -> bool {
    let (Some(right), Some(prior)) = (attack.right(), attack.baseline()) else { return false };
    // Where the targets are no cells, success is not about single guesses.
    if attack.columns().is_empty() {
        return false;
    }
    // All right ones are counted as if the prior were wrong there, which makes this careful.
    let (right, prior) = (right as f64, prior * attack.scored() as f64);
    (right - prior).powi(2) < 2.71 * (right + prior)
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
