"""What others say of the same tables. Whoever is not installed is left out."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

import muslin as mu

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
QI = ["age", "sex", "marital_status"]
SENSITIVE = "diagnosis_group"


def tables() -> list[Any]:
    """Releases of different shapes, and the table itself."""
    made = []
    for seed, rows in ((1, 400), (2, 900)):
        people = mu.demo_data(rows=rows, seed=seed)
        for k in (2, 5):
            release = mu.generalize(people, k=k, qi=QI, exclude=["name", "patient_id"], bounds="tight")
            made.append(release.to_frame("pandas").astype({name: str for name in QI}))
        made.append(pa.table(people).to_pandas().astype({name: str for name in QI}))
    return made


def smallest(frame: Any, how: str, most: int) -> int:
    """The largest number that `how` holds for."""
    for number in itertools.count(2):
        judged = mu.verify(frame, qi=QI, diversity={SENSITIVE: f"{how}:{number}"})
        check = next(own for own in judged.checks if "diversity" in own.claim)
        if not check.met or number > most:
            return number - 1
    raise AssertionError


def test_pycanon_finds_the_same_k_l_and_t() -> None:
    anonymity = pytest.importorskip("pycanon.anonymity")
    seen = set()
    for frame in tables():
        k = anonymity.k_anonymity(frame, QI)
        scanned = mu.scan(frame, qi=QI, budget=0)
        assert scanned.quasi_identifiers.smallest == k
        assert smallest(frame, "distinct", 40) == anonymity.l_diversity(frame, QI, [SENSITIVE])
        t = float(anonymity.t_closeness(frame, QI, [SENSITIVE]))
        for share, met in ((t + 2e-6, True), (t - 2e-6, False)):
            judged = mu.verify(frame, qi=QI, closeness={SENSITIVE: f"{max(share, 0):.6f}"})
            check = next(own for own in judged.checks if "closeness" in own.claim)
            assert check.met is met, (t, check)
        seen.add(k)
    assert len(seen) >= 3


def test_what_anjana_makes_is_verified() -> None:
    anonymity = pytest.importorskip("anjana.anonymity")
    utils = pytest.importorskip("anjana.anonymity.utils")
    frame = pa.table(mu.demo_data(rows=600, seed=3)).to_pandas()
    frame = frame[["name", "age", "sex", "diagnosis_group"]].copy()
    ages = frame["age"].values
    hierarchies = {
        "age": {
            0: ages,
            1: utils.generate_intervals(ages, 0, 110, 5),
            2: utils.generate_intervals(ages, 0, 110, 10),
            3: utils.generate_intervals(ages, 0, 120, 40),
        }
    }
    for k in (2, 5, 12):
        made = anonymity.k_anonymity(frame.copy(), ["name"], ["age", "sex"], k, 20, hierarchies)
        judged = mu.verify(made, k=k, qi=["age", "sex"])
        check = next(own for own in judged.checks if "anonymity" in own.claim)
        assert check.met, (k, check)
        asked = mu.verify(made, k=len(made) + 1, qi=["age", "sex"])
        assert asked.met is False


def test_desbordante_finds_the_same_keys(tmp_path: Path) -> None:
    desbordante = pytest.importorskip("desbordante")
    files = {}
    for seed, rows in ((4, 60), (5, 300)):
        frame = pa.table(mu.demo_data(rows=rows, seed=seed)).to_pandas()
        frame = frame.drop(columns=["patient_id", "name", "charge", "birth_date"]).drop_duplicates()
        files[f"people{rows}.csv"] = frame.fillna("none")
    for name in ("nursery.csv", "mushroom.csv"):
        if (DATA / name).exists():
            files[name] = pd.read_csv(DATA / name, dtype=str, keep_default_na=False).head(300).drop_duplicates()
    for name, frame in files.items():
        path = tmp_path / name
        frame.to_csv(path, index=False)
        search = desbordante.ucc.algorithms.HyUCC()
        search.load_data(table=(str(path), ",", True))
        search.execute()
        columns = list(frame.columns)
        theirs = {frozenset(columns[at] for at in own.indices) for own in search.get_uccs()}
        ours = {frozenset(own) for own in mu.keys(path, all=True, header=True).sets}
        assert ours == theirs, name
        assert ours
