"""Texts of Python are names, different values are different arms, and columns are found by their labels."""

import collections
import contextlib
import enum
import io
import math
from decimal import Decimal
from fractions import Fraction

import pytest

import gonb_cope as cope

pd = pytest.importorskip("pandas")
np = pytest.importorskip("numpy")

Loss = enum.Enum("Loss", ["L1", "L2"])

CHOICES = {
    "versions": ["3.1", "3.9", "3.10"],
    "None": [None, "l1", "l2"],
    "None and its text": [None, "None", "nan", "null"],
    "NA": ["NA", "EU"],
    "an empty text": ["", "EU", " "],
    "types": [1, "1", True],
    "booleans": [True, False],
    "numbers and texts": [0.5, "sqrt", None],
    "leading zeros": ["007", "07", "7", "1E5", "10E4", "+5", "5"],
    "long ids": [2**60, 2**60 + 1, 2**60 + 2],
    "unsigned": [np.uint64(2**64 - 1), np.uint64(2**64 - 2)],
    "long ids as texts": [str(2**60), str(2**60 + 1)],
    "NaN": [math.nan, 1.0, 2.0],
    "infinity": [math.inf, 3, 5],
    "decimals": [Decimal("0.10"), Decimal("0.2"), Decimal("0.3")],
    "fractions": [Fraction(1, 3), Fraction(2, 3)],
    "numbers of numpy": [np.int64(3), np.float32(0.1), np.float64(5)],
    "times": [pd.Timestamp("2026-01-01"), pd.Timestamp("2026-01-02")],
    "tuples": [(1, 2), (3, 4), (1, 4)],
    "tuples of names": [("adam", 0.1), ("sgd", 0.1), ("adam", "0.1")],
    "lists": [[64, 64], [128]],
    "functions": [np.sin, np.cos, max],
    "enumerations": list(Loss),
    "blanks": ["a", "a ", "a\t", "A"],
    "accents": ["\u00e9", "e\u0301", "z"],
    "lines": ["x\ny", "x", "y"],
    "dicts that differ": [{"x": 1, "k": "a"}, {"x": 2}, {"x": 2, "k": None}],
    "dicts with lists": [{"layers": [64, 64]}, {"layers": [64]}],
    "a constant": [{"x": 1, "k": "a"}, {"x": 1, "k": "b"}],
}


@pytest.mark.parametrize("arms", CHOICES.values(), ids=CHOICES)
def test_every_choice_is_an_arm(arms):
    """The best is the last but one, and is given back as the same object."""
    calls = collections.Counter()

    def f(arm):
        place = next(i for i, own in enumerate(arms) if own is arm or (type(own) is type(arm) and repr(own) == repr(arm)))
        calls[place] += 1
        return float(place == len(arms) - 2) + 0.01 * (len(calls) % 3)

    found = cope.maximize(f, arms=arms, budget=4 * len(arms), seed=1)
    assert found.arm is arms[-2] or repr(found.arm) == repr(arms[-2])
    assert set(calls) == set(range(len(arms)))


def test_numbers_that_agree_are_one_arm():
    s = cope.Strategy(arms=[0.3, 0.1 + 0.2, 0.5, 1, 1.0])
    assert list(s.arms) == [0.3, 0.5, 1]
    assert s.arms.place(0.1 + 0.2) == 0
    grid = cope.Strategy(arms={"dose": np.arange(0.1, 0.5, 0.1), "n": [1, 2]})
    assert len(grid.arms) == 8


def test_tasks_by_type():
    best = {1: "p", "1": "q", None: "r"}
    assert cope.maximize(lambda arm, task: float(arm == best[task]), arms=list("pqr"), tasks=list(best), budget=30).arms == best


def test_optuna_choices():
    optuna = pytest.importorskip("optuna")
    from gonb_cope.optuna import CopeSampler

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    for choices in (
        [None, "l1", "l2"],
        ["NA", "EU", ""],
        [1, "1", 2.5],
        [1, True, "x"],
        ["3.1", "3.10", "3.9"],
        [math.nan, 1.0, 2.0],
        [2**60, 2**60 + 1],
        [True, False],
    ):
        study = optuna.create_study(sampler=CopeSampler(seed=1), direction="maximize")
        study.optimize(
            lambda t, choices=choices: float(repr(t.suggest_categorical("c", choices)) == repr(choices[-2 if choices[:2] != [1, True] else 0])), n_trials=14
        )
        assert study.best_value == 1.0, choices


