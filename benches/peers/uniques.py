#!/usr/bin/env python3
"""Compares minimal uniques by muslin with those by other programs, on one thread.

Beside muslin: sdcMicro (R), where `Rscript` finds it, and the package `suda` from PyPI, which
counts unique sets that are not minimal too. Every measurement is a process of its own, measured
from outside as in `read.py`.

    uniques.py --muslin PATH_TO_BINARY --work FOLDER [--table CSV]... [--repeats 2] [--limit 300]
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

from read import MEGABYTE, Job, demo_command, measure, ratio, take_turn

ROWS = 5_000
SIZES = (2, 3)

SDCMICRO = """\
suppressPackageStartupMessages(library(sdcMicro))
table <- read.csv(commandArgs(TRUE)[1], stringsAsFactors = TRUE)
for (name in names(table)) table[[name]] <- as.integer(factor(table[[name]], exclude = NULL))
scores <- suda2(table, variables = seq_along(table))
cat(sprintf('{"rows": %d, "scored": %d}\\n', nrow(table), sum(scores$score > 0)))
"""


def run_suda(file: str, size: str) -> int:
    """Runs the PyPI package in this process."""
    import pandas
    from suda import suda

    table = pandas.read_csv(file)
    scored = suda(table, max_msu=int(size), dis=0.1)
    print(json.dumps({"rows": len(scored), "scored": int((scored["suda"] > 0).sum())}))
    return 0


def has_sdcmicro() -> bool:
    """Tells whether R and sdcMicro are there."""
    if not shutil.which("Rscript"):
        return False
    call = ["Rscript", "-e", "stopifnot(requireNamespace('sdcMicro', quietly = TRUE))"]
    return subprocess.run(call, capture_output=True, check=False).returncode == 0


def jobs_of(muslin: str, table: Path, limit: int) -> list[Job]:
    """Returns the jobs on one table."""
    file, name = str(table), table.stem
    own = [muslin, "uniques", file, "--threads", "1", "--json", "--quiet"]
    bounded = ["timeout", str(limit)]
    jobs = [Job("muslin", "all sizes", name, own, "", None)]
    if has_sdcmicro():
        command = [*bounded, "Rscript", "-e", SDCMICRO, file]
        jobs.append(Job("sdcMicro", "all sizes", name, command, "", None))
    else:
        print("sdcMicro is not installed: left out", file=sys.stderr)
    for size in SIZES:
        step = f"up to {size}"
        jobs.append(Job("muslin", step, name, [*own, "--max-size", str(size)], "", None))
        command = [*bounded, sys.executable, str(Path(__file__).resolve()), "--job", file, str(size)]
        jobs.append(Job("suda", step, name, command, "", None))
    return jobs


def show(jobs: list[Job]) -> None:
    """Prints the results; ratios are to muslin on the same table and sizes."""
    bases = {(job.form, job.name): job.best() for job in jobs if job.engine == "muslin"}
    print(f"{'table':<20}{'sizes':<12}{'program':<10}{'CPU s':>9}{'x':>8}{'MB':>8}{'x':>8}")
    for job in jobs:
        best, base = job.best(), bases[(job.form, job.name)]
        head = f"{job.form:<20}{job.name:<12}{job.engine:<10}"
        if best is None or base is None:
            print(f"{head}{job.failure or 'failed'}")
            continue
        cpu, peak = ratio(best.cpu_s, base.cpu_s), ratio(best.peak_bytes, base.peak_bytes)
        print(f"{head}{best.cpu_s:>9.3f}{cpu:>8}{best.peak_bytes / MEGABYTE:>8.0f}{peak:>8}")


def main() -> int:
    """Runs everything."""
    if sys.argv[1:2] == ["--job"]:
        return run_suda(*sys.argv[2:4])
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--muslin", required=True)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("--table", action="append", type=Path, default=[])
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--limit", type=int, default=300, help="seconds for each peer")
    args = parser.parse_args()
    muslin = str(Path(args.muslin).resolve())
    tables = [table.resolve() for table in args.table]
    if not tables:
        made = args.work / f"hospital-{ROWS}.csv"
        measure(demo_command(muslin, ROWS, made.name), args.work)
        tables = [made.resolve()]
    jobs = [job for table in tables for job in jobs_of(muslin, table, args.limit)]
    for _ in range(args.repeats):
        for job in jobs:
            take_turn(job, args.work)
    show(jobs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
