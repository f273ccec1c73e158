"""One function per command. Names, defaults and checks are those of the command line: what is not said is left
out of the call. Only the input's own libraries are needed.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, TypeVar, Union

from . import _errors, _frames, _muslin, _progress
from ._reports import (
    AttackReport,
    BucketizeReport,
    DiffReport,
    Document,
    ExplainReport,
    GeneralizeReport,
    InitReport,
    KeysReport,
    MaskReport,
    PlanReport,
    ProtectReport,
    RehearsalReport,
    ScanReport,
    SliceReport,
    SuppressReport,
    UniquesEstimate,
    UniquesReport,
    VerifyReport,
)
from ._result import Result

Path = Union[str, "os.PathLike[str]"]
#: A pandas, polars, pyarrow or DuckDB frame, or anything with the Arrow PyCapsule interface.
Frame = Any
#: A column's name, or several.
Names = Union[str, Sequence[str]]
#: Seconds, a text such as "2m", or a timedelta.
Time = Union[str, float, timedelta]
#: A path, the text of a policy file, or what it says as a dictionary.
Policy = Union[Path, Mapping[str, Any]]
#: A path, a report of a call, or what it says as a dictionary.
Claims = Union[Path, Result, Mapping[str, Any]]
#: Whether progress is shown, or who is told: stage, work done, all work.
Progress = Union[bool, Callable[[str, int, Union[int, None]], None], None]

R = TypeVar("R", bound=Result)

#: Commands that make a release: what they warn of is to be seen before it is handed on.
_RELEASES = ("mask", "suppress", "generalize", "bucketize", "slice", "protect")


def _call(
    kind: type[R],
    command: str,
    tables: Sequence[str],
    settings: dict[str, Any],
    held: Sequence[str] = (),
) -> R:
    """Takes frames as tables, calls, and gives what came out."""
    progress = settings.pop("progress")
    data = [settings.pop(name) for name in tables]
    for name in ("original", "aux", "previous", "release", "sensitive_table", "certificate"):
        if settings.get(name) is not None and not isinstance(settings[name], bool):
            settings[name] = _frames.take(settings[name])
    if isinstance(settings.get("policy"), InitReport):
        settings["policy"] = settings["policy"].policy
    if isinstance(settings.get("claims"), Result):
        settings["claims"] = settings["claims"].to_dict()
    if held and settings.get("output") == "-":
        raise _errors.UsageError("there is no standard output here\n  hint: leave `output` out to have a frame")
    with _progress.shown(progress) as shown:
        answer = _muslin.call(command, [_frames.take(own) for own in data], settings, held, shown.show)
    if answer.stopped is not None:
        warnings.warn(answer.stopped, _errors.LimitWarning, stacklevel=_outside())
    result = kind(answer, _frames.kind_of(data[-1]))
    if command in _RELEASES:
        for text in result.to_dict().get("warnings", []):
            warnings.warn(_muslin.spelled(text), _errors.ReleaseWarning, stacklevel=_outside())
    return result


def _outside() -> int:
    """How far up the stack the package's caller is, for a warning raised one level up."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("muslin."):
        frame, level = frame.f_back, level + 1
    return level


def _uniques(settings: dict[str, Any]) -> UniquesReport:
    kind: Any = UniquesEstimate if settings["dry_run"] else UniquesReport
    asked = ("list", "scores", "groups", "novelty", "contributions", "values")
    held = ("output",) if any(settings[name] for name in asked) else ()
    if settings["groups"] is True:
        settings["groups"] = "columns"
    found: UniquesReport = _call(kind, "uniques", ("data",), settings, held)
    return found


def _protect(settings: dict[str, Any]) -> ProtectReport:
    kind: Any = RehearsalReport if settings["dry_run"] else ProtectReport
    made: ProtectReport = _call(kind, "protect", ("data",), settings, ("output",))
    return made


def demo_data(
    name: str = "hospital",
    *,
    rows: int | None = None,
    seed: int | None = None,
) -> _muslin.Table:
    """A made-up table to try things on, for whatever reads the Arrow PyCapsule interface.

    >>> import muslin as mu
    >>> mu.demo_data(rows=10).num_rows
    10
    """
    settings = {"rows": rows, "seed": seed}
    return _muslin.call("demo-data", [name], settings, ["output"]).tables["output"]


