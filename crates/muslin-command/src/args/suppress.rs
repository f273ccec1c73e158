use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};
use muslin::{CellCost, SuppressMethod, SuppressNotion, Ties};

use super::names::{Names, parse_lists, parse_names};
use super::{InputArgs, ReleaseArgs, one_of};

#[derive(Debug, ClapArgs)]
pub struct Suppress {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub search: SuppressArgs,
    #[command(flatten)]
    pub release: ReleaseArgs,
}

/// What to reach.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "What to reach")]
pub struct SuppressArgs {
    /// Make every row one of this many [default: by the policy].
    #[arg(short, value_name = "K")]
    pub k: Option<u32>,
    /// The columns that lose cells [default: by role, or all but identifiers and sensitive ones].
    #[arg(long, visible_alias = "qi", value_name = "NAMES", value_parser = parse_names)]
    pub quasi_identifiers: Option<Vec<Names>>,
    /// What is to hold: equal rows (k-anonymity), or less [default: by the policy, or k-anonymity].
    #[arg(long, value_name = "NOTION",
        value_parser = one_of(SuppressNotion::ALL, |notion| notion.name().into()))]
    pub notion: Option<SuppressNotion>,
    /// How cells are chosen: paper 003's a, b, c, d or shortest (with `--notion ambiguity`), or
    /// exact, for small tables [default: a search that proves how good it is].
    #[arg(long, value_name = "METHOD", value_parser = one_of(SuppressMethod::ALL, |method| method.name().into()))]
    pub method: Option<SuppressMethod>,
    /// What withholding a cell of a column costs, where not 1, or `never`; may be repeated.
    #[arg(long, value_name = "NAME=W", value_parser = parse_cost)]
    pub weight: Vec<(String, CellCost)>,
    /// Withhold at most this many cells of a column; may be repeated.
    #[arg(long, value_name = "NAME=N", value_parser = parse_budget)]
    pub budget: Vec<(String, u64)>,
    /// In no class may a value of this column be that of more than one in L rows.
    #[arg(long, value_name = "NAME=L", value_parser = parse_diversity)]
    pub diversity: Option<(String, u32)>,
    /// Withhold more cells, until each leaves two values to somebody who knows that none is withheld
    /// without need.
    #[arg(long)]
    pub robust: bool,
    /// Withhold what tells a withheld cell too: columns that determine its column, in 95 % of the rows,
    /// quasi-identifiers or not.
    #[arg(long)]
    pub closed: bool,
    /// Stop the search when the cost is this near to the proven bound, as a share of it [default: by the
    /// policy, or 0.02].
    #[arg(long, value_name = "G")]
    pub gap: Option<f64>,
    /// Break a dependency, such as "age,town -> diagnosis", instead: each row then fits another value.
    #[arg(long, value_name = "X -> Y", value_parser = parse_dependency)]
    pub r#break: Option<(Vec<String>, Vec<String>)>,
    /// Be content with one counterexample to the dependency.
    #[arg(long, requires = "break")]
    pub one_counterexample: bool,
    /// Which column paper 003's methods take of several that are as good.
    #[arg(long, value_name = "TIES", value_parser = one_of([Ties::Smallest, Ties::Largest], |ties| ties_name(*ties).into()))]
    pub ties: Option<Ties>,
    /// Show cells again that need not be blank [default: yes, but for a named method of paper 003].
    #[arg(long, value_name = "YES", num_args = 0..=1, default_missing_value = "true")]
    pub irredundant: Option<bool>,
    /// Write what proves the bound there: a multiplier for each row. For the house, not for release.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub certificate: Option<PathBuf>,
    /// Write there, for each withheld cell, the minimal unique that it breaks. Not for release.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub ledger: Option<PathBuf>,
}

fn ties_name(ties: Ties) -> &'static str {
    match ties {
        Ties::Largest => "largest",
        _ => "smallest",
    }
}

/// `NAME=W` or `NAME=never`. The last `=` counts: names may hold one.
pub(super) fn parse_cost(text: &str) -> Result<(String, CellCost), String> {
    let wrong =
        "NAME=W with a number from 0 on of at most six decimals, such as age=2.5, or NAME=never";
    let (column, cost) = text.rsplit_once('=').ok_or(wrong)?;
    let cost = match cost {
        "never" => CellCost::Never,
        weight => CellCost::Weight(weight.parse().map_err(|_| wrong)?),
    };
    Ok((column.to_owned(), cost))
}

fn parse_budget(text: &str) -> Result<(String, u64), String> {
    let wrong = "NAME=N with a whole number of cells, such as age=100";
    let (column, most) = text.rsplit_once('=').ok_or(wrong)?;
    Ok((column.to_owned(), most.parse().map_err(|_| wrong)?))
}

fn parse_diversity(text: &str) -> Result<(String, u32), String> {
    let wrong = "NAME=L with a whole number from 2 on, such as diagnosis=3";
    let (column, l) = text.rsplit_once('=').ok_or(wrong)?;
    Ok((column.to_owned(), l.parse().ok().filter(|l| *l >= 2).ok_or(wrong)?))
}

fn parse_dependency(text: &str) -> Result<(Vec<String>, Vec<String>), String> {
    match parse_lists(text, Some("->")).as_deref() {
        Some([from, to]) => Ok((from.clone(), to.clone())),
        _ => Err("columns, an arrow, and columns, such as \"age,town -> diagnosis\"".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_columns_are_read() {
        assert_eq!(parse_cost("a=b=never").unwrap(), ("a=b".into(), CellCost::Never));
        assert!(parse_cost("age").is_err() && parse_cost("age=-1").is_err());
        assert_eq!(parse_budget("age=10").unwrap(), ("age".into(), 10));
        assert!(parse_diversity("age=1").is_err());
        let (from, to) = parse_dependency("age, town -> diagnosis").unwrap();
        assert_eq!((from.join("|"), to.join("|")), ("age|town".into(), "diagnosis".into()));
        assert!(parse_dependency("age").is_err() && parse_dependency("-> age").is_err());
        let (from, to) = parse_dependency("\"a,b\"->\"->\"").unwrap();
        assert_eq!((from.join("|"), to.join("|")), ("a,b".into(), "->".into()));
    }
}
