"""Frames in, frames of the same kind out."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import muslin as mu

from conftest import QI, ROLES

pa = pytest.importorskip("pyarrow")


def release(data: Any, **more: Any) -> Any:
    return mu.generalize(data, k=5, qi=QI, role=ROLES, row_order="sorted", **more)


def cells(frame: Any) -> list[dict[str, Any]]:
    """What a frame says, whatever it is."""
    if hasattr(frame, "collect"):
        frame = frame.collect()
    if hasattr(frame, "to_arrow_table"):
        frame = frame.to_arrow_table()
    if hasattr(frame, "to_dicts"):
        frame = pa.table(mu.Table.read(frame, "frame"))
    if not isinstance(frame, pa.Table) and hasattr(frame, "to_dict"):
        frame = pa.Table.from_pandas(frame, preserve_index=False)
    records: list[dict[str, Any]] = pa.table(frame).to_pylist()
    return records


def test_every_kind_of_frame_gives_its_own_kind(people: mu.Table) -> None:
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    table = pa.table(people)
    frames = {
        pa.Table: table,
        pl.DataFrame: pl.DataFrame(people),
        pl.LazyFrame: pl.DataFrame(people).lazy(),
        pd.DataFrame: table.to_pandas(),
        mu.Table: people,
        type(duckdb.from_arrow(table)): duckdb.from_arrow(table),
    }
    expected = cells(release(table).to_frame())
    assert len(expected) == 600 and "name" not in expected[0]
    for kind, frame in frames.items():
        found = release(frame)
        made = found.to_frame()
        assert isinstance(made, kind)
        assert found.to_dict()["claims"] == release(table).to_dict()["claims"]
        if kind is not pd.DataFrame:  # pandas has no whole numbers with gaps
            assert cells(made) == expected, kind


def test_streams_and_batches_are_tables(people: mu.Table) -> None:
    table = pa.table(people)
    expected = cells(release(table).to_frame())
    for data in (table.to_reader(), pa.table(people).combine_chunks().to_batches()[0]):
        made = release(data).to_frame()
        assert isinstance(made, pa.Table) and cells(made) == expected


def test_whatever_has_the_interface_is_a_table(people: mu.Table) -> None:
    class Own:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return people.__arrow_c_stream__(requested_schema)

    made = release(Own()).to_frame()
    assert isinstance(made, mu.Table) and made.num_rows == 600


def test_a_path_is_read_as_the_program_reads_it(people_csv: Any) -> None:
    found = release(people_csv, null="")
    assert found.input.format == "csv" and found.rows == 600
    assert isinstance(found.to_frame("pyarrow"), pa.Table)


def test_batches_are_not_copied() -> None:
    table = pa.table({"a": pa.array(range(1000)), "b": pa.array([f"x{i}" for i in range(1000)])})
    back = pa.table(mu.Table.read(table, "table"))
    for name in ("a", "b"):
        old = [own.address for own in table[name].chunk(0).buffers() if own is not None]
        new = [own.address for own in back[name].chunk(0).buffers() if own is not None]
        assert old == new


def test_an_index_is_no_column(people: mu.Table) -> None:
    pd = pytest.importorskip("pandas")
    frame = pa.table(people).to_pandas().set_index("patient_id")
    found = mu.scan(frame, budget=0)
    assert "patient_id" not in [own.name for own in found.columns]
    made = release(frame.reset_index()).to_frame()
    assert list(made.index) == list(range(600)) and isinstance(made.index, pd.RangeIndex)


def test_what_is_taken_out_is_nowhere_in_the_release(people: mu.Table) -> None:
    """Unused categories, bytes under missing cells, names: nothing of them leaves."""
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    canaries = ["Canaryville", "zaphodine", "quuxword"]
    rows = 300
    towns = ["Aton", "Beton", "Ceton"] * 100
    table = pa.table({"town": towns, "age": list(range(20, 50)) * 10, "note": ["none"] * rows})
    frame = table.to_pandas()
    frame["town"] = pd.Categorical(frame["town"], categories=["Aton", "Beton", "Ceton", "Canaryville"])
    frame.loc[7, "note"] = "zaphodine"
    frame.attrs["made from"] = "quuxword"
    own = pl.DataFrame(table).with_columns(pl.col("town").cast(pl.Categorical))
    # A cell that is missing may still have its bytes.
    own = own.with_row_index("row").with_columns(
        note=pl.when(pl.col("row") == 7).then(pl.lit("zaphodine")).otherwise("note")
    )
    own = own.with_columns(note=pl.when(pl.col("row") == 7).then(None).otherwise("note")).drop("row")
    meta = table.replace_schema_metadata({"origin": "quuxword"})
    for data in (frame, own, own.lazy(), meta):
        found = mu.suppress(data, k=3, qi=["town", "age", "note"])
        made = found.to_frame()
        if hasattr(made, "collect"):
            made = made.collect()
        text = pickle.dumps(made)
        arrow = made if isinstance(made, pa.Table) else pa.table(mu.Table.read(to_stream(made), "made"))
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, arrow.schema) as writer:
            writer.write_table(arrow)
        for canary in canaries:
            assert canary.encode() not in text, (type(data), canary)
            assert canary.encode() not in sink.getvalue().to_pybytes(), (type(data), canary)
        assert mu.verify(made, claims=found).met, type(data)


def test_withheld_cells_beside_missing_ones_are_true(people: mu.Table) -> None:
    made = mu.suppress(people, k=3, qi=["age", "sex", "education"])
    assert made.suppressed_cells > 0
    for kind in ("arrow", "polars", "pyarrow"):
        judged = mu.verify(made.to_frame(kind), original=people, claims=made)
        assert judged.met, [own for own in judged.checks if not own.met]


def to_stream(frame: Any) -> Any:
    return frame if hasattr(frame, "to_dicts") else pa.Table.from_pandas(frame, preserve_index=False)


def test_a_table_can_go_to_a_file_instead(people: mu.Table, tmp_path: Any) -> None:
    path = tmp_path / "release.parquet"
    found = release(people, output=path)
    assert path.exists() and found.written == str(path)
    assert mu.verify(path, claims=found).met
    with pytest.raises(mu.UsageError, match="leave `output` out"):
        mu.bucketize(people, l=2, sensitive="diagnosis_group", exclude="name", output=tmp_path / "b.csv").to_frame()


def test_tables_beside_the_release_stay_in_memory(people: mu.Table) -> None:
    found = mu.bucketize(people, l=3, sensitive="diagnosis_group", exclude="name", sensitive_table=True)
    tables = found.tables("pyarrow")
    assert set(tables) == {"output", "sensitive_table"}
    assert "diagnosis_group" not in tables["output"].column_names
    found = mu.suppress(people, k=3, qi=["age", "sex"], certificate=True, ledger=True)
    assert set(found.tables("pyarrow")) == {"output", "certificate", "ledger"}
    certificate = found.tables("pyarrow")["certificate"]
    judged = mu.verify(found.to_frame(), original=people, claims=found, certificate=certificate, qi=["age", "sex"])
    assert judged.bound.lower_bound > 0 and judged.bound.gap is not None


def test_results_can_be_frames(people: mu.Table) -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(people)
    assert mu.scan(frame, budget=0).to_frame().height == 20
    keys = mu.keys(frame, all=True, measure="distinct", beta=0.9, max_size=2, exclude="name")
    assert keys.to_frame()["size"].max() <= 2
    scores = mu.uniques(frame, columns=QI, scores=True).to_frame()
    assert scores.height == 600 and "suda" in " ".join(scores.columns).lower()
    assert mu.uniques(frame, columns=QI).to_frame().height == 10
    assert mu.attack(frame, qi=QI, sensitive="diagnosis_group").to_frame().height >= 1


def test_values_of_pandas_stay_what_they_are() -> None:
    pd = pytest.importorskip("pandas")
    large = 2**60 + 1
    frame = pd.DataFrame(
        {
            "a": [1, 2] * 10,
            "large": pd.array([large, None] * 10, dtype="Int64"),
            "small": pd.array([1, None] * 10, dtype="UInt8"),
            "yes": pd.array([True, None] * 10, dtype="boolean"),
        }
    )
    made = mu.generalize(frame, k=5, qi="a", row_order="as-read").to_frame()
    assert list(made["large"])[0] == large and made["large"].dtype == "Int64"
    assert made["small"].dtype == "UInt8" and made["yes"].dtype == "boolean"
    assert made["yes"].isna().sum() == 10 and made["a"].dtype != object
    numbered = pd.DataFrame({0: [1, 1, 2, 2], 1: [1, 2, 3, 4]})
    assert mu.keys(numbered, set=[0, 1]).column_names == ["0", "1"]


def test_columns_of_polars_without_a_value_are_columns() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"a": [1, 2, 1, 2], "b": [None] * 4})
    found = mu.scan(frame, budget=0)
    assert [own.name for own in found.columns] == ["a", "b"] and found.columns[1].missing == 4
    assert mu.scan(pl.DataFrame({"age": []}), budget=0).rows == 0


def test_a_file_that_others_read_is_still_true(people: mu.Table, tmp_path: Any) -> None:
    pl, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    path = tmp_path / "own.parquet"
    made = release(people, output=path)
    for frame in (pl.read_parquet(path), pl.scan_parquet(path), duckdb.read_parquet(str(path)), pa.table(people)):
        judged = mu.verify(frame, original=people, claims=made)
        assert judged.met is (not isinstance(frame, pa.Table))