def scan(
    data: Frame | Path,
    *,
    quasi_identifiers: Names | None = None,
    qi: Names | None = None,
    k: int | None = None,
    budget: Time | None = None,
    html: Path | None = None,
    policy: Policy | None = None,
    columns: Names | None = None,
    exclude: Names | None = None,
    role: Mapping[str, str] | None = None,
    type: Mapping[str, str] | None = None,
    date_format: Mapping[str, str] | None = None,
    missing: str | None = None,
    null: str | Sequence[str] | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal_comma: bool | None = None,
    trim: bool | None = None,
    engine: str | None = None,
    sql: str | None = None,
    token_file: Path | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    time_limit: Time | None = None,
    seed: int | None = None,
    progress: Progress = None,
) -> ScanReport:
    """Says what is in a table, how many of its rows stand out and why, and what to do next.

    `to_frame()` has a row for each column; `figures` are those of the report, `to_html()` the whole page.

    >>> import muslin as mu
    >>> report = mu.scan(mu.demo_data(rows=500), budget=1)
    >>> report.rows, report.columns[0].role
    (500, 'identifier')
    """
    settings = dict(locals())
    return _call(ScanReport, "scan", ("data",), settings)


def init(
    data: Frame | Path,
    *,
    preset: str | None = None,
    decide: Mapping[str, str] | None = None,
    output: Path | None = None,
    force: bool | None = None,
    columns: Names | None = None,
    exclude: Names | None = None,
    role: Mapping[str, str] | None = None,
    type: Mapping[str, str] | None = None,
    date_format: Mapping[str, str] | None = None,
    null: str | Sequence[str] | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal_comma: bool | None = None,
    trim: bool | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    time_limit: Time | None = None,
    seed: int | None = None,
    progress: Progress = None,
) -> InitReport:
    """Writes a first policy, with a role for every column and why; `policy` is its text.

    >>> import muslin as mu
    >>> first = mu.init(mu.demo_data(rows=500))
    >>> "identifier" in first.policy
    True
    """
    settings = dict(locals())
    return _call(InitReport, "init", ("data",), {**settings, "output": settings["output"] or "-"})


def uniques(
    data: Frame | Path,
    *,
    quasi_identifiers: Names | None = None,
    qi: Names | None = None,
    k: int | None = None,
    max_size: int | None = None,
    score: str | None = None,
    dis_fraction: float | None = None,
    top: int | None = None,
    method: str | None = None,
    distinct_rows: bool | None = None,
    dry_run: bool | None = None,
    list: bool | None = None,
    scores: bool | None = None,
    groups: str | bool | None = None,
    novelty: bool | None = None,
    contributions: bool | None = None,
    values: bool | None = None,
    output: Path | None = None,
    format: str | None = None,
    show_values: bool | None = None,
    policy: Policy | None = None,
    columns: Names | None = None,
    exclude: Names | None = None,
    role: Mapping[str, str] | None = None,
    type: Mapping[str, str] | None = None,
    date_format: Mapping[str, str] | None = None,
    missing: str | None = None,
    null: str | Sequence[str] | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal_comma: bool | None = None,
    trim: bool | None = None,
    engine: str | None = None,
    sql: str | None = None,
    token_file: Path | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    time_limit: Time | None = None,
    seed: int | None = None,
    progress: Progress = None,
) -> UniquesReport:
    """Finds what singles rows out: the smallest sets of values that few rows hold.

    With `list`, `scores`, `groups`, `novelty`, `contributions` or `values`, that table is what `to_frame()` gives.

    >>> import muslin as mu
    >>> found = mu.uniques(mu.demo_data(rows=500), columns=["age", "sex", "town"], scores=True)
    >>> found.to_frame("arrow").num_rows
    500
    """
    settings = dict(locals())
    return _uniques(settings)