VERSIONS = ["3.1", "3.9", "3.10"] * 3
SPEEDS = [1.0, 2.0, 9.0, 1.1, 2.2, 9.1, 0.9, 1.9, 8.8]


def frames():
    yield "object", pd.DataFrame({"version": VERSIONS, "speed": SPEEDS})
    yield "string", pd.DataFrame({"version": pd.array(VERSIONS, dtype="string"), "speed": SPEEDS})
    yield "category", pd.DataFrame({"version": pd.Categorical(VERSIONS), "speed": SPEEDS})
    yield "rewards as texts", pd.DataFrame({"version": VERSIONS, "speed": SPEEDS}).astype(str)
    yield "dicts", [{"version": v, "speed": y} for v, y in zip(VERSIONS, SPEEDS)]
    yield "lists", {"version": VERSIONS, "speed": SPEEDS}
    yield "texts of numpy", {"version": np.array(VERSIONS), "speed": np.array(SPEEDS)}
    with contextlib.suppress(ImportError):
        yield "string[pyarrow]", pd.DataFrame({"version": pd.array(VERSIONS, dtype="string[pyarrow]"), "speed": SPEEDS})
    try:
        import polars as pl
    except ImportError:
        return
    for kind in (pl.String, pl.Categorical, pl.Enum(["3.1", "3.9", "3.10"])):
        yield f"polars {kind}", pl.DataFrame({"version": pl.Series(VERSIONS).cast(kind), "speed": SPEEDS})
    yield "polars lazy", pl.DataFrame({"version": VERSIONS, "speed": SPEEDS}).lazy()


@pytest.mark.parametrize("frame", [f for _, f in frames()], ids=[name for name, _ in frames()])
def test_texts_are_names(frame):
    p = cope.problem(frame, arm="version", reward="speed")
    assert [a["arm"] for a in p.json["tasks"][0]["arms"]] == ["3.1", "3.9", "3.10"]
    assert p.best().json["picks"][0]["features"] == {"version": "3.10"}


def test_tasks_and_blocks_of_text():
    rows = [
        {"site": s, "arm": a, "day": d, "y": float(ord(a) + (s == "1.0") + i / 10)}
        for s in ("1", "1.0", "01")
        for a in "pq"
        for i, d in enumerate(("2.5", "2.50"))
    ]
    p = cope.problem(pd.DataFrame(rows), task="site", arm="arm", reward="y", blocks="day")
    assert [t["task"] for t in p.json["tasks"]] == ["1", "1.0", "01"]


@pytest.mark.parametrize("empty", [None, math.nan, pd.NA])
def test_gaps_of_texts(empty):
    names = ["NA", "null", "nan", "None", "-"]
    frame = pd.DataFrame({"country": names * 2, "rate": [5.0, 1, 2, 3, 4, 5.1, 1.1, 2.1, 3.1, 4.1]})
    for kind in (object, "string", "category"):
        p = cope.problem(frame.astype({"country": kind}), arm="country", reward="rate")
        assert [a["arm"] for a in p.json["tasks"][0]["arms"]] == names
        assert p.best().json["picks"][0]["arm"] == "NA"
        gap = pd.concat([frame, pd.DataFrame({"country": [empty], "rate": [1.0]})]).astype({"country": kind})
        with pytest.raises(cope.CopeError, match=r'column "country" has no value here'):
            cope.problem(gap, arm="country", reward="rate")


def test_a_name_that_pandas_reads_as_a_gap():
    text = "country,page,rate\n" + "".join(f"{c},{p},{y}\n" for c, p, y in [("NA", "x", 0.1), ("NA", "y", 0.2), ("ZA", "x", 0.3), ("ZA", "y", 0.1)])
    with pytest.raises(cope.CopeError, match=r"country has empty cells; pandas reads the text NA as one; to keep it.*keep_default_na=False"):
        cope.problem(pd.read_csv(io.StringIO(text)), task="country", arm="page", reward="rate")
    kept = pd.read_csv(io.StringIO(text), keep_default_na=False)
    assert [pick["arm"] for pick in cope.problem(kept, task="country", arm="page", reward="rate").best().json["picks"]] == ["y", "x"]


