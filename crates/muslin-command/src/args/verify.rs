use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};
use muslin::{CellCost, SpreadSetting};

use super::diff::LabelArgs;
use super::engine::EngineArgs;
use super::generalize::{parse_closeness, parse_diversity, parse_share};
use super::names::{Names, parse_names};
use super::suppress::parse_cost;
use super::{InputArgs, ReleaseReadArgs};

#[derive(Debug, ClapArgs)]
#[command(mut_arg("file", |file| file
    .value_name("RELEASE")
    .help("The release: a file of any format that is read, or the folder that `muslin protect` wrote")))]
#[command(mut_arg("missing", |missing| missing.hide(true)))]
pub struct Verify {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub release_read: ReleaseReadArgs,
    #[command(flatten)]
    pub place: EngineArgs,
    #[command(flatten)]
    pub claimed: ClaimedArgs,
    #[command(flatten)]
    pub labels: LabelArgs,
    /// Do not try attacks; that is a finding then.
    #[arg(long, help_heading = "Verdict")]
    pub no_attacks: bool,
    #[command(flatten)]
    pub verdict: VerdictArgs,
}

/// What keeps a verdict from being passed.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Verdict")]
pub struct VerdictArgs {
    /// The largest share of rows that columns beside the quasi-identifiers may make unique [default: by the
    /// policy, or 5%].
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    pub max_unique: Option<f64>,
    /// The most that an attack may gain over its baseline [default: by the policy, or 5%].
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    pub max_advantage: Option<f64>,
    /// End with exit code 0 where every check passed, although there are findings.
    #[arg(long)]
    pub allow_findings: bool,
}

impl VerdictArgs {
    /// The share that is accepted; the flag wins over the policy.
    pub(crate) fn max_unique(&self, policy: Option<&muslin::Policy>) -> f64 {
        let of_policy = policy.and_then(|policy| policy.release.max_unique);
        self.max_unique.or(of_policy).unwrap_or(muslin::MAX_UNIQUE)
    }

    /// What an attack may gain; the flag wins over the policy.
    pub(crate) fn max_advantage(&self, policy: Option<&muslin::Policy>) -> f64 {
        let of_policy = policy.and_then(|policy| policy.release.max_advantage);
        self.max_advantage.or(of_policy).unwrap_or(muslin::AttackJob::MAX_ADVANTAGE)
    }
}

/// What must hold.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "What must hold")]
pub struct ClaimedArgs {
    /// The table that the release was made from: also check that every published cell is true.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub original: Option<PathBuf>,
    /// Every row is one of at least this many that agree on all quasi-identifiers [default: by the policy].
    #[arg(short, value_name = "K")]
    pub k: Option<u32>,
    /// The columns that somebody may know [default: by role, or all but identifiers and sensitive ones].
    #[arg(long, visible_alias = "qi", value_name = "NAMES", value_parser = parse_names)]
    pub quasi_identifiers: Option<Vec<Names>>,
    /// How a sensitive column is spread in every class: `NAME=3`, `NAME=distinct:3`, `NAME=entropy:3` or
    /// `NAME=recursive:3:1.5`; may be repeated.
    #[arg(long, value_name = "NAME=L", value_parser = parse_diversity)]
    pub diversity: Vec<SpreadSetting>,
    /// How far a class's shares of a sensitive column may be from the table's: `NAME=0.2` or
    /// `NAME=ordered:0.2`; may be repeated.
    #[arg(long, value_name = "NAME=T", value_parser = parse_closeness)]
    pub closeness: Vec<SpreadSetting>,
    /// Check what this report, printed by `--json`, claims.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub claims: Option<PathBuf>,
    /// Check what this certificate, written by `muslin suppress`, proves: how near the blanks are to the
    /// fewest.
    #[arg(long, value_name = "FILE", requires = "original", value_hint = ValueHint::FilePath)]
    pub certificate: Option<PathBuf>,
    /// What a blank of a column costs by the certificate, or `never`; may be repeated [default: by
    /// the report of `--claims`, or 1].
    #[arg(long, value_name = "NAME=W", requires = "certificate", value_parser = parse_cost)]
    pub weight: Vec<(String, CellCost)>,
    /// Cells of this spelling are suppressed, besides `*`.
    #[arg(long, value_name = "SPELLING", allow_hyphen_values = true)]
    pub token: Option<String>,
    /// The sensitive column of buckets [default: the one with that role].
    #[arg(long, value_name = "NAME")]
    pub sensitive: Option<String>,
}
