use clap::Args as ClapArgs;

use super::InputArgs;

#[derive(Debug, ClapArgs)]
#[command(mut_arg("missing", |missing| missing.hide(true)))]
pub struct Plan {
    #[command(flatten)]
    pub input: InputArgs,
    /// Try classes of at least this many rows; may be repeated [default: 3, 5, 10, 20 and the policy's].
    #[arg(short, value_name = "K", value_delimiter = ',', help_heading = "What to try")]
    pub k: Vec<u32>,
}
