"""Beside the tools that people have."""

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


def test_optuna_with_two_objectives():
    """The first trial says so, and not the second."""
    optuna = pytest.importorskip("optuna")
    from gonb_cope.optuna import CopeSampler

    study = optuna.create_study(sampler=CopeSampler(), directions=["minimize", "maximize"])
    with pytest.raises(ValueError, match="2 objectives"):
        study.optimize(lambda trial: (trial.suggest_categorical("x", [1, 2]), 1.0), n_trials=1)


def test_ask_and_tell():
    s = cope.Strategy(arms=[{"x": x, "kind": k} for x in range(5) for k in "ab"], tasks=["p", "q"], goal="max", seed=3)
    while len(s.told) < 30:
        trials = s.ask(4)
        s.tell(trials, [-((t.arm["x"] - 2) ** 2) - 3 * (t.arm["kind"] == "a") for t in trials])
    assert s.picks(s.best()) == {"p": {"x": 2, "kind": "b"}, "q": {"x": 2, "kind": "b"}}
    with pytest.raises(ValueError, match="there is no arm"):
        s.tell([cope.Trial({"x": 99}, "p")], [1])
