//! `cargo xtask demo`: the program on example data, every line shown before it runs.

use crate::failure::Result;
use crate::program::{Profile, Program};
use crate::workspace::Workspace;

/// Rows of the example table: a moment's work that still fills every report.
const ROWS: u32 = 10_000;

/// Builds the program, writes the example table and scans it.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let program = Program::build(workspace, Profile::Release)?;
    let file = workspace.target("demo/hospital.csv");
    program.write_hospital(ROWS, &file)?;
    // Its empty cells are missing.
    program.call().args(["scan"]).args([file]).args(["--null", ""]).run()
}