def keys(
    data: Frame | Path,
    *,
    quasi_identifiers: Names | None = None,
    qi: Names | None = None,
    all: bool | None = None,
    minimum: bool | None = None,
    set: Names | None = None,
    sample: int | None = None,
    measure: str | None = None,
    beta: float | str | None = None,
    delta: float | None = None,
    distinct_rows: bool | None = None,
    max_size: int | None = None,
    limit: int | None = None,
    method: str | None = None,
    output: Path | None = None,
    format: str | None = None,
    exact: bool | None = None,
    cost: Mapping[str, float] | None = None,
    epsilon: float | None = None,
    bound: str | None = None,
    no_verify: bool | None = None,
    policy: Policy | None = None,
    columns: Names | None = None,
    exclude: Names | None = None,
    role: Mapping[str, str] | None = None,
    type: Mapping[str, str] | None = None,
    date_format: Mapping[str, str] | None = None,
    missing: str | None = None,
    null: str | Sequence[str] | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal_comma: bool | None = None,
    trim: bool | None = None,
    engine: str | None = None,
    sql: str | None = None,
    token_file: Path | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    time_limit: Time | None = None,
    seed: int | None = None,
    progress: Progress = None,
) -> KeysReport:
    """Finds which columns tell rows apart: keys and quasi-identifiers.

    With `all`, `to_frame()` has a row for each set.

    >>> import muslin as mu
    >>> found = mu.keys(mu.demo_data(rows=500), minimum=True, measure="separation", beta=0.999)
    >>> found.columns
    20
    """
    settings = dict(locals())
    return _call(KeysReport, "keys", ("data",), settings, ("output",) if settings["all"] else ())


def explain(
    data: Frame | Path,
    *,
    row: int | None = None,
    columns: Names | None = None,
    quasi_identifiers: Names | None = None,
    qi: Names | None = None,
    max_size: int | None = None,
    limit: int | None = None,
    score: str | None = None,
    nearest: int | None = None,
    show_values: bool | None = None,
    policy: Policy | None = None,
    exclude: Names | None = None,
    role: Mapping[str, str] | None = None,
    type: Mapping[str, str] | None = None,
    date_format: Mapping[str, str] | None = None,
    missing: str | None = None,
    null: str | Sequence[str] | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal_comma: bool | None = None,
    trim: bool | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    time_limit: Time | None = None,
    seed: int | None = None,
    progress: Progress = None,
) -> ExplainReport:
    """Says why one row, or one set of columns, is risky.

    >>> import muslin as mu
    >>> mu.explain(mu.demo_data(rows=500), columns=["age", "town"]).rows
    500
    """
    settings = dict(locals())
    return _call(ExplainReport, "explain", ("data",), settings)


def mask(
    data: Frame | Path,
    *,
    quasi_identifiers: Names | None = None,
    qi: Names | None = None,
    measure: str | None = None,
    beta: float | str | None = None,
    exact: bool | None = None,
    sample: int | None = None,
    delta: float | None = None,
    keep: Names | None = None,
    drop: Names | None = None,
    weight: Mapping[str, float | str] | None = None,
    distinct_rows: bool | None = None,
    output: Path | None = None,
    format: str | None = None,
    row_order: str | None = None,
    policy: Policy | None = None,
    columns: Names | None = None,
    exclude: Names | None = None,
    role: Mapping[str, str] | None = None,
    type: Mapping[str, str] | None = None,
    date_format: Mapping[str, str] | None = None,
    missing: str | None = None,
    null: str | Sequence[str] | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal_comma: bool | None = None,
    trim: bool | None = None,
    engine: str | None = None,
    sql: str | None = None,
    token_file: Path | None = None,
    release_delimiter: str | None = None,
    release_encoding: str | None = None,
    release_decimal_comma: bool | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    time_limit: Time | None = None,
    seed: int | None = None,
    progress: Progress = None,
) -> MaskReport:
    """Publishes as many columns as can go together without telling rows apart; `to_frame()` is the release.

    >>> import muslin as mu
    >>> people = mu.demo_data(rows=500)
    >>> release = mu.mask(people, measure="distinct", beta=0.1, role={"patient_id": "identifier"})
    >>> "patient_id" in release.to_frame("arrow").column_names
    False
    """
    settings = dict(locals())
    return _call(MaskReport, "mask", ("data",), settings, ("output",))


