use clap::Args as ClapArgs;
use muslin::{Beta, Measure, Weight};

use super::names::{Names, parse_names};
use super::{EngineArgs, InputArgs, ReleaseArgs, one_of};

#[derive(Debug, ClapArgs)]
pub struct Mask {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub place: EngineArgs,
    #[command(flatten)]
    pub search: MaskArgs,
    #[command(flatten)]
    pub release: ReleaseArgs,
}

/// What to publish.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "What to publish")]
pub struct MaskArgs {
    /// The columns that are measured and masked [default: by role, or all but identifiers].
    #[arg(long, visible_alias = "qi", value_name = "NAMES", value_parser = parse_names)]
    pub quasi_identifiers: Option<Vec<Names>>,
    /// What is measured: classes of all rows, or row pairs told apart of all pairs [default: by the policy].
    #[arg(long, value_name = "MEASURE", value_parser = one_of(Measure::ALL, |measure| measure.name().into()))]
    pub measure: Option<Measure>,
    /// The ratio that the published columns do not exceed, from 0 to 1 [default: by the policy].
    #[arg(long, value_name = "B", value_parser = parse_beta)]
    pub beta: Option<Beta>,
    /// Find the most that can be published, with proof, instead of a good choice.
    #[arg(long)]
    pub exact: bool,
    /// Choose on this many rows, or row pairs where those are measured; checked on all rows.
    #[arg(long, value_name = "N", conflicts_with = "exact")]
    pub sample: Option<u64>,
    /// How likely, at most, a sample may suggest too much, which is then repaired.
    #[arg(long, value_name = "D", default_value = "0.01", value_parser = parse_beta, requires = "sample")]
    pub delta: Beta,
    /// Publish these columns in any case.
    #[arg(long, value_name = "NAMES", value_parser = parse_names)]
    pub keep: Vec<Names>,
    /// Mask these columns in any case.
    #[arg(long, value_name = "NAMES", value_parser = parse_names)]
    pub drop: Vec<Names>,
    /// What publishing a column is worth, where not 1; may be repeated.
    #[arg(long, value_name = "NAME=W", value_parser = parse_weight)]
    pub weight: Vec<(String, Weight)>,
    /// Leave out rows that equal an earlier row in every column that is read.
    #[arg(long)]
    pub distinct_rows: bool,
}

fn parse_beta(text: &str) -> Result<Beta, String> {
    text.parse().map_err(|_| "a decimal number from 0 to 1, such as 0.95".into())
}

/// `NAME=WEIGHT`. The last `=` counts: names may hold one.
fn parse_weight(text: &str) -> Result<(String, Weight), String> {
    let wrong = "NAME=W with a number from 0 on of at most six decimals, such as age=2.5";
    let (column, weight) = text.rsplit_once('=').ok_or(wrong)?;
    Ok((column.to_owned(), weight.parse().map_err(|_| wrong)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_take_the_last_equals_sign() {
        let (column, weight) = parse_weight("a=b=2.5").unwrap();
        assert_eq!((column.as_str(), weight.to_string().as_str()), ("a=b", "2.5"));
        assert!(parse_weight("age").is_err() && parse_weight("age=-1").is_err());
        assert!(parse_beta("0.999").is_ok() && parse_beta("1.1").is_err());
    }
}
