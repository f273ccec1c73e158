//! Internal: the door for Python. It converts, calls and converts; names, defaults and checks are those of the
//! command line.
//!
//! ```text
//! frames, settings -> settings (words) -> muslin-command -> a job -> call (on a thread of its own) -> answer
//! ```

mod answer;
mod call;
mod errors;
mod kernel;
mod settings;
mod table;
mod watch;

use pyo3::prelude::*;

/// What the Python files of the package are written on.
#[pymodule]
mod _muslin {
    #[pymodule_export]
    use crate::answer::Answer;
    #[pymodule_export]
    use crate::call::{call, flags, spelled};
    #[pymodule_export]
    use crate::table::Table;

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
