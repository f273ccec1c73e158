//! Arrow streams in capsules, as other libraries hand them over. The only unsafe code of this crate.
#![expect(unsafe_code, reason = "the Arrow C stream interface is one of pointers")]

use std::ffi::CStr;

use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_schema::ArrowError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods};

/// The name that the interface gives to capsules of streams.
const STREAM: &CStr = c"arrow_array_stream";

/// The stream of a capsule, which is empty afterwards.
pub(crate) fn import(
    capsule: &Bound<'_, PyCapsule>,
) -> PyResult<Result<ArrowArrayStreamReader, ArrowError>> {
    let pointer = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name holds a pointer to an initialized stream (the interface's promise), which
    // stays valid while the capsule does; the stream is moved out, and the one left behind is marked as released.
    Ok(unsafe { ArrowArrayStreamReader::from_raw(pointer.as_ptr()) })
}

/// A capsule of a stream, which releases it if nobody took it.
pub(crate) fn export(
    py: Python<'_>,
    stream: FFI_ArrowArrayStream,
) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, stream, STREAM)
}
