"""What fails is counted and not taken, what is being measured is known, and what was measured is kept."""

import collections
import math
import random
import threading

import pytest

import gonb_cope as cope


def counted(values, noise=0.0, seed=1):
    """Return a function of the arms, and how often it was called for each."""
    calls, draw = collections.Counter(), random.Random(seed)

    def f(arm):
        calls[arm] += 1
        value = values[arm]
        if isinstance(value, Exception):
            raise value
        return value if value is None else value + (draw.gauss(0, noise) if noise else 0)

    return f, calls


@pytest.mark.parametrize("nothing", [None, math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("goal", [cope.maximize, cope.minimize])
def test_failing_arm(nothing, goal):
    f, calls = counted({"p": nothing, "q": 5.0, "r": 2.0}, noise=0.1)
    found = goal(f, arms=["p", "q", "r"], budget=12)
    assert found.arm == ("q" if goal is cope.maximize else "r")
    assert calls["p"] <= 3
    assert calls.total() == 12
    assert len(found.history) == 12
    assert len(found.failed) == calls["p"]
    assert {reason for _, reason in found.failed} <= {"None", "NaN", "infinite"}


def test_all_fail():
    f, calls = counted({"p": None, "q": math.nan, "r": None})
    with pytest.raises(cope.CopeError, match=r"all 9 measurements failed \(6 None, 3 NaN\)") as e:
        cope.maximize(f, arms=["p", "q", "r"], budget=30)
    assert max(calls.values()) == 3
    assert len(e.value.partial.history) == 9


def test_own_columns_of_arms(folder):
    """Arms with the task's column: rows go in and out as they are, each task has its own arms, and a file keeps it all."""
    pd = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    rows = [{"batch": b, "model": m, "lr": lr} for m in ("vit", "resnet") for b in (32, 512) for lr in (1e-4, 1e-3, 1e-2) if (m, b) != ("vit", 512)]

    def score(row):
        return -abs(math.log10(row["lr"]) + 3) - abs(row["batch"] - 32) / 500

    for table in (rows, pd.DataFrame(rows), polars.DataFrame(rows)):
        s = cope.Strategy(table, task="model", goal="max", seed=1)
        seen = []
        for _ in range(4):
            asked = s.ask(4)
            assert all(set(row) == {"batch", "model", "lr"} and row in rows for row in asked)
            waiting = s.ask(2)
            assert seen or not any(row in asked for row in waiting)
            s.forget(waiting)
            s.save("study.pickle")
            again = cope.Strategy.load("study.pickle")
            results = pd.DataFrame([{**row, "acc": score(row), "note": "x"} for row in asked])
            s.tell(results, results["acc"])
            for row in asked:
                again.tell(row, score(row))
            assert again.ask(3) == s.ask(3)
            s = again
            seen += asked
        assert s.picks(s.best()) == {m: {"batch": 32, "lr": 1e-3} for m in ("vit", "resnet")}
    with pytest.raises(ValueError, match="there is no arm"):
        s.tell({"model": "vit", "batch": 512, "lr": 1e-3}, 1)
    with pytest.raises(ValueError, match="task names the column 'modle'"):
        cope.Strategy(rows, task="modle")
    two = cope.Strategy([{**row, "data": d} for row in rows for d in "ab"], task=["model", "data"])
    assert {(row["model"], row["data"]) for row in two.ask(50)} == {(m, d) for m in ("vit", "resnet") for d in "ab"}


def test_a_task_in_which_all_fails():
    found = cope.maximize(lambda arm, task: None if task == "u" else {"p": 1, "q": 3, "r": 2}[arm], arms=["p", "q", "r"], tasks=["u", "v"], budget=20)
    assert found.arms == {"v": "q"}
    assert all(trial.task == "u" for trial, _ in found.failed)
    assert len(found.failed) == 9


def test_flaky_arm():
    draw = random.Random(4)

    def f(arm):
        return None if draw.random() < 0.3 else {"p": 1.0, "q": 5.0, "r": 2.0}[arm] + draw.gauss(0, 0.2)

    assert cope.maximize(f, arms=["p", "q", "r"], budget=40).arm == "q"


def test_settings_that_always_fail_are_learned():
    draw = random.Random(5)
    s = cope.Strategy(arms={"lr": [1, 2, 3, 4], "batch": [32, 64, 128, 512]}, tasks=["a", "b"], goal="max", seed=1)
    failures = []
    for _ in range(7):
        asked = s.ask(8)
        s.tell(asked, [None if arm["batch"] == 512 else -((arm["lr"] - 2.5) ** 2) + draw.gauss(0, 0.3) for arm, _ in asked])
        failures.append(len(s.failed))
    assert 2 < failures[2] == failures[-1] < 8


def test_an_accident_is_repeated():
    draw = random.Random(6)
    s = cope.Strategy(arms=list(range(8)), goal="max", seed=1)
    s.add_running([cope.Trial(arm, None) for arm in range(8)])
    s.tell([cope.Trial(arm, None) for arm in range(8)], [None if arm == 7 else arm + draw.gauss(0, 0.1) for arm in range(8)])
    for more in (True, False):  # once: then it failed in two of two trials, and others in none
        asked = s.ask(4)
        assert (cope.Trial(7, None) in asked) == more
        s.tell(asked, [None if arm == 7 else arm + draw.gauss(0, 0.1) for arm, _ in asked])


def test_catch():
    f, calls = counted({"p": ZeroDivisionError("no voltage"), "q": 5.0, "r": 2.0}, noise=0.1)
    found = cope.maximize(f, arms=["p", "q", "r"], budget=12, catch=ArithmeticError)
    assert (found.arm, calls["p"]) == ("q", 2)  # an arm that fails twice, where others work, is not tried again
    assert found.failed[0] == (cope.Trial("p", None), "ZeroDivisionError: no voltage")


@pytest.mark.parametrize("parallel", [1, 3])
def test_an_exception_keeps_what_was_measured(parallel):
    lock, calls = threading.Lock(), []

    def f(arm):
        with lock:
            calls.append(arm)
            if len(calls) == 20:
                raise RuntimeError("out of memory")
        return {"p": 1, "q": 5, "r": 2}[arm] + len(calls) / 1000

    with pytest.raises(RuntimeError, match="out of memory") as e:
        cope.maximize(f, arms=["p", "q", "r"], budget=30, parallel=parallel)
    assert e.value.partial.arm == "q"
    assert 19 <= len(e.value.partial.history) < 30
    if hasattr(e.value, "add_note"):
        assert "measurements were made before" in e.value.__notes__[0]


def test_after_certainty():
    f, calls = counted({"worst": 1, "good": 5, "middle": 2}, noise=0.3)
    assert cope.maximize(f, arms=["worst", "good", "middle"], budget=30).arm == "good"
    assert calls["worst"] <= 4
    assert calls.total() == 30


def test_one_number():
    np = pytest.importorskip("numpy")
    pd = pytest.importorskip("pandas")
    for kind in (np.array, pd.Series, list, tuple):
        assert cope.maximize(lambda arm, kind=kind: kind([{"p": 1, "q": 5}[arm]]), arms=["p", "q"], budget=6).arm == "q"
    for wrong, error in [((5, 0.2), TypeError), ({"loss": 1}, TypeError), (np.array([1, 2]), TypeError), ("12", ValueError), (1j, TypeError)]:
        with pytest.raises(error, match=r"arm '[pq]' of task 'oslo' gave"):
            cope.maximize(lambda arm, task, wrong=wrong: wrong, arms=["p", "q"], tasks=["oslo"], budget=6)


def test_tell_refuses_before_it_stores():
    s = cope.Strategy(arms=["p", "q", "r"], goal="max")
    trials = s.ask(3)
    for wrong, message in [
        ((trials, [1, 2]), "3 trials and 2 values"),
        ((trials, [1, "2", 3]), f"arm {trials[1].arm!r} gave the text '2'"),
        (([*trials[:2], cope.Trial("x", None)], [1, 2, 3]), "there is no arm 'x'"),
        (([cope.Trial("p", "oslo")], [1]), "there is no arm 'p' of task 'oslo'"),
        ((["p"], [1]), "'p' is not a trial"),
    ]:
        with pytest.raises(ValueError, match=message):
            s.tell(*wrong)
    assert s.told == []
    values = {"p": 1, "q": math.inf, "r": 2}
    s.tell(trials, [values[t.arm] for t in trials])
    assert s.failed == [(cope.Trial("q", None), "infinite")]
    assert s.picks(s.best()) == {None: "r"}
    assert len(s.ask(2)) == 2


def test_pending_trials_are_known():
    s = cope.Strategy(arms=list("pqrstu"), tasks=["a", "b"], goal="max", seed=2)
    asked = s.ask(2) + s.ask(2) + s.ask(2)
    assert len(set(asked)) == 6
    s.tell(asked[::2], [1, 2, 3])
    more = s.ask(1) + s.ask(1)
    assert not set(more) & set(asked[1::2])
    s.forget(asked[1::2])
    assert set(asked[1::2]) & set(s.ask(6))
    small = cope.Strategy(arms=["p", "q", "r"])
    assert {t.arm for t in small.ask(2) + small.ask(2)} == {"p", "q", "r"}
    exact = cope.Strategy(arms=list(range(8)), goal="max")
    exact.tell(exact.ask(3) + exact.ask(0), [1.0, 2.0, 3.0])
    one, other = exact.ask(1), exact.ask(1)
    assert one != other


def test_workers_measure_different_arms():
    draw = random.Random(1)
    arms = [{"model": m, "lr": 10 ** -(k / 2), "decay": w} for m in "ab" for k in range(2, 8) for w in (1e-4, 1e-3)]
    s = cope.Strategy(arms, task="model", goal="max")

    def measure(rows):
        s.tell(rows, [80 - 4 * (math.log10(t["lr"]) + 2.3) ** 2 - (t["decay"] > 5e-4) + draw.gauss(0, 1) for t in rows])

    measure(s.ask(12))
    for _ in range(3):
        one, other = s.ask(3), s.ask(3)
        assert not {tuple(t.values()) for t in one} & {tuple(t.values()) for t in other}
        measure(one + other)


def test_optuna_failures():
    optuna = pytest.importorskip("optuna")
    from gonb_cope.optuna import CopeSampler

    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def fail():
        raise RuntimeError

    def prune():
        raise optuna.TrialPruned

    for failing in (fail, prune, lambda: math.nan, lambda: -math.inf):
        calls, draw = collections.Counter(), random.Random(3)

        def objective(trial, failing=failing, calls=calls, draw=draw):
            k = trial.suggest_categorical("k", ["p", "q", "r"])
            calls[k] += 1
            return failing() if k == "p" else {"q": 5, "r": 2}[k] + draw.gauss(0, 0.1)

        study = optuna.create_study(sampler=CopeSampler(seed=1), direction="maximize")
        study.optimize(objective, n_trials=20, catch=(RuntimeError,))
        assert len(study.trials) == 20
        assert calls["p"] <= 7  # chance chooses until a trial is complete
        assert study.best_params == {"k": "q"}


def test_optuna_parallel():
    optuna = pytest.importorskip("optuna")
    from gonb_cope.optuna import CopeSampler

    study = optuna.create_study(sampler=CopeSampler(seed=1), direction="maximize")
    space = {"k": optuna.distributions.CategoricalDistribution(list("pqrstuvw"))}
    study.add_trial(optuna.trial.create_trial(params={"k": "p"}, distributions=space, value=0.0))
    asked = [study.ask(space) for _ in range(4)]
    assert len({trial.params["k"] for trial in asked} | {"p"}) == 5
    for trial in asked:
        study.tell(trial, float(trial.params["k"] == "q"))
    study.optimize(lambda t: float(t.suggest_categorical("k", list("pqrstuvw")) == "q"), n_trials=12, n_jobs=3)
    assert study.best_params == {"k": "q"}


def test_only_one_arm_works():
    for arms in (["p", "q"], ["p", "q", "r", "s"]):
        found = cope.maximize(lambda arm: 5.0 if arm == "q" else None, arms=arms, budget=20)
        assert found.arm == "q"
        assert f"Only one of {len(arms)} options is measured (5 on average)" in repr(found)


def test_all_values_are_equal():
    for value in (0.0, 5.0):
        found = cope.maximize(lambda arm, value=value: value, arms=["p", "q", "r"], budget=12)
        assert found.arm in ("p", "q", "r")
        assert len(found.history) == 12


def test_equal_values_do_not_go_to_the_first():
    found = cope.maximize(lambda arm: 7.0, arms=list("pqrstu"), budget=24)
    times = collections.Counter(found.history["arm"])
    assert len(times) == 6 and max(times.values()) <= 6


def test_numbers_that_are_not_read():
    """A penalty of the largest float is a failure, and so is what numpy masks, whose number would be 0."""
    masked = pytest.importorskip("numpy").ma.masked
    for nothing in (-1.7e308, 1e101, masked):
        found = cope.maximize(lambda arm, nothing=nothing: nothing if arm == "q" else float(ord(arm)) - 200, arms=["p", "q", "r"], budget=10)
        assert found.arm == "r"
        assert 1 <= len(found.failed) <= 3


def test_pairs_are_trials():
    s = cope.Strategy(arms=["p", "q", "r"], goal="max")
    s.tell([("p", None), ("q", None), ("r", None)], [1, 2, None])
    assert s.picks(s.best()) == {None: "q"}
    with pytest.raises(ValueError, match="no arm 'x'"):
        s.tell([("x", None)], [1])
    with pytest.raises(ValueError, match="not a trial"):
        s.tell(["p"], [1])


def test_wrong_words_are_refused_before_the_first_measurement():
    measured = []
    with pytest.raises(TypeError, match="catch is True"):
        cope.maximize(measured.append, arms=["p", "q", "r"], budget=9, catch=True)
    with pytest.raises(ValueError, match="goal is 'maximize'"):
        cope.Strategy(arms=["p", "q"], goal="maximize")
    assert not measured


def test_an_exit_keeps_what_was_measured():
    def f(arm):
        measured.append(arm)
        if len(measured) == 6:
            raise SystemExit(3)
        return float(ord(arm))

    measured = []
    with pytest.raises(SystemExit) as e:
        cope.maximize(f, arms=["p", "q", "r"], budget=12)
    assert len(e.value.partial.history) == 5


def test_no_notes_on_tables_that_nobody_gave():
    import warnings

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always", cope.Note)
        cope.maximize(lambda arm: float(ord(arm)), arms=["p", "q", "r"], budget=8)
    assert not [w for w in seen if issubclass(w.category, cope.Note)]


def test_a_sampler_of_two_studies():
    optuna = pytest.importorskip("optuna")
    from gonb_cope.optuna import CopeSampler

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    draw, sampler = random.Random(5), CopeSampler(seed=0)
    one, two = (optuna.create_study(direction=d, sampler=sampler) for d in ("maximize", "minimize"))
    for _ in range(14):
        one.optimize(lambda t: ord(t.suggest_categorical("k", list("pqrs"))) + draw.gauss(0, 0.1), n_trials=1)
        two.optimize(lambda t: ord(t.suggest_categorical("m", list("tuvw"))) + draw.gauss(0, 0.1), n_trials=1)
    assert collections.Counter(t.params["k"] for t in one.trials)["p"] <= 3
    assert collections.Counter(t.params["m"] for t in two.trials)["w"] <= 3
