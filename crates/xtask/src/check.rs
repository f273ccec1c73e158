//! `cargo xtask check`: what every change must pass.
//!
//! The steps run in order and the first failure ends the run. The table at the end lists
//! every step, also those that did not run, so a short run cannot pass for a full one.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::failure::{Failure, Result};
use crate::generate::{self, Mode};
use crate::process::Call;
use crate::workspace::Workspace;
use crate::{deps, python, test};

/// How much of the gate runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The steps that are quick enough to run before every commit.
    Fast,
    /// All steps.
    Full,
}

struct Step {
    name: &'static str,
    run: fn(&Workspace) -> Result<Done>,
}

/// How a step ended when it did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Done {
    Passed,
    /// A tool is missing; the step said so.
    LeftOut,
}

/// A row of the table at the end.
struct Line {
    name: &'static str,
    time: Option<Duration>,
    outcome: &'static str,
}

const FAST: &[Step] = &[
    Step { name: "fmt", run: |_| fmt().map(passed) },
    Step { name: "clippy", run: |_| clippy().map(passed) },
    Step { name: "deps", run: |_| deps::run().map(passed) },
    Step { name: "gen", run: |_| generate::run(Mode::Check).map(passed) },
];

const SLOW: &[Step] = &[
    Step { name: "test", run: |workspace| test::run(workspace, &[]).map(passed) },
    Step { name: "python", run: |_| python() },
    Step { name: "doc", run: |_| doc().map(passed) },
    Step { name: "deny", run: |_| deny() },
    Step { name: "features", run: |workspace| features(workspace).map(passed) },
];

/// Runs the steps of `scope`.
pub(crate) fn run(workspace: &Workspace, scope: Scope) -> Result<()> {
    let wanted = match scope {
        Scope::Fast => FAST.len(),
        Scope::Full => FAST.len() + SLOW.len(),
    };
    let mut lines = Vec::new();
    let mut failure = None;
    for (place, step) in FAST.iter().chain(SLOW).enumerate() {
        if failure.is_some() || place >= wanted {
            lines.push(Line { name: step.name, time: None, outcome: "not run" });
            continue;
        }
        println!("\n== {} ==", step.name);
        let start = Instant::now();
        let result = (step.run)(workspace);
        let time = Some(start.elapsed());
        let outcome = match result {
            Ok(Done::Passed) => "passed",
            Ok(Done::LeftOut) => "left out",
            Err(error) => {
                failure = Some(error);
                "failed"
            }
        };
        lines.push(Line { name: step.name, time, outcome });
    }
    println!("\n{}", table(&lines));
    failure.map_or(Ok(()), Err)
}

fn passed((): ()) -> Done {
    Done::Passed
}

fn fmt() -> Result<()> {
    component("fmt", "rustfmt")?;
    Call::cargo(["fmt", "--all", "--check"]).hint("run `cargo fmt --all`").run()
}

fn clippy() -> Result<()> {
    component("clippy", "clippy")?;
    Call::cargo(["clippy", "--workspace", "--all-targets", "--all-features"])
        .args(["--", "-D", "warnings"])
        .run()
}

fn doc() -> Result<()> {
    Call::cargo(["doc", "--workspace", "--all-features", "--no-deps"])
        .env("RUSTDOCFLAGS", "-D warnings")
        .run()
}

fn python() -> Result<Done> {
    if !python::is_there() {
        println!("there is no Python of version 3.10 with venv: the Python package is not tested");
        return Ok(Done::LeftOut);
    }
    // Whoever has no registry at hand can still check the rest; the table says what was left out.
    match python::prepared() {
        Ok(environment) => environment.run().map(passed),
        Err(failure) => {
            println!("{failure}\nthe Python package is not tested");
            Ok(Done::LeftOut)
        }
    }
}

fn deny() -> Result<Done> {
    if !Call::cargo(["deny", "--version"]).works() {
        println!(
            "cargo-deny is not installed: licences and bans were checked by `xtask deps` alone"
        );
        return Ok(Done::LeftOut);
    }
    Call::cargo(["deny", "check", "licenses", "bans", "sources"]).run().map(passed)
}

/// Features only add, so crates build without any and with each one alone. Crates that have the same one are built
/// together: it brings the same large libraries to all of them.
fn features(workspace: &Workspace) -> Result<()> {
    let check = |packages: &[&str]| {
        let chosen = packages.iter().flat_map(|&name| ["-p", name]);
        Call::cargo(["check", "--no-default-features"]).args(chosen)
    };
    let mut by_feature: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in workspace.members() {
        for feature in package.features() {
            by_feature.entry(feature).or_default().push(&package.name);
        }
    }
    let all: BTreeSet<&str> = by_feature.values().flatten().copied().collect();
    if !all.is_empty() {
        check(&all.into_iter().collect::<Vec<_>>()).run()?;
    }
    for (feature, packages) in &by_feature {
        let features: Vec<String> =
            packages.iter().map(|package| format!("{package}/{feature}")).collect();
        check(packages).args(["--features", &features.join(",")]).run()?;
    }
    Ok(())
}

/// Fails when a part of the toolchain that a step needs is not there.
fn component(command: &str, component: &str) -> Result<()> {
    if Call::cargo([command, "--version"]).works() {
        return Ok(());
    }
    let message = format!("{component} is not installed");
    Err(Failure::new(message, format!("run `rustup component add {component}`")))
}

fn table(lines: &[Line]) -> String {
    let row = |name: &str, time: &str, outcome: &str| format!("{name:<10} {time:>8}  {outcome}\n");
    let mut text = row("step", "seconds", "outcome");
    for line in lines {
        let time = line.time.map(|time| format!("{:.1}", time.as_secs_f64()));
        text += &row(line.name, time.as_deref().unwrap_or("-"), line.outcome);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_lists_steps_that_did_not_run() {
        let lines = [
            Line { name: "fmt", time: Some(Duration::from_millis(1240)), outcome: "failed" },
            Line { name: "clippy", time: None, outcome: "not run" },
        ];
        let expected = "\
step        seconds  outcome
fmt             1.2  failed
clippy            -  not run
";
        assert_eq!(table(&lines), expected);
    }
}