def suppress(
    data: Frame | Path,
    *,
    k: int | None = None,
    quasi_identifiers: Names | None = None,
    qi: Names | None = None,
    notion: str | None = None,
    method: str | None = None,
    weight: Mapping[str, float | str] | None = None,
    budget: Mapping[str, int] | None = None,
    diversity: Mapping[str, int] | None = None,
    robust: bool | None = None,
    closed: bool | None = None,
    gap: float | None = None,
    break_: tuple[Names, Names] | None = None,
    one_counterexample: bool | None = None,
    ties: str | None = None,
    irredundant: bool | None = None,
    certificate: Path | bool | None = None,
    ledger: Path | bool | None = None,
    output: Path | None = None,
    format: str | None = None,
    row_order: str | None = None,
    policy: Policy | None = None,
    columns: Names | None = None,
    exclude: Names | None = None,
    role: Mapping[str, str] | None = None,
    type: Mapping[str, str] | None = None,
    date_format: Mapping[str, str] | None = None,
    missing: str | None = None,
    null: str | Sequence[str] | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal_comma: bool | None = None,
    trim: bool | None = None,
    release_delimiter: str | None = None,
    release_encoding: str | None = None,
    release_decimal_comma: bool | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    time_limit: Time | None = None,
    seed: int | None = None,
    progress: Progress = None,
) -> SuppressReport:
    """Withholds cells until every row is one of k, and says how near that is to the least; `to_frame()` is the
    release.

    `certificate=True` and `ledger=True` keep those tables too, in `tables()`.

    >>> import muslin as mu
    >>> release = mu.suppress(mu.demo_data(rows=200), k=3, qi=["age", "sex"])
    >>> release.to_frame("arrow").num_rows
    200
    """
    settings = dict(locals())
    return _call(SuppressReport, "suppress", ("data",), settings, ("output",))


def generalize(
    data: Frame | Path,
    *,
    k: int | None = None,
    quasi_identifiers: Names | None = None,
    qi: Names | None = None,
    diversity: Mapping[str, int | str] | None = None,
    closeness: Mapping[str, float | str] | None = None,
    suppression_limit: float | str | None = None,
    recoding: str | None = None,
    hierarchy: Mapping[str, Path] | None = None,
    hierarchies: Path | None = None,
    labels: str | None = None,
    max_set: int | None = None,
    bounds: str | None = None,
    grid: Mapping[str, float] | None = None,
    cut: str | None = None,
    relaxed: bool | None = None,
    output: Path | None = None,
    format: str | None = None,
    row_order: str | None = None,
    policy: Policy | None = None,
    columns: Names | None = None,
    exclude: Names | None = None,
    role: Mapping[str, str] | None = None,
    type: Mapping[str, str] | None = None,
    date_format: Mapping[str, str] | None = None,
    missing: str | None = None,
    null: str | Sequence[str] | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal_comma: bool | None = None,
    trim: bool | None = None,
    release_delimiter: str | None = None,
    release_encoding: str | None = None,
    release_decimal_comma: bool | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    time_limit: Time | None = None,
    seed: int | None = None,
    progress: Progress = None,
) -> GeneralizeReport:
    """Replaces values by ranges, sets or groups until every row is one of k; `to_frame()` is the release.

    >>> import muslin as mu
    >>> release = mu.generalize(mu.demo_data(rows=500), k=5, qi=["age", "sex"], role={"name": "identifier"})
    >>> mu.verify(release.to_frame("arrow"), k=5, qi=["age", "sex"]).checks[0].met
    True
    """
    settings = dict(locals())
    return _call(GeneralizeReport, "generalize", ("data",), settings, ("output",))


