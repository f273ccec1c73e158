//! Takes columns of example data to levels until every row is one of five, and writes the release.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use muslin::{
    DemoData, Destination, GeneralizeJob, HierarchyRule, HierarchySource, Input, Recoding,
    ReleaseOutput, Role, Run, Seed, Spread, SpreadSetting, WriteOptions,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("hospital.parquet");
    let run = Run::new();
    let demo = DemoData::new(2_000, Seed::new(1));
    demo.write(&Destination::named(&file), &WriteOptions::default(), &run)?;

    let mut job = GeneralizeJob::new(Input::named(&file), 5);
    let quasi =
        ["age", "sex", "marital_status", "education"].map(|name| (name, Role::QuasiIdentifier));
    let identifiers = ["patient_id", "name"].map(|name| (name, Role::Identifier));
    job.roles =
        quasi.into_iter().chain(identifiers).map(|(n, role)| (n.to_owned(), role)).collect();
    let ages = HierarchyRule::Widths(vec![5.0, 10.0, 20.0]);
    job.hierarchies.set("age", HierarchySource::Rule(ages));
    job.recoding = Recoding::Local;
    let spread = Spread::Distinct { l: 2 };
    job.spreads.push(SpreadSetting { column: "diagnosis".into(), spread });
    let release = folder.path().join("release.csv");
    job.output = Some(ReleaseOutput::new(Destination::named(&release)));
    let report = job.run(&run)?;

    for column in &report.columns {
        println!("{}: {:.1} % lost", column.name, 100.0 * column.gcp);
    }
    println!("{} classes, {} rows withheld", report.classes, report.removed_rows);
    for claim in &report.claims {
        println!("holds: {claim}");
    }
    Ok(())
}
