//! Attacks two releases of example data: one with as few blanks as needed, and one that defends itself.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use muslin::{
    AttackJob, DemoData, Destination, Input, ReleaseOutput, Role, Run, Seed, SuppressJob,
    WriteOptions,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("hospital.parquet");
    let run = Run::new();
    let demo = DemoData::new(1_000, Seed::new(1));
    demo.write(&Destination::named(&file), &WriteOptions::default(), &run)?;

    for robust in [false, true] {
        let release = folder.path().join("release.csv");
        let mut job = SuppressJob::new(Input::named(&file), 3);
        let quasi =
            ["age", "sex", "marital_status", "education"].map(|name| (name, Role::QuasiIdentifier));
        let identifiers = ["patient_id", "name"].map(|name| (name, Role::Identifier));
        let roles = quasi.into_iter().chain(identifiers);
        job.roles = roles.map(|(name, role)| (name.to_owned(), role)).collect();
        job.robust = robust;
        job.output = Some(ReleaseOutput::new(Destination::named(&release)));
        let made = job.run(&run)?;

        let mut attack = AttackJob::new(Input::named(&release));
        attack.original = Some(Input::named(&file));
        attack.roles = job.roles.clone();
        attack.k = Some(3);
        attack.only = Some(vec!["disambiguation".into(), "row-order".into()]);
        let report = attack.run(&run)?;
        println!("{} cells withheld, robust: {robust}", made.suppressed_cells);
        for attack in &report.attacks {
            println!("  {}: certain of {} of {}", attack.name, attack.certain, attack.targets);
        }
    }
    Ok(())
}
