"""What a large polars frame costs in memory when it is looked at, and that its data is not copied.

    python benches/python/memory.py [ROWS]

Prints the frame's own bytes, and resident memory before and at its peak during each call. A copy of the data would
add the frame's bytes; codes take 1 to 4 bytes a cell.
"""

from __future__ import annotations

import sys
import threading
import time

import polars as pl

import muslin as mu


def resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * 4096


class Peak:
    """The most memory that is resident while something runs."""

    def __enter__(self) -> Peak:
        self.before = self.most = resident()
        self.start = time.perf_counter()
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._look)
        self.thread.start()
        return self

    def _look(self) -> None:
        while not self.over.wait(0.01):
            self.most = max(self.most, resident())

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()
        self.seconds = time.perf_counter() - self.start


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    # Numbers as a frame has them by default: eight bytes a cell.
    numbers = pl.int_range(rows, eager=True)
    columns = {f"c{at}": (numbers * (at + 7919)) % (10 ** (1 + at % 5)) for at in range(20)}
    frame = pl.DataFrame(columns)
    del columns, numbers
    mega = 1e6
    print(f"{rows:,} rows x {frame.width} columns: the frame has {frame.estimated_size() / mega:,.0f} MB")
    calls = {
        "mu.Table.read": lambda: mu.Table.read(frame, "frame"),
        "mu.keys(set=3 columns)": lambda: mu.keys(frame, set=["c0", "c1", "c4"]),
        "mu.scan(qi=3 columns, budget=1)": lambda: mu.scan(frame, qi=["c0", "c1", "c4"], budget=1),
    }
    for name, call in calls.items():
        with Peak() as peak:
            call()
        grown = (peak.most - peak.before) / mega
        print(f"{name:32} {peak.before / mega:8,.0f} MB before, {peak.most / mega:8,.0f} MB at most, +{grown:6,.0f} MB, {peak.seconds:.1f} s")


main()
