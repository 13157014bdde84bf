"""Beside the tools that people have."""

import math
import subprocess
import sys

import pytest

import gonb_cope as cope


def test_sklearn():
    pytest.importorskip("sklearn")
    np = pytest.importorskip("numpy")
    from sklearn.gaussian_process import kernels as sk

    points = np.array([[0.0, 1.0], [0.5, -1.0], [2.0, 0.25], [3.0, 3.0]])
    rows = [{"task": "a", "arm": str(i), "x_1": x, "x_2": y, "mean": float(i)} for i, (x, y) in enumerate(points)]
    for theirs in [
        2.0 * sk.RBF(0.7) + sk.Matern([1.3, 0.4], nu=1.5) * sk.DotProduct(2.0) + sk.WhiteKernel(0.1),
        sk.RationalQuadratic(0.8, 1.7) + 3.0,
        sk.Matern(0.6, nu=0.5) + sk.Matern(0.6, nu=2.5) + sk.Matern(2, nu=float("inf")),
        sk.DotProduct(0.5) ** 2,
        sk.ConstantKernel(0.5) * sk.RBF([1, 3]),
    ]:
        gram = theirs(points)
        seen = []

        def probe(x, y, theirs=theirs, seen=seen):
            seen.append(theirs(x) if x.shape == y.shape and (x == y).all() else theirs(x, y))
            return seen[-1]

        ours = cope.problem(rows, kernel=cope.arm(cope.from_sklearn(theirs)), noise=1)
        asked = cope.problem(rows, kernel=cope.arm(probe), noise=1)
        assert np.allclose(seen[0], gram)
        assert ours.spectrum(xi=0.01).json["joint"] == pytest.approx(asked.spectrum(xi=0.01).json["joint"], rel=1e-6)
    x = sk.ExpSineSquared(1.3, 2.0)
    one = [{"task": "a", "arm": str(i), "x_1": v, "mean": float(i)} for i, v in enumerate((0.0, 0.7, 1.9))]
    ours = cope.problem(one, kernel=cope.arm(cope.from_sklearn(x)), noise=1).spectrum(xi=0.01).json["joint"]
    assert ours == pytest.approx(cope.problem(one, kernel=cope.arm(lambda a, b: x(a, b)), noise=1).spectrum(xi=0.01).json["joint"], rel=1e-6)
    with pytest.raises(TypeError, match="PairwiseKernel"):
        cope.from_sklearn(sk.PairwiseKernel())
    with pytest.raises(ValueError, match=r"nu=1\.0"):
        cope.from_sklearn(sk.Matern(nu=1.0))


def test_optuna():
    optuna = pytest.importorskip("optuna")
    from gonb_cope.optuna import CopeSampler

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=CopeSampler(task="site", seed=1))

    def measure(trial):
        site = trial.suggest_categorical("site", ["oslo", "rome"])
        return (trial.suggest_categorical("x", list(range(12))) - {"oslo": 3, "rome": 8}[site]) ** 2

    study.optimize(measure, n_trials=24)
    best = {site: min((t.value, t.params["x"]) for t in study.trials if t.params["site"] == site) for site in ("oslo", "rome")}
    assert best["oslo"][0] <= 1
    assert best["rome"][0] <= 1
    study = optuna.create_study(sampler=CopeSampler(seed=1), direction="maximize")
    study.optimize(lambda t: -abs(t.suggest_float("y", 0, 1) - t.suggest_categorical("k", [0.25, 0.5, 0.75])), n_trials=8)
    assert len(study.trials) == 8


def test_optuna_refines_numbers():
    """Numbers are chosen by their results, more finely than any grid that is made before."""
    optuna = pytest.importorskip("optuna")
    from gonb_cope.optuna import CopeSampler

    def measure(trial):
        lr = trial.suggest_float("lr", 1e-5, 1e-1, log=True)
        drop = trial.suggest_float("drop", 0, 0.5, step=0.05)
        layers = trial.suggest_int("layers", 1, 9)
        return (math.log10(lr) + 2.6) ** 2 + 4 * (drop - 0.2) ** 2 + 0.02 * (layers - 4) ** 2 + 0.1 * trial.suggest_categorical("act", [0, 1])

    study = optuna.create_study(sampler=CopeSampler(seed=1))
    study.optimize(measure, n_trials=24)
    assert study.best_value < 0.04  # the best of 24 random trials has 0.16, the median of 2,000 such searches
    assert {round(t.params["drop"] / 0.05, 6) % 1 for t in study.trials} == {0}
    assert len({t.params["lr"] for t in study.trials[4:]}) > 5


