"""Direct arylation: 1,728 measured yields, compared with random search and the published traces of EDBO.

    python chemistry.py run [--runs N]    adds the runs that the record lacks
    python chemistry.py page              writes docs/gallery/reactions.md from the record

The yields and the traces are files of the repository b-shields/edbo (MIT), whose folder experiments/ the variable EDBO names.
GONB_COPE names the program.
"""

from __future__ import annotations

import argparse
import csv
import json
import logging
import os
import random
import statistics
import sys
import warnings

warnings.filterwarnings("ignore")
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "python"))

from common import between, forest, interval, number, read, student, verdict, version  # noqa: E402

RECORD = os.path.join(HERE, "chemistry.jsonl")
PAGE = os.path.join(HERE, "..", "..", "docs", "gallery", "reactions.md")
BATCH = 5  # experiments at a time, as EDBO's traces have
BUDGETS = [10, 15, 20, 30, 40, 50]
COLUMNS = ["Base_SMILES", "Ligand_SMILES", "Solvent_SMILES", "Concentration", "Temp_C"]


def table(folder: str) -> list[tuple[dict[str, object], float]]:
    """Return the conditions and their yields; bases, ligands and solvents are names, the program knows nothing of their chemistry."""
    with open(os.path.join(folder, "data", "direct_arylation", "experiment_index.csv"), encoding="utf-8", newline="") as file:
        return [({c: float(r[c]) if c in COLUMNS[3:] else r[c] for c in COLUMNS}, float(r["yield"])) for r in csv.DictReader(file)]


def highest(yields: list[float]) -> list[float]:
    """Return the highest yield after each budget."""
    return [max(yields[:n]) for n in BUDGETS]


def run(folder: str, runs: range) -> None:
    import gonb_cope as cope

    logging.disable(logging.WARNING)
    have = {(r["method"], r["run"]) for r in read(RECORD)}
    rows = table(folder)
    top = max(y for _, y in rows)
    chance = top - statistics.fmean(y for _, y in rows)

    def record(method: str, at: int, yields: list[float], made: str) -> None:
        if (method, at) not in have:
            with open(RECORD, "a", encoding="utf-8") as file:
                file.write(
                    json.dumps(
                        {"method": method, "run": at, "loss": [round(top - y, 2) for y in highest(yields)], "chance": chance, "top": top, "version": made}
                    )
                    + "\n"
                )

    with open(os.path.join(folder, "arylation_bo_results_GP-EI_bs=5.csv"), encoding="utf-8", newline="") as file:
        for k, trace in enumerate(list(csv.reader(file))[1:]):
            record("EDBO", k, [float(y) for y in trace[1:]], "traces of 2020")
    for k in range(50):
        record("random", k, random.Random(k).sample([y for _, y in rows], BUDGETS[-1]), "")
    place = {tuple(c.values()): y for c, y in rows}
    for k in runs:
        if ("Strategy", k) in have:
            continue
        search = cope.Strategy([c for c, _ in rows], goal="max", seed=k)
        yields: list[float] = []
        while len(yields) < BUDGETS[-1]:
            trials = search.ask(BATCH - len(yields) % BATCH)
            search.tell(trials, own := [place[tuple(t.arm.values())] for t in trials])
            yields += own
        record("Strategy", k, yields, version())
        print(k, highest(yields), flush=True)


WHY = [
    "EDBO knows computed properties of each molecule: it can guess which untried ligand resembles a good one. `Strategy` knows names only, and has to try each ligand to learn about it. "
    "Columns of properties in the table of conditions would be used like concentration and temperature; this was not measured.",
    "Every condition has one yield, and neighbours in the table can differ by most of the scale. Without repeated measurements `Strategy` takes a part of these differences for noise. It then stays with "
    "the best ligand that it has found, and explores too little.",
]


def unpaired(ours: list[float], other: list[float]) -> tuple[float, float, float]:
    """Return the difference of two means and its 95 % interval [Welch, Biometrika 34, 1947]; degrees of freedom are rounded down."""
    a, b = statistics.variance(ours) / len(ours), statistics.variance(other) / len(other)
    freedom = (a + b) ** 2 / (a**2 / (len(ours) - 1) + b**2 / (len(other) - 1)) if a + b > 0 else len(ours) + len(other) - 2
    mean, half = statistics.fmean(ours) - statistics.fmean(other), student(freedom) * (a + b) ** 0.5
    return mean, mean - half, mean + half


