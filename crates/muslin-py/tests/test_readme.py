"""What the README and the guide show works, on frames of every kind."""

from __future__ import annotations

import re
from typing import Any

import pytest

from conftest import ROOT

KINDS = {
    "polars": ("import polars as pl", "pl.DataFrame(mu.demo_data(rows=2000))"),
    "pandas": ("import pyarrow as pa", "pa.table(mu.demo_data(rows=2000)).to_pandas()"),
    "pyarrow": ("import pyarrow as pa", "pa.table(mu.demo_data(rows=2000))"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("file", ["README.md", "docs/guide/python.md"])
def test_the_example_works(file: str, kind: str) -> None:
    library = pytest.importorskip(kind)
    text = (ROOT / file).read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    imported, made = KINDS[kind]
    assert "import polars as pl" in code and KINDS["polars"][1] in code
    code = code.replace("import polars as pl", imported).replace(KINDS["polars"][1], made)
    names: dict[str, Any] = {}
    exec(compile(code, file, "exec"), names)
    frame = library.Table if kind == "pyarrow" else library.DataFrame
    assert isinstance(names["frame"], frame) and len(names["frame"]) == 2000
