//! `cargo xtask bench`: times, instruction counts, and other programs beside ours.

mod instructions;
mod peers;
mod scale;

pub(crate) use self::peers::Subject;

use crate::failure::Result;
use crate::process::Call;
use crate::workspace::Workspace;

/// What to measure, in order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// At least one part.
    pub(crate) parts: Vec<Part>,
    /// Passed on to the benchmark programs, to the script of [`Part::Peers`] or to the generator
    /// of [`Part::Scale`].
    pub(crate) args: Vec<String>,
}

/// One way of measuring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The benchmark programs of the workspace.
    Benches,
    /// Instructions, counted by valgrind: the same number on a busy machine.
    Instructions,
    /// Other programs on the same data.
    Peers(Subject),
    /// A table larger than memory.
    Scale,
}

/// Measures each part.
pub(crate) fn run(workspace: &Workspace, settings: &Settings) -> Result<()> {
    settings.parts.iter().try_for_each(|part| match part {
        Part::Benches => {
            Call::cargo(["bench", "--workspace", "--benches", "--"]).args(&settings.args).run()
        }
        Part::Instructions => instructions::run(workspace),
        Part::Peers(subject) => peers::run(workspace, *subject, &settings.args),
        Part::Scale => scale::run(workspace, &settings.args),
    })
}
