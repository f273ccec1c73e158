"""What an outsider with pandas rebuilds of generalized cells, from the release alone."""

from __future__ import annotations

from pathlib import Path

import pytest

import muslin as mu

pd = pytest.importorskip("pandas")

DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "eusilc.csv"
HIDDEN = ("db040", "hsize")
INCOMES = ["py010n", "py050n", "py090n", "py100n", "py110n", "py120n", "py130n", "py140n"]
INCOMES += ["hy040n", "hy050n", "hy070n", "hy080n", "hy090n", "hy130n", "hy145n", "eqIncome"]

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="eusilc.csv is absent")


def numbered(folder: Path) -> Path:
    """The survey with a number for each row, which scores the outsider's guesses and nothing else."""
    table = pd.read_csv(DATA, dtype=str, keep_default_na=False)
    table.insert(0, "scorer", [f"r{row}" for row in range(len(table))])
    path = folder / "survey.csv"
    table.to_csv(path, index=False)
    return path


def released(folder: Path, decisions: dict[str, str], publish: list[str]) -> tuple[pd.DataFrame, mu.ProtectReport]:
    """The first policy, with every undecided column decided, and its release."""
    return released_of(numbered(folder), folder, decisions, publish, {"scorer": "other"})


def released_of(
    survey: Path, folder: Path, decisions: dict[str, str], publish: list[str], roles: dict[str, str]
) -> tuple[pd.DataFrame, mu.ProtectReport]:
    """The same of a survey as it is."""
    policy = folder / "muslin.toml"
    first = mu.init(survey, preset="ihsn-5", null="", role=roles, output=policy)
    undecided = first.roles.get("undecided", [])
    decided = {name: decisions.get(name, "identifier") for name in undecided}
    if decided:
        mu.init(survey, decide=decided, output=policy)
    text = policy.read_text()
    for name in publish:
        head = f"[columns.{name}]\n"
        assert head in text
        text = text.replace(head, f"{head}publish = true\n")
    policy.write_text(text)
    output = folder / "release"
    report = mu.protect(survey, policy, output=output)
    return pd.read_csv(output / "data.csv", dtype=str, keep_default_na=False), report


def allowed(label: str, values: list[str]) -> list[str]:
    """The values that a label stands for."""
    if label.startswith("{"):
        inside = [part.strip() for part in label[1:-1].split(",")]
        return [value for value in values if value in inside]
    if label.startswith("["):
        low, high = (int(end) for end in label[1:-1].split("-"))
        return [value for value in values if low <= int(value) <= high]
    return values


def rebuilt(release: pd.DataFrame, column: str, by: str) -> tuple[int, int, int]:
    """Hidden cells that rows with the same value of another column give away: guesses, right ones, and the
    right ones of guessing by the column's own frequencies."""
    truth = pd.read_csv(DATA, dtype=str, keep_default_na=False)[column]
    values = sorted(truth.unique())
    shown = release[release[column].isin(values)]
    overall = shown[column].value_counts()
    groups = {key: own[column].value_counts() for key, own in shown.groupby(by)}
    guesses = right = usual = 0
    hidden = release[~release[column].isin(values)]
    for label, key, number in zip(hidden[column], hidden[by], hidden["scorer"], strict=True):
        possible = allowed(label, values)
        of_group = groups.get(key)
        of_group = None if of_group is None else of_group[of_group.index.isin(possible)]
        if of_group is None or of_group.empty:
            continue
        real = truth[int(number[1:])]
        guesses += 1
        right += of_group.idxmax() == real
        usual += overall[overall.index.isin(possible)].idxmax() == real
    return guesses, right, usual


def is_better(guesses: int, right: int, usual: int) -> bool:
    """Better than the column's frequencies, by more than a twentieth and than chance."""
    return right - usual > max(0.05 * guesses, 3 * guesses**0.5)


def test_the_first_policy_publishes_neither_weight_nor_income(tmp_path: Path) -> None:
    release, report = released_of(DATA, tmp_path, {}, [], {})
    assert not {"db090", "rb050", "db030", *INCOMES} & set(release.columns)
    assert len(release) == 14_827
    assert (report.verdict, report.verification.findings) == ("passed", [])


@pytest.mark.parametrize("by", ["eqIncome", "hy090n"])
def test_incomes_in_ranges_rebuild_nothing(tmp_path: Path, by: str) -> None:
    release, _ = released(tmp_path, {by: "quasi-identifier"}, [])
    assert by in release.columns
    for column in HIDDEN:
        guesses, right, usual = rebuilt(release, column, by)
        assert guesses > 0
        assert not is_better(guesses, right, usual), (column, guesses, right, usual)


def test_weights_and_incomes_as_they_are_rebuild_and_the_verdict_says_so(tmp_path: Path) -> None:
    weights = ["db090", "rb050"]
    release, report = released(tmp_path, {"eqIncome": "other"}, weights)
    found = {by: rebuilt(release, "db040", by) for by in [*weights, "eqIncome"]}
    assert all(is_better(*own) for own in found.values()), found
    guesses, right, _ = found["db090"]
    assert right == guesses > 1_000
    assert report.verdict == "findings"
    attacks = [own for own in report.verification.findings if own.kind == "attack"]
    assert {"db040", "hsize"} <= {name for own in attacks for name in own.columns}
