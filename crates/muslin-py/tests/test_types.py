"""Types are checked, and stubs are true."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import muslin as mu

from conftest import ROOT

EXAMPLE = '''
import muslin as mu

report = mu.scan("people.csv", qi=["age"], budget=2.5)
rows: int = report.rows
role: str = report.columns[0].role
met: bool = mu.verify("release", original="people.csv").met
names: list[str] = mu.keys("people.csv").column_names
made = mu.generalize("people.csv", k=5, diversity={"diagnosis": "distinct:3"})
frame = made.to_frame("pandas")
'''
WRONG = '''
import muslin as mu

mu.scan("people.csv", qi=3)
mu.generalize("people.csv", k="five")
text: str = mu.scan("people.csv").rows
'''


def mypy(*args: str) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("mypy")
    words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(ROOT / "target" / "py" / "mypy"), *args]
    return subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)


def test_the_package_is_typed(tmp_path: Path) -> None:
    whole = mypy("-p", "muslin")
    assert whole.returncode == 0, whole.stdout
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(EXAMPLE)
    wrong.write_text(WRONG)
    found = mypy(str(right))
    assert found.returncode == 0, found.stdout
    found = mypy(str(wrong))
    assert found.stdout.count("error:") == 3, found.stdout


def test_stubs_are_true() -> None:
    pytest.importorskip("mypy")
    words = [sys.executable, "-m", "mypy.stubtest", "muslin._muslin", "--ignore-missing-stub", "--ignore-disjoint-bases"]
    found = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)
    assert found.returncode == 0, found.stdout


def test_reports_have_their_fields(people: mu.Table) -> None:
    found = mu.scan(people, budget=0)
    assert type(found.columns[0]).__name__ == "ColumnReport"
    for name in found:
        assert name in type(found)._fields, name
    with pytest.raises(AttributeError, match="no field"):
        _ = found.nonsense
    assert found["rows"] == found.rows == 600
