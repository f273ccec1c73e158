use std::time::Duration;

use clap::Args as ClapArgs;

use super::names::{Names, parse_names};
use super::{InputArgs, parse_time};

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
    /// How long to try candidates once the file is read, such as 30s or 5m: each gets an equal part.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_time, help_heading = "What to try")]
    pub budget: Duration,
}
