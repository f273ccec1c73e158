//! Cuts the links between columns of example data, and says what that hides.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use muslin::{
    ColumnChoice, DemoData, Destination, Input, ReleaseOutput, Run, Seed, SliceJob, WriteOptions,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("hospital.parquet");
    let run = Run::new();
    let demo = DemoData::new(2_000, Seed::new(1));
    demo.write(&Destination::named(&file), &WriteOptions::default(), &run)?;

    let mut job = SliceJob::new(Input::named(&file), 2);
    job.sensitive = Some("blood_group".into());
    let columns = ["age", "sex", "marital_status", "education", "blood_group"];
    job.read.columns = ColumnChoice::Only(columns.map(str::to_owned).to_vec());
    let release = folder.path().join("release.csv");
    job.output = Some(ReleaseOutput::new(Destination::named(&release)));
    let report = job.run(&run)?;

    for slice in &report.slices {
        println!("together: {}", slice.join(", "));
    }
    println!("{} buckets, an l of {:?}", report.buckets, report.effective_l);
    if let Some(membership) = &report.membership {
        // None where they are more than a number can say.
        if let (Some(fakes), Some(all)) = (membership.fakes, membership.consistent) {
            println!("{fakes} of {all} combinations are fake");
        }
    }
    Ok(())
}
