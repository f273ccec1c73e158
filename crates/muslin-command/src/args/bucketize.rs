use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};
use muslin::{BUCKET_NAME, BucketMethod};

use super::names::{Names, parse_names};
use super::{InputArgs, ReleaseArgs, one_of};

#[derive(Debug, ClapArgs)]
#[command(mut_arg("missing", |missing| missing.hide(true)))]
pub struct Bucketize {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub buckets: BucketArgs,
    #[command(flatten)]
    pub release: ReleaseArgs,
    /// Write the sensitive values of each bucket there, and the release without them.
    #[arg(long, value_name = "FILE", requires = "output", value_hint = ValueHint::FilePath, help_heading = "Release")]
    pub sensitive_table: Option<PathBuf>,
}

/// What every bucket must meet.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "What to reach")]
pub struct BucketArgs {
    /// The column whose values change places [default: the one with the role sensitive].
    #[arg(long, value_name = "NAME")]
    pub sensitive: Option<String>,
    /// Let no value of it be that of more than one in L rows of a bucket [default: by the policy].
    #[arg(short, value_name = "L")]
    pub l: Option<u32>,
    /// The columns that people are known by; all but identifiers are published [default: by role, or
    /// all but identifiers and sensitive ones].
    #[arg(long, visible_alias = "qi", value_name = "NAMES", value_parser = parse_names)]
    pub quasi_identifiers: Option<Vec<Names>>,
    /// Make buckets of rows with different sensitive values (anatomy), or of rows that are alike, which
    /// keeps more of how columns are associated (mondrian) [default: by the policy, or anatomy].
    #[arg(long, value_name = "WAY",
        value_parser = one_of([BucketMethod::Anatomy, BucketMethod::Mondrian], |method| match method {
            BucketMethod::Mondrian => "mondrian".into(),
            _ => "anatomy".into(),
        }))]
    pub method: Option<BucketMethod>,
    /// The name of the column of buckets.
    #[arg(long, value_name = "NAME", default_value = BUCKET_NAME)]
    pub bucket_name: String,
}
