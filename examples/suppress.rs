//! Withholds cells of example data until every row is one of three, and writes the release.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use muslin::{
    DemoData, Destination, Input, ReleaseOutput, Role, Run, Seed, SuppressJob, WriteOptions,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("hospital.parquet");
    let run = Run::new();
    let demo = DemoData::new(2_000, Seed::new(1));
    demo.write(&Destination::named(&file), &WriteOptions::default(), &run)?;

    let mut job = SuppressJob::new(Input::named(&file), 3);
    let quasi =
        ["age", "sex", "marital_status", "education"].map(|name| (name, Role::QuasiIdentifier));
    let identifiers = ["patient_id", "name"].map(|name| (name, Role::Identifier));
    job.roles =
        quasi.into_iter().chain(identifiers).map(|(n, role)| (n.to_owned(), role)).collect();
    let release = folder.path().join("release.csv");
    job.output = Some(ReleaseOutput::new(Destination::named(&release)));
    let report = job.run(&run)?;

    for column in &report.columns {
        println!("{}: {} cells withheld", column.name, column.suppressed);
    }
    println!("{} cells, at least {} are needed", report.suppressed_cells, report.lower_bound);
    println!("every row equals at least {:?} published rows", report.notions.n6);
    Ok(())
}
