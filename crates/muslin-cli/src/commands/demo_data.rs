use std::time::Instant;

use muslin::{Destination, Seed, WriteOptions};
use muslin_command::args::{Common, DemoData};

use super::{Outcome, start, talk};
use crate::exit::Exit;
use crate::stats;

/// Writes a made-up table.
pub(crate) fn run(args: &DemoData, common: &Common) -> Outcome {
    let started = Instant::now();
    let run = start(common)?;
    let destination = Destination::named(&args.output);
    let options = WriteOptions { format: args.format, ..WriteOptions::default() };
    muslin::DemoData::new(args.rows, Seed::new(common.seed)).write(&destination, &options, &run)?;
    if common.stats {
        talk(&stats::line(started, args.rows));
    }
    Ok(Exit::Fine)
}
