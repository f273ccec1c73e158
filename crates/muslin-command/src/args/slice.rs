use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};
use muslin::{BUCKET_NAME, SliceCheck};

use super::generalize::parse_hierarchy;
use super::names::{Slices, parse_slices};
use super::{InputArgs, ReleaseArgs, one_of};

#[derive(Debug, ClapArgs)]
#[command(mut_arg("missing", |missing| missing.hide(true)))]
pub struct Slice {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub cut: CutArgs,
    #[command(flatten)]
    pub how: HowArgs,
    #[command(flatten)]
    pub release: ReleaseArgs,
}

/// What to reach, and which columns stay together.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "What to reach")]
pub struct CutArgs {
    /// The column whose values nobody should learn [default: the one with the role sensitive].
    #[arg(long, value_name = "NAME")]
    pub sensitive: Option<String>,
    /// Let an attacker infer no person's value of it with a probability above one in L [default: by the
    /// policy].
    #[arg(short, value_name = "L")]
    pub l: Option<u32>,
    /// Columns that stay together: `age,sex|zip,disease`; a column may be in several slices [default: by
    /// the policy, or found by how strongly columns are associated].
    #[arg(long, value_name = "SLICES", value_parser = parse_slices, conflicts_with_all = ["count", "with_sensitive"])]
    pub slices: Option<Slices>,
    /// Find this many slices [default: as many as have about two columns each].
    #[arg(long, value_name = "N")]
    pub count: Option<usize>,
    /// Columns in the sensitive column's slice, itself counted [default: 2, or 1 where 2 do not
    /// allow L].
    #[arg(long, value_name = "N")]
    pub with_sensitive: Option<usize>,
}

/// How buckets are made.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "How to cut")]
pub struct HowArgs {
    /// Take a column to a level of its hierarchy first; may be repeated.
    #[arg(long, value_name = "NAME=N", value_parser = parse_level)]
    pub level: Vec<(String, usize)>,
    /// The hierarchy of a column: a file with a value and its labels, level by level, on each line; may be
    /// repeated [default: by the policy file, or made from the values].
    #[arg(long, value_name = "NAME=FILE", value_parser = parse_hierarchy)]
    pub hierarchy: Vec<(String, PathBuf)>,
    /// A folder with hierarchies, in files named after columns, such as `hierarchy_age.csv`.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub hierarchies: Option<PathBuf>,
    /// Give a bucket up when its widest column cannot be split.
    #[arg(long)]
    pub one_attempt: bool,
    /// Let rows at a median go to either side, so that buckets may overlap.
    #[arg(long)]
    pub relaxed: bool,
    /// What must meet the target: each bucket, or with `--relaxed` the buckets that match somebody
    /// together, which is weaker and slower.
    #[arg(long, value_name = "WHAT", default_value = "buckets",
        value_parser = one_of([SliceCheck::Buckets, SliceCheck::Matches], |check| match check {
            SliceCheck::Matches => "matches".into(),
            _ => "buckets".into(),
        }))]
    pub check: SliceCheck,
    /// Find out how well it is told who is in the table [default: up to 100,000 rows].
    #[arg(long, value_name = "YES|NO", value_parser = one_of([true, false], |yes| if *yes { "yes" } else { "no" }.into()))]
    pub membership: Option<bool>,
    /// The name of the column of buckets.
    #[arg(long, value_name = "NAME", default_value = BUCKET_NAME)]
    pub bucket_name: String,
}

/// `NAME=N`. The last `=` counts: names may hold one.
fn parse_level(text: &str) -> Result<(String, usize), String> {
    let wrong = "NAME=N with a number of a level, such as age=1";
    let (column, level) = text.rsplit_once('=').ok_or(wrong)?;
    Ok((column.to_owned(), level.parse().map_err(|_| wrong)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read() {
        assert_eq!(parse_level("a=b=2"), Ok(("a=b".into(), 2)));
        assert!(parse_level("a").is_err() && parse_level("a=-1").is_err());
    }
}
