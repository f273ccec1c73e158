//! The command line, parsed and nothing else.

#![expect(missing_docs, reason = "help texts say what flags are; what only groups them has none")]

mod attack;
mod bucketize;
mod cluster;
mod diff;
mod engine;
mod explain;
mod generalize;
mod init;
mod keys;
mod mask;
mod names;
mod next;
mod plan;
mod protect;
mod release;
mod report;
mod scan;
mod slice;
mod suppress;
mod uniques;
mod verify;

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueHint};
use muslin::{ColumnType, DayFormat, Encoding, MissingRule, Role, WriteFormat};

use self::names::parse_names;

pub use self::attack::Attack;
pub use self::bucketize::Bucketize;
pub use self::cluster::{Access, Cluster, Executor, Node, Scheduler};
pub use self::diff::Diff;
pub use self::engine::EngineArgs;
pub use self::explain::Explain;
pub use self::generalize::{Bounds, Generalize};
pub use self::init::Init;
pub use self::keys::{Keys, MinimumArgs, QuestionArgs};
pub use self::mask::Mask;
pub use self::names::{Names, command_for_shell, joined, slices_for_shell};
pub use self::plan::Plan;
pub use self::protect::Protect;
pub use self::release::{ReleaseArgs, ReleaseReadArgs};
pub use self::report::Report;
pub use self::scan::Scan;
pub use self::slice::Slice;
pub use self::suppress::Suppress;
pub use self::uniques::{TableArgs, Uniques, method_name};
pub use self::verify::Verify;

/// Finds what gives people away in a table about them.
#[derive(Debug, Parser)]
#[command(name = "muslin", version, max_term_width = 100, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 fine, 1 requirement not met, 2 usage or policy file, 3 input unreadable, \
    4 target cannot be reached, 5 stopped by a limit, 6 output could not be written, 130 interrupted."
)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub common: Common,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Say what is in a file, how many of its rows stand out and why, and what to do next.
    Scan(Scan),
    /// Write a first policy for a file, with a role for every column and why.
    Init(Init),
    /// Find what singles rows out: the smallest sets of values that few rows hold.
    Uniques(Uniques),
    /// Find which columns tell rows apart: keys and quasi-identifiers.
    Keys(Keys),
    /// Say why one row, or one set of columns, is risky.
    Explain(Explain),
    /// Publish as many columns as can go together without telling rows apart; mask the rest.
    Mask(Mask),
    /// Withhold cells until every row is one of k, and say how near that is to the least.
    Suppress(Suppress),
    /// Replace values by ranges, sets or groups until every row is one of k.
    Generalize(Generalize),
    /// Put rows into buckets and let sensitive values change places within them.
    Bucketize(Bucketize),
    /// Cut links between columns within buckets of rows, so that sensitive values are not told.
    Slice(Slice),
    /// Show what protections would cost and leave, before one is chosen.
    Plan(Plan),
    /// Make a release by a policy: every method in its order, judged, as a folder.
    Protect(Protect),
    /// Say what an analyst loses by a release, whatever made it.
    Diff(Diff),
    /// Judge whether a release is what it claims to be, whatever made it.
    Verify(Verify),
    /// Attack a release as an attacker would, and report what each attack infers.
    Attack(Attack),
    /// Write a report for people, of a table or of a release, with plots.
    Report(Report),
    /// Run a machine of a cluster, which answers for tables larger than one machine.
    #[command(hide = !muslin::HAS_CLUSTER)]
    Cluster(Cluster),
    /// Write a made-up table to try things on.
    DemoData(DemoData),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// What every command takes.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "How to work")]
