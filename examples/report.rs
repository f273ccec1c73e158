//! A report of example data as one page and as Markdown.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use muslin::{DemoData, Destination, Input, ReportJob, Run, Seed, WriteOptions, write_document};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("hospital.parquet");
    let run = Run::new();
    let demo = DemoData::new(2_000, Seed::new(0));
    demo.write(&Destination::named(&file), &WriteOptions::default(), &run)?;

    let job = ReportJob::new(Input::named(&file));
    let document = job.run(&run)?;
    println!("{}", document.verdict.headline);
    for name in ["report.html", "report.md"] {
        let page = folder.path().join(name);
        write_document(&document, &page, &[&job.input])?;
        println!("{name}: {} bytes", std::fs::metadata(&page)?.len());
    }
    Ok(())
}
