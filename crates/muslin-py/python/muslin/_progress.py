"""How far the work is: a line on a terminal, or in a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any


def shown(progress: bool | Callable[[str, int, int | None], None] | None) -> Any:
    """What is called while work lasts, and how it ends; nothing where nobody looks."""
    if callable(progress):
        return _Own(progress)
    if progress is False:
        return _Own(None)
    if _in_notebook():
        return _Notebook()
    if progress or (sys.stderr is not None and sys.stderr.isatty()):
        return _Terminal()
    return _Own(None)


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    own = shell.get_ipython() if shell is not None else None
    return own is not None and type(own).__name__ == "ZMQInteractiveShell"


def _line(stage: str, done: int, total: int | None, seconds: float) -> str:
    if not total:
        return f"{stage} {seconds:.0f} s"
    share = min(done / total, 1.0)
    bar = "=" * int(share * 30)
    return f"{stage} [{bar:<30}] {share:4.0%} {seconds:.0f} s"


class _Own:
    """What somebody wants to be told."""

    def __init__(self, told: Callable[[str, int, int | None], None] | None) -> None:
        self.show = told

    def __enter__(self) -> _Own:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class _Terminal:
    def __init__(self) -> None:
        self.start = time.monotonic()
        self.width = 0

    def show(self, stage: str, done: int, total: int | None) -> None:
        line = _line(stage, done, total, time.monotonic() - self.start)
        sys.stderr.write("\r" + line.ljust(self.width))
        sys.stderr.flush()
        self.width = len(line)

    def __enter__(self) -> _Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()


class _Notebook:
    def __init__(self) -> None:
        self.start = time.monotonic()
        self.handle: Any = None

    def show(self, stage: str, done: int, total: int | None) -> None:
        display = sys.modules["IPython"].display
        seconds = time.monotonic() - self.start
        bar = f"<progress max='{total}' value='{min(done, total)}'></progress> " if total else ""
        html = display.HTML(f"{bar}<small>{stage}, {seconds:.0f} s</small>")
        if self.handle is None:
            self.handle = display.display(html, display_id=True)
        else:
            self.handle.update(html)

    def __enter__(self) -> _Notebook:
        return self

    def __exit__(self, *_: object) -> None:
        if self.handle is not None:
            self.handle.update(sys.modules["IPython"].display.HTML(""))
