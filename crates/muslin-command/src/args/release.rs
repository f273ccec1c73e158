use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};
use muslin::{ReleaseOutput, RowOrder, Seed, WriteFormat, WriteOptions};

use super::one_of;
use crate::Places;

/// The release.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Release")]
pub struct ReleaseArgs {
    /// Write the release there; `-` for standard output, the report then goes to standard error.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// The release's format [default: by the file's name].
    #[arg(long, requires = "output", value_parser = one_of(WriteFormat::ALL, |format| format.name().into()))]
    pub format: Option<WriteFormat>,
    /// The order of its rows: shuffled for good, by `--seed`, by their published values, or as they
    /// were read.
    #[arg(long, visible_alias = "order", value_name = "ORDER", requires = "output", default_value = Order::Shuffled.name(),
        value_parser = one_of(Order::ALL, |order| order.name().into()))]
    pub row_order: Order,
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
    /// Where the release goes, if anywhere.
    pub fn output(&self, seed: u64, places: &Places) -> Option<ReleaseOutput> {
        let file = self.output.as_ref()?;
        Some(ReleaseOutput {
            destination: places.destination(file),
            options: WriteOptions { format: self.format, ..WriteOptions::default() },
            order: match self.row_order {
                Order::Shuffled => RowOrder::Shuffled,
                Order::Seeded => RowOrder::Seeded(Seed::new(seed)),
                Order::Sorted => RowOrder::Sorted,
                Order::AsRead => RowOrder::AsRead,
            },
        })
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
