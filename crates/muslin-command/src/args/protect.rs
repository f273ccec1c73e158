use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};

use super::InputArgs;
use super::verify::VerdictArgs;

#[derive(Debug, ClapArgs)]
#[command(mut_arg("missing", |missing| missing.hide(true)))]
#[command(mut_arg("policy", |policy| policy
    .required(true)
    .help("The policy: roles, what the release must meet, and how it is made; flags win over it")))]
pub struct Protect {
    #[command(flatten)]
    pub input: InputArgs,
    /// The folder to write; an earlier release there is replaced.
    #[arg(short, long, value_name = "FOLDER", value_hint = ValueHint::DirPath, help_heading = "Release")]
    pub output: PathBuf,
    /// Write nothing: rehearse on rows that are drawn, and say what would be done and what it would take.
    #[arg(long, help_heading = "Release")]
    pub dry_run: bool,
    /// Decide every draw by `--seed`, so that the same input and policy make the same bytes.
    #[arg(long, help_heading = "Release")]
    pub reproducible: bool,
    #[command(flatten)]
    pub verdict: VerdictArgs,
}