def bucketize(
    data: Frame | Path,
    *,
    l: int | None = None,
    sensitive: str | None = None,
    quasi_identifiers: Names | None = None,
    qi: Names | None = None,
    method: str | None = None,
    bucket_name: str | None = None,
    output: Path | None = None,
    format: str | None = None,
    row_order: str | None = None,
    sensitive_table: Path | bool | None = None,
    policy: Policy | None = None,
    columns: Names | None = None,
    exclude: Names | None = None,
    role: Mapping[str, str] | None = None,
    type: Mapping[str, str] | None = None,
    date_format: Mapping[str, str] | None = None,
    null: str | Sequence[str] | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal_comma: bool | None = None,
    trim: bool | None = None,
    release_delimiter: str | None = None,
    release_encoding: str | None = None,
    release_decimal_comma: bool | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    time_limit: Time | None = None,
    seed: int | None = None,
    progress: Progress = None,
) -> BucketizeReport:
    """Puts rows into buckets and lets sensitive values change places within them; `to_frame()` is the release.

    `sensitive_table=True` makes two tables, both in `tables()`.

    >>> import muslin as mu
    >>> release = mu.bucketize(mu.demo_data(rows=500), l=3, sensitive="diagnosis_group", exclude="name")
    >>> "bucket" in release.to_frame("arrow").column_names
    True
    """
    settings = dict(locals())
    return _call(BucketizeReport, "bucketize", ("data",), settings, ("output",))


def slice(
    data: Frame | Path,
    *,
    l: int | None = None,
    sensitive: str | None = None,
    slices: Sequence[Sequence[str]] | None = None,
    count: int | None = None,
    with_sensitive: int | None = None,
    level: Mapping[str, int] | None = None,
    hierarchy: Mapping[str, Path] | None = None,
    hierarchies: Path | None = None,
    one_attempt: bool | None = None,
    relaxed: bool | None = None,
    check: str | None = None,
    membership: bool | None = None,
    bucket_name: str | None = None,
    output: Path | None = None,
    format: str | None = None,
    row_order: str | None = None,
    policy: Policy | None = None,
    columns: Names | None = None,
    exclude: Names | None = None,
    role: Mapping[str, str] | None = None,
    type: Mapping[str, str] | None = None,
    date_format: Mapping[str, str] | None = None,
    null: str | Sequence[str] | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal_comma: bool | None = None,
    trim: bool | None = None,
    release_delimiter: str | None = None,
    release_encoding: str | None = None,
    release_decimal_comma: bool | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    time_limit: Time | None = None,
    seed: int | None = None,
    progress: Progress = None,
) -> SliceReport:
    """Cuts links between columns within buckets of rows, so that sensitive values are not told; `to_frame()` is
    the release.

    >>> import muslin as mu
    >>> release = mu.slice(
    ...     mu.demo_data(rows=500), l=2, columns=["age", "sex", "diagnosis_group"], sensitive="diagnosis_group"
    ... )
    >>> release.to_frame("arrow").num_rows
    500
    """
    settings = dict(locals())
    return _call(SliceReport, "slice", ("data",), settings, ("output",))


def plan(
    data: Frame | Path,
    *,
    quasi_identifiers: Names | None = None,
    qi: Names | None = None,
    k: int | Sequence[int] | None = None,
    budget: Time | None = None,
    policy: Policy | None = None,
    columns: Names | None = None,
    exclude: Names | None = None,
    role: Mapping[str, str] | None = None,
    type: Mapping[str, str] | None = None,
    date_format: Mapping[str, str] | None = None,
    null: str | Sequence[str] | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal_comma: bool | None = None,
    trim: bool | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    time_limit: Time | None = None,
    seed: int | None = None,
    progress: Progress = None,
) -> PlanReport:
    """Shows what protections would cost and leave, before one is chosen.

    >>> import muslin as mu
    >>> tried = mu.plan(mu.demo_data(rows=300), columns=["age", "sex"], k=[3])
    >>> tried.candidates[0].k
    3
    """
    settings = dict(locals())
    return _call(PlanReport, "plan", ("data",), settings)


def protect(
    data: Frame | Path,
    policy: Policy,
    *,
    output: Path | None = None,
    dry_run: bool | None = None,
    reproducible: bool | None = None,
    max_unique: float | None = None,
    max_advantage: float | None = None,
    columns: Names | None = None,
    exclude: Names | None = None,
    role: Mapping[str, str] | None = None,
    type: Mapping[str, str] | None = None,
    date_format: Mapping[str, str] | None = None,
    null: str | Sequence[str] | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal_comma: bool | None = None,
    trim: bool | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    time_limit: Time | None = None,
    seed: int | None = None,
    progress: Progress = None,
) -> ProtectReport:
    """Makes a release by a policy: every method in its order, judged before it appears.

    `to_frame()` is the release; with `output` it is a folder instead, as the command line writes it.

    >>> import muslin as mu
    >>> people = mu.demo_data(rows=500)
    >>> policy = mu.init(people, role={"charge": "sensitive"}).policy
    >>> release = mu.protect(people, policy)
    >>> release.verification.met
    True
    """
    settings = dict(locals())
    return _protect(settings)


