use clap::Args as ClapArgs;

use super::InputArgs;
use super::names::{Names, parse_names};

#[derive(Debug, ClapArgs)]
#[command(mut_arg("missing", |missing| missing.hide(true)))]
pub struct Plan {
    #[command(flatten)]
    pub input: InputArgs,
    /// The columns that classes are made of [default: by role, or all but identifiers].
    #[arg(long, visible_alias = "qi", value_name = "NAMES", value_parser = parse_names, help_heading = "What to try")]
    pub quasi_identifiers: Option<Vec<Names>>,
    /// Try classes of at least this many rows; may be repeated [default: 3, 5, 10, 20 and the policy's].
    #[arg(short, value_name = "K", value_delimiter = ',', help_heading = "What to try")]
    pub k: Vec<u32>,
}
