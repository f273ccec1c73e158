//! A report of example data as one page, for those who have it and for everybody.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use muslin::{
    Audience, DemoData, Destination, Input, ReportJob, Run, Seed, WriteOptions, write_document,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("hospital.parquet");
    let run = Run::new();
    let demo = DemoData::new(2_000, Seed::new(0));
    demo.write(&Destination::named(&file), &WriteOptions::default(), &run)?;

    for audience in [Audience::Internal, Audience::External] {
        let mut job = ReportJob::new(Input::named(&file));
        job.audience = audience;
        let document = job.run(&run)?;
        let page = folder.path().join(format!("{}.html", audience.name()));
        write_document(&document, &page, &[&job.input])?;
        let bytes = std::fs::metadata(&page)?.len();
        println!("{}: {} sections, {bytes} bytes", audience.name(), document.sections.len());
    }
    Ok(())
}
