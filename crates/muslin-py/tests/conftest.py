"""What tests share: a made-up table, frames of it, and the program."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import muslin as mu

ROOT = Path(__file__).resolve().parents[3]
QI = ["age", "sex", "town"]
ROLES = {"name": "identifier", "patient_id": "identifier"}


@pytest.fixture(scope="session")
def people() -> mu.Table:
    return mu.demo_data(rows=600, seed=1)


@pytest.fixture(scope="session")
def people_csv(people: mu.Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    csv = pytest.importorskip("pyarrow.csv")
    pa = pytest.importorskip("pyarrow")
    path = tmp_path_factory.mktemp("people") / "people.csv"
    csv.write_csv(pa.table(people), path)
    return path


@pytest.fixture(scope="session")
def program() -> str:
    """The program of the command line: that of MUSLIN, one that was built here, or one on the path."""
    built = [ROOT / "target" / kind / "muslin" for kind in ("debug", "release")]
    found = os.environ.get("MUSLIN") or next((str(own) for own in built if own.exists()), None)
    found = found or shutil.which("muslin")
    if not found:
        pytest.skip("the program is not built: `cargo build -p muslin-cli`")
    return found


@pytest.fixture(scope="session")
def cli(program: str) -> Callable[..., subprocess.CompletedProcess[str]]:
    def run(*args: Any, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        words = [program, *map(str, args)]
        return subprocess.run(words, capture_output=True, text=True, cwd=cwd, check=False)

    return run
