"""Tables of strangers as DataFrames are answered as their files are."""

import re

import pytest
from conftest import REPOSITORY

import gonb_cope as cope

pd = pytest.importorskip("pandas")

TABLES = REPOSITORY / "engine/problem/testdata/tables"
PUBLIC = REPOSITORY / "engine/problem/testdata/public"
DATA = REPOSITORY / "notebooks/data"
MACHINES = {"task": "machine", "arm": "temp", "reward": "throughput"}


@pytest.mark.parametrize(
    ("path", "read", "columns"),
    [
        (TABLES / "excel-german.csv", {"sep": ";", "decimal": ",", "encoding": "utf-8-sig"}, {"task": "maschine", "arm": "temperatur", "reward": "durchsatz"}),
        (TABLES / "excel-sep-line.csv", {"sep": ";", "skiprows": 1, "encoding": "utf-8-sig"}, MACHINES),
        (TABLES / "pandas-index.csv", {}, MACHINES),
        (TABLES / "r-write-csv.csv", {}, MACHINES),
        (TABLES / "single-replicates.csv", {}, MACHINES),
        (TABLES / "pilot-gaps.csv", {}, MACHINES),
        (TABLES / "instrument.tsv", {"sep": "\t"}, {"task": "Sample ID", "arm": ["temp (°c)", "speed, rpm"], "reward": "Yield [%]"}),
        (TABLES / "summaries.csv", {}, {"task": "machine", "arm": "temp", "reward": "mean_throughput", "sd": "std dev", "count": "n"}),
        (PUBLIC / "penguins-raw.csv", {}, {"task": "Island", "arm": "Species", "reward": "Body Mass (g)"}),
        (PUBLIC / "barley.csv", {}, {"task": "site", "arm": "variety", "reward": "yield"}),
        (PUBLIC / "suzuki.csv", {}, {"task": "temperature", "arm": ["pd_mol", "arbpin", "k3po4"], "reward": "yield"}),
        (DATA / "cn_coupling_raw.csv", {}, {"task": "task", "arm": "arm", "reward": "reward"}),
    ],
    ids=lambda x: x.name if hasattr(x, "name") else "",
)
def test_strangers(path, read, columns):
    frame = pd.read_csv(path, **read)
    own = {k: [_column(frame, c) for c in v] if isinstance(v, list) else _column(frame, v) for k, v in columns.items()}
    kernel = {"kernel": cope.arm(cope.identity())}  # none is looked for
    found, wanted = cope.problem(frame, **own, **kernel).json, cope.problem(str(path), **columns, **kernel).json
    assert len(found["tasks"]) == len(wanted["tasks"])
    for one, other in zip(found["tasks"], wanted["tasks"]):
        assert _plain(one["task"]) == _plain(other["task"])
        assert [_plain(a["arm"]) for a in one["arms"]] == [_plain(a["arm"]) for a in other["arms"]]
        assert [a.get("mean") for a in one["arms"]] == [pytest.approx(a["mean"], rel=1e-12) if "mean" in a else None for a in other["arms"]]
    if sum(len(t["arms"]) for t in found["tasks"]) < 100:  # with more a kernel takes seconds to find
        answer = cope.problem(frame, **own).best(next=3)
        assert len(answer.table) == len(found["tasks"])
        assert answer.next["count"].sum() == 3


def _plain(name):
    """A file may have 150.0 for the number 150."""
    return re.sub(r"\.0\b", "", name)


def _column(frame, name):
    """Files are read with blanks around names left out, frames are not."""
    return next((c for c in frame.columns if c.strip() == name), name)
