use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};
use muslin::{Cut, Labels, Recoding, SpreadSetting};

use super::names::{Names, parse_names};
use super::{InputArgs, ReleaseArgs, one_of};

#[derive(Debug, ClapArgs)]
pub struct Generalize {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub target: ClassArgs,
    #[command(flatten)]
    pub recode: RecodeArgs,
    #[command(flatten)]
    pub release: ReleaseArgs,
}

/// What every class must meet.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "What to reach")]
pub struct ClassArgs {
    /// Make every row one of at least this many that agree on all quasi-identifiers [default: by the policy].
    #[arg(short, value_name = "K")]
    pub k: Option<u32>,
    /// The columns to generalize [default: by role, or all but identifiers and sensitive ones].
    #[arg(long, visible_alias = "qi", value_name = "NAMES", value_parser = parse_names)]
    pub quasi_identifiers: Option<Vec<Names>>,
    /// How a sensitive column is spread in every class: `NAME=3` (no value in more than one in 3 rows),
    /// `NAME=distinct:3`, `NAME=entropy:3` or `NAME=recursive:3:1.5` (l, then c); may be repeated.
    #[arg(long, value_name = "NAME=L", value_parser = parse_diversity)]
    pub diversity: Vec<SpreadSetting>,
    /// How far a class's shares of a sensitive column may be from the table's: `NAME=0.2`, or
    /// `NAME=ordered:0.2` for values with an order; may be repeated.
    #[arg(long, value_name = "NAME=T", value_parser = parse_closeness)]
    pub closeness: Vec<SpreadSetting>,
    /// Withhold at most this share of the rows, such as 0.02 or 2% [default: none; with
    /// `--recoding local` those that fit no class].
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    pub suppression_limit: Option<f64>,
}

/// How values are recoded.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "How to recode")]
pub struct RecodeArgs {
    /// Cut classes out of each other (mondrian), take each class (local) or each column
    /// (full-domain) to levels of hierarchies [default: by the policy, or mondrian].
    #[arg(long, value_name = "WAY",
        value_parser = one_of(Recoding::ALL, |recoding| recoding.name().into()))]
    pub recoding: Option<Recoding>,
    /// The hierarchy of a column: a file with a value and its labels, level by level, on each line; may be
    /// repeated [default: by the policy file, or made from the values].
    #[arg(long, value_name = "NAME=FILE", value_parser = parse_hierarchy)]
    pub hierarchy: Vec<(String, PathBuf)>,
    /// A folder with hierarchies, in files named after columns, such as `hierarchy_age.csv`.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub hierarchies: Option<PathBuf>,
    /// How mondrian publishes the values of a class; a hierarchy is then the order of a column's texts
    /// [default: by hierarchies that are given; numbers and dates as ranges, others as sets].
    #[arg(long, value_name = "FORM", value_parser = one_of(Labels::ALL, |labels| labels.name().into()))]
    pub labels: Option<Labels>,
    /// Publish sets of texts and codes only up to this many values; a larger one becomes `*`
    /// [default: by the policy, or 5].
    #[arg(long, value_name = "N")]
    pub max_set: Option<u32>,
    /// Bounds of ranges: on a grid, or tight, which may be one person's values [default: by the policy, or grid].
    #[arg(long, value_name = "BOUNDS",
        value_parser = one_of([Bounds::Grid, Bounds::Tight], |bounds| bounds.name().into()))]
    pub bounds: Option<Bounds>,
    /// The step of a column's grid [default: 1, 2 or 5 times a power of ten]; may be repeated.
    #[arg(long, value_name = "NAME=STEP", value_parser = parse_grid)]
    pub grid: Vec<(String, f64)>,
    /// Where mondrian cuts: where least is lost (best), or at medians.
    #[arg(long, value_name = "CUT", default_value = "best",
        value_parser = one_of([Cut::Best, Cut::Median], |cut| if *cut == Cut::Median { "median".into() } else { "best".into() }))]
    pub cut: Cut,
    /// Let rows at a median go to either side.
    #[arg(long)]
    pub relaxed: bool,
}

/// Where bounds of ranges lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    Grid,
    Tight,
}

impl Bounds {
    fn name(self) -> &'static str {
        match self {
            Self::Grid => "grid",
            Self::Tight => "tight",
        }
    }
}

/// `NAME=L`, `NAME=KIND:L` or `NAME=recursive:L:C`. The last `=` counts: names may hold one.
pub(super) fn parse_diversity(text: &str) -> Result<SpreadSetting, String> {
    let (column, how) = text.rsplit_once('=').ok_or("NAME=L, such as diagnosis=3")?;
    SpreadSetting::diversity(column, how).map_err(|how| format!("NAME= and {how}"))
}

/// `NAME=T` or `NAME=ordered:T`.
pub(super) fn parse_closeness(text: &str) -> Result<SpreadSetting, String> {
    let (column, how) = text.rsplit_once('=').ok_or("NAME=T, such as diagnosis=0.2")?;
    SpreadSetting::closeness(column, how).map_err(|how| format!("NAME= and {how}"))
}

/// `0.02` or `2%`.
pub(super) fn parse_share(text: &str) -> Result<f64, String> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let share = match text.strip_suffix('%') {
        Some(percent) => number(percent).map(|percent| percent / 100.0),
        None => number(text),
    };
    share
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| "a share from 0 to 1, such as 0.02 or 2%".into())
}

pub(super) fn parse_hierarchy(text: &str) -> Result<(String, PathBuf), String> {
    let (column, file) = text.split_once('=').ok_or("NAME=FILE, such as age=ages.csv")?;
    Ok((column.to_owned(), PathBuf::from(file)))
}

fn parse_grid(text: &str) -> Result<(String, f64), String> {
    let wrong = "NAME=STEP with a number above 0, such as age=5";
    let (column, step) = text.rsplit_once('=').ok_or(wrong)?;
    let step = step.parse().ok().filter(|step: &f64| step.is_finite() && *step > 0.0);
    Ok((column.to_owned(), step.ok_or(wrong)?))
}

#[cfg(test)]
mod tests {
    use muslin::{Distance, Spread};

    use super::*;

    #[test]
    fn spreads_are_read() {
        let spread = |text: &str| parse_diversity(text).map(|setting| setting.spread);
        assert_eq!(spread("a=b=3"), Ok(Spread::Probabilistic { l: 3 }));
        assert_eq!(spread("a=distinct:3"), Ok(Spread::Distinct { l: 3 }));
        assert_eq!(
            spread("a=recursive:3:0.5"),
            Ok(Spread::Recursive { c: "0.5".parse().unwrap(), l: 3 })
        );
        for text in ["a", "a=1", "a=distinct", "a=recursive:3", "a=other:3"] {
            assert!(spread(text).is_err(), "{text}");
        }
        let close = |text: &str| parse_closeness(text).map(|setting| setting.spread);
        let t = "0.2".parse().unwrap();
        assert_eq!(close("a=0.2"), Ok(Spread::Close { t, distance: Distance::Equal }));
        assert_eq!(close("a=ordered:0.2"), Ok(Spread::Close { t, distance: Distance::Ordered }));
        assert!(close("a=1.5").is_err() && close("a=far:0.2").is_err());
    }

    #[test]
    fn shares_are_numbers_or_percents() {
        assert_eq!((parse_share("0.02"), parse_share("2%")), (Ok(0.02), Ok(0.02)));
        assert!(parse_share("2").is_err() && parse_share("-1%").is_err());
    }
}
