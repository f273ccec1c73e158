use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};
use muslin::{LabelFormat, SuppressNotion};

use super::generalize::parse_hierarchy;
use super::names::{Names, Slices, parse_names, parse_slices};
use super::{InputArgs, ReleaseReadArgs, one_of};

#[derive(Debug, ClapArgs)]
#[command(mut_arg("file", |file| file
    .value_name("RELEASE")
    .help("The release: a file of any format that is read, or the folder that `muslin protect` wrote")))]
#[command(mut_arg("missing", |missing| missing.hide(true)))]
pub struct Attack {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub release_read: ReleaseReadArgs,
    #[command(flatten)]
    pub attacker: AttackerArgs,
    #[command(flatten)]
    pub made: MadeArgs,
}

/// What the attacker has and wants.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "What the attacker has and wants")]
pub struct AttackerArgs {
    /// The table that the release was made from: it scores the guesses, and orders made by a seed are
    /// undone with it.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub original: Option<PathBuf>,
    /// The columns that the attacker may know of a person [default: by role, or all but identifiers and sensitive ones].
    #[arg(long, visible_alias = "qi", value_name = "NAMES", value_parser = parse_names)]
    pub quasi_identifiers: Option<Vec<Names>>,
    /// The column that the attacker wants to infer [default: each one with that role].
    #[arg(long, value_name = "NAME")]
    pub sensitive: Option<String>,
    /// A file of people to look up in the release.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub aux: Option<PathBuf>,
    /// The columns to look people up by [default: quasi-identifiers that all tables have].
    #[arg(long, value_name = "NAMES", value_parser = parse_names)]
    pub on: Option<Vec<Names>>,
    /// The column that says who is who, for the judge alone: of the original and the release, or of the
    /// original and the file of people.
    #[arg(long, value_name = "NAME")]
    pub id: Option<String>,
    /// Another release of the same people, a file or a folder.
    #[arg(long, value_name = "RELEASE", value_hint = ValueHint::AnyPath)]
    pub previous: Option<PathBuf>,
    /// Guess the seeds below this number.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pub seeds: u64,
    /// Try only these attacks: disambiguation, row-order, dependencies, within-groups, homogeneity, skewness,
    /// definetti, membership, linkage, composition, seed.
    #[arg(long, value_name = "NAMES", value_parser = parse_names)]
    pub only: Option<Vec<Names>>,
    /// End with exit code 1 where an attack is right more often than its baseline by more than this share, and by more
    /// than chance.
    #[arg(long, value_name = "SHARE")]
    pub max_advantage: Option<f64>,
}

/// How the release was made.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "How the release was made")]
pub struct MadeArgs {
    /// The k that the release was made for [default: by the policy].
    #[arg(short, value_name = "K")]
    pub k: Option<u32>,
    /// What the release was made for: equal rows (k-anonymity), or less [default: k-anonymity].
    #[arg(long, value_name = "NOTION", value_parser = one_of(SuppressNotion::ALL, |notion| notion.name().into()))]
    pub notion: Option<SuppressNotion>,
    /// Cells of this spelling are suppressed, besides `*`.
    #[arg(long, value_name = "SPELLING", allow_hyphen_values = true)]
    pub token: Option<String>,
    /// The column of the release that numbers buckets [default: bucket, if the original has none].
    #[arg(long, value_name = "NAME")]
    pub bucket: Option<String>,
    /// The columns that stayed together in buckets, such as `age,sex|town,diagnosis` [default: the
    /// sensitive column and all others].
    #[arg(long, value_name = "SLICES", value_parser = parse_slices)]
    pub slices: Option<Slices>,
    /// The table of the sensitive values of each bucket, where the release has two tables.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub sensitive_table: Option<PathBuf>,
    /// The hierarchy of a column: a file with a value and its labels, level by level, on each line; may be
    /// repeated [default: by the policy file].
    #[arg(long, value_name = "NAME=FILE", value_parser = parse_hierarchy)]
    pub hierarchy: Vec<(String, PathBuf)>,
    /// A folder with hierarchies, in files named after columns, such as `hierarchy_age.csv`.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub hierarchies: Option<PathBuf>,
    /// The form of a column's labels, where they are none that muslin knows: `age={low} to {high}`, with the
    /// fields {low}, {high}, {above}, {below}, {prefix} and {value}; may be repeated.
    #[arg(long, value_name = "NAME=FORM")]
    pub label_format: Vec<LabelFormat>,
}
