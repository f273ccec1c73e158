//! The flags of `muslin keys`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};
use muslin::{Beta, Bound, Measure, SetsMethod, Weight, WriteFormat};

use super::names::{Names, parse_names};
use super::{EngineArgs, InputArgs, one_of};

#[derive(Debug, ClapArgs)]
#[command(group = clap::ArgGroup::new("question").multiple(false))]
pub struct Keys {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub place: EngineArgs,
    #[command(flatten)]
    pub question: QuestionArgs,
    #[command(flatten)]
    pub all: AllArgs,
    #[command(flatten)]
    pub minimum: MinimumArgs,
}

/// What to find out.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "What to find")]
pub struct QuestionArgs {
    /// The columns that sets are made of [default: by role, or all but identifiers].
    #[arg(long, visible_alias = "qi", value_name = "NAMES", value_parser = parse_names)]
    pub quasi_identifiers: Option<Vec<Names>>,
    /// Find every minimal key, or every minimal set of columns that reaches `--beta`.
    #[arg(long, group = "question")]
    pub all: bool,
    /// Find the fewest columns, or the cheapest, that are a key or reach `--beta`.
    #[arg(long, group = "question")]
    pub minimum: bool,
    /// Say what these columns tell apart.
    #[arg(long, group = "question", value_name = "NAMES", value_parser = parse_names)]
    pub set: Option<Vec<Names>>,
    /// With `--set`: look at this many rows, drawn in one pass.
    #[arg(long, value_name = "N", requires = "set", conflicts_with_all = ["all", "minimum"])]
    pub sample: Option<u64>,
    /// What `--beta` is a share of: classes per row, or row pairs told apart.
    #[arg(long, value_name = "MEASURE", conflicts_with = "set", value_parser = one_of(Measure::ALL, |measure| measure.name().into()))]
    pub measure: Option<Measure>,
    /// The ratio to reach instead of a key's, such as 0.95.
    #[arg(long, value_name = "B", requires = "measure", value_parser = parse_beta)]
    pub beta: Option<Beta>,
    /// The probability with which a sample may mislead [default: 0.01].
    #[arg(long, value_name = "D", conflicts_with = "set")]
    pub delta: Option<f64>,
    /// Leave out rows that equal an earlier row.
    #[arg(long, conflicts_with_all = ["epsilon", "sample"])]
    pub distinct_rows: bool,
}

/// All minimal sets.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "With --all")]
pub struct AllArgs {
    /// Find sets of at most this many columns [default: any number].
    #[arg(long, value_name = "N", requires = "all", conflicts_with_all = ["minimum", "set"])]
    pub max_size: Option<usize>,
    /// List at most this many sets, the smallest ones [default: all].
    #[arg(long, value_name = "N", requires = "all", conflicts_with_all = ["minimum", "set"])]
    pub limit: Option<usize>,
    /// The way to search [default: hitting-sets].
    #[arg(long, value_name = "WAY", requires = "all", conflicts_with_all = ["minimum", "set"], value_parser = one_of(SetsMethod::ALL, |method| method.name().into()))]
    pub method: Option<SetsMethod>,
    /// Write every set to a file, `-` for standard output instead of the summary.
    #[arg(short, long, value_name = "FILE", requires = "all", conflicts_with_all = ["minimum", "set"], value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// The file's format [default: by its name].
    #[arg(long, requires = "output", value_parser = one_of(WriteFormat::ALL, |format| format.name().into()))]
    pub format: Option<WriteFormat>,
}

/// One cheap set.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "With --minimum")]
pub struct MinimumArgs {
    /// Prove that no set is cheaper.
    #[arg(long, requires = "minimum", conflicts_with_all = ["epsilon", "all", "set"])]
    pub exact: bool,
    /// What learning a column costs, instead of 1; may be repeated.
    #[arg(long, value_name = "NAME=COST", conflicts_with_all = ["all", "set"], value_parser = parse_cost)]
    pub cost: Vec<(String, Weight)>,
    /// Take one pass and little memory; the ratio may fall short by this much, such as 0.001.
    #[arg(long, value_name = "E", requires = "minimum", conflicts_with_all = ["all", "set"])]
    pub epsilon: Option<f64>,
    /// With `--epsilon`: look at the sample in this way only.
    #[arg(long, value_name = "WAY", requires = "epsilon", value_parser = one_of([Bound::Rows, Bound::Pairs], |bound| bound_name(*bound).into()))]
    pub bound: Option<Bound>,
    /// With `--epsilon`: do not read the chosen columns again to count their ratios.
    #[arg(long, requires = "epsilon")]
    pub no_verify: bool,
}

/// A way's name, as flags spell it.
fn bound_name(bound: Bound) -> &'static str {
    match bound {
        Bound::Pairs => "pairs",
        Bound::Rows => "rows",
    }
}

fn parse_beta(text: &str) -> Result<Beta, String> {
    text.parse().map_err(|_| "a share from 0 to 1 such as 0.95, with at most 18 decimals".into())
}

/// `NAME=COST`. The last `=` counts: names may hold one.
fn parse_cost(text: &str) -> Result<(String, Weight), String> {
    let wrong = || "NAME=COST with a number from 0 to a billion, such as income=2.5".to_owned();
    let (name, cost) = text.rsplit_once('=').ok_or_else(wrong)?;
    Ok((name.to_owned(), cost.parse().map_err(|_| wrong())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_take_the_last_equals_sign() {
        let (name, cost) = parse_cost("a=b=0.5").unwrap();
        assert_eq!((name.as_str(), cost.as_f64()), ("a=b", 0.5));
        assert!(parse_cost("income").is_err() && parse_cost("income=much").is_err());
    }

    #[test]
    fn shares_are_exact() {
        assert_eq!(parse_beta("0.999999").unwrap().to_string(), "0.999999");
        assert!(parse_beta("95").is_err());
    }
}
