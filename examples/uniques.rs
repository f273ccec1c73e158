//! Finds the minimal uniques of example data: prints the riskiest rows and writes every score.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use muslin::{
    DemoData, Destination, Input, Run, Seed, UniquesJob, UniquesOutput, UniquesTable, WriteOptions,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("hospital.parquet");
    let run = Run::new();
    let demo = DemoData::new(2_000, Seed::new(1));
    demo.write(&Destination::named(&file), &WriteOptions::default(), &run)?;

    let mut job = UniquesJob::new(Input::named(&file));
    let columns = ["age", "sex", "town", "education", "occupation"];
    job.read.columns = muslin::ColumnChoice::Only(columns.map(String::from).to_vec());
    let scores = Destination::named(folder.path().join("scores.csv"));
    job.output = Some(UniquesOutput::new(UniquesTable::Scores, scores));
    let report = job.run(&run)?;
    let rows = report.rows_with_uniques.unwrap_or_default();
    println!("{} minimal uniques in {rows} rows", report.total);
    for row in report.top_rows.iter().take(3) {
        println!("row {}: SUDA {}, {} minimal uniques", row.row, row.suda, row.uniques);
    }
    Ok(())
}