def test_optuna_with_two_objectives():
    """The first trial says so, and not the second."""
    optuna = pytest.importorskip("optuna")
    from gonb_cope.optuna import CopeSampler

    study = optuna.create_study(sampler=CopeSampler(), directions=["minimize", "maximize"])
    with pytest.raises(ValueError, match="2 objectives"):
        study.optimize(lambda trial: (trial.suggest_categorical("x", [1, 2]), 1.0), n_trials=1)


def test_add():
    """Arms that are added later are proposed, each to its own task."""
    s = cope.Strategy([{"model": m, "x": x} for m in "ab" for x in range(3)], task="model", goal="max", seed=1)
    for row in s.ask(9):
        s.tell(row, float(row["x"]))
    s.add([{"model": "b", "x": 7}, {"model": "b", "x": 2}])
    found = [row for _ in range(4) for row in s.ask(3)]
    assert {"model": "b", "x": 7} in found
    assert {"model": "a", "x": 7} not in found
    s.tell({"model": "b", "x": 7}, 9)
    assert s.picks(s.best())["b"] == {"x": 7}
    with pytest.raises(ValueError, match="there is no task 'c'"):
        s.add([{"model": "c", "x": 7}])


def test_first_list():
    """A first list that is shorter than all beginnings together still has a trial of every task."""
    s = cope.Strategy({"x": [1, 2, 3, 4]}, tasks=list("abcdefgh"), seed=1)
    assert {trial.task for trial in s.ask(8)} == set("abcdefgh")
    assert {trial.task for trial in s.ask(8)} == set("abcdefgh")


def test_stated_noise_and_limits():
    yields = {"a": [97, 99], "b": [96, 99.5], "c": [40, 60]}

    def answer(**stated):
        s = cope.Strategy(list(yields), goal="max", **stated)
        for arm, values in yields.items():
            s.tell([cope.Trial(arm, None)] * len(values), values)
        return s.best()

    highest = [max(a["ci95"][1] for a in answer(**stated).json["arms"]) for stated in ({}, {"bounded": (0, 100)})]
    assert highest[0] > 100 >= highest[1]
    sure = [answer(noise=noise).json["picks"][0]["probability_within"] for noise in (0.01, 20)]
    assert sure[0] > 0.95 > sure[1]
    both = [answer(noise=noise, bounded=(0, 100)).json for noise in (0.01, 20)]
    assert both[0]["picks"][0]["probability_within"] > 0.95 > both[1]["picks"][0]["probability_within"]
    assert max(a["ci95"][1] for a in both[1]["arms"]) <= 100


def test_best_has_a_value():
    """The answer recommends a measured arm, though another is predicted to be better, and counts equal values as measurements of their own."""
    s = cope.Strategy([{"x": float(x)} for x in range(8)], goal="max")
    for _ in range(2):
        for x in range(5):
            s.tell(cope.Trial({"x": float(x)}, None), float(x))
            s.tell(cope.Trial({"x": float(x)}, None), x + 0.1)
    answer = s.best()
    assert s.picks(answer) == {None: {"x": 4.0}}
    assert [pick["count"] for pick in answer.json["picks"]] == [4]


def test_two_processes(tmp_path):
    """Two processes share a file: no result is lost, and none counts as being measured in the end."""
    cope.Strategy([{"x": x} for x in range(40)], goal="max", seed=1).save(tmp_path / "search.pickle")
    worker = """import sys, gonb_cope as cope
for _ in range(5):
    with cope.Strategy.locked(sys.argv[1]) as s:
        trials = s.ask(1)
    with cope.Strategy.locked(sys.argv[1]) as s:
        s.tell(trials, [trials[0].arm["x"]])
"""
    both = [subprocess.Popen([sys.executable, "-c", worker, tmp_path / "search.pickle"]) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    s = cope.Strategy.load(tmp_path / "search.pickle")
    assert len(s.told) == 10
    assert len({trial.arm["x"] for trial, _ in s.told}) > 7
    assert not any(tried.pending for of in s._tried.values() for tried in of)
    with pytest.raises(RuntimeError), cope.Strategy.locked(tmp_path / "search.pickle") as s:
        s.tell(s.ask(1), [1])
        raise RuntimeError
    assert len(cope.Strategy.load(tmp_path / "search.pickle").told) == 10


def test_ask_and_tell():
    s = cope.Strategy(arms=[{"x": x, "kind": k} for x in range(5) for k in "ab"], tasks=["p", "q"], goal="max", seed=3)
    while len(s.told) < 30:
        trials = s.ask(4)
        s.tell(trials, [-((t.arm["x"] - 2) ** 2) - 3 * (t.arm["kind"] == "a") for t in trials])
    assert s.picks(s.best()) == {"p": {"x": 2, "kind": "b"}, "q": {"x": 2, "kind": "b"}}
    with pytest.raises(ValueError, match="there is no arm"):
        s.tell([cope.Trial({"x": 99}, "p")], [1])
