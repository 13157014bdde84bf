"""What one types, as the quick start has it."""

import json
import re

import pytest
from conftest import REPOSITORY

import gonb_cope as cope

pd = pytest.importorskip("pandas")
np = pytest.importorskip("numpy")


def cdist(x, y):
    return np.sqrt(((x[:, None, :] - y[None, :, :]) ** 2).sum(-1))


def test_block(machines, folder):
    df = pd.DataFrame(machines)
    p = cope.problem(df, task="Machine", arm=["Temp °C", "Speed"], reward="Throughput")
    a = p.best(epsilon=1, next=24)
    assert isinstance(p, cope.Problem)
    assert isinstance(a, cope.Answer)
    assert set(a.table["Temp °C"].astype(float)) == {190.0}
    assert set(a.table["Speed"].astype(float)) == {20.0}
    assert a.next["count"].sum() == 24
    assert list(a.next.columns) == ["Machine", "Temp °C", "Speed", "count"]
    assert list(a.table.columns)[:3] == ["Machine", "Temp °C", "Speed"]
    assert len(df.merge(a.next)) == 3 * len(a.next)
    bundle = a._repr_mimebundle_()
    assert {"text/html", "text/plain", "image/png"} <= set(bundle)

    r = p.fc(delta=0.05, epsilon=1, runs=200)
    assert isinstance(r.table, pd.DataFrame)
    assert r.runs == 200
    assert r.samples > 0
    figure = r.plot()
    assert isinstance(figure, cope.Figure)
    assert figure.png.startswith(b"\x89PNG")
    assert figure.svg.lstrip().startswith("<")

    k = cope.task(cope.rbf(1)) * cope.arm(lambda x, y: np.exp(-cdist(x, y) / 20))
    own = p.with_kernel(cope.task(cope.identity()) * cope.arm(lambda x, y: np.exp(-cdist(x, y) / 20)))
    assert isinstance(k, cope.JointKernel)
    assert own.bounds(delta=0.1, epsilon=1).tasks == 4

    c = cope.Campaign.start("days", p.protocol(budget=200, runs=0))
    todo = c.ask(24)
    assert len(todo) == 24
    done = todo.assign(reward=[50 - abs(t - 190) / 4 - abs(s - 20) / 2 for t, s in zip(todo["Temp °C"].astype(float), todo["Speed"].astype(float))])
    receipt = c.tell(done, by="Ann")
    assert receipt.taken
    assert len(c.ask(24, by="Ann")) == 24
    told = c.events
    c.correct(todo["id"][0], 33.5, reason="misread")
    assert c.events == told + 1

    best = cope.minimize(lambda arm, site: (arm["x"] - len(site)) ** 2, arms={"x": [0, 1, 2, 3, 4, 5, 6]}, tasks=["aa", "bbbb"], budget=24, parallel=2)
    assert best.arms == {"aa": {"x": 2}, "bbbb": {"x": 4}}
    assert len(best.history) == 24


def test_own_names_follow_definitions():
    p = cope.paper(case=2, gap=0.4)
    s = p.fc(runs=3).sweep(gap=[0.4, 0.8])
    assert len(s.table) == 2
    assert s.to_pandas().equals(s.table)


def test_polars(machines):
    polars = pytest.importorskip("polars")
    p = cope.problem(polars.DataFrame(machines), task="Machine", arm=["Temp °C", "Speed"], reward="Throughput")
    a = p.best(epsilon=1)
    assert a.to_polars().shape[0] == 4
    assert a.json["picks"] == cope.problem(machines, task="Machine", arm=["Temp °C", "Speed"], reward="Throughput").best(epsilon=1).json["picks"]


def test_own_columns(machines):
    """An answer has the columns of the data: their labels, order, values and types."""
    df = pd.DataFrame(machines)
    df = df.assign(Machine=df["Machine"].astype("category"), hot=df["Temp °C"] > 180, Speed=df["Speed"].astype("float32") / 100, day=pd.Timestamp("2026-01-02"))
    labelled = df.rename(columns={"Speed": ("set", "speed"), "hot": "count", "day": 7})
    for data, task, arm in ((df, ["Machine", "day"], ["Speed", "hot"]), (labelled, ["Machine", 7], [("set", "speed"), "count"])):
        a = cope.problem(data, task=task, arm=arm, reward="Throughput").best(next=6)
        for part in (a.table, a.next, a.picks, a.arms):
            assert list(part.columns)[:4] == [*task, *arm]
            assert part[[*task, *arm]].dtypes.to_list() == data[[*task, *arm]].dtypes.to_list()
            assert len(data.merge(part, on=[*task, *arm])) >= len(part)
    a = cope.problem(df, task="Machine", arm="hot", arm_features=["Temp °C"], reward="Throughput", where="col('Temp °C') != 190").best()
    assert set(a.table["hot"]) <= {True, False}
    assert len(a.next) == 0
    assert list(df.merge(a.next).columns)[-1] == "count"
    wider = cope.problem(df, task="Machine", arm="Speed", reward="Throughput", candidates=["Speed=0.05..0.5 log"]).best(next=3)
    assert wider.next["Speed"].between(0.05, 0.5).all()


def test_own_columns_of_polars(machines):
    polars = pytest.importorskip("polars")
    df = polars.DataFrame(machines).with_columns(polars.col("Speed").cast(polars.UInt8), polars.col("Machine").cast(polars.Categorical))
    a = cope.problem(df, task="Machine", arm=["Speed", "Temp °C"], reward="Throughput").best(next=6)
    assert a.next.columns == ["Machine", "Speed", "Temp °C", "count"]
    assert a.next.schema["Speed"] == polars.UInt8
    assert len(df.join(a.next, on=["Machine", "Speed", "Temp °C"])) == 3 * len(a.next)