def test_mixed_column():
    frame = pd.DataFrame({"c": [1, "1", True, None] * 2, "y": [1.0, 5, 2, 3] * 2})
    p = cope.problem(frame[frame.c.notna()], arm="c", reward="y")
    assert len(p.json["tasks"][0]["arms"]) == 3
    assert p.best().json["picks"][0]["arm"] == "'1'"


def test_ids():
    for kind in ("int64", "uint64", "Int64", object):
        ids = pd.Series([2**53, 2**53 + 1, 2**53 + 2] * 2, dtype=kind)
        p = cope.problem(pd.DataFrame({"id": ids, "y": [1.0, 9, 2, 1.1, 9.1, 2.1]}), arm="id", reward="y")
        assert p.best().json["picks"][0]["arm"] == "9007199254740993"


def test_labels_of_columns():
    rows = [["a", "p", 1.0, True], ["a", "q", 2.0, False], ["b", "p", 3.0, True], ["b", "q", 1.0, True]]
    frame = pd.DataFrame(rows)
    p = cope.problem(frame, task=0, arm=1, reward=2)
    assert [pick["features"] for pick in p.best().json["picks"]] == [{"1": "q"}, {"1": "p"}]
    assert len(cope.problem(frame, task=[0], arm=[np.int64(1)], reward=np.int64(2)).json["tasks"]) == 2
    assert cope.problem({0: ["p", "q"], 1: [1, 2]}, arm=0, reward=1).best().json["picks"][0]["arm"] == "q"
    with pytest.raises(ValueError, match="the table has no column 7; the columns are 0, 1, 2, 3"):
        cope.problem(frame, task=7, arm=1, reward=2)
    levels = pd.DataFrame(rows, columns=pd.MultiIndex.from_tuples([("site", ""), ("arm", ""), ("y", "mean"), ("y", "ok")]))
    p = cope.problem(levels, task="site", arm=("arm", ""), reward=("y", "mean"))
    assert [pick["arm"] for pick in p.best().json["picks"]] == ["q", "p"]
    groups = pd.DataFrame({"site": list("aabb") * 2, "arm": list("pqpq") * 2, "y": range(8)}).groupby(["site", "arm"]).agg({"y": ["mean", "std", "count"]})
    p = cope.problem(groups, task="site", arm="arm", reward=("y", "mean"), sd=("y", "std"), count=("y", "count"))
    assert [pick["arm"] for pick in p.best().json["picks"]] == ["q", "q"]
    dates = pd.DataFrame({pd.Timestamp("2026-01-01"): ["p", "q"], pd.Timestamp("2026-01-02"): [1, 2]})
    assert cope.problem(dates, arm=dates.columns[0], reward=dates.columns[1]).best().json["picks"][0]["arm"] == "q"


def test_truth_values_as_rewards():
    for kind in (bool, "boolean", object):
        frame = pd.DataFrame({"arm": list("ppqqpq"), "ok": pd.Series([True, False, True, True, False, True], dtype=kind)})
        assert cope.problem(frame, arm="arm", reward="ok").best().json["picks"][0]["arm"] == "q"
        assert len(cope.problem(frame.assign(y=range(6)), arm="ok", reward="y").json["tasks"][0]["arms"]) == 2


def test_columns_that_nobody_names():
    frame = pd.DataFrame({"s": ["a"] * 4, "arm": list("ppqq"), "y": [1, 1.1, 3, 3.2]})
    strange = frame.assign(config=[{"lr": 1}] * 4, layers=[[1]] * 4, grid=[np.zeros(2)] * 4, c=1j, when=pd.Timestamp("2026-01-01"), f=max, none=None)
    strange["span"] = pd.interval_range(0, 4)
    strange.insert(0, "", 1)
    strange[("a", 1)] = 1
    twice = pd.concat([strange, strange[["config", "none"]]], axis=1)
    columns = {"task": "s", "arm": "arm", "reward": "y"}
    for table in (strange, twice):
        assert cope.problem(table, **columns).best().json["picks"][0]["arm"] == "q"
    assert cope.problem(frame.assign(arm=[{"lr": 1}, {"lr": 1}, {"lr": 2}, {"lr": 2}]), **columns).best().json["picks"][0]["arm"] == "{'lr': 2}"
    with pytest.raises(ValueError, match="2 columns are named 'y'"):
        cope.problem(pd.concat([frame, frame[["y"]]], axis=1), **columns)
    pl = pytest.importorskip("polars")
    nested = pl.DataFrame(frame.to_dict("list")).with_columns(
        config=pl.lit({"lr": 1}, dtype=pl.Object), layers=pl.lit([1]), point=pl.struct(a=1), when=pl.date(2026, 1, 1), raw=pl.lit(b"x"), none=pl.lit(None)
    )
    for table in (nested, nested.drop("config").lazy()):
        assert cope.problem(table, **columns).best().json["picks"][0]["arm"] == "q"


