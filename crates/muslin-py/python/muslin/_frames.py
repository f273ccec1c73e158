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
#: All kinds that can be asked for; "arrow" is a table of ours.
FRAMES = ("pandas", "polars", "polars-lazy", "pyarrow", "duckdb", "arrow")


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
    is_column = type(data).__name__ in ("Series", "ChunkedArray", "Array", "DuckDBPyConnection")
    if is_column or not (kind == "pandas" or hasattr(data, "collect") or hasattr(data, "__arrow_c_stream__")):
        raise _errors.InputError(
            f"{name} is no table\n  hint: pass a pandas, polars, pyarrow or DuckDB frame, "
            "something with the Arrow PyCapsule interface, or a path"
        )
    try:
        if kind == "pandas":
            data = _of_pandas(data)
        elif kind in ("polars", "polars-lazy"):
            data = _of_polars(data)
        return Table.read(data, name)
    except (_errors.MuslinError, KeyboardInterrupt):
        raise
    except Exception:
        # What the other library says may quote a cell, and so may where it comes from.
        where = _culprit(data) if kind == "pandas" else ""
    raise _errors.InputError(
        f"{name}{where}: cannot be read as a table\n  hint: make it one of plain columns, each of one type"
    )


def _of_pandas(frame: Any) -> Any:
    # An index is no column: its numbers would tell rows apart.
    arrow = _import("pyarrow", "to read a pandas frame")
    return arrow.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)


def _culprit(frame: Any) -> str:
    """The first column that Arrow does not take, for a message."""
    arrow = _import("pyarrow", "to read a pandas frame")
    for at, name in enumerate(frame.columns):
        try:
            arrow.Array.from_pandas(frame.iloc[:, at])
        except Exception:
            return f", column `{name}`"
    return ""


def _of_polars(frame: Any) -> Any:
    polars = sys.modules["polars"]
    if hasattr(frame, "collect"):
        frame = frame.collect()
    for name, kind in frame.schema.items():
        if kind == polars.Object:
            raise _errors.InputError(
                f"polars.{type(frame).__name__}, column `{name}`: objects of Python are no values\n"
                "  hint: drop the column, or cast it to a plain type"
            )
    empty = [name for name, kind in frame.schema.items() if kind == polars.Null]
    return frame.with_columns([polars.col(name).cast(polars.String) for name in empty]) if empty else frame


def give(table: Table, kind: str | None) -> Any:
    """A table of ours as a frame of a kind; of the first kind that is installed where none is said."""
    if kind is None:
        kind = next((own for own in KINDS if importlib.util.find_spec(own)), "arrow")
    if kind == "pandas":
        arrow = _import("pyarrow", "to make a pandas frame").table(table)
        return _to_pandas(arrow)
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
    raise _unknown(kind)


def _unknown(kind: str) -> _errors.UsageError:
    return _errors.UsageError(f"there is no frame of kind {kind!r}\n  hint: pass one of {', '.join(FRAMES)}")


def _to_pandas(arrow: Any) -> Any:
    """A pandas frame with every value as it is: whole numbers and truth values with gaps have types of their own."""
    pandas = _import("pandas", "to make a pandas frame")
    types = _import("pyarrow", "to make a pandas frame").types
    mapped = {}
    for field, column in zip(arrow.schema, arrow.columns):
        if column.null_count and types.is_integer(field.type):
            mapped[field.name] = getattr(pandas, str(field.type).capitalize().replace("Ui", "UI") + "Dtype")()
        elif column.null_count and types.is_boolean(field.type):
            mapped[field.name] = pandas.BooleanDtype()
    frame = arrow.to_pandas(types_mapper=None, split_blocks=True)
    for name, own in mapped.items():
        at = arrow.schema.get_field_index(name)
        frame[name] = own.__from_arrow__(arrow.column(at))
    return frame


def of_records(records: list[dict[str, Any]], kind: str | None) -> Any:
    """Parts of a report as a frame."""
    if kind is None:
        kind = next((own for own in KINDS if importlib.util.find_spec(own)), "pyarrow")
    if kind not in FRAMES:
        raise _unknown(kind)
    if kind == "pandas":
        return _import("pandas", "to make a frame").DataFrame(records)
    if kind in ("polars", "polars-lazy"):
        frame = _import("polars", "to make a frame").DataFrame(records, infer_schema_length=None)
        return frame.lazy() if kind == "polars-lazy" else frame
    arrow = _import("pyarrow", "to make a frame").Table.from_pylist(records)
    if kind == "arrow":
        return Table.read(arrow, "report")
    return _import("duckdb", "to make a frame").from_arrow(arrow) if kind == "duckdb" else arrow


def _import(module: str, why: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise _errors.UsageError(f"{module} is needed {why}\n  hint: pip install {module}") from error
