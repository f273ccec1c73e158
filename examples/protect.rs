//! From a policy to a release that is rehearsed, made, judged and attacked, on example data.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use muslin::{
    AttackJob, DemoData, Destination, Input, Policy, ProtectJob, Run, Seed, VerifyJob, WriteOptions,
};

const POLICY: &str = include_str!("hospital.toml");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("hospital.csv");
    let run = Run::new();
    let demo = DemoData::new(10_000, Seed::new(0));
    demo.write(&Destination::named(&file), &WriteOptions::default(), &run)?;

    let policy = Policy::parse("hospital.toml", POLICY)?;
    let release = folder.path().join("release");
    let job = ProtectJob::new(Input::named(&file), policy, &release);
    let plan = job.rehearse(&run)?;
    println!("{} rows, about {} MB", plan.rows, plan.estimated_bytes / 1_000_000);
    let made = job.run(&run)?;
    println!(
        "{} rows published, information loss on the quasi-identifiers {:.1} % (GCP)",
        made.rows_after,
        made.loss.gcp * 100.0
    );

    let mut verify = VerifyJob::new(Input::named(&release));
    verify.original = Some(Input::named(&file));
    verify.original_read = Some(job.read.clone());
    verify.roles = job.roles.clone();
    verify.hierarchies = job.policy.hierarchies();
    for check in verify.run(&run)?.checks {
        println!("{}: {}", if check.met { "met" } else { "not met" }, check.claim);
    }

    let mut attack = AttackJob::new(Input::named(&release));
    attack.original = Some(Input::named(&file));
    attack.original_read = Some(job.read.clone());
    attack.roles = job.roles.clone();
    attack.hierarchies = job.policy.hierarchies();
    for own in attack.run(&run)?.attacks {
        println!("{}: certain of {} of {}", own.name, own.certain, own.targets);
    }
    Ok(())
}
