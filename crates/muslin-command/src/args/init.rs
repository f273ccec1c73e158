use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};
use muslin::{Preset, Role};

use super::{InputArgs, parse_role};

#[derive(Debug, ClapArgs)]
#[command(mut_arg("policy", |policy| policy.hide(true)))]
#[command(mut_arg("missing", |missing| missing.hide(true)))]
pub struct Init {
    #[command(flatten)]
    pub input: InputArgs,
    /// The threshold that the release must meet [default: ihsn-5].
    #[arg(long, value_name = "NAME", help_heading = "Policy",
        value_parser = clap::builder::PossibleValuesParser::new(Preset::ALL.map(|preset| preset.name())))]
    pub preset: Option<String>,
    /// Decide the role of a column, also in a policy that exists already: only the role changes there; may be repeated.
    #[arg(long, value_name = "NAME=ROLE", value_parser = parse_role, help_heading = "Policy")]
    pub decide: Vec<(String, Role)>,
    /// Where the policy goes; `-` for standard output. An existing file stays as it is, unless `--decide` or `--force` is given.
    #[arg(short, long, value_name = "FILE", default_value = "muslin.toml", help_heading = "Policy",
        value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Write the policy anew where one exists already.
    #[arg(long, help_heading = "Policy")]
    pub force: bool,
}
