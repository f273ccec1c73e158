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
    /// Whether it gains more than allowed, or leaves one candidate somewhere and is ever right.
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
    /// Why, and what to pass.
    pub reason: String,
}

impl AttackResult {
    pub(super) fn new(attack: &Attack, max_advantage: f64) -> Self {
        let advantage = attack.advantage();
        // Who is certain and never right has learned nothing.
        let is_wrong = attack.scored() > 0 && attack.right() == Some(0);
        let is_certain = attack.certain() > 0 && !is_wrong;
        let column = |own: &AttackedColumn| AttackedColumnReport {
            name: own.name().to_owned(),
            targets: own.targets(),
            guessed: own.guessed(),
            right: own.right(),
        };
        Self {
            name: attack.name().into(),
            finding: is_certain || advantage.is_some_and(|own| own > max_advantage),
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
            note: attack.note().map(str::to_owned),
        }
    }
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
