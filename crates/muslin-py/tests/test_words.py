"""The words are those of the command line: names, defaults, answers."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import muslin as mu
from muslin import _muslin

COMMANDS = [
    "attack", "bucketize", "diff", "explain", "generalize", "init", "keys", "mask", "plan", "protect",
    "report", "scan", "slice", "suppress", "uniques", "verify",
]  # fmt: skip
#: What only a command line has.
ELSEWHERE = {"json", "stats", "quiet", "help", "allow_findings"}
#: Flags that are there for others and say so when they are used.
HIDDEN = {
    "init": {"policy", "missing"},
    **{name: {"missing"} for name in ("attack", "bucketize", "diff", "plan", "protect", "slice", "verify")},
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_flag_is_an_argument_and_none_is_more(command: str) -> None:
    flags = {name for name, _ in _muslin.flags(command)} - ELSEWHERE - HIDDEN.get(command, set())
    own = inspect.signature(getattr(mu, command)).parameters
    arguments = {name for name, one in own.items() if one.kind is one.KEYWORD_ONLY} - {"progress", "qi"}
    if command == "protect":
        arguments.add("policy")
    assert arguments == flags
    # No default lives here: what is not said is not passed.
    assert {one.default for one in own.values()} <= {None, inspect.Parameter.empty}


@pytest.mark.parametrize("command", COMMANDS)
def test_help_says_what_settings_are_for(command: str) -> None:
    text = getattr(mu, command).__doc__
    assert ">>> import muslin as mu" in text
    for name, own in inspect.signature(getattr(mu, command)).parameters.items():
        if own.kind is own.KEYWORD_ONLY and name not in ("progress", "qi"):
            assert f"\n    {name}: " in text, name
    assert "`--" not in text and "`-k" not in text


def timeless(value: Any) -> Any:
    """A report without how long something took."""
    if isinstance(value, dict):
        return {name: timeless(own) for name, own in value.items() if "seconds" not in name or name == "budget_seconds"}
    return [timeless(own) for own in value] if isinstance(value, list) else value


def same(cli: Callable[..., Any], folder: Path, words: list[Any], call: Callable[[], mu.Result]) -> None:
    printed = cli(*words, "--json", cwd=folder)
    assert printed.returncode in (0, 1), printed.stderr
    assert timeless(json.loads(printed.stdout)) == timeless(call().to_dict()), words


def test_the_same_job_gives_the_same_report(
    cli: Callable[..., Any], people_csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "people.csv"
    file.write_bytes(people_csv.read_bytes())
    name = "people.csv"
    roles = {"name": "identifier", "patient_id": "identifier"}
    role_words = ["--role", "name=identifier", "--role", "patient_id=identifier"]
    policy = cli("init", name, "--null", "", "--role", "charge=sensitive", "-o", "muslin.toml", cwd=tmp_path)
    assert policy.returncode == 0, policy.stderr
    pairs: list[tuple[list[Any], Callable[[], mu.Result]]] = [
        (["scan", name, "--null", "", "--budget", "1s"], lambda: mu.scan(name, null="", budget=1)),
        (
            ["uniques", name, "--columns", "age,sex,town", "-k", 2, "--max-size", 2],
            lambda: mu.uniques(name, columns=["age", "sex", "town"], k=2, max_size=2),
        ),
        (["uniques", name, "--columns", "age,sex", "--dry-run"], lambda: mu.uniques(name, columns=["age", "sex"], dry_run=True)),
        (["keys", name], lambda: mu.keys(name)),
        (
            ["keys", name, "--all", "--measure", "distinct", "--beta", "0.9", "--max-size", "2"],
            lambda: mu.keys(name, all=True, measure="distinct", beta=0.9, max_size=2),
        ),
        (
            ["keys", name, "--minimum", "--exact", "--distinct-rows", "--cost", "name=5", "--cost", "patient_id=2.5"],
            lambda: mu.keys(name, minimum=True, exact=True, distinct_rows=True, cost={"name": 5, "patient_id": 2.5}),
        ),
        (["keys", name, "--set", "age,sex"], lambda: mu.keys(name, set=["age", "sex"])),
        (["explain", name, "--row", 3, "--qi", "age,sex,town"], lambda: mu.explain(name, row=3, qi=["age", "sex", "town"])),
        (["explain", name, "--columns", "age,town"], lambda: mu.explain(name, columns=["age", "town"])),
        (
            ["mask", name, "--measure", "distinct", "--beta", "0.2", *role_words, "--order", "seeded", "-o", "m.csv"],
            lambda: mu.mask(name, measure="distinct", beta=0.2, role=roles, row_order="seeded", output="m.csv"),
        ),
        (
            ["suppress", name, "-k", 3, "--qi", "age,sex,marital_status", "--weight", "sex=2", "--order", "sorted", "-o", "s.csv"],
            lambda: mu.suppress(
                name, k=3, qi=["age", "sex", "marital_status"], weight={"sex": 2}, row_order="sorted", output="s.csv"
            ),
        ),
        (
            ["generalize", name, "-k", 5, "--qi", "age,sex", *role_words, "--diversity", "diagnosis_group=2",
             "--order", "sorted", "-o", "g.csv"],
            lambda: mu.generalize(
                name, k=5, qi=["age", "sex"], role=roles, diversity={"diagnosis_group": 2}, row_order="sorted", output="g.csv"
            ),
        ),
        (
            ["bucketize", name, "-l", 3, "--sensitive", "diagnosis_group", *role_words, "--order", "sorted", "-o", "b.csv"],
            lambda: mu.bucketize(name, l=3, sensitive="diagnosis_group", role=roles, row_order="sorted", output="b.csv"),
        ),
        (
            ["slice", name, "-l", 2, "--sensitive", "diagnosis_group", "--columns", "age,sex,diagnosis_group",
             "--slices", "age,sex|diagnosis_group", "--order", "sorted", "-o", "sl.csv"],
            lambda: mu.slice(
                name, l=2, sensitive="diagnosis_group", columns=["age", "sex", "diagnosis_group"],
                slices=[["age", "sex"], ["diagnosis_group"]], row_order="sorted", output="sl.csv",
            ),
        ),
        (["plan", name, "--columns", "age,sex", "-k", 3, "-k", 5], lambda: mu.plan(name, columns=["age", "sex"], k=[3, 5])),
        (
            ["protect", name, "-p", "muslin.toml", "-o", "release", "--reproducible", "--seed", 9],
            lambda: mu.protect(name, "muslin.toml", output="release", reproducible=True, seed=9),
        ),
        (["verify", "release", "--original", name, "--null", ""], lambda: mu.verify("release", original=name, null="")),
        (["verify", "g.csv", "-k", 5, "--qi", "age,sex"], lambda: mu.verify("g.csv", k=5, qi=["age", "sex"])),
        (
            ["attack", "g.csv", "--original", name, "--qi", "age,sex", "--sensitive", "diagnosis_group"],
            lambda: mu.attack("g.csv", original=name, qi=["age", "sex"], sensitive="diagnosis_group"),
        ),
        (["diff", name, "g.csv", "--qi", "age,sex"], lambda: mu.diff(name, "g.csv", qi=["age", "sex"])),
        (
            ["report", name, "-p", "muslin.toml", "--release", "release", "--audience", "external", "--budget", "1s", "-o", "r.md"],
            lambda: mu.report(name, policy="muslin.toml", release="release", audience="external", budget="1s", output="r.md"),
        ),
    ]  # fmt: skip
    for words, call in pairs:
        same(cli, tmp_path, words, call)
    asked = {words[0] for words, _ in pairs}
    assert asked | {"init"} == set(COMMANDS)
    first = json.loads(cli("init", name, "--null", "", "-o", "second.toml", "--json", cwd=tmp_path).stdout)
    assert mu.init(name, null="").policy == first["policy"]


def test_names_with_commas_and_quotes_are_names() -> None:
    pa = pytest.importorskip("pyarrow")
    odd = 'town, "street" | x'
    table = pa.table({odd: ["a", "b", "a", "b"], "-k": [1, 1, 2, 2], "=": [1, 2, 3, 4]})
    found = mu.keys(table, set=[odd, "-k"])
    assert found.column_names == [odd, "-k"]
    released = mu.suppress(table, k=2, qi=odd, role={"=": "other"})
    assert [own.name for own in released.columns] == [odd]


def test_policies_and_claims_need_no_file(people: mu.Table) -> None:
    policy = {
        "schema": 1,
        "columns": {"age": {"role": "quasi-identifier"}, "name": {"role": "identifier"}},
        "release": {"k": 4, "undeclared": "other", "accept": ["downcoding"]},
        "protect": {"methods": ["generalize"]},
    }
    made = mu.protect(people, policy)
    assert made.verification.met and made.written is None
    assert mu.verify(made.to_frame("arrow"), claims=made, original=people).met
    assert mu.verify(made.to_frame("arrow"), claims=made.to_dict()).met
    rehearsed = mu.protect(people, policy, dry_run=True)
    assert rehearsed.to_dict()["rehearsals"]


def test_a_claim_that_does_not_hold_is_raised(people: mu.Table) -> None:
    judged = mu.verify(people, k=5, qi=["age", "town"])
    assert judged.met is False
    with pytest.raises(mu.NotMetError, match="5-anonymity") as caught:
        judged.raise_for_status()
    assert caught.value.result is judged


def test_numbers_and_paths_of_others_are_taken(people: mu.Table, tmp_path: Path) -> None:
    np = pytest.importorskip("numpy")
    made = mu.generalize(people, k=np.int64(5), qi=np.array(["age", "sex"]), threads=np.uint8(2), recoding="local", suppression_limit=np.float32(0.5))
    assert made.to_dict()["claims"][0]["k"] == 5
    assert [own.k for own in mu.plan(people, columns=["age"], k=np.array([3, 4])).candidates if own.method == "mondrian"] == [3, 4]
    hierarchy = tmp_path / "sex.csv"
    hierarchy.write_text("female;*\nmale;*\nother;*\nF;*\nM;*\nX;*\n")
    with pytest.raises((mu.InputError, mu.UsageError)):
        mu.generalize(people, k=5, qi=["sex"], recoding="local", hierarchy={"sex": tmp_path / "no.csv"})
    policy = mu.init(people, role={"charge": "sensitive"})
    assert mu.protect(people, policy).verification.met


def test_results_stay_what_they_are_and_travel(people: mu.Table) -> None:
    made = mu.generalize(people, k=5, qi=["age", "sex"], exclude=["name", "patient_id"])
    made.to_dict()["rows"] = 99
    assert made.rows == 600
    with pytest.raises(AttributeError, match="stays as it is"):
        made.rows = 5
    again = pickle.loads(pickle.dumps(made))
    assert again == made and type(again) is type(made)
    with pytest.raises(mu.UsageError, match="to_dict"):
        again.to_frame()
    same = copy.deepcopy(made)
    assert same == made and same is not made and same.to_frame("arrow").num_rows == 600
    with pytest.raises(mu.UsageError, match="no frame of kind"):
        mu.scan(people, budget=0).to_frame("xls")
    assert isinstance(mu.scan(people, budget=0).to_frame("arrow"), mu.Table)
    judged = mu.verify(people, k=5, qi=["age", "town"])
    try:
        judged.raise_for_status()
    except mu.NotMetError as error:
        assert pickle.loads(pickle.dumps(error)).args == error.args
    assert "5-anonymity" in judged._repr_html_()
    explained = mu.explain(people, row=7, qi=["age", "sex"])
    assert "row: 7" not in repr(explained) and "<th style='text-align:left'>row</th>" not in explained._repr_html_()
