//! The flags of `muslin explain`.

use clap::Args as ClapArgs;
use muslin::Score;

use super::names::{Names, parse_names};
use super::{InputArgs, one_of};

#[derive(Debug, ClapArgs)]
#[command(mut_arg("columns", |columns| columns
    .help("Explain these columns together, such as `age,sex`; a name with a comma stands between double quotes")
    .help_heading("What to explain")
    .display_order(0)))]
#[command(override_usage = "muslin explain [OPTIONS] <FILE> <--row <N>|--columns <NAMES>>")]
pub struct Explain {
    #[command(flatten)]
    pub question: ExplainArgs,
    #[command(flatten)]
    pub input: InputArgs,
}

/// What to explain.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "What to explain")]
pub struct ExplainArgs {
    /// Explain the row of this number; rows are numbered from 0.
    #[arg(long, value_name = "N")]
    pub row: Option<u32>,
    /// With `--row`: the columns that somebody may know [default: by role, or all but identifiers].
    #[arg(long, visible_alias = "qi", value_name = "NAMES", value_parser = parse_names)]
    pub quasi_identifiers: Option<Vec<Names>>,
    /// Look for minimal uniques of at most this many values [default: any number].
    #[arg(long, value_name = "N")]
    pub max_size: Option<usize>,
    /// With `--row`: look for at most this many minimal uniques, the smallest ones.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub limit: usize,
    /// With `--row`: how it is scored.
    #[arg(long, value_name = "VARIANT", default_value = Score::Original.name(), value_parser = one_of(Score::ALL, |score| score.name().into()))]
    pub score: Score,
    /// With `--row`: name this many of the nearest rows.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub nearest: usize,
    /// With `--row`: show its values.
    #[arg(long)]
    pub show_values: bool,
}