def test_exports():
    """Unfinished runs of MLflow, W&B and Optuna have no value, and the parameters of MLflow, which are texts, are numbers."""
    rates = [1e-4, 1e-3, 1e-2, 1e-1]
    scores = [0.5, 0.8, 0.6, 0.99]
    for rate, metric, state, good, bad in (
        ("params.lr", "metrics.acc", "status", "FINISHED", ("FAILED", "KILLED", "RUNNING")),
        ("config.lr", "summary.acc", "state", "finished", ("crashed", "failed", "running")),
        ("params_lr", "value", "state", "COMPLETE", ("PRUNED", "FAIL", "RUNNING")),
    ):
        given = [f"{lr:g}" if metric == "metrics.acc" else lr for lr in rates]
        rows = [{rate: lr, metric: y + k / 100, state: good} for k in range(3) for lr, y in zip(given[:3], scores)]
        rows += [{rate: given[3], metric: scores[3], state: how} for how in bad]
        df = pd.DataFrame(rows)
        a = cope.problem(df, arm=rate, reward=metric).best(next=5)
        assert list(a.table[rate]) == [given[1]]
        assert given[3] not in set(a.next[rate])
        assert len(df.merge(a.next)) == 3 * len(a.next)
        assert a.next["works_probability"].between(0.5, 1).all()
        assert a.arms.set_index(rate)["works_probability"][given[3]] < a.table["works_probability"][0]
        assert a.json["picks"][0]["features"][rate] == rates[1]
        a = cope.problem(df, arm=rate, reward=metric, failed="false").best()
        assert list(a.table[rate]) == [given[3]]


def test_columns_of_any_kind(machines):
    df = pd.DataFrame(machines)
    same = cope.problem(df, task="Machine", arm=["Temp °C", "Speed"], reward="Throughput").best().json["picks"]
    changed = df.astype({"Machine": "category", "Temp °C": "Int64", "Speed": "int8"})
    changed["Day"] = pd.Timestamp("2026-01-02")
    changed["Nothing"] = None
    assert cope.problem(changed, task="Machine", arm=["Temp °C", "Speed"], reward="Throughput").best().json["picks"] == same
    indexed = df.set_index(["Machine", "Speed"])
    assert cope.problem(indexed, task="Machine", arm=["Temp °C", "Speed"], reward="Throughput").best().json["picks"] == same


def test_save(folder):
    """Every ending that docs/tutorials/python.md names is written, and another is refused with these."""
    text = (REPOSITORY / "docs/tutorials/python.md").read_text(encoding="utf-8")
    (endings,) = re.findall(r"a file in a format of `save`: (.*?); figures as (.*?) \|", text)
    result = cope.fb(cope.paper(case=1), budget=20, runs=2)
    for ending in (", ".join(endings)).split(", "):
        result.save(f"file.{ending}")
        assert (folder / f"file.{ending}").stat().st_size > 0
    with pytest.raises(cope.CopeError, match=r"\.csv"):
        result.save("file.odd")


def test_pictures(machines):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    p = cope.problem(machines, task="Machine", arm=["Temp °C", "Speed"], reward="Throughput")
    answer = p.best(epsilon=1).plot()
    axes = answer.draw()
    assert [ax.get_title() for ax in axes] == ["M0", "M1", "M2", "M3"]
    assert len(axes[0].containers) >= 2
    spec = answer.to_vega()
    assert len(spec["hconcat"]) == 4
    json.dumps(spec)
    sweep = cope.paper(case=2, gap=0.4).fc(runs=2).sweep(gap=[0.4, 0.8], algorithm=["CoTestFC", "CoKernelFC"])
    drawn = sweep.plot(x="gap", y="samples")
    values = sorted(row["y"] for layer in drawn.to_vega()["layer"] for row in layer["data"]["values"] if "lo" in row and layer["mark"]["type"] != "rule")
    assert values == pytest.approx(sorted(y for s in drawn.json["series"] for y in s["y"] if s.get("lo")))
    assert drawn.draw().get_xlabel() == drawn.json["x_label"]


def test_functions_cost():
    """A kernel is asked for all its points at once, and rewards are drawn by a function of Python."""
    asked = []

    def laplace(x, y):
        asked.append((x.shape, y.shape))
        return np.exp(-abs(x[:, None, :] - y[None, :, :]).sum(-1))

    rows = [{"task": t, "arm": str(i), "x_1": i / 10, "mean": float(np.sin(i / 10))} for t in "abc" for i in range(40)]
    p = cope.problem(rows, kernel=cope.task(cope.identity()) * cope.arm(laplace), noise=1)
    assert asked == [((40, 1), (40, 1))]
    formula = cope.script("laplace(x, y) = exp(-sum(abs(x - y)))\nk = task(identity()) * arm(laplace)")["k"]
    assert p.spectrum(xi=0.01).json["joint"] == pytest.approx(p.with_kernel(formula).spectrum(xi=0.01).json["joint"], rel=1e-9, abs=1e-12)
    drawn = []

    def measure(task, arm, count):
        drawn.append((task, arm, count))
        return float(arm == "{3,4}")

    r = cope.paper(case=2, gap=0.4).fb(budget=60, rewards=measure)
    assert sum(count for _, _, count in drawn) == r.samples_total
    assert set(r.answers["leader"]) == {"{3,4}"}
