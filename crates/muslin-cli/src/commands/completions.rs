use clap::CommandFactory;

use super::{Outcome, print};
use crate::exit::Exit;
use muslin_command::args::Args;

/// Prints a completion script.
pub(crate) fn run(shell: clap_complete::Shell) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "muslin", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Fine)
}
