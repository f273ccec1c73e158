#!/usr/bin/env python3
"""Compares reading a table by muslin with reading it by polars, DuckDB and pyarrow.

Every measurement is a process of its own, measured from outside: wall time, CPU time of all its
threads and peak resident memory, start of the interpreter and imports included. The engines take
turns, so that noise hits all alike, and the lowest of the repeats counts.

Install `requirements.txt` and run this with the same Python:

    read.py --muslin PATH_TO_BINARY --work FOLDER [--rows N] [--repeats 3] [--json FILE]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

PEERS = ("polars", "duckdb", "pyarrow")
FORMATS = ("csv", "parquet")
CSV_BYTES = 1_000_000_000
SAMPLE_ROWS = 20_000
SEED = 1
MEGABYTE = 1_000_000

NOTES = """\
Wall, CPU and peak are each the lowest of the repeats, of the whole process; files are in the
page cache. Peak is resident memory, pages of files mapped into memory included; a peak near the
floor may be this script's own. A ratio above 1 means more than muslin needed on that format.
The jobs do not do the same work:
  muslin scan    reads, dictionary-encodes, types and profiles every column, and counts the
                 classes of the columns it suggests as quasi-identifiers
  start          starts Python and imports the library: the part of each peer's figures that is
                 not reading
  read           makes a typed table in memory; type inference is each library's default
  read+encode    read, then: polars casts strings to Categorical and ranks other columns densely,
                 which sorts them; DuckDB counts distinct values column by column, which yields no
                 codes; pyarrow dictionary-encodes every column"""


# What a child does. Libraries are imported there only.


def polars_job(step: str, form: str, file: str) -> int:
    """Reads the file with polars, encodes every column if asked to, and returns the rows."""
    import polars as pl

    if step == "start":
        return 0
    table = pl.read_csv(file) if form == "csv" else pl.read_parquet(file)
    if step == "encode":
        table = table.select(
            pl.col(name).cast(pl.String).cast(pl.Categorical)
            if kind == pl.String
            else pl.col(name).rank("dense")
            for name, kind in table.schema.items()
        )
    return table.height


def duckdb_job(step: str, form: str, file: str) -> int:
    """Reads the file into DuckDB's memory, counts distinct values if asked to, returns the rows."""
    import duckdb

    if step == "start":
        return 0
    base = duckdb.connect(":memory:")
    path = file.replace("'", "''")
    base.execute(f"create table t as select * from read_{form}('{path}')")
    if step == "encode":
        names = [row[0] for row in base.execute("describe t").fetchall()]
        for name in names:
            quoted = '"' + name.replace('"', '""') + '"'
            base.execute(f"select count(distinct {quoted}) from t").fetchall()
    return base.execute("select count(*) from t").fetchall()[0][0]


def pyarrow_job(step: str, form: str, file: str) -> int:
    """Reads the file with pyarrow, encodes every column if asked to, and returns the rows."""
    import pyarrow.csv
    import pyarrow.parquet

    if step == "start":
        return 0
    read = pyarrow.csv.read_csv if form == "csv" else pyarrow.parquet.read_table
    table = read(file)
    if step == "encode":
        columns = [column.dictionary_encode() for column in table.columns]
        table = pyarrow.table(columns, names=table.column_names)
    return table.num_rows


JOBS: dict[str, Callable[[str, str, str], int]] = {
    "polars": polars_job,
    "duckdb": duckdb_job,
    "pyarrow": pyarrow_job,
}


def run_job(engine: str, step: str, form: str, file: str) -> int:
    """Does one job in this process and prints the rows it saw, as muslin's own report does."""
    print(json.dumps({"rows": JOBS[engine](step, form, file)}))
    return 0


# What the parent does.


@dataclass(frozen=True)
class Usage:
    """What one process needed."""

    wall_s: float
    cpu_s: float
    peak_bytes: int


@dataclass
class Job:
    """One thing to measure, and its measurements so far."""

    engine: str
    name: str
    form: str
    command: list[str]
    shown: str
    rows: int | None
    runs: list[Usage] = field(default_factory=list)
    failure: str | None = None

    def best(self) -> Usage | None:
        """Returns the lowest of each figure, or nothing if the job failed."""
        if self.failure or not self.runs:
            return None
        return Usage(
            min(run.wall_s for run in self.runs),
            min(run.cpu_s for run in self.runs),
            min(run.peak_bytes for run in self.runs),
        )


class Failed(Exception):
    """A process did not do what it was started for."""


