//! Finds which columns of example data can be published together, and writes them.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use muslin::{
    DemoData, Destination, Input, MaskJob, MaskMethod, Measure, ReleaseOutput, Role, Run, Seed,
    Target, WriteOptions,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("hospital.parquet");
    let run = Run::new();
    let demo = DemoData::new(2_000, Seed::new(1));
    demo.write(&Destination::named(&file), &WriteOptions::default(), &run)?;

    let target = Target::new(Measure::Distinct, "0.1".parse()?);
    let mut job = MaskJob::new(Input::named(&file), target);
    job.roles = ["patient_id", "name"].map(|name| (name.to_owned(), Role::Identifier)).into();
    job.method = MaskMethod::Exact;
    let release = folder.path().join("release.csv");
    job.output = Some(ReleaseOutput::new(Destination::named(&release)));
    let report = job.run(&run)?;

    println!("published: {}", report.publish.join(", "));
    println!("masked: {}", report.masked.join(", "));
    println!("distinct ratio {}, {} rows alone", report.ratio, report.rows_alone);
    Ok(())
}
