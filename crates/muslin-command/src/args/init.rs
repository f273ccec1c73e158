use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};
use muslin::{InitJob, Preset};

use super::InputArgs;

#[derive(Debug, ClapArgs)]
#[command(mut_arg("policy", |policy| policy.hide(true)))]
#[command(mut_arg("missing", |missing| missing.hide(true)))]
pub struct Init {
    #[command(flatten)]
    pub input: InputArgs,
    /// The threshold that the release must meet.
    #[arg(long, value_name = "NAME", default_value = InitJob::PRESET, help_heading = "Policy",
        value_parser = clap::builder::PossibleValuesParser::new(Preset::ALL.map(|preset| preset.name())))]
    pub preset: String,
    /// Where the policy goes; `-` for standard output. A file that is there stays as it is.
    #[arg(short, long, value_name = "FILE", default_value = "muslin.toml", help_heading = "Policy",
        value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
}
