//! Scans example data and prints how many rows stand out on three columns, and what two of them do.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use muslin::{DemoData, Destination, Input, Run, ScanJob, Seed, WriteOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("hospital.parquet");
    let run = Run::new();
    let demo = DemoData::new(2_000, Seed::new(1));
    demo.write(&Destination::named(&file), &WriteOptions::default(), &run)?;

    let mut job = ScanJob::new(Input::named(&file));
    job.quasi_identifiers = Some(["age", "sex", "town"].map(String::from).to_vec());
    let report = job.run(&run)?;
    let classes = report.quasi_identifiers.ok_or("the columns are there")?;
    for threshold in &classes.below {
        println!("in classes below {}: {} of {} rows", threshold.k, threshold.rows, report.rows);
    }
    let pairs = report.singled_out.map(|part| part.pairs).unwrap_or_default();
    for pair in &pairs {
        println!("{}: {} rows singled out", pair.columns.join(" and "), pair.rows_alone);
    }
    Ok(())
}
