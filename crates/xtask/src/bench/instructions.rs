//! Instruction counts, by callgrind.

use std::path::Path;

use crate::failure::{Failure, Result};
use crate::process::Call;
use crate::program::{Profile, Program};
use crate::workspace::Workspace;

/// Rows of the table; the file names say so too.
const ROWS: u32 = 200_000;

/// One file for each format we read.
const FILES: [&str; 2] = ["bench-data/hospital-200k.csv", "bench-data/hospital-200k.parquet"];

/// Counts the instructions of a scan of each file, on one thread.
pub(super) fn run(workspace: &Workspace) -> Result<()> {
    if !Call::new("valgrind").args(["--version"]).works() {
        println!("valgrind is not installed: no instructions were counted");
        return Ok(());
    }
    let program = Program::build(workspace, Profile::Bench)?;
    let mut counts = Vec::new();
    for file in FILES {
        let path = workspace.target(file);
        program.write_hospital(ROWS, &path)?;
        counts.push((path.display().to_string(), count(&program, &path)?));
    }
    println!("\n{:>16}  case", "instructions");
    for (file, count) in counts {
        println!("{count:>16}  scan {file}");
    }
    Ok(())
}

fn count(program: &Program, file: &Path) -> Result<u64> {
    let call = Call::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args([program.path()])
        .args(["scan", "--threads", "1"])
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
