"""What goes wrong has a type, a place and a way out, and no cell in it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

import pytest

import muslin as mu

pa = pytest.importorskip("pyarrow")


def test_every_failure_has_its_type(people: mu.Table, tmp_path: Path) -> None:
    few = pa.table(people).slice(0, 3)
    cases: list[tuple[type[Exception], str, Any]] = [
        (mu.UsageError, "there is no column `nope`", lambda: mu.generalize(people, k=5, qi="nope")),
        (mu.UsageError, "no engine but memory", lambda: mu.keys(tmp_path / "h.parquet", engine="datafusion")),
        (mu.UsageError, "`engine`", lambda: mu.keys(people, engine="spark")),
        (mu.UsageError, "`k`", lambda: mu.generalize(people, k="x")),  # type: ignore[arg-type]
        (mu.UsageError, "`all` cannot be used with `minimum`", lambda: mu.keys(people, all=True, minimum=True)),
        (mu.UsageError, "possible values: distinct", lambda: mu.keys(people, minimum=True, measure="x", beta=1)),
        (mu.UsageError, "`qi` is a column", lambda: mu.scan(people, qi=[])),
        (mu.UsageError, "`qi` is a column", lambda: mu.scan(people, qi={"age": 1})),  # type: ignore[arg-type]
        (mu.UsageError, "given twice", lambda: mu.scan(people, qi="age", quasi_identifiers="sex")),
        (mu.UsageError, "no column `-age`", lambda: mu.scan(people, qi="-age")),
        (mu.UsageError, "'-3' for `k`|-3 is not", lambda: mu.scan(people, k=-3)),
        (mu.UsageError, "`all`", lambda: mu.keys(people, max_size=2)),
        (mu.UsageError, "neither True nor False", lambda: mu.diff(people, people, plots=True)),  # type: ignore[arg-type]
        (mu.UsageError, "neither True nor False", lambda: mu.verify(people, k=2, original=True)),
        (mu.UsageError, "no table that is read", lambda: mu.suppress(people, k=3, qi="age", certificate=people)),  # type: ignore[arg-type]
        (mu.UsageError, "JSON has not", lambda: mu.verify(people, claims={"claims": {1, 2}})),
        (mu.UsageError, "no standard output", lambda: mu.suppress(people, k=3, qi="age", output="-")),
        (mu.UsageError, "unknown field `x`", lambda: mu.protect(people, {"schema": 1, "x": 1})),
        (mu.UsageError, "such as None", lambda: mu.protect(people, {"schema": None})),
        (TypeError, "unexpected keyword", lambda: mu.scan(people, nonsense=1)),  # type: ignore[call-arg]
        (mu.InputError, "is no table", lambda: mu.scan(3)),
        (mu.InputError, "no such file", lambda: mu.scan(tmp_path / "nothing.csv")),
        (mu.InfeasibleError, "pass a smaller `k`", lambda: mu.suppress(few, k=5, qi=["age"])),
        (mu.InfeasibleError, "larger `beta`", lambda: mu.mask(people, measure="distinct", beta=0)),
        (mu.OutputError, "no such", lambda: mu.mask(people, measure="distinct", beta=0.9, output=tmp_path / "no" / "x.csv")),
        (mu.LimitError, "pass a larger `memory`", lambda: mu.uniques(people, memory="1kB")),
    ]
    for kind, text, call in cases:
        with pytest.raises(kind, match=text):
            call()
    assert issubclass(mu.UsageError, ValueError) and issubclass(mu.OutputError, OSError)


def test_no_cell_is_in_a_message() -> None:
    table = pa.table({"age": ["31", "zaphodine", "40"], "list": [[1], [2], [3]]})
    with pytest.raises(mu.InputError) as caught:
        mu.scan(table.select(["age"]), type={"age": "integer"})
    assert "zaphodine" not in str(caught.value) and "age" in str(caught.value)
    with pytest.raises(mu.InputError, match="nested"):
        mu.scan(table)


def test_a_stream_that_breaks_is_an_error() -> None:
    def batches() -> Any:
        yield pa.record_batch({"a": [1, 2]})
        raise RuntimeError("zaphodine")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"a": pa.int64()}), batches())
    with pytest.raises(mu.InputError) as caught:
        mu.scan(reader)
    assert "zaphodine" not in str(caught.value)


def test_what_other_libraries_say_is_not_said() -> None:
    """Their messages quote cells."""
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    frames = [
        pd.DataFrame({"fine": [1, 2], "mixed": [1, "zaphodine"]}),
        pl.DataFrame({"a": ["zaphodine"]}).lazy().select(pl.col("a").cast(pl.Int64)),
        duckdb.sql("select cast('zaphodine' || range as int) as a from range(3)"),
        pl.DataFrame({"mixed": [object(), object()]}),
        pd.Series([1, 2]),
        pa.chunked_array([[1, 2]]),
        duckdb.connect(),
        {"a": [1]},
    ]
    for frame in frames:
        with pytest.raises(mu.InputError) as caught:
            mu.scan(frame)
        text = "".join(traceback.format_exception(caught.value))
        assert "zaphodine" not in str(caught.value) and "zaphodine" not in text.split("mu.scan(frame)")[-1]
    with pytest.raises(mu.InputError, match="column `mixed`"):
        mu.scan(frames[0])


def test_a_limit_leaves_what_was_found() -> None:
    with pytest.warns(mu.LimitWarning, match="time_limit"):
        found = mu.uniques(mu.demo_data(rows=20_000), time_limit=0.05)
    assert found.coverage != "complete"


INTERRUPTED = """
import sys, time
import muslin as mu
people = mu.demo_data(rows=200_000)
print("ready", flush=True)
try:
    mu.uniques(people)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as on POSIX")
def test_ctrl_c_ends_the_work_within_a_second() -> None:
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    time.sleep(1.0)
    assert child.poll() is None, "the work was over before it could be interrupted"
    sent = time.monotonic()
    child.send_signal(signal.SIGINT)
    told = child.stdout.readline()
    took = time.monotonic() - sent
    child.wait(timeout=30)
    assert told == "stopped\n" and child.returncode == 0
    # A second is what is promised; a busy machine may need longer to get to it.
    assert took < 5.0, took


def test_other_threads_go_on_meanwhile() -> None:
    counted, over = 0, threading.Event()

    def count() -> None:
        nonlocal counted
        while not over.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    people = mu.demo_data(rows=20_000)
    thread.start()
    before = counted
    mu.uniques(people)
    after = counted
    over.set()
    thread.join()
    assert after - before >= 10


FORKED = """
import multiprocessing
import muslin as mu

def rows(seed):
    return mu.scan(mu.demo_data(rows=50, seed=seed), budget=0).rows

if __name__ == "__main__":
    mu.uniques(mu.demo_data(rows=500))
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(rows, [1, 2, 3]), flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="there is no fork elsewhere")
def test_a_fork_after_a_call_works() -> None:
    words = [sys.executable, "-c", FORKED]
    told = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert told.stdout == "[50, 50, 50]\n", told.stderr


def test_what_a_release_warns_of_is_seen(people: mu.Table) -> None:
    with pytest.warns(mu.ReleaseWarning, match="pass `role") as seen:
        mu.generalize(people, k=5, qi=["age", "sex"])
    assert all(own.filename == __file__ for own in seen)
