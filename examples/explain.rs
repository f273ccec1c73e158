//! Says why the riskiest row of example data stands out, and which of three columns matters most.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use muslin::{
    ColumnChoice, DemoData, Destination, ExplainAnswer, ExplainJob, ExplainQuestion, Input, Run,
    Seed, UniquesJob, WriteOptions,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("hospital.parquet");
    let run = Run::new();
    let demo = DemoData::new(2_000, Seed::new(1));
    demo.write(&Destination::named(&file), &WriteOptions::default(), &run)?;

    let columns = ["age", "sex", "town", "education", "occupation"].map(String::from).to_vec();
    let mut search = UniquesJob::new(Input::named(&file));
    search.read.columns = ColumnChoice::Only(columns);
    let riskiest = search.run(&run)?.top_rows[0].row;

    let mut job = ExplainJob::new(Input::named(&file), ExplainQuestion::Row(riskiest));
    job.read = search.read;
    if let ExplainAnswer::Row(row) = job.run(&run)?.answer {
        println!("row {riskiest} is singled out by {} sets of values:", row.total);
        for set in &row.uniques {
            println!("{}", set.join(", "));
        }
        for near in &row.nearest {
            println!("row {} differs in {}", near.row, near.columns.join(", "));
        }
    }

    let set = ["age", "sex", "town"].map(String::from).to_vec();
    let job = ExplainJob::new(Input::named(&file), ExplainQuestion::Columns(set));
    if let ExplainAnswer::Columns(set) = job.run(&run)?.answer {
        for without in &set.without {
            let alone = without.ratios.rows_alone.unwrap_or(0);
            println!("without {}: {alone} rows are singled out", without.column);
        }
    }
    Ok(())
}
