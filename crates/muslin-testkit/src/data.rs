//! Real data sets that some tests use and that are no part of the project.

use std::path::{Path, PathBuf};

/// A file of the folder `shared/data` next to the project, or nothing where it is absent: tests
/// that need it then say so and pass.
pub fn real(name: &str) -> Option<PathBuf> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
    let path = project.parent()?.join("shared").join("data").join(name);
    path.exists().then_some(path)
}
