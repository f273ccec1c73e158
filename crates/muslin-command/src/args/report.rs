use std::path::PathBuf;
use std::time::Duration;

use clap::{Args as ClapArgs, ValueHint};
use muslin::{Audience, LabelFormat};

use super::names::parse_names;
use super::{InputArgs, Names, ReleaseReadArgs, one_of, parse_time};

#[derive(Debug, ClapArgs)]
pub struct Report {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub release_read: ReleaseReadArgs,
    /// A release of the table: a file, or the folder that `muslin protect` wrote.
    #[arg(long, value_name = "RELEASE", help_heading = "Report", value_hint = ValueHint::AnyPath)]
    pub release: Option<PathBuf>,
    /// The form of the labels of a column of the release, where they are none that muslin knows: `age={low} to {high}`, with the
    /// fields {low}, {high}, {above}, {below}, {prefix} and {value}; may be repeated.
    #[arg(long, value_name = "NAME=FORM", help_heading = "Report")]
    pub label_format: Vec<LabelFormat>,
    /// Who it is for: those who have the data, or everybody.
    #[arg(long, value_name = "WHO", default_value = "internal", help_heading = "Report",
        value_parser = one_of([Audience::Internal, Audience::External], |who| who.name().into()))]
    pub audience: Audience,
    /// Tell everybody no count from 1 to below this [default: the policy's k, or 5].
    #[arg(short, value_name = "N", help_heading = "Report", value_parser = clap::value_parser!(u32).range(2..))]
    pub k: Option<u32>,
    /// Look at these columns together instead of the suggested ones.
    #[arg(long, visible_alias = "qi", value_name = "NAMES", value_parser = parse_names, help_heading = "Report")]
    pub quasi_identifiers: Option<Vec<Names>>,
    /// How long to search once the file is read.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_time, help_heading = "Report")]
    pub budget: Duration,
    /// Where it goes: a file named `.html`, `.md` or `.json`; `-` for HTML to standard output.
    #[arg(short, long, value_name = "FILE", help_heading = "Report", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
}
