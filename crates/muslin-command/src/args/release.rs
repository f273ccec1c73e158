use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};
use muslin::{
    CsvOptions, Encoding, Policy, ReleaseOutput, ReleaseStyle, RowOrder, Seed, WriteFormat,
    WriteOptions,
};

use super::{Quote, one_of, parse_character, parse_quote};
use crate::Places;

/// The release.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Release")]
pub struct ReleaseArgs {
    /// Write the release there; `-` for standard output, the report then goes to standard error.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// The release's format [default: by the file's name, or by the policy].
    #[arg(long, requires = "output", value_parser = one_of(WriteFormat::ALL, |format| format.name().into()))]
    pub format: Option<WriteFormat>,
    /// The order of its rows: shuffled for good, by `--seed`, by their published values, or as they
    /// were read [default: by the policy, or shuffled].
    #[arg(long, visible_alias = "order", value_name = "ORDER", requires = "output",
        value_parser = one_of(Order::ALL, |order| order.name().into()))]
    pub row_order: Option<Order>,
    #[command(flatten)]
    pub style: StyleArgs,
}

/// The dialect of the release's text.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Release")]
#[expect(clippy::struct_field_names, reason = "fields are named as flags are")]
pub struct StyleArgs {
    /// The character between fields of the release, or `tab` [default: the input's].
    #[arg(long, value_name = "CHAR", requires = "output", value_parser = parse_character)]
    pub release_delimiter: Option<char>,
    /// How characters of the release are stored [default: as in the input].
    #[arg(long, value_name = "NAME", requires = "output", value_parser = one_of(Encoding::ALL, |encoding| encoding.name().into()))]
    pub release_encoding: Option<Encoding>,
    /// Whether the release has decimal commas [default: as in the input].
    #[arg(long, value_name = "YES|NO", requires = "output", num_args = 0..=1, require_equals = true, default_missing_value = "yes",
        value_parser = one_of([true, false], |yes| if *yes { "yes" } else { "no" }.into()))]
    pub release_decimal_comma: Option<bool>,
}

/// How a release is read that stands beside its original: all other flags for reading are the
/// original's.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "How to read the release")]
pub struct ReleaseReadArgs {
    /// The character between fields of the release, or `tab` [default: by its manifest, or found out].
    #[arg(long, value_name = "CHAR", value_parser = parse_character)]
    pub release_delimiter: Option<char>,
    /// The character around fields of the release, or `none` [default: by its manifest, or found out].
    #[arg(long, value_name = "CHAR", value_parser = parse_quote)]
    pub release_quote: Option<Quote>,
    /// Whether the first record of the release holds the columns' names [default: yes].
    #[arg(long, value_name = "YES|NO", value_parser = one_of([true, false], |yes| if *yes { "yes" } else { "no" }.into()))]
    pub release_header: Option<bool>,
    /// How characters of the release are stored [default: by its manifest, found out, or as in the original].
    #[arg(long, value_name = "NAME", value_parser = one_of(Encoding::ALL, |encoding| encoding.name().into()))]
    pub release_encoding: Option<Encoding>,
    /// Whether `1,5` is a number in the release [default: by its manifest, or found out].
    #[arg(long, value_name = "YES|NO", num_args = 0..=1, require_equals = true, default_missing_value = "yes",
        value_parser = one_of([true, false], |yes| if *yes { "yes" } else { "no" }.into()))]
    pub release_decimal_comma: Option<bool>,
}

impl ReleaseReadArgs {
    /// The dialect, as far as the flags say.
    pub fn csv(&self) -> CsvOptions {
        CsvOptions {
            delimiter: self.release_delimiter,
            quote: self.release_quote.map(|quote| quote.0),
            header: self.release_header,
            encoding: self.release_encoding,
            decimal_comma: self.release_decimal_comma,
            trim: false,
        }
    }
}

/// The order of a release's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Shuffled,
    Seeded,
    Sorted,
    AsRead,
}

impl ReleaseArgs {
    /// Where the release goes, if anywhere. A file's name says its format before the policy does.
    pub fn output(
        &self,
        seed: u64,
        policy: Option<&Policy>,
        places: &Places,
    ) -> Option<ReleaseOutput> {
        let file = self.output.as_ref()?;
        let of_policy = || policy?.format().filter(|_| WriteFormat::of_name(file).is_none());
        let is_sorted = policy.is_some_and(|own| own.release.order.as_deref() == Some("sorted"));
        let by_policy = if is_sorted { Order::Sorted } else { Order::Shuffled };
        Some(ReleaseOutput {
            destination: places.destination(file),
            options: WriteOptions {
                format: self.format.or_else(of_policy),
                ..WriteOptions::default()
            },
            style: self.style.asked().or(&policy.map(Policy::release_style).unwrap_or_default()),
            order: match self.row_order.unwrap_or(by_policy) {
                Order::Shuffled => RowOrder::Shuffled,
                Order::Seeded => RowOrder::Seeded(Seed::new(seed)),
                Order::Sorted => RowOrder::Sorted,
                Order::AsRead => RowOrder::AsRead,
            },
        })
    }
}

impl StyleArgs {
    fn asked(&self) -> ReleaseStyle {
        ReleaseStyle {
            delimiter: self.release_delimiter,
            encoding: self.release_encoding,
            decimal_comma: self.release_decimal_comma,
        }
    }
}

impl Order {
    const ALL: [Self; 4] = [Self::Shuffled, Self::Seeded, Self::Sorted, Self::AsRead];

    fn name(self) -> &'static str {
        match self {
            Self::Shuffled => "shuffled",
            Self::Seeded => "seeded",
            Self::Sorted => "sorted",
            Self::AsRead => "as-read",
        }
    }
}