def diff(
    data: Frame | Path,
    release: Frame | Path,
    *,
    quasi_identifiers: Names | None = None,
    qi: Names | None = None,
    sensitive: str | None = None,
    k: int | None = None,
    hierarchy: Mapping[str, Path] | None = None,
    hierarchies: Path | None = None,
    label_format: Mapping[str, str] | None = None,
    bucket: str | None = None,
    slices: Sequence[Sequence[str]] | None = None,
    sensitive_table: Frame | Path | None = None,
    queries: int | None = None,
    columns_per_query: int | None = None,
    selectivity: float | None = None,
    show_values: bool | None = None,
    plots: Path | None = None,
    policy: Policy | None = None,
    columns: Names | None = None,
    exclude: Names | None = None,
    role: Mapping[str, str] | None = None,
    type: Mapping[str, str] | None = None,
    date_format: Mapping[str, str] | None = None,
    null: str | Sequence[str] | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal_comma: bool | None = None,
    trim: bool | None = None,
    release_delimiter: str | None = None,
    release_quote: str | None = None,
    release_header: bool | None = None,
    release_encoding: str | None = None,
    release_decimal_comma: bool | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    time_limit: Time | None = None,
    seed: int | None = None,
    progress: Progress = None,
) -> DiffReport:
    """Says what an analyst loses by a release, whatever made it.

    >>> import muslin as mu
    >>> people = mu.demo_data(rows=500)
    >>> release = mu.generalize(people, k=5, qi=["age", "sex"], exclude="name")
    >>> mu.diff(people, release.to_frame("arrow"), qi=["age", "sex"]).rows_after
    500
    """
    settings = dict(locals())
    return _call(DiffReport, "diff", ("data", "release",), settings)


def verify(
    data: Frame | Path,
    *,
    original: Frame | Path | None = None,
    k: int | None = None,
    quasi_identifiers: Names | None = None,
    qi: Names | None = None,
    claims: Claims | None = None,
    diversity: Mapping[str, int | str] | None = None,
    closeness: Mapping[str, float | str] | None = None,
    certificate: Frame | Path | None = None,
    weight: Mapping[str, float | str] | None = None,
    token: str | None = None,
    sensitive: str | None = None,
    no_attacks: bool | None = None,
    max_unique: float | None = None,
    max_advantage: float | None = None,
    hierarchy: Mapping[str, Path] | None = None,
    hierarchies: Path | None = None,
    label_format: Mapping[str, str] | None = None,
    bucket: str | None = None,
    slices: Sequence[Sequence[str]] | None = None,
    sensitive_table: Frame | Path | None = None,
    policy: Policy | None = None,
    columns: Names | None = None,
    exclude: Names | None = None,
    role: Mapping[str, str] | None = None,
    type: Mapping[str, str] | None = None,
    date_format: Mapping[str, str] | None = None,
    null: str | Sequence[str] | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal_comma: bool | None = None,
    trim: bool | None = None,
    engine: str | None = None,
    sql: str | None = None,
    token_file: Path | None = None,
    release_delimiter: str | None = None,
    release_quote: str | None = None,
    release_header: bool | None = None,
    release_encoding: str | None = None,
    release_decimal_comma: bool | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    time_limit: Time | None = None,
    seed: int | None = None,
    progress: Progress = None,
) -> VerifyReport:
    """Judges whether a release is what it claims to be, whatever made it; `raise_for_status()` where it must.

    `data` is a frame, a file, or the folder that `protect` wrote. `claims` may be the result of the call that made
    the release.

    >>> import muslin as mu
    >>> release = mu.generalize(mu.demo_data(rows=500), k=5, qi=["age", "sex"], exclude="name")
    >>> mu.verify(release.to_frame("arrow"), claims=release).met
    True
    """
    settings = dict(locals())
    return _call(VerifyReport, "verify", ("data",), settings)