pub struct Common {
    /// Print the report as JSON.
    #[arg(long, global = true)]
    pub json: bool,
    /// Work on this many threads instead of one per core.
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Stop before using more memory than this for the table, such as 500MB or 4GB.
    #[arg(long, global = true, value_name = "SIZE", value_parser = parse_bytes)]
    pub memory: Option<u64>,
    /// Stop after this long, such as 10s, 5m or 1h.
    #[arg(long, global = true, value_name = "TIME", value_parser = parse_time)]
    pub time_limit: Option<Duration>,
    /// Decide every reproducible draw by this number.
    #[arg(long, global = true, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Say how long it took and how much memory it needed.
    #[arg(long, global = true)]
    pub stats: bool,
    /// Show no progress.
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

/// An input and how to read it.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// CSV or other delimited text (plain, gzip or zstd), Parquet or Arrow IPC; `-` for standard input.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Take roles and options from this policy file; flags win over it.
    #[arg(short, long, value_name = "TOML", value_hint = ValueHint::FilePath)]
    pub policy: Option<PathBuf>,
    /// Read only these columns, such as `age,sex`; a name with a comma stands between double quotes.
    #[arg(long, value_name = "NAMES", value_parser = parse_names, conflicts_with = "exclude")]
    pub columns: Option<Vec<Names>>,
    /// Read all columns but these.
    #[arg(long, value_name = "NAMES", value_parser = parse_names)]
    pub exclude: Option<Vec<Names>>,
    /// Give a column a role: identifier, quasi-identifier, sensitive, weight, unit, household, other or undecided.
    #[arg(long, value_name = "NAME=ROLE", value_parser = parse_role)]
    pub role: Vec<(String, Role)>,
    /// Read a column as a type: text, integer, number, date, boolean or category.
    #[arg(long = "type", value_name = "NAME=TYPE", value_parser = parse_type)]
    pub types: Vec<(String, ColumnType)>,
    /// How the dates of a column are written, such as `birth=%d.%m.%Y`; may be repeated [default: found
    /// out where all values allow one pattern only].
    #[arg(long, value_name = "NAME=FORMAT", value_parser = parse_date_format)]
    pub date_format: Vec<(String, DayFormat)>,
    /// What a missing cell matches [default: category].
    #[arg(long, value_name = "RULE", value_parser = one_of(MissingRule::ALL, |rule| rule.to_string()))]
    pub missing: Option<MissingRule>,
    /// Take cells of this spelling as missing, `''` for empty ones; may be repeated.
    #[arg(long, value_name = "SPELLING", allow_hyphen_values = true)]
    pub null: Vec<String>,
    /// The character between fields, or `tab` [default: found out].
    #[arg(long, value_name = "CHAR", value_parser = parse_character)]
    pub delimiter: Option<char>,
    /// The character around fields, or `none` [default: found out].
    #[arg(long, value_name = "CHAR", value_parser = parse_quote)]
    pub quote: Option<Quote>,
    /// Whether the first record holds the columns' names [default: found out].
    #[arg(long, value_name = "YES|NO", value_parser = one_of([true, false], |yes| if *yes { "yes" } else { "no" }.into()))]
    pub header: Option<bool>,
    /// How characters are stored [default: found out].
    #[arg(long, value_name = "NAME", value_parser = one_of(Encoding::ALL, |encoding| encoding.name().into()))]
    pub encoding: Option<Encoding>,
    /// Whether `1,5` is a number [default: found out].
    #[arg(long, value_name = "YES|NO", num_args = 0..=1, require_equals = true, default_missing_value = "yes",
        value_parser = one_of([true, false], |yes| if *yes { "yes" } else { "no" }.into()))]
    pub decimal_comma: Option<bool>,
    /// Leave out spaces around unquoted fields.
    #[arg(long)]
    pub trim: bool,
}

#[derive(Debug, ClapArgs)]
pub struct DemoData {
    /// Which table.
    #[arg(value_parser = ["hospital"])]
    pub name: String,
    /// Number of rows.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(0..=u64::from(u32::MAX)))]
    pub rows: u64,
    /// Where to write; `-` for standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// The format [default: by the file's name].
    #[arg(long, value_parser = one_of(WriteFormat::ALL, |format| format.name().into()))]
    pub format: Option<WriteFormat>,
}

/// A quote character or none at all.
#[derive(Clone, Copy, Debug)]
pub struct Quote(pub Option<char>);

