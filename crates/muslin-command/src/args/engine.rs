use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};
use muslin::{AskAt, EngineName, HAS_CLUSTER, HAS_QUERY_ENGINE};

/// Where a table is asked about. A build that has no query engine does not show these flags, and says how
/// to build one that has.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Where to ask")]
pub struct EngineArgs {
    /// Who answers: `memory`, `datafusion` for tables larger than memory, folders, globs and object stores, or a
    /// cluster such as `ballista://host:50050` [default: memory].
    #[arg(long, value_name = "ENGINE", value_parser = parse_engine, hide = !HAS_QUERY_ENGINE)]
    pub engine: Option<EngineName>,
    /// Look at what this query gives, such as `select age, sex from input where year = 2020`; `input` is FILE.
    #[arg(long, value_name = "QUERY", hide = !HAS_QUERY_ENGINE)]
    pub sql: Option<String>,
    /// File with the secret token of the cluster, at least 32 characters, readable only by its owner.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide = !HAS_CLUSTER)]
    pub token_file: Option<PathBuf>,
}

impl EngineArgs {
    /// Where the flags say that the table is asked about.
    pub fn at(&self) -> AskAt {
        AskAt {
            engine: self.engine.clone().unwrap_or_default(),
            sql: self.sql.clone(),
            token_file: self.token_file.clone(),
        }
    }
}

fn parse_engine(text: &str) -> Result<EngineName, String> {
    EngineName::parse(text).ok_or_else(|| "`memory`, `datafusion` or `ballista://host:port`".into())
}
