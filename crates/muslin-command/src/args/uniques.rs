use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};
use muslin::{GroupBy, Method, Score, WriteFormat};

use super::names::{Names, parse_names};
use super::{EngineArgs, InputArgs, one_of};

#[derive(Debug, ClapArgs)]
#[command(group = clap::ArgGroup::new("table").multiple(false))]
pub struct Uniques {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub place: EngineArgs,
    #[command(flatten)]
    pub search: SearchArgs,
    #[command(flatten)]
    pub table: TableArgs,
}

/// What to look for.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "What to find")]
pub struct SearchArgs {
    /// The columns that sets of values are made of [default: by role, or all but identifiers].
    #[arg(long, visible_alias = "qi", value_name = "NAMES", value_parser = parse_names)]
    pub quasi_identifiers: Option<Vec<Names>>,
    /// Find sets of values that at most this many rows hold.
    #[arg(short, value_name = "N", default_value_t = 1)]
    pub k: u32,
    /// Find sets of at most this many values [default: any number].
    #[arg(long, value_name = "N")]
    pub max_size: Option<usize>,
    /// How rows are scored.
    #[arg(long, value_name = "VARIANT", default_value = Score::Original.name(), value_parser = one_of(Score::ALL, |score| score.name().into()))]
    pub score: Score,
    /// The part of the population that is in the table, for DIS-SUDA.
    #[arg(long, value_name = "F", default_value_t = 0.01)]
    pub dis_fraction: f64,
    /// Name this many of the riskiest rows.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,
    /// The way to search; the answer is the same [default: the one that seems faster].
    #[arg(long, value_name = "WAY", value_parser = one_of([Method::AgreeSets, Method::ColumnSets], |method| method_name(*method).into()))]
    pub method: Option<Method>,
    /// Leave out rows that equal an earlier row.
    #[arg(long)]
    pub distinct_rows: bool,
    /// Say what the search would take, and do not search.
    #[arg(long, conflicts_with_all = ["table", "output"])]
    pub dry_run: bool,
}

/// A table to write.
#[expect(clippy::struct_excessive_bools, reason = "flags, of which the parser takes one")]
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Tables")]
pub struct TableArgs {
    /// Write every minimal unique.
    #[arg(long, group = "table")]
    pub list: bool,
    /// Write every row's scores.
    #[arg(long, group = "table")]
    pub scores: bool,
    /// Write the rows that the same columns, or the same items, single out.
    #[arg(long, group = "table", value_name = "BY", num_args = 0..=1, require_equals = true,
        default_missing_value = "columns", value_parser = one_of(GroupBy::ALL, |by| by.name().into()))]
    pub groups: Option<GroupBy>,
    /// Write how novel each row is, by three measures.
    #[arg(long, group = "table")]
    pub novelty: bool,
    /// Write what each column adds to each row's score.
    #[arg(long, group = "table")]
    pub contributions: bool,
    /// Write each value's part in the scores.
    #[arg(long, group = "table")]
    pub values: bool,
    /// Where the table goes; to standard output, instead of the summary, when not given.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// The table's format [default: by the file's name].
    #[arg(long, value_parser = one_of(WriteFormat::ALL, |format| format.name().into()))]
    pub format: Option<WriteFormat>,
    /// Write values of cells into the table.
    #[arg(long)]
    pub show_values: bool,
}

/// A way's name, as flags spell it.
pub fn method_name(method: Method) -> &'static str {
    match method {
        Method::AgreeSets => "agree-sets",
        Method::ColumnSets => "column-sets",
    }
}
