//! Generalizes example data and says what an analyst loses by it.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use muslin::{
    DemoData, Destination, DiffJob, GeneralizeJob, Input, ReleaseOutput, Role, Run, Seed,
    WriteOptions,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("hospital.parquet");
    let run = Run::new();
    let demo = DemoData::new(2_000, Seed::new(1));
    demo.write(&Destination::named(&file), &WriteOptions::default(), &run)?;

    let quasi =
        ["age", "sex", "marital_status", "education"].map(|name| (name, Role::QuasiIdentifier));
    let identifiers = ["patient_id", "name"].map(|name| (name, Role::Identifier));
    let mut job = GeneralizeJob::new(Input::named(&file), 5);
    job.roles =
        quasi.into_iter().chain(identifiers).map(|(n, role)| (n.to_owned(), role)).collect();
    let release = folder.path().join("release.csv");
    job.output = Some(ReleaseOutput::new(Destination::named(&release)));
    let roles = job.roles.clone();
    job.run(&run)?;

    let mut diff = DiffJob::new(Input::named(&file), Input::named(&release));
    diff.roles = roles;
    diff.plots = Some(folder.path().join("plots"));
    let report = diff.run(&run)?;
    for column in &report.columns {
        println!("{}: {:.1} % lost", column.name, column.ncp * 100.0);
    }
    println!("GCP {:.4}, by values {:.4}", report.loss.gcp, report.loss.gcp_by_values);
    println!("{}: {:?} at the median", report.queries.definition, report.queries.median);
    println!("{} plots", report.written.len());
    Ok(())
}
