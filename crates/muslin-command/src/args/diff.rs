use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};

use muslin::LabelFormat;

use super::generalize::parse_hierarchy;
use super::names::{Names, Slices, parse_names, parse_slices};
use super::{InputArgs, ReleaseReadArgs};

#[derive(Debug, ClapArgs)]
#[command(mut_arg("file", |file| file
    .index(1)
    .value_name("ORIGINAL")
    .help("The table before: CSV or other delimited text (plain, gzip or zstd), Parquet or Arrow IPC; `-` for standard input")))]
#[command(mut_arg("missing", |missing| missing.hide(true)))]
pub struct Diff {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub release_read: ReleaseReadArgs,
    /// The table after: a file in any of these formats, or a folder that `muslin protect` wrote. Several
    /// releases are compared in one table. Spellings of missing are the original's.
    #[arg(index = 2, value_name = "RELEASE", required = true, num_args = 1.., value_hint = ValueHint::AnyPath)]
    pub release: Vec<PathBuf>,
    #[command(flatten)]
    pub measured: MeasuredArgs,
    #[command(flatten)]
    pub labels: LabelArgs,
    #[command(flatten)]
    pub asked: AskedArgs,
    #[command(flatten)]
    pub shown: ShownArgs,
}

/// What is measured.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "What to measure")]
pub struct MeasuredArgs {
    /// The columns whose loss is told together [default: by role, or all but identifiers and the
    /// sensitive one].
    #[arg(long, visible_alias = "qi", value_name = "NAMES", value_parser = parse_names)]
    pub quasi_identifiers: Option<Vec<Names>>,
    /// The sensitive column [default: the one with that role].
    #[arg(long, value_name = "NAME")]
    pub sensitive: Option<String>,
    /// Tell the average class size against this k too.
    #[arg(short, value_name = "K")]
    pub k: Option<u32>,
}

/// What labels and buckets of the release mean.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "How the release was made")]
pub struct LabelArgs {
    /// The hierarchy of a column: a file with a value and its labels, level by level, on each line; may be
    /// repeated [default: by the policy file, or made from the values where labels ask for it].
    #[arg(long, value_name = "NAME=FILE", value_parser = parse_hierarchy)]
    pub hierarchy: Vec<(String, PathBuf)>,
    /// A folder with hierarchies, in files named after columns, such as `hierarchy_age.csv`.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub hierarchies: Option<PathBuf>,
    /// The form of a column's labels, where they are none that muslin knows: `age={low} to {high}`, with the
    /// fields {low}, {high}, {above}, {below}, {prefix} and {value}; may be repeated.
    #[arg(long, value_name = "NAME=FORM")]
    pub label_format: Vec<LabelFormat>,
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
}

/// The counting queries.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Counting queries")]
pub struct AskedArgs {
    /// Ask this many; `--seed` decides which.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pub queries: usize,
    /// Columns of each, the sensitive one among them.
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub columns_per_query: usize,
    /// The share of rows that a query is meant to meet.
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    pub selectivity: f64,
}

/// What is shown besides the figures.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "What to show")]
pub struct ShownArgs {
    /// Show values of cells in the JSON report and the plots.
    #[arg(long)]
    pub show_values: bool,
    /// Write plots of the release as SVG into this folder: losses, associations, each column before and after.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub plots: Option<PathBuf>,
}