def peak_bytes(usage: resource.struct_rusage) -> int:
    """Returns the peak resident memory in bytes; macOS counts bytes, other systems KiB."""
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def measure(command: Sequence[str], folder: Path) -> tuple[Usage, str]:
    """Runs a command in the folder and returns what it needed and what it printed."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begin = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode != 0:
            lines = err.read().decode(errors="replace").strip().splitlines() or ["no message"]
            raise Failed(f"exit status {process.returncode}: {lines[-1]}")
        cpu = usage.ru_utime + usage.ru_stime
        return Usage(wall, cpu, peak_bytes(usage)), out.read().decode()


def take_turn(job: Job, folder: Path) -> None:
    """Runs a job once, unless it failed before, and checks that it saw every row."""
    if job.failure:
        return
    try:
        usage, printed = measure(job.command, folder)
        if job.rows is not None:
            rows = json.loads(printed)["rows"]
            if rows != job.rows:
                raise Failed(f"saw {rows} rows instead of {job.rows}")
    except (Failed, OSError, ValueError, KeyError, TypeError) as error:
        job.failure = f"{type(error).__name__}: {error}"
        return
    job.runs.append(usage)


def make_table(muslin: str, work: Path, rows: int, form: str) -> Path:
    """Writes the made-up table if it is not there; a half-written one never gets its name."""
    file = work / f"hospital-{rows}.{form}"
    if not file.exists():
        partial = file.with_name(f"partial-{file.name}")
        measure(demo_command(muslin, rows, partial.name), work)
        partial.replace(file)
    return file


def demo_command(muslin: str, rows: int, name: str) -> list[str]:
    """Returns the command that writes the made-up table."""
    return [muslin, "demo-data", "hospital", "--rows", str(rows), "--seed", str(SEED), "-o", name]


def default_rows(muslin: str, work: Path) -> int:
    """Returns the rows, in thousands, whose CSV has about a gigabyte, judged by a small one."""
    size = make_table(muslin, work, SAMPLE_ROWS, "csv").stat().st_size
    return round(CSV_BYTES * SAMPLE_ROWS / size / 1000) * 1000


def peer_job(engine: str, step: str, name: str, form: str, file: str, rows: int | None) -> Job:
    """Returns a job that this script does in a child."""
    tail = ["--job", engine, step, form, file]
    command = [sys.executable, str(Path(__file__).resolve()), *tail]
    return Job(engine, name, form, command, " ".join(["read.py", *tail]), rows)


def start_jobs() -> list[Job]:
    """Returns the jobs that only import a library."""
    return [peer_job(engine, "start", "start", "-", "-", None) for engine in PEERS]


def format_jobs(muslin: str, form: str, file: str, rows: int) -> list[Job]:
    """Returns the jobs that read one file."""
    tail = ["scan", file, "--json", "--quiet", "--stats", "--null", ""]
    jobs = [Job("muslin", "scan", form, [muslin, *tail], shlex.join(["muslin", *tail]), rows)]
    for step, name in (("read", "read"), ("encode", "read+encode")):
        jobs += [peer_job(engine, step, name, form, file, rows) for engine in PEERS]
    return jobs


def warm(file: Path) -> None:
    """Reads a file once, so that the first job does not pay for the disk."""
    with file.open("rb") as stream:
        while stream.read(1 << 16):
            pass


def take_turns(jobs: Sequence[Job], repeats: int, work: Path) -> None:
    """Runs the jobs round robin."""
    for repeat in range(1, repeats + 1):
        for job in jobs:
            print(f"  {repeat}/{repeats} {job.form} {job.engine} {job.name}", file=sys.stderr)
            take_turn(job, work)


def versions(muslin: str, work: Path) -> dict[str, str]:
    """Returns the versions of what is compared."""
    own = measure([muslin, "--version"], work)[1].strip().removeprefix("muslin ")
    return {"muslin": own} | {name: metadata.version(name) for name in PEERS}


def digest(file: str) -> str:
    """Returns the SHA-256 of a file, read piece by piece to keep this script small."""
    total = hashlib.sha256()
    with open(file, "rb") as stream:
        while piece := stream.read(1 << 16):
            total.update(piece)
    return total.hexdigest()


def floor_bytes() -> int:
    """Returns this script's own peak, below which a child's peak cannot be told on Linux."""
    return peak_bytes(resource.getrusage(resource.RUSAGE_SELF))


def ratio(value: float, base: float | None) -> str:
    """Returns how many times the base a value is, or a dash."""
    return f"{value / base:.2f}" if base else "-"


def table_row(job: Job, base: Usage | None) -> list[str]:
    """Returns the cells of one job; ratios are to muslin on the same format."""
    best = job.best()
    head = [job.form, job.engine, job.name]
    if best is None:
        return [*head, "failed", "", "", "", ""]
    return [
        *head,
        f"{best.wall_s:.3f}",
        f"{best.cpu_s:.3f}",
        f"{best.peak_bytes / MEGABYTE:.0f}",
        ratio(best.wall_s, base.wall_s if base else None),
        ratio(best.cpu_s, base.cpu_s if base else None),
    ]


def render(jobs: Sequence[Job]) -> str:
    """Returns the results as a plain text table."""
    bases = {job.form: job.best() for job in jobs if job.engine == "muslin"}
    rows = [["format", "engine", "job", "wall s", "CPU s", "peak MB", "wall x", "CPU x"]]
    rows += [table_row(job, bases.get(job.form)) for job in jobs]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column < 3 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths))
        ).rstrip()
        for row in rows
    )


def report(jobs: Sequence[Job], facts: dict[str, Any]) -> str:
    """Returns everything there is to say, for people."""
    sizes = ", ".join(f"{form} {size / MEGABYTE:.1f} MB" for form, size in facts["bytes"].items())
    lines = [
        render(jobs),
        "",
        f"{facts['rows']} rows ({sizes}), best of {facts['repeats']}, {facts['cores']} cores, "
        f"load {facts['load_before']:.1f} before and {facts['load_after']:.1f} after",
        f"floor of peak: {facts['floor_bytes'] / MEGABYTE:.0f} MB",
        "",
        NOTES,
        "",
        f"{facts['system']}, Python {facts['python']}",
        *(f"{name} {version}" for name, version in facts["versions"].items()),
        f"muslin program: {facts['program']['bytes']} bytes, sha256 {facts['program']['sha256']}",
        "",
        "Commands:",
        *(f"  {line}" for line in facts["commands"]),
    ]
    failures = [f"! {job.shown}: {job.failure}" for job in jobs if job.failure]
    return "\n".join(lines + ([""] + failures if failures else []))


def as_json(jobs: Sequence[Job], facts: dict[str, Any]) -> str:
    """Returns everything there is to say, for programs, each run included."""
    results = [
        {
            "format": job.form,
            "engine": job.engine,
            "job": job.name,
            "command": job.shown,
            "best": asdict(best) if (best := job.best()) else None,
            "runs": [asdict(run) for run in job.runs],
            "failure": job.failure,
        }
        for job in jobs
    ]
    return json.dumps(facts | {"results": results}, indent=2) + "\n"


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description="Compares reading a table by muslin and others.")
    parser.add_argument("--muslin", required=True, help="the program to measure")
    parser.add_argument("--work", required=True, type=Path, help="folder for the data")
    parser.add_argument("--rows", type=int, help="rows of the table [default: 1 GB of CSV]")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each job [default: 3]")
    parser.add_argument("--json", type=Path, metavar="FILE", help="save the results here too")
    options = parser.parse_args(arguments)
    if options.repeats < 1 or (options.rows is not None and options.rows < 1):
        parser.error("--rows and --repeats must be at least 1")
    return options


def compare(options: argparse.Namespace) -> tuple[list[Job], dict[str, Any]]:
    """Makes the data, runs every job and returns the jobs and the facts around them."""
    muslin = str(Path(options.muslin).resolve())
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    known = versions(muslin, work)
    program = {"bytes": os.stat(muslin).st_size, "sha256": digest(muslin)}
    rows = options.rows or default_rows(muslin, work)
    print(f"tables of {rows} rows", file=sys.stderr)
    files = {form: make_table(muslin, work, rows, form) for form in FORMATS}

    load_before = os.getloadavg()[0]
    jobs = start_jobs()
    take_turns(jobs, options.repeats, work)
    for form, file in files.items():
        warm(file)
        group = format_jobs(muslin, form, file.name, rows)
        take_turns(group, options.repeats, work)
        jobs += group

    if digest(muslin) != program["sha256"]:
        raise Failed("the muslin program was replaced during the run: measure a copy of it")
    demos = [" ".join(demo_command("muslin", rows, file.name)) for file in files.values()]
    facts = {
        "rows": rows,
        "seed": SEED,
        "repeats": options.repeats,
        "bytes": {form: file.stat().st_size for form, file in files.items()},
        "cores": os.cpu_count(),
        "load_before": load_before,
        "load_after": os.getloadavg()[0],
        "floor_bytes": floor_bytes(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": known,
        "program": program,
        "commands": demos + [job.shown for job in jobs],
    }
    return jobs, facts


def main(arguments: Sequence[str]) -> int:
    """Compares, or does one job if this is a child."""
    if arguments[:1] == ["--job"]:
        return run_job(*arguments[1:])
    options = parse(arguments)
    try:
        jobs, facts = compare(options)
    except (Failed, OSError, metadata.PackageNotFoundError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if options.json:
        options.json.write_text(as_json(jobs, facts), encoding="utf-8")
    print(report(jobs, facts))
    return 1 if any(job.failure for job in jobs) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
