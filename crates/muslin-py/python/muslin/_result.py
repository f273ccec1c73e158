"""What comes out of a call: the report of the command line, and the tables that were made."""

from __future__ import annotations

import copy
import html
import json
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from . import _errors, _frames
from ._muslin import Answer, spelled

#: The list of a command's report that is its main table.
_MAIN = {
    "scan": "columns",
    "uniques": "top_rows",
    "keys": "sets",
    "mask": "columns",
    "plan": "candidates",
    "diff": "columns",
    "verify": "checks",
    "attack": "attacks",
}


class Record:
    """A part of a report. Fields are attributes; `to_dict` gives them as they are in the JSON."""

    _fields: ClassVar[frozenset[str]] = frozenset()
    _parts: ClassVar[Mapping[str, str]] = {}
    _classes: ClassVar[dict[str, type[Record]]] = {}
    _data: dict[str, Any]

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def to_dict(self) -> dict[str, Any]:
        """All fields, as in the JSON of the command line."""
        return copy.deepcopy(self._data)

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_"):
            raise AttributeError("a report stays as it is")
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._data:
            if name in self._fields:
                return None
            raise AttributeError(f"{type(self).__name__} has no field {name!r}")
        return self._part(name, self._data[name])

    def _part(self, name: str, value: Any) -> Any:
        if isinstance(value, dict):
            own = self._classes.get(self._parts.get(name, ""), None)
            return own(value) if own is not None else value
        if isinstance(value, list):
            return [self._part(name, each) for each in value]
        return value

    def __getitem__(self, name: str) -> Any:
        return self._data[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._data})

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Record) and other._data == self._data

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={_short(value)}" for name, value in self._data.items())
        return f"{type(self).__name__}({shown})"


class Plot(str):
    """A drawing of the report, as SVG; a notebook shows it."""

    #: What it shows.
    caption: str

    def __new__(cls, svg: str, caption: str) -> Plot:
        own = super().__new__(cls, svg)
        own.caption = caption
        return own

    def _repr_svg_(self) -> str:
        return str(self)


