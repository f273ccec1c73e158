//! Figures of what a release loses, and how they are written as SVG.
//!
//! They have names of columns, counts and shares; values of cells only where the report has them.

mod association;
mod bars;
mod marginal;

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use muslin_io::{Cause, Input, OutputProblem, Prepared};

pub use self::association::association_figure;
pub use self::bars::loss_figure;
pub use self::marginal::marginal_figure;

use crate::diff::DiffReport;
use crate::{Error, Result};

/// An error where no plot could be written: who cannot write need not wait.
pub(crate) fn check(folder: &Path) -> Result<()> {
    let above = folder.parent().filter(|above| !above.as_os_str().is_empty());
    let problem = if folder.is_dir() || above.is_none_or(Path::is_dir) && !folder.exists() {
        return Ok(());
    } else if folder.exists() {
        ErrorKind::NotADirectory
    } else {
        ErrorKind::NotFound
    };
    Err(unwritable(folder, problem))
}

fn unwritable(folder: &Path, cause: impl Into<Cause>) -> Error {
    let problem = OutputProblem::Unwritable(cause.into());
    Error::Io(muslin_io::Error::Output { file: folder.display().to_string(), problem })
}

/// Writes the plots of a report into a folder, which is made if it is not there: all or none, and over
/// nothing but earlier plots.
pub(crate) fn write(report: &DiffReport, folder: &Path, inputs: &[&Input]) -> Result<Vec<String>> {
    let is_new = !folder.is_dir();
    if is_new {
        std::fs::create_dir(folder).map_err(|error| unwritable(folder, error))?;
    }
    let written = write_all(report, folder, inputs);
    if is_new && written.is_err() {
        // It is empty: nothing else is removed by this.
        let _ = std::fs::remove_dir(folder);
    }
    written
}

fn write_all(report: &DiffReport, folder: &Path, inputs: &[&Input]) -> Result<Vec<String>> {
    let paths = inputs.iter().filter_map(|input| match input {
        Input::Path(path) => Some(path.clone()),
        Input::Stdin | Input::Memory(_) => None,
    });
    let inputs: Vec<_> = paths.collect();
    let mut plots = vec![("loss.svg".to_owned(), loss_figure(&report.columns))];
    plots.push(("association.svg".to_owned(), association_figure(&report.association)));
    for (number, marginal) in (1..).zip(&report.marginals) {
        plots.push((file_name(number, &marginal.column), marginal_figure(number, marginal)));
    }
    let (mut prepared, mut written) = (Vec::new(), Vec::new());
    for (name, plot) in plots.into_iter().filter(|(_, plot)| !plot.chart.is_empty()) {
        let path = folder.join(name);
        let file = path.display().to_string();
        if path.exists() && !is_plot(&path, &plot.id) {
            let problem = OutputProblem::NotReplaced;
            return Err(Error::Io(muslin_io::Error::Output { file, problem }));
        }
        prepared.push(Prepared::text(&plot.to_svg(), &path, &inputs)?);
        written.push(file);
    }
    Prepared::place_all(prepared)?;
    Ok(written)
}

/// Whether a file begins as the plot does that is written by its name. Nobody named it, so nothing else is replaced.
fn is_plot(path: &Path, id: &str) -> bool {
    const HEAD: u64 = 1 << 10;
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    let head = String::from_utf8_lossy(&head);
    let label = format!("aria-labelledby=\"{id}-title {id}-says\"");
    read.is_ok() && head.starts_with("<svg ") && head.contains(&label)
}

/// A file's name that every system takes: the number tells columns apart.
fn file_name(number: usize, column: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = column.chars().take(40).map(plain).collect();
    let name = name.trim_matches('-');
    let joint = if name.is_empty() { "" } else { "-" };
    format!("marginal-{number:03}{joint}{name}.svg")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_plain() {
        assert_eq!(file_name(3, "Marital status"), "marginal-003-marital-status.svg");
        assert_eq!(file_name(12, "../../x\0"), "marginal-012-x.svg");
        assert_eq!(file_name(1, "日本"), "marginal-001.svg");
    }
}
