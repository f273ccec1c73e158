"""Cards, drawings and progress."""

from __future__ import annotations

import io
import re
import sys
from typing import Any

import pytest

import muslin as mu


def test_a_card_has_aggregates_alone(people: mu.Table) -> None:
    pa = pytest.importorskip("pyarrow")
    found = mu.scan(people, budget=1)
    card = found._repr_html_()
    assert card.startswith("<div") and "600" in card and "<svg" in card and "<script" not in card
    values = {str(value) for name in ("name", "patient_id") for value in pa.table(people)[name].to_pylist()}
    words = set(re.split(r"[<>]", card))
    assert not values & words
    made = mu.generalize(people, k=5, qi=["age", "sex"], exclude=["name", "patient_id"])
    assert "generalize" in made._repr_html_() and "generalize" in repr(made)


def test_drawings_are_those_of_the_report(people: mu.Table) -> None:
    found = mu.scan(people, budget=1)
    page = found.to_html()
    assert page is not None and "class-sizes" in found.figures
    for plot in found.figures.values():
        assert plot._repr_svg_().startswith("<svg") and plot.caption
    made = mu.generalize(people, k=5, qi=["age", "sex"], exclude=["name", "patient_id"])
    lost = mu.diff(people, made.to_frame(), qi=["age", "sex"])
    assert {"loss", "association"} <= set(lost.figures)
    report = mu.report(people, release=made.to_frame(), qi=["age", "sex"], budget=0, audience="external")
    assert report.audience == "external" and "Columns and roles" not in (report.to_markdown() or "Columns and roles")


def test_progress_is_told(people: mu.Table) -> None:
    told: list[tuple[str, int, int | None]] = []
    mu.uniques(mu.demo_data(rows=100_000), progress=lambda *own: told.append(own))
    assert told and all(isinstance(stage, str) and done >= 0 for stage, done, _ in told)


def test_progress_on_a_terminal_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    mu.uniques(mu.demo_data(rows=100_000))
    text = screen.getvalue()
    assert "\r" in text and "\n" not in text and text.endswith(" \r")
    quiet = Terminal()
    monkeypatch.setattr(sys, "stderr", quiet)
    mu.uniques(mu.demo_data(rows=100_000), progress=False)
    assert quiet.getvalue() == ""


def test_progress_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    display = pytest.importorskip("IPython.display")
    shown: list[Any] = []

    class Handle:
        def update(self, html: Any) -> None:
            shown.append(html.data)

    class ZMQInteractiveShell:
        pass

    def show(html: Any, display_id: bool) -> Handle:
        shown.append(html.data)
        return Handle()

    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", ZMQInteractiveShell)
    monkeypatch.setattr(display, "display", show)
    mu.uniques(mu.demo_data(rows=100_000))
    assert len(shown) >= 2 and shown[-1] == "" and any("<progress" in own or "<small>" in own for own in shown)


def test_what_is_raised_while_progress_is_shown_ends_the_work() -> None:
    def stop(*_: object) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        mu.uniques(mu.demo_data(rows=200_000), progress=stop)
