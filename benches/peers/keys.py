#!/usr/bin/env python3
"""Compares all minimal keys, and quasi-identifiers, by muslin with those by Desbordante.

Beside muslin: HPIValid, HyUCC and PyroUCC of the package `desbordante`. Every measurement is a
process of its own, measured from outside as in `read.py`; the programs take turns. What they find
is compared set by set and kept as JSON in the work folder.

    keys.py --work FOLDER [--muslin PATH_TO_BINARY] [--generator PATH_TO_BINARY] [--data FOLDER]
            [--table NAME]... [--repeats 3] [--limit 300] [--json FILE]

Without `--muslin` only the others are measured. Tables whose source is absent are left out.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import platform
import resource
import signal
import statistics
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from read import MEGABYTE, Failed, Usage, floor_bytes, measure, ratio

SCRIPT = Path(__file__).resolve()
TABLES = ("adult14", "flights", "covtype54", "syn2m")
GENERATED_ROWS = 2_000_000
KEYS = "keys"
# PyroUCC rounds its error to a multiple of 2^-15: 0.001 is taken as 32 of them.
SEPARATION, ROUNDED = "0.999", "0.9990234375"
# A shell sets the limit and becomes the program.
LIMITED = ["sh", "-c", 'ulimit -S -t "$0" && exec "$@"']
OVER_LIMIT = f"exit status {-signal.SIGXCPU}:"

NOTES = """\
CPU s is the lowest of the repeats, wall s their median, peak MB the lowest, all of the whole
process, reading included. Files are in the page cache, and a peak near the floor may be this
script's own. Load and execute are the two steps of the peers, in CPU s, without the start of
Python. A run of more than the limit of CPU s was ended and not tried again. Ratios are to {base}
on the same question. Peers compare cells as text, and empty cells are equal. "0.999" asks for all
minimal quasi-identifiers with a separation ratio of at least 0.999."""


# What a child does. The library is imported there only.


def run_peer(engine: str, options: str, file: str) -> int:
    """Finds the sets in this process and prints them, with what each step took."""
    import desbordante

    def cpu() -> float:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return usage.ru_utime + usage.ru_stime

    with open(file, newline="", encoding="utf-8") as lines:
        names = next(csv.reader(lines))
    finder = getattr(desbordante.ucc.algorithms, engine)()
    start = cpu()
    finder.load_data(table=(file, ",", True))
    loaded = cpu()
    finder.execute(**json.loads(options))
    done = cpu()
    sets = [[names[index] for index in found.indices] for found in finder.get_uccs()]
    print(json.dumps({"load_s": loaded - start, "execute_s": done - loaded, "sets": sets}))
    return 0


# The tables. A half-written one never gets its name.


def rows_of(source: Path) -> Iterator[list[str]]:
    """Yields the rows of a CSV file, the header first."""
    opener = gzip.open if source.suffix == ".gz" else open
    with opener(source, "rt", newline="", encoding="utf-8") as lines:
        yield from csv.reader(lines)


def without(rows: Iterable[list[str]], name: str) -> Iterator[list[str]]:
    """Yields the rows without the column of that name."""
    index = None
    for row in rows:
        index = row.index(name) if index is None else index
        yield row[:index] + row[index + 1 :]


def unequal(rows: Iterable[list[str]]) -> Iterator[list[str]]:
    """Yields each row once."""
    seen = set()
    for row in rows:
        if tuple(row) not in seen:
            seen.add(tuple(row))
            yield row


def source_rows(name: str, data: Path) -> Iterator[list[str]]:
    """Returns the rows of a real table, as the comparison uses it."""
    if name == "adult14":
        return unequal(without(rows_of(data / "adult.csv"), "fnlwgt"))
    if name == "covtype54":
        return without(rows_of(data / "covtype.csv.gz"), "Cover_Type")
    return rows_of(data / f"{name}.csv.gz")


def run_make(name: str, data: str) -> int:
    """Prints a real table from this process."""
    try:
        csv.writer(sys.stdout, lineterminator="\n").writerows(source_rows(name, Path(data)))
    except FileNotFoundError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    return 0


def make_table(name: str, options: argparse.Namespace) -> Path | None:
    """Writes a table if it is not there; returns nothing where its source is absent."""
    file = options.work / f"{name}.csv"
    partial = options.work / f"partial-{name}.csv"
    if file.exists():
        return file
    # By a process of its own: the memory of this one is the floor of what it measures.
    command = [sys.executable, str(SCRIPT), "--make", name, str(options.data)]
    if name == "syn2m":
        command = [str(options.generator), str(GENERATED_ROWS)]
    absent = name == "syn2m" and not options.generator
    with partial.open("wb") as out:
        made = not absent and subprocess.run(command, stdout=out, check=False).returncode == 0
    if not made:
        partial.unlink()
        print(f"{name} is left out: what it is made from is absent", file=sys.stderr)
        return None
    return partial.rename(file)


# What is measured.


@dataclass
class Job:
    """One program with one question on one table, and its measurements so far."""

    table: str
    engine: str
    # What is asked, and the questions whose answers by muslin it is compared with.
    questions: tuple[str, ...]
    command: list[str]
    limit: int
    runs: list[Usage] = field(default_factory=list)
    steps: list[dict[str, float]] = field(default_factory=list)
    sets: set[frozenset[str]] | None = None
    failure: str | None = None

    @property
    def name(self) -> str:
        """Returns a name that no other job has."""
        return f"{self.table} {self.questions[0]} {self.engine}"

    def take_turn(self, work: Path) -> None:
        """Runs once, unless it failed before; every run must find the same."""
        if self.failure:
            return
        try:
            usage, printed = measure([*LIMITED, str(self.limit), *self.command], work)
            answer = json.loads(printed)
            if answer.get("coverage", "complete") != "complete":
                raise Failed("the answer is not complete")
            sets = {frozenset(columns) for columns in answer["sets"]}
            if len(sets) != len(answer["sets"]) or self.sets not in (None, sets):
                raise Failed("sets come twice or differ between runs")
        except (Failed, OSError, ValueError, KeyError, TypeError) as error:
            over = OVER_LIMIT in str(error)
            self.failure = f"over {self.limit} CPU s" if over else f"failed: {error}"
            return
        self.sets = sets
        self.runs.append(usage)
        if "load_s" in answer:
            self.steps.append({step: answer[step] for step in ("load_s", "execute_s")})

    def best(self) -> Usage | None:
        """Returns the figures that count, or nothing if the job failed."""
        if self.failure or not self.runs:
            return None
        return Usage(
            statistics.median(run.wall_s for run in self.runs),
            min(run.cpu_s for run in self.runs),
            min(run.peak_bytes for run in self.runs),
        )


def jobs_of(table: str, file: Path, muslin: str | None, limit: int) -> list[Job]:
    """Returns the jobs on one table, in the order of their turns."""

    def peer(engine: str, label: str, questions: tuple[str, ...], **options: float) -> Job:
        command = [sys.executable, str(SCRIPT), "--job", engine, json.dumps(options), str(file)]
        return Job(table, label, questions, command, limit)

    def own(threads: int, question: str) -> list[Job]:
        if not muslin:
            return []
        command = [muslin, "keys", str(file), "--all", "--json", "--quiet"]
        command += ["--threads", str(threads)]
        if question != KEYS:
            command += ["--measure", "separation", "--beta", question]
        plural = "s" if threads > 1 else ""
        label = f"muslin, {threads} thread{plural}"
        return [Job(table, label, (question,), command, limit)]

    jobs = [
        *own(1, KEYS),
        peer("HPIValid", "HPIValid", (KEYS,)),
        *own(2, KEYS),
        peer("HyUCC", "HyUCC, 1 thread", (KEYS,), threads=1),
        peer("PyroUCC", "PyroUCC, error 0", (KEYS,), error=0),
    ]
    if table == "adult14":
        jobs += [*own(1, SEPARATION), *own(2, SEPARATION)]
    jobs.append(peer("PyroUCC", "PyroUCC, error 0.001", (SEPARATION, ROUNDED), error=0.001))
    if table == "adult14":
        jobs += own(1, ROUNDED)
    return jobs


# What is said about it.


def base_of(job: Job, jobs: list[Job]) -> Job | None:
    """Returns the job that others on this table and question are measured by."""
    alike = [j for j in jobs if j.table == job.table and j.questions[0] == job.questions[0]]
    own = [j for j in alike if j.engine == "muslin, 1 thread"]
    return next(iter(own or [j for j in alike if j.engine == "HPIValid"]), None)


def agreement(job: Job, jobs: list[Job]) -> str:
    """Says how the sets differ from the answers of the job that others are measured by."""
    said = []
    for question in job.questions:
        asked = [j for j in jobs if j.table == job.table and j.questions == (question,)]
        base = base_of(asked[0], jobs) if asked else None
        if base is None or base is job or base.sets is None or job.sets is None:
            continue
        more, missing = len(job.sets - base.sets), len(base.sets - job.sets)
        verdict = f"{more} more, {missing} missing" if more or missing else "equal"
        said.append(verdict if len(job.questions) == 1 else f"{question}: {verdict}")
    return "; ".join(said)


def cells(job: Job, jobs: list[Job]) -> list[str]:
    """Returns one line of the result."""
    head = [job.table, job.questions[0], job.engine]
    best, base_job = job.best(), base_of(job, jobs)
    if best is None:
        return [*head, job.failure or "not run", *[""] * 8]
    base = base_job.best() if base_job else None
    steps = [min(step[name] for step in job.steps) for name in job.steps[0]] if job.steps else []
    return [
        *head,
        str(len(job.sets or ())),
        f"{best.cpu_s:.2f}",
        ratio(best.cpu_s, base.cpu_s if base else None),
        f"{best.wall_s:.2f}",
        ratio(best.wall_s, base.wall_s if base else None),
        f"{best.peak_bytes / MEGABYTE:.0f}",
        ratio(best.peak_bytes, base.peak_bytes if base else None),
        " + ".join(f"{step:.2f}" for step in steps),
        agreement(job, jobs),
    ]


def render(jobs: list[Job]) -> str:
    """Returns the results as a table that both people and Markdown read."""
    header = ["table", "asked", "program", "sets", "CPU s", "x", "wall s", "x", "peak MB", "x"]
    rows = [header + ["load + execute", "sets differ"], *(cells(job, jobs) for job in jobs)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    rows.insert(1, ["-" * width for width in widths])
    lines = (" | ".join(cell.ljust(width) for cell, width in zip(row, widths)) for row in rows)
    return "\n".join(f"| {line} |" for line in lines)


def save_sets(job: Job, work: Path) -> None:
    """Keeps what a job found."""
    if job.sets is not None:
        name = "".join(c if c.isalnum() or c == "." else "-" for c in job.name)
        found = sorted((sorted(columns) for columns in job.sets), key=lambda s: (len(s), s))
        (work / f"found-{name}.json").write_text(json.dumps(found), encoding="utf-8")


def as_json(jobs: list[Job], facts: dict[str, Any]) -> str:
    """Returns everything there is to say, for programs, each run included."""
    results = [
        {
            "table": job.table,
            "question": job.questions[0],
            "program": job.engine,
            "sets": None if job.sets is None else len(job.sets),
            "agreement": agreement(job, jobs),
            "best": asdict(best) if (best := job.best()) else None,
            "runs": [asdict(run) for run in job.runs],
            "steps": job.steps,
            "failure": job.failure,
        }
        for job in jobs
    ]
    return json.dumps(facts | {"results": results}, indent=2) + "\n"


def parse() -> argparse.Namespace:
    """Reads the command line."""
    beside = SCRIPT.parents[3] / "shared" / "data"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--muslin", help="the program to measure [default: none]")
    parser.add_argument("--generator", help="the program that writes syn2m")
    parser.add_argument("--work", required=True, type=Path, help="folder for data and answers")
    parser.add_argument("--data", type=Path, default=beside, help="folder of the real tables")
    parser.add_argument("--table", action="append", choices=TABLES, help="only this one")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each job [default: 3]")
    parser.add_argument("--limit", type=int, default=300, help="CPU s of a run [default: 300]")
    parser.add_argument("--json", type=Path, metavar="FILE", help="save the results here too")
    return parser.parse_args()


def main() -> int:
    """Runs everything."""
    if sys.argv[1:2] == ["--job"]:
        return run_peer(*sys.argv[2:5])
    if sys.argv[1:2] == ["--make"]:
        return run_make(*sys.argv[2:4])
    options = parse()
    options.work = options.work.resolve()
    muslin = str(Path(options.muslin).resolve()) if options.muslin else None
    all_jobs: list[Job] = []
    load_before = os.getloadavg()[0]
    for table in options.table or TABLES:
        file = make_table(table, options)
        jobs = jobs_of(table, file, muslin, options.limit) if file else []
        for repeat in range(1, options.repeats + 1):
            for job in jobs:
                print(f"  {repeat}/{options.repeats} {job.name}", file=sys.stderr)
                job.take_turn(options.work)
        for job in jobs:
            save_sets(job, options.work)
        all_jobs += jobs
    facts = {
        "desbordante": metadata.version("desbordante"),
        "python": platform.python_version(),
        "system": platform.platform(),
        "cores": os.cpu_count(),
        "repeats": options.repeats,
        "limit_s": options.limit,
        "load_before": load_before,
        "load_after": os.getloadavg()[0],
        "floor_bytes": floor_bytes(),
    }
    if options.json:
        options.json.write_text(as_json(all_jobs, facts), encoding="utf-8")
    print(render(all_jobs), "", sep="\n")
    print(NOTES.format(base="muslin on one thread" if muslin else "HPIValid"), "", sep="\n")
    print(", ".join(f"{name} {value}" for name, value in facts.items()))
    return 1 if any((job.failure or "").startswith("failed") for job in all_jobs) else 0


if __name__ == "__main__":
    sys.exit(main())