class Result(Record):
    """What a call found out, and the tables that it made.

    Fields of the report are attributes. `to_frame()` gives what was made, or the main table of the
    report; `figures` the drawings of the report, by name.
    """

    def __init__(self, answer: Answer | dict[str, Any], kind: str | None = None) -> None:
        self._answer: Answer | None = None
        self._kind = kind
        if isinstance(answer, dict):
            super().__init__(answer)
        else:
            super().__init__(json.loads(answer.json))
            self._answer = answer

    def to_json(self) -> str:
        """The report as the command line prints it."""
        return json.dumps(self._data, indent=2, ensure_ascii=False) + "\n"

    def to_frame(self, kind: str | None = None) -> Any:
        """The release or the table that was made, or the main table of the report.

        A frame of the kind that came in, or of the kind that is named: pandas, polars, polars-lazy,
        pyarrow, duckdb, or arrow for anything that reads the Arrow PyCapsule interface.
        """
        tables = self._answer.tables if self._answer else {}
        if "output" in tables:
            return _frames.give(tables["output"], kind or self._kind)
        records = self._records()
        if records is None:
            written = self._data.get("written")
            hint = "leave `output` out to have it as a frame" if written else "`to_dict()` has all of it"
            raise _errors.UsageError(f"there is no table of this in memory\n  hint: {hint}")
        return _frames.of_records(records, kind or self._kind)

    def tables(self, kind: str | None = None) -> dict[str, Any]:
        """All tables that were made and are in memory, by the setting that asked for them."""
        own = self._answer.tables if self._answer else {}
        return {name: _frames.give(table, kind or self._kind) for name, table in own.items()}

    def _records(self) -> list[dict[str, Any]] | None:
        main = _MAIN.get(self._data.get("command", ""), "")
        found = self._data.get(main)
        if not isinstance(found, list):
            return None
        return [each if isinstance(each, dict) else {main: each} for each in found]

    @property
    def figures(self) -> dict[str, Plot]:
        """The drawings of the report, as SVG."""
        drawn = self._answer.plots if self._answer else []
        return {name: Plot(svg, title) for name, title, svg in drawn}

    def raise_for_status(self, *, allow_findings: bool = False) -> None:
        """Raises NotMetError where a check failed, or where something was found that is not allowed."""
        found = self._data.get("findings", []) if self._data.get("verdict") == "findings" else []
        if found and not allow_findings:
            raise _errors.NotMetError("; ".join(own["text"] for own in found), self)
        if self._data.get("met") is False:
            checks = [own for own in self._data.get("checks", []) if not own["met"]]
            attacks = [own for own in self._data.get("attacks", []) if own["finding"]]
            told = [f"{own['claim']}: {own['reason']}" for own in checks]
            told += [f"attack {own['name']} gains" for own in attacks]
            raise _errors.NotMetError("; ".join(told) or "not met", self)

    def to_html(self) -> str | None:
        """The report as a page of its own, where there is one."""
        return self._answer.page("html") if self._answer else None

    def to_markdown(self) -> str | None:
        """The report as Markdown, where there is one."""
        return self._answer.page("markdown") if self._answer else None

    def __reduce__(self) -> tuple[Any, ...]:
        """What is pickled is the report; tables are frames, and pickled as such."""
        return type(self), (self._data, self._kind)

    def __copy__(self) -> Result:
        own = type(self)(self._answer or self._data, self._kind)
        own._data = copy.deepcopy(self._data)
        return own

    def __deepcopy__(self, _: Any) -> Result:
        return self.__copy__()

    def _facts(self) -> Iterator[tuple[str, str]]:
        """Counts and shares for a card: nothing of a cell, no row's number."""
        for name, value in self._data.items():
            if name == "schema" or not isinstance(value, (str, int, float, bool)):
                continue
            # No row's number, and no text of many lines.
            if name in ("row", "policy", "made_by"):
                continue
            if isinstance(value, bool):
                shown = "yes" if value else "no"
            else:
                shown = value if isinstance(value, str) else f"{value:,}"
            yield name.replace("_", " "), shown

    def __repr__(self) -> str:
        facts = ", ".join(f"{name}: {value}" for name, value in list(self._facts())[:8])
        return f"<{type(self).__name__} {facts}>"

    def _repr_html_(self) -> str:
        """A card for a notebook: aggregates alone."""
        row = "<tr><th style='text-align:left'>{}</th><td style='text-align:left'>{}</td></tr>".format
        facts = "".join(row(html.escape(name), html.escape(value)) for name, value in self._facts())
        lines = [f"{'✓' if own['met'] else '✗'} {own['claim']}: {own['reason']}" for own in self._data.get("checks", [])]
        lines += [f"{'!' if own['finding'] else '✓'} {own['name']}" for own in self._data.get("attacks", [])]
        lines += [f"! {spelled(str(own))}" for own in (self._data.get("warnings") or [])[:5]]
        told = "".join(f"<li>{html.escape(own)}</li>" for own in lines)
        told = f"<ul style='list-style:none;padding-left:0'>{told}</ul>" if told else ""
        plots = list(self.figures.values())[:2]
        drawn = "".join(f"<figure style='margin:0'>{plot}</figure>" for plot in plots)
        title = html.escape(f"muslin {self._data.get('command', 'report')}")
        return (
            "<div style='border:1px solid #8888;border-radius:6px;padding:0.6em 1em;max-width:60em'>"
            f"<strong>{title}</strong><table>{facts}</table>{told}"
            f"<div style='display:flex;flex-wrap:wrap;gap:1em'>{drawn}</div></div>"
        )


def _short(value: Any) -> str:
    if isinstance(value, list):
        return f"[{len(value)}]"
    if isinstance(value, dict):
        return "{...}"
    return repr(value)