def attack(
    data: Frame | Path,
    *,
    original: Frame | Path | None = None,
    quasi_identifiers: Names | None = None,
    qi: Names | None = None,
    sensitive: str | None = None,
    aux: Frame | Path | None = None,
    on: Names | None = None,
    id: str | None = None,
    previous: Frame | Path | None = None,
    seeds: int | None = None,
    only: Names | None = None,
    max_advantage: float | None = None,
    k: int | None = None,
    notion: str | None = None,
    token: str | None = None,
    bucket: str | None = None,
    slices: Sequence[Sequence[str]] | None = None,
    sensitive_table: Frame | Path | None = None,
    hierarchy: Mapping[str, Path] | None = None,
    hierarchies: Path | None = None,
    label_format: Mapping[str, str] | None = None,
    policy: Policy | None = None,
    columns: Names | None = None,
    exclude: Names | None = None,
    role: Mapping[str, str] | None = None,
    type: Mapping[str, str] | None = None,
    date_format: Mapping[str, str] | None = None,
    null: str | Sequence[str] | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal_comma: bool | None = None,
    trim: bool | None = None,
    release_delimiter: str | None = None,
    release_quote: str | None = None,
    release_header: bool | None = None,
    release_encoding: str | None = None,
    release_decimal_comma: bool | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    time_limit: Time | None = None,
    seed: int | None = None,
    progress: Progress = None,
) -> AttackReport:
    """Attacks a release as an attacker would, and reports what each attack infers.

    >>> import muslin as mu
    >>> release = mu.generalize(mu.demo_data(rows=500), k=5, qi=["age", "sex"], exclude="name")
    >>> result = mu.attack(release.to_frame("arrow"), qi=["age", "sex"], sensitive="diagnosis_group", only="homogeneity")
    >>> [attack.name for attack in result.attacks]
    ['homogeneity']
    """
    settings = dict(locals())
    return _call(AttackReport, "attack", ("data",), settings)


def report(
    data: Frame | Path,
    *,
    release: Frame | Path | None = None,
    label_format: Mapping[str, str] | None = None,
    audience: str | None = None,
    k: int | None = None,
    quasi_identifiers: Names | None = None,
    qi: Names | None = None,
    budget: Time | None = None,
    output: Path | None = None,
    policy: Policy | None = None,
    columns: Names | None = None,
    exclude: Names | None = None,
    role: Mapping[str, str] | None = None,
    type: Mapping[str, str] | None = None,
    date_format: Mapping[str, str] | None = None,
    missing: str | None = None,
    null: str | Sequence[str] | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal_comma: bool | None = None,
    trim: bool | None = None,
    release_delimiter: str | None = None,
    release_quote: str | None = None,
    release_header: bool | None = None,
    release_encoding: str | None = None,
    release_decimal_comma: bool | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    time_limit: Time | None = None,
    seed: int | None = None,
    progress: Progress = None,
) -> Document:
    """Writes a report for people, of a table or of a release, with plots; `to_html()` and `to_markdown()` have it.

    >>> import muslin as mu
    >>> mu.report(mu.demo_data(rows=500), budget=1).to_html().startswith("<!DOCTYPE html>")
    True
    """
    settings = dict(locals())
    return _call(Document, "report", ("data",), {**settings, "output": settings["output"] or "-"})


def _describe() -> None:
    """Adds to each function's text what its settings are for, in the words of the command line."""
    names = {"progress": "Whether progress is shown, or a function that is told `(stage, done, total)`."}
    alias = ("qi", "Short for `quasi_identifiers`.")
    for name, own in list(globals().items()):
        if name.startswith("_") or not callable(own) or getattr(own, "__module__", "") != __name__:
            continue
        said = [each for each in _muslin.flags(name) if each[0] in own.__annotations__]
        if "qi" in own.__annotations__:
            said.append(alias)
        lines = [f"    {setting}: {text}" for setting, text in [*said, *names.items()]]
        if said:
            own.__doc__ = f"{own.__doc__.rstrip()}\n\n    Settings:\n\n" + "\n".join(lines) + "\n    "


_describe()
