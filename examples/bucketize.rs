//! Puts rows of example data into buckets, and writes them as two tables.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use muslin::{
    BucketizeJob, DemoData, Destination, Input, ReleaseOutput, Role, Run, Seed, WriteOptions,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("hospital.parquet");
    let run = Run::new();
    let demo = DemoData::new(2_000, Seed::new(1));
    demo.write(&Destination::named(&file), &WriteOptions::default(), &run)?;

    let mut job = BucketizeJob::new(Input::named(&file), 2);
    job.sensitive = Some("blood_group".into());
    job.read.null = vec![String::new()];
    job.roles = ["patient_id", "name"].map(|name| (name.to_owned(), Role::Identifier)).into();
    let to = |name: &str| ReleaseOutput::new(Destination::named(folder.path().join(name)));
    job.output = Some(to("rows.csv"));
    job.sensitive_output = Some(to("values.csv"));
    let report = job.run(&run)?;

    println!("{} buckets of {:?} rows or more", report.buckets, report.smallest);
    println!("no value is told with a probability above {}", report.max_p);
    println!("an error of {}, at least {}", report.loss.rce, report.loss.rce_bound);
    Ok(())
}