def page() -> None:
    rows = read(RECORD)
    of = {m: [r["loss"] for r in rows if r["method"] == m] for m in ("Strategy", "EDBO", "random")}
    chance = rows[0]["chance"]
    means = [(statistics.fmean(r[k] for r in of["Strategy"]), statistics.fmean(r[k] for r in of["EDBO"])) for k in range(len(BUDGETS))]
    text = [
        "# Reactions: direct arylation, compared with EDBO's published runs",
        "",
        "After this page you know how high a yield `Strategy` finds in few experiments, compared with the published runs of EDBO.",
        "",
        "**Data.** Shields et al. (Nature 590, 2021) measured all 1,728 combinations of 4 bases, 12 ligands, 4 solvents, 3 concentrations and 3 temperatures once. The table, and 50 runs of EDBO "
        "on it, lie in the authors' repository (b-shields/edbo, MIT), which is not part of this one.",
        "",
        f'**Methods.** All choose {BATCH} experiments at a time. EDBO knows computed properties of each molecule (DFT). `Strategy(conditions, goal="max")` knows bases, ligands and solvents by name only '
        f"(commits {', '.join(sorted({r['version'] for r in rows if r['method'] == 'Strategy'}))}). Random: different conditions by chance.",
        "",
        f"**Loss.** By how much the highest measured yield is below {number(rows[0].get('top', 100))} %, the highest of the table. One random experiment loses {number(chance)}. Columns are numbers of experiments; brackets are 95 % intervals over runs, "
        "which are not paired.",
        "",
        "| method | runs | " + " | ".join(map(str, BUDGETS)) + " |",
        "|---|---|" + "---|" * len(BUDGETS),
    ]
    for m, losses in of.items():
        text.append(
            f"| {m} | {len(losses)} | " + " | ".join("{:.1f} [{:.1f}, {:.1f}]".format(*interval([x[k] for x in losses])) for k in range(len(BUDGETS))) + " |"
        )
    text += [
        "",
        "Our loss less the other's, in % of a random experiment's loss. *Best*: the interval is below 0. *Level*: it excludes a loss of more than 5. *Behind*: it is above 0 and does not exclude 5. *Open*: neither.",
        "",
        "| against | " + " | ".join(map(str, BUDGETS)) + " |",
        "|---|" + "---|" * len(BUDGETS),
    ]
    drawn = []
    for m in ("EDBO", "random"):
        found = [tuple(100 * x / chance for x in unpaired([r[k] for r in of["Strategy"]], [r[k] for r in of[m]])) for k in range(len(BUDGETS))]
        text.append(f"| {m} | " + " | ".join(f"{number(x)} {between(lo, hi)} {verdict(lo, hi)}" for x, lo, hi in found) + " |")
        drawn += [(f"{m}, {b} experiments", *x) for b, x in zip(BUDGETS, found)]
    text += [
        "",
        "![Differences of our loss to EDBO's and to random search, with intervals](reactions.svg)",
        "",
        "BayBE was not run on this table; [the benchmark suite](../explanation/benchmark-suite.md) compares with BayBE, BoTorch and Ax on smaller tables, and with other methods on couplings (Buchwald, Suzuki).",
        "",
        "## Where we lose, and why",
        "",
        f"- `Strategy` has {len(of['Strategy'])} runs only, so that the intervals are wide. Its mean loss is larger than EDBO's at {sum(a > b for a, b in means)} of {len(means)} budgets.",
        *(f"- {line}" for line in WHY),
        "",
        "Run again: `make benchmark-chemistry`. Seeds are numbers of runs. The runs are in [tools/benchmarks/chemistry.jsonl](../../tools/benchmarks/chemistry.jsonl).",
        "",
    ]
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write("\n".join(text))
    forest(os.path.join(os.path.dirname(PAGE), "reactions.svg"), drawn, "our loss less the other's, % of the loss of a random experiment")


if __name__ == "__main__":
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("what", choices=["run", "page"])
    said.add_argument("--runs", type=int, default=5)
    said.add_argument("--first", type=int, default=0, help="the first run, to divide runs between processes")
    given = said.parse_args()
    if given.what == "run":
        run(os.environ["EDBO"], range(given.first, given.runs))
    else:
        page()
