"""Frames of other libraries, in and out. Nothing is imported that is not there already, or asked for."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from typing import Any

from . import _errors
from ._muslin import Table

#: Kinds of frames, in the order in which one is taken where the input is a file.
KINDS = ("polars", "pandas", "pyarrow")


def _is(value: Any, module: str, *names: str) -> bool:
    """Whether a value is of a class of a module, without importing it."""
    own = sys.modules.get(module)
    return own is not None and any(isinstance(value, getattr(own, name, ())) for name in names)


def kind_of(data: Any) -> str | None:
    """What kind of frame something is; none for a path."""
    if _is(data, "pandas", "DataFrame"):
        return "pandas"
    if _is(data, "polars", "LazyFrame"):
        return "polars-lazy"
    if _is(data, "polars", "DataFrame"):
        return "polars"
    if _is(data, "pyarrow", "Table", "RecordBatch", "RecordBatchReader"):
        return "pyarrow"
    if type(data).__module__.split(".")[0] in ("duckdb", "_duckdb"):
        return "duckdb"
    if isinstance(data, (str, os.PathLike)):
        return None
    return "arrow"


def take(data: Any) -> Any:
    """A frame as a table of ours, or a path as it is. Batches are not copied where the other side has them."""
    kind = kind_of(data)
    if kind is None or isinstance(data, Table):
        return data
    name = f"{type(data).__module__.split('.')[0].lstrip('_')}.{type(data).__name__}"
    if kind == "pandas":
        # An index is no column: its numbers would tell rows apart.
        arrow = _import("pyarrow", "to read a pandas frame")
        data = arrow.Table.from_pandas(data, preserve_index=False).replace_schema_metadata(None)
    elif kind == "polars-lazy":
        data = data.collect()
    elif kind == "pyarrow" and not hasattr(data, "__arrow_c_stream__"):
        data = sys.modules["pyarrow"].Table.from_batches([data])
    elif kind == "duckdb" and not hasattr(data, "__arrow_c_stream__"):
        data = data.to_arrow_table()
    if not hasattr(data, "__arrow_c_stream__"):
        raise _errors.InputError(
            f"{name} is no table\n  hint: pass a pandas, polars, pyarrow or DuckDB frame, "
            "something with the Arrow PyCapsule interface, or a path"
        )
    return Table.read(data, name)


def give(table: Table, kind: str | None) -> Any:
    """A table of ours as a frame of a kind; of the first kind that is installed where none is said."""
    if kind is None:
        kind = next((own for own in KINDS if importlib.util.find_spec(own)), "arrow")
    if kind == "pandas":
        arrow = _import("pyarrow", "to make a pandas frame").table(table)
        return arrow.to_pandas(split_blocks=True, self_destruct=True)
    if kind in ("polars", "polars-lazy"):
        frame = _import("polars", "to make a polars frame").DataFrame(table)
        return frame.lazy() if kind == "polars-lazy" else frame
    if kind == "pyarrow":
        return _import("pyarrow", "to make an Arrow table").table(table)
    if kind == "duckdb":
        arrow = _import("pyarrow", "to make a DuckDB relation").table(table)
        return _import("duckdb", "to make a DuckDB relation").from_arrow(arrow)
    if kind == "arrow":
        return table
    raise _errors.UsageError(
        f"there is no frame of kind {kind!r}\n  hint: pass one of pandas, polars, polars-lazy, pyarrow, duckdb or arrow"
    )


def of_records(records: list[dict[str, Any]], kind: str | None) -> Any:
    """Parts of a report as a frame."""
    if kind is None:
        kind = next((own for own in KINDS if importlib.util.find_spec(own)), None)
    if kind == "pandas":
        return _import("pandas", "to make a frame").DataFrame(records)
    if kind in ("polars", "polars-lazy"):
        frame = _import("polars", "to make a frame").DataFrame(records, infer_schema_length=None)
        return frame.lazy() if kind == "polars-lazy" else frame
    arrow = _import("pyarrow", "to make a frame").Table.from_pylist(records)
    return _import("duckdb", "to make a frame").from_arrow(arrow) if kind == "duckdb" else arrow


def _import(module: str, why: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise _errors.UsageError(f"{module} is needed {why}\n  hint: pip install {module}") from error
