"""Finds what gives people away in a table about them, takes it out, and proves it.

>>> import muslin as mu
>>> people = mu.demo_data(rows=1000)
>>> mu.scan(people, budget=1).rows
1000
>>> release = mu.generalize(people, k=5, qi=["age", "sex", "town"], exclude=["name", "patient_id"])
>>> mu.verify(release.to_frame("arrow"), claims=release, original=people).met
True

Frames come from pandas, polars, pyarrow, DuckDB or anything with the Arrow PyCapsule interface, or from a
path; what is made is a frame of the same kind. Settings have the names of the command line's flags.
"""

from ._commands import (
    attack,
    bucketize,
    demo_data,
    diff,
    explain,
    generalize,
    init,
    keys,
    mask,
    plan,
    protect,
    report,
    scan,
    slice,
    suppress,
    uniques,
    verify,
)
from ._errors import (
    InfeasibleError,
    InputError,
    InternalError,
    LimitError,
    LimitWarning,
    MuslinError,
    NotMetError,
    OutputError,
    ReleaseWarning,
    UsageError,
)
from ._muslin import VERSION as __version__
from ._muslin import Table
from ._result import Plot, Record, Result

__all__ = [
    "InfeasibleError",
    "InputError",
    "InternalError",
    "LimitError",
    "LimitWarning",
    "MuslinError",
    "NotMetError",
    "OutputError",
    "Plot",
    "Record",
    "ReleaseWarning",
    "Result",
    "Table",
    "UsageError",
    "__version__",
    "attack",
    "bucketize",
    "demo_data",
    "diff",
    "explain",
    "generalize",
    "init",
    "keys",
    "mask",
    "plan",
    "protect",
    "report",
    "scan",
    "slice",
    "suppress",
    "uniques",
    "verify",
]
