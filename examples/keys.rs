//! Finds which columns of example data tell its rows apart: the cheapest key, and every minimal set
//! that makes nine classes of ten rows.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use muslin::{
    AllSets, ColumnChoice, DemoData, Destination, Input, KeysAnswer, KeysJob, KeysQuestion,
    Measure, Run, Seed, Target, WriteOptions,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("hospital.parquet");
    let run = Run::new();
    let demo = DemoData::new(2_000, Seed::new(1));
    demo.write(&Destination::named(&file), &WriteOptions::default(), &run)?;

    let mut job = KeysJob::new(Input::named(&file));
    let identifiers = ["patient_id", "name", "charge"];
    job.read.columns = ColumnChoice::Except(identifiers.map(String::from).to_vec());
    job.distinct_rows = true;
    job.question = KeysQuestion::Minimum { target: Target::key(), exact: true };
    if let KeysAnswer::Minimum(minimum) = job.run(&run)?.answer
        && let Some(set) = minimum.set
    {
        println!("no key has fewer columns than {}", set.join(", "));
    }

    let target = Target::new(Measure::Distinct, "0.9".parse()?);
    job.question = KeysQuestion::All(AllSets::new(target));
    if let KeysAnswer::All(all) = job.run(&run)?.answer {
        println!("{} minimal sets make at least 0.9 classes per row:", all.total);
        for (set, facts) in all.sets.iter().zip(&all.set_facts).take(3) {
            println!("{}: {} rows singled out", set.join(", "), facts.rows_alone);
        }
    }
    Ok(())
}
