use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use muslin::{Batches, printable};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::raise;
use crate::kernel;

/// A table in memory. Whatever reads the Arrow `PyCapsule` interface takes it as it is.
#[pyclass(frozen, module = "muslin")]
pub(crate) struct Table {
    pub(crate) batches: Batches,
}

#[pymethods]
impl Table {
    /// Takes the batches of something with the Arrow `PyCapsule` interface, without copying them.
    #[staticmethod]
    fn read(py: Python<'_>, data: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        let capsule = data.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
        let reader = kernel::import(&capsule)?;
        let taken = py.detach(|| {
            let reader = reader?;
            let schema = reader.schema();
            let batches = reader.collect::<Result<Vec<RecordBatch>, _>>()?;
            Ok::<_, arrow_schema::ArrowError>(Batches::new(name, schema, batches))
        });
        // What the other library says may quote a cell.
        let unreadable = |_| {
            let name = printable(name);
            let text = format!(
                "{name}: its Arrow stream cannot be read\n  hint: check that it is a table of plain columns"
            );
            raise(py, "InputError", &text)
        };
        Ok(Self { batches: taken.map_err(unreadable)? })
    }

    /// The stream of its batches.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Another schema is a wish that need not be met.
        let _ = requested_schema;
        let batches: Vec<_> = self.batches.batches().iter().cloned().map(Ok).collect();
        let reader = RecordBatchIterator::new(batches, self.batches.schema().clone());
        kernel::export(py, FFI_ArrowArrayStream::new(Box::new(reader)))
    }

    /// Names of its columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.batches.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Number of its rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batches.batches().iter().map(RecordBatch::num_rows).sum()
    }

    fn __len__(&self) -> usize {
        self.num_rows()
    }

    /// The names and the number of rows, and no cell.
    fn __repr__(&self) -> String {
        let names = self.column_names();
        let names: Vec<_> = names.iter().map(|name| printable(name)).collect();
        format!("muslin.Table({} rows: {})", self.num_rows(), names.join(", "))
    }
}
