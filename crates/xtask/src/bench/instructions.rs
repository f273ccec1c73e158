//! Instruction counts, by callgrind.

use std::path::Path;

use crate::failure::{Failure, Result};
use crate::process::Call;
use crate::program::{Profile, Program};
use crate::workspace::Workspace;

/// What is counted: a command with its settings, and the table that it looks at.
struct Case {
    command: &'static [&'static str],
    rows: u32,
    file: &'static str,
}

const CASES: [Case; 4] = [
    Case { command: &["scan"], rows: 200_000, file: "bench-data/hospital-200k.csv" },
    Case { command: &["scan"], rows: 200_000, file: "bench-data/hospital-200k.parquet" },
    Case {
        command: &["uniques", "--max-size", "3", "--method", "agree-sets"],
        rows: 5_000,
        file: "bench-data/hospital-5k.csv",
    },
    Case {
        command: &["uniques", "--max-size", "2", "--method", "column-sets"],
        rows: 20_000,
        file: "bench-data/hospital-20k.csv",
    },
];

/// Counts the instructions of each case, on one thread.
pub(super) fn run(workspace: &Workspace) -> Result<()> {
    if !Call::new("valgrind").args(["--version"]).works() {
        println!("valgrind is not installed: no instructions were counted");
        return Ok(());
    }
    let program = Program::build(workspace, Profile::Bench)?;
    let mut counts = Vec::new();
    for case in CASES {
        let path = workspace.target(case.file);
        program.write_hospital(case.rows, &path)?;
        let name = format!("{} {}", case.command.join(" "), path.display());
        counts.push((name, count(&program, case.command, &path)?));
    }
    println!("\n{:>16}  case", "instructions");
    for (name, count) in counts {
        println!("{count:>16}  {name}");
    }
    Ok(())
}

fn count(program: &Program, command: &[&str], file: &Path) -> Result<u64> {
    let call = Call::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args([program.path()])
        .args(command)
        .args(["--threads", "1"])
        .args([file]);
    println!("$ {call}");
    let output = call.captured()?;
    collected(&String::from_utf8_lossy(&output.stderr)).ok_or_else(|| {
        let message = format!("`{}`: callgrind gave no instruction count", file.display());
        Failure::new(message, "run the line above by hand and look for `Collected`")
    })
}

/// The count in callgrind's last lines, such as `==12== Collected : 345`.
fn collected(talk: &str) -> Option<u64> {
    talk.lines().rev().find_map(|line| {
        let (_, counts) = line.strip_prefix("==")?.split_once("== Collected :")?;
        counts.split_whitespace().next()?.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_found_among_the_talk() {
        let talk =
            "==7== Events    : Ir\n==7== Collected : 123456\n==7== \n==7== I   refs: 123,456";
        assert_eq!(collected(talk), Some(123_456));
        assert_eq!(collected("==7== Events    : Ir"), None);
    }
}