/// A parser that takes the names of some values, and shows them in help and completions.
fn one_of<T, const COUNT: usize>(
    values: [T; COUNT],
    name: impl Fn(&T) -> String + Clone + Send + Sync + 'static,
) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let names: Vec<String> = values.iter().map(&name).collect();
    PossibleValuesParser::new(names).map(move |text| {
        *values.iter().find(|value| name(value) == text).expect("one of the names")
    })
}

fn parse_character(text: &str) -> Result<char, String> {
    let mut characters = text.chars();
    match (text, characters.next(), characters.next()) {
        ("tab" | "\\t", ..) => Ok('\t'),
        (_, Some(character), None) if character.is_ascii() => Ok(character),
        _ => Err("one ASCII character, or `tab`".into()),
    }
}

fn parse_quote(text: &str) -> Result<Quote, String> {
    match text {
        "none" | "" => Ok(Quote(None)),
        text => parse_character(text).map(|character| Quote(Some(character))),
    }
}

fn parse_role(text: &str) -> Result<(String, Role), String> {
    parse_pair(text, Role::ALL, Role::name)
}

fn parse_type(text: &str) -> Result<(String, ColumnType), String> {
    parse_pair(text, ColumnType::ALL, ColumnType::name)
}

fn parse_date_format(text: &str) -> Result<(String, DayFormat), String> {
    let (column, format) = text.rsplit_once('=').ok_or("NAME=FORMAT, such as birth=%d.%m.%Y")?;
    Ok((column.to_owned(), format.parse::<DayFormat>()?))
}

/// `NAME=VALUE`, where the value is one of some names. The last `=` counts: names may hold one.
fn parse_pair<T: Copy, const COUNT: usize>(
    text: &str,
    values: [T; COUNT],
    name: impl Fn(T) -> &'static str,
) -> Result<(String, T), String> {
    let names = values.map(&name).join(", ");
    let (column, value) = text.rsplit_once('=').ok_or(format!("NAME=VALUE with one of {names}"))?;
    let value = values.into_iter().find(|v| name(*v) == value).ok_or(format!("one of {names}"))?;
    Ok((column.to_owned(), value))
}

/// A number and one of some units.
fn parse_with_unit(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..split].parse().ok()?;
    let unit = text[split..].trim().to_ascii_lowercase();
    let (_, factor) = units.iter().find(|(name, _)| *name == unit)?;
    Some(number * factor).filter(|value| value.is_finite())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "not negative; saturates"
)]
fn parse_bytes(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 11] = [
        ("", 1.0),
        ("b", 1.0),
        ("kb", 1e3),
        ("mb", 1e6),
        ("gb", 1e9),
        ("tb", 1e12),
        ("k", 1e3),
        ("m", 1e6),
        ("g", 1e9),
        ("mib", 1_048_576.0),
        ("gib", 1_073_741_824.0),
    ];
    let bytes = parse_with_unit(text, &UNITS).ok_or("a size such as 500MB or 4GB")?;
    Ok(bytes as u64)
}

fn parse_time(text: &str) -> Result<Duration, String> {
    const UNITS: [(&str, f64); 5] =
        [("", 1.0), ("s", 1.0), ("ms", 1e-3), ("m", 60.0), ("h", 3600.0)];
    parse_with_unit(text, &UNITS)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "a time such as 10s, 5m or 1h".into())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn sizes_and_times_have_units() {
        assert_eq!(parse_bytes("1.5GB"), Ok(1_500_000_000));
        assert_eq!(parse_bytes("2 MiB"), Ok(2_097_152));
        assert!(parse_bytes("lots").is_err() && parse_bytes("5 apples").is_err());
        assert_eq!(parse_time("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(parse_time("2m"), Ok(Duration::from_secs(120)));
        assert!(parse_time("-1s").is_err());
    }

    #[test]
    fn pairs_take_the_last_equals_sign() {
        assert_eq!(parse_type("a=b=text"), Ok(("a=b".into(), ColumnType::Text)));
        assert!(parse_role("age=secret").unwrap_err().contains("quasi-identifier"));
        assert!(parse_role("age").is_err());
    }
}