def test_pyarrow():
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"version": VERSIONS, "speed": SPEEDS, "layers": [[1]] * 9})
    assert cope.problem(table, arm="version", reward="speed").best().json["picks"][0]["arm"] == "3.10"


def test_short_floats():
    frame = pd.DataFrame({"dose": np.array([0.1, 0.2, 0.3] * 2, dtype="float32"), "y": [1.0, 9, 2, 1.1, 9.1, 2.1]})
    assert cope.problem(frame, arm="dose", reward="y").best().json["picks"][0]["features"] in ({"dose": 0.2}, {"dose": "0.2"})


def test_names_of_features():
    """Features may be named as anything, also as the columns that the package makes."""
    for names in (("_task", "_reward"), ("task", "value"), ("arm", "failed"), ("", "a,b"), (1, "1")):
        arms = [dict(zip(names, values)) for values in ((0, 0), (0, 1), (1, 0), (1, 1))]
        found = cope.maximize(lambda arm, names=names: 2.0 * arm[names[0]] + arm[names[1]], arms=arms, budget=12)
        assert found.arm == arms[3]
        history = found.history
        assert len(history.columns) == 4 and set(history["value"]) <= {0.0, 1.0, 2.0, 3.0}


def test_numbers_that_are_not_read_are_names():
    np = pytest.importorskip("numpy")
    for arms in ([1e-320, 1e308, 2.0], [np.timedelta64(3, "D"), np.timedelta64(4, "D"), np.timedelta64(5, "h")]):
        found = cope.maximize(lambda arm, last=arms[1]: float(arm == last), arms=arms, budget=9)
        assert found.arm == arms[1]


def test_durations_of_polars():
    pl = pytest.importorskip("polars")
    from datetime import timedelta

    frame = pl.DataFrame({"site": ["s"] * 6, "wait": [timedelta(hours=h) for h in (1, 1, 2, 2, 3, 3)], "yield": [1.0, 1.1, 5.0, 5.2, 2.0, 2.1]})
    (pick,) = cope.problem(frame, task="site", arm="wait", reward="yield").best().json["picks"]
    assert pick["arm"] == "2:00:00"


def test_line_breaks():
    """A text of several lines is a name in one line, and two such names stay two."""
    rows = {"t": ["a"] * 6, "arm": ["x\ny", "x y", "z"] * 2, "yield\n[%]": [1.0, 2, 3, 1.5, 2.5, 3.5]}
    a = cope.problem(rows, task="t", arm="arm", reward="yield\n[%]").best()
    assert a.json["arms"][0]["features"] == {"arm": '"x\\ny"'}
    assert {arm["arm"] for arm in a.json["arms"]} == {'"x\\ny"', "x y", "z"}
    alone = cope.problem({"arm": ["x\r\ny", "z"] * 2, "y": [1.0, 2, 1.5, 2.5]}, arm="arm", reward="y").best()
    assert {arm["arm"] for arm in alone.json["arms"]} == {"x y", "z"}


@pytest.mark.parametrize(
    ("tasks", "error", "message"),
    [
        ([1, True], ValueError, "tasks has 1 and True"),
        ([0, False], ValueError, "tasks has 0 and False"),
        ([{"a": 1}, {"a": 2}], TypeError, "cannot be the key"),
    ],
)
def test_tasks_that_are_one_key(tasks, error, message):
    """The answer is a dict with an arm for each task: none of them is lost."""
    with pytest.raises(error, match=message):
        cope.minimize(lambda arm, task: arm, arms=[1, 2, 3], tasks=tasks, budget=20)
    assert cope.minimize(lambda arm, task: arm, arms=[1, 2, 3], tasks=[1, "1", None], budget=20).arms == {1: 1, "1": 1, None: 1}
