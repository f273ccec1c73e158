use std::collections::BTreeMap;

use muslin::{Document, DocumentFormat, Figure, Memory};
use pyo3::prelude::*;

use crate::errors::Failed;
use crate::table::Table;

/// What came out of a call.
#[derive(Default)]
pub(crate) struct Done {
    /// The report.
    pub(crate) json: String,
    pub(crate) document: Option<Document>,
    pub(crate) figures: Vec<Figure>,
    /// Why it is not all that was asked for.
    pub(crate) stopped: Option<String>,
}

/// What came out of a call, for Python.
#[pyclass(frozen, module = "muslin")]
pub(crate) struct Answer {
    pub(crate) done: Done,
    /// Tables by the setting that asked for them.
    pub(crate) held: Vec<(String, Memory)>,
}

#[pymethods]
impl Answer {
    /// The report as JSON, as the command line prints it.
    #[getter]
    fn json(&self) -> &str {
        &self.done.json
    }

    /// Why it is not all that was asked for, if it is not.
    #[getter]
    fn stopped(&self) -> Option<&str> {
        self.done.stopped.as_deref()
    }

    /// Tables that were made, by the setting that asked for them.
    #[getter]
    fn tables(&self) -> BTreeMap<String, Table> {
        let table = |(name, memory): &(String, Memory)| {
            Some((name.clone(), Table { batches: memory.batches()? }))
        };
        self.held.iter().filter_map(table).collect()
    }

    /// Plots: name, title and SVG.
    #[getter]
    fn plots(&self) -> Vec<(String, String, String)> {
        let of_document = self.done.document.iter().flat_map(Document::figures);
        let all = of_document.chain(&self.done.figures).filter(|own| !own.chart.is_empty());
        all.map(|own| (own.id.clone(), own.title.clone(), own.to_svg())).collect()
    }

    /// The report for people as a page, Markdown or JSON, where there is one.
    fn page(&self, py: Python<'_>, format: &str) -> PyResult<Option<String>> {
        let Some(document) = &self.done.document else { return Ok(None) };
        let format = match format {
            "markdown" => DocumentFormat::Markdown,
            "json" => DocumentFormat::Json,
            _ => DocumentFormat::Html,
        };
        format.spell(document).map(Some).map_err(|error| Failed::from(error).raise(py))
    }
}
