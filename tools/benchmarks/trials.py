"""Field trials of agridat, compared with block-adjusted means, lme4's BLUP and WAASBY.

    python trials.py run --program gonb-cope [--sets NAME,...]    adds the runs that the record lacks
    python trials.py page                                         writes docs/gallery/field-trials.md from the record

The tables come from R's package agridat, or from the folder that the variable AGRIDAT names (data/ of its source).
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from common import LEVEL, Cell, between, forest, interval, number, read, sentence, standings, verdict, version

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, "trials.jsonl")
PAGE = os.path.join(HERE, "..", "..", "docs", "gallery", "field-trials.md")
OURS = "gonb-cope"

# Every set of agridat with varieties, at least four sites and at least two replicates in each, up to 600 cells:
# the columns of site, variety, block and value, whether smaller values are better, and the number of splits.
SPLIT = {
    "acorsi.grayleafspot": (["env"], "gen", "rep", "y", True, 6),
    "besag.met": (["county"], "gen", "rep", "yield", False, 3),
    "damesa.maize": (["site"], "gen", "rep", "yield", False, 6),
    "dasilva.maize": (["env"], "gen", "rep", "yield", False, 3),
    "gauch.soy": (["env"], "gen", "rep", "yield", False, 3),
    "kang.peanut": (["env"], "gen", "rep", "yield", False, 5),
    "linder.wheat": (["env"], "gen", "block", "yield", False, 8),
    "lu.stability": (["env"], "gen", "block", "yield", False, 8),
    "omer.sorghum": (["env"], "gen", "rep", "yield", False, 6),
    "shafii.rapeseed": (["year", "loc"], "gen", "rep", "yield", False, 4),
    "sharma.met": (["loc", "year"], "gen", "rep", "yield", False, 8),
}
# Sets with at least four sites and five years: the years to learn from, all others or this number before.
YEARS = {
    "edwards.oats": (["loc"], "gen", "block", "yield", 2),
    "gauch.soy": (["loc"], "gen", "rep", "yield", 0),
    "minnesota.barley.yield": (["site"], "gen", None, "yield", 3),
    "theobald.covariate": (["env"], "gen", None, "yield", 0),
    "vaneeuwijk.drymatter": (["site"], "variety", None, "y", 0),
}

Plot = tuple[str, str, str, str, float]  # site, variety, year, block, value; higher is better


def plots(folder: str, name: str, site: list[str], gen: str, block: str | None, value: str, less: bool, year: str | None) -> list[Plot]:
    with open(os.path.join(folder, name + ".csv"), encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row[value] not in ("", "NA")]
    return [
        ("_".join(r[c] for c in site), r[gen], r[year] if year else "-", r[block] if block else "-", -float(r[value]) if less else float(r[value]))
        for r in rows
    ]


def means(of: list[Plot]) -> dict[str, dict[str, float]]:
    """Return the mean of each variety at each site, as a difference to the mean of the year and block there."""
    blocks, cells = defaultdict(list), defaultdict(list)
    for site, _, year, block, y in of:
        blocks[site, year, block].append(y)
    for site, gen, year, block, y in of:
        cells[site, gen].append(y - statistics.fmean(blocks[site, year, block]))
    out: dict[str, dict[str, float]] = defaultdict(dict)
    for (site, gen), y in cells.items():
        out[site][gen] = statistics.fmean(y)
    return out


def overall(of: dict[str, dict[str, float]]) -> dict[str, float]:
    """Return the mean over sites of the varieties that every site has."""
    common = set.intersection(*(set(at) for at in of.values()))
    return {gen: statistics.fmean(at[gen] for at in of.values()) for gen in sorted(common)}


def splits(of: list[Plot], blocks: int, chance: random.Random) -> tuple[list[Plot], list[Plot]]:
    """Return the plots of some blocks of each site, chosen at random, and those of the others."""
    chosen = set()
    for site in sorted({p[0] for p in of}):
        own = sorted({p[3] for p in of if p[0] == site})
        chosen |= {(site, b) for b in chance.sample(own, blocks)}
    return [p for p in of if (p[0], p[3]) in chosen], [p for p in of if (p[0], p[3]) not in chosen]


def complete(of: list[Plot]) -> tuple[list[Plot], int]:
    """Return the plots of sites whose blocks have every variety, and the number of blocks of a site."""
    gens = {p[1] for p in of}
    at = defaultdict(lambda: defaultdict(list))
    for p in of:
        at[p[0]][p[3]].append(p[1])
    most = max(len(b) for b in at.values())
    whole = {s for s, b in at.items() if len(b) == most and all(sorted(g) == sorted(gens) for g in b.values())}
    return [p for p in of if p[0] in whole], most


def tasks(folder: str, wanted: list[str]) -> list[dict[str, Any]]:
    """Return what to run: a training table and the held-out plots for each run."""
    out = []
    for name, (site, gen, block, value, less, runs) in SPLIT.items():
        if name not in wanted:
            continue
        whole, blocks = complete(plots(folder, name, site, gen, block, value, less, None))
        size = {"sites": len({p[0] for p in whole}), "options": len({p[1] for p in whole}), "blocks": blocks}
        for k in (1, 2):
            for run in range(runs if k < blocks else 0):
                train, test = splits(whole, k, random.Random(f"{name} {k} {run}"))
                out.append({"set": name, "held": "blocks", "train": k, "run": run, **size, "plots": train, "test": test})
    for name, (site, gen, block, value, before) in YEARS.items():
        if name not in wanted:
            continue
        every = plots(folder, name, site, gen, block, value, False, "year")
        years = sorted({p[2] for p in every if len({q[0] for q in every if q[2] == p[2]}) >= 4})
        for k, year in enumerate(years):
            use = set(years[max(k - before, 0) : k]) if before else set(years) - {year}
            if before and len(use) < before:
                continue
            test = [p for p in every if p[2] == year]
            seen = {p[1] for p in every if p[2] in use}
            gens = {p[1] for p in test} & seen
            here = {p[0] for p in test}
            train = [p for p in every if p[2] in use and p[1] in gens and p[0] in here]
            test = [p for p in test if p[1] in gens and p[0] in {p[0] for p in train}]
            if len(gens) < 4 or len({p[0] for p in test}) < 4 or len({p[1] for p in train}) < 4:
                continue
            size = {"sites": len({p[0] for p in test}), "options": len(gens), "blocks": len(years)}
            out.append({"set": name, "held": "year", "train": before or len(years) - 1, "run": year, **size, "plots": train, "test": test})
    return out


def key(of: dict[str, Any]) -> tuple[Any, ...]:
    return of["set"], of["held"], of["train"], of["run"]


def ours(program: str, path: str, years: bool, blocks: bool) -> tuple[dict[str, str], str]:
    """Return our pick at each site and our pick for all sites."""
    command = [program, "best", path, "--task", "site", "--arm", "gen", "--reward", "y", "--overall", "--text", "gen", "--format", "json"]
    command += ["--blocks", "year", "--random", "year"] if years else []
    command += ["--blocks", "rep"] if blocks else []
    said = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "GOMAXPROCS": "1"})
    if said.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{said.stderr}")
    value = json.loads(said.stdout)["displays"][0]["value"]
    return {p["task"]: p["features"]["gen"] for p in value["picks"]}, value["overall"]["features"]["gen"]


def highest(values: dict[str, float], among: Iterable[str], means: dict[str, float]) -> str:
    """Return the option with the highest predicted value; means decide between equal ones, as where lme4 finds no variance between varieties."""
    near = 1e-6 * (max(map(abs, means.values()), default=1) or 1)
    return max(among, key=lambda g: (round(values.get(g, -math.inf) / near) if g in values else -math.inf, means[g]))


def losses(truth: dict[str, dict[str, float]], at: dict[str, dict[str, str]], over: dict[str, str]) -> dict[str, dict[str, list[float]]]:
    """Return what each method's picks lose in the held-out means, site by site: its pick for the site, and its pick for all."""
    sites = {"random": [max(t.values()) - statistics.fmean(t.values()) for t in truth.values()]}
    for method, picks in at.items():
        sites[method] = [max(t.values()) - t[picks[s]] for s, t in truth.items()]
    total = overall(truth)
    best = max(total, key=total.__getitem__)
    both = {"random": [t[best] - statistics.fmean(t[g] for g in total) for t in truth.values()]}
    for method, pick in over.items():
        both[method] = [t[best] - t[pick] for t in truth.values()]
    return {q: {m: [round(x, 6) for x in y] for m, y in of.items()} for q, of in (("site", sites), ("overall", both))}


def run(program: str, wanted: list[str]) -> None:
    have = {key(r) for r in read(RECORD) if r["held"] != "check"}
    versions = {
        OURS: version(),
        "lme4": subprocess.run(["Rscript", os.path.join(HERE, "blup.R"), "versions"], capture_output=True, text=True, check=True).stdout.strip(),
    }
    with tempfile.TemporaryDirectory() as folder:
        r = ["Rscript", os.path.join(HERE, "blup.R")]
        subprocess.run([*r, "tables", folder, *sorted({*SPLIT, *YEARS} & set(wanted))], check=True)
        todo = [t for t in tasks(folder, wanted) if key(t) not in have]
        for k, task in enumerate(todo):
            with open(os.path.join(folder, f"{k:04d}.train.csv"), "w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([("site", "gen", "year", "rep", "y"), *task["plots"]])
        if not todo:
            return
        subprocess.run([*r, "fit", folder], check=True)
        fitted: dict[str, dict[str, dict[str, dict[str, float]]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(dict)))
        with open(os.path.join(folder, "blup.csv"), encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                fitted[row["run"]][row["method"]][row["site"]][row["gen"]] = float(row["value"])
        for k, task in enumerate(todo):
            truth = means(task["test"])
            seen = means(task["plots"])
            truth = {s: {g: y for g, y in t.items() if g in seen[s]} for s, t in truth.items()}
            truth = {s: t for s, t in truth.items() if len(t) > 1}
            if not truth or len(overall(truth)) < 2:
                continue
            own, pick = ours(program, os.path.join(folder, f"{k:04d}.train.csv"), task["held"] == "year", len({p[3] for p in task["plots"]}) > 1)
            blup = fitted[f"{k:04d}"]
            among = list(overall(truth))
            at = {
                OURS: {s: own[s] if own[s] in t else max(t, key=seen[s].__getitem__) for s, t in truth.items()},
                "BLUP": {s: highest(blup["BLUP"][s], t, seen[s]) for s, t in truth.items()},
                "means": {s: max(t, key=seen[s].__getitem__) for s, t in truth.items()},
            }
            total = {g: statistics.fmean(x[g] for x in seen.values() if g in x) for g in among}
            over = {OURS: pick if pick in among else max(among, key=total.__getitem__)}
            over |= {m: highest(blup[m][""], among, total) for m in ("BLUP", "WAASBY") if m in blup}
            over["means"] = max(among, key=total.__getitem__)
            row = {n: v for n, v in task.items() if n not in ("plots", "test")}
            row |= {"missed": sum(own[s] not in t for s, t in truth.items()) + (pick not in among)}
            row |= {"loss": losses(truth, at, over), "versions": versions}
            with open(RECORD, "a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            print(task["set"], task["held"], task["train"], task["run"], {m: round(statistics.fmean(x), 4) for m, x in row["loss"]["site"].items()}, flush=True)


WHY = [
    "One block at each site, one variety for each site (lu.stability, acorsi.grayleafspot): a single plot does not separate interaction from noise. gonb-cope allows for both and draws the estimates "
    "of a variety at different sites together. In these sets most of the interaction is real, so that the plain plot is the better guide.",
    "Two blocks (gauch.soy): the interaction varies ten times as much at some sites as at others, and gonb-cope assumes one variance for all sites. The same holds for acorsi.grayleafspot, whose "
    "values are shares of diseased leaf near 0: an analyst would take logarithms first.",
    "Open cells: a few plots held out at a few sites cannot show a difference of 5 %. Only the mean over sets is precise enough, and it counts as level for every comparison above whose interval ends below 5.",
]
TITLES = {"site": "One variety for each site", "overall": "One variety for all sites"}


def name(of: dict[str, Any]) -> str:
    years = f"{of['train']} years" if of["set"] in YEARS and YEARS[of["set"]][4] else "other years"
    return f"{of['set']}, {years if of['held'] == 'year' else '1 block' if of['train'] == 1 else '2 blocks'}"


def check() -> None:
    """Record the largest difference of our WAASB and WAASBY to the published ones, as a share of the published value."""
    said = subprocess.run(["Rscript", os.path.join(HERE, "blup.R"), "waasb"], capture_output=True, text=True, check=False)
    if said.returncode != 0:
        print("metan's data are missing (install metan, or name its folder data/ in METAN): WAASB is not compared with published values")
        return
    own = said.stdout.splitlines()
    with open(os.path.join(HERE, "waasb.csv"), encoding="utf-8") as file:
        published = [line for line in file if not line.startswith("#")]
    worst = 0.0
    for a, b in zip(csv.DictReader(own), csv.DictReader(published), strict=True):
        assert a["gen"] == b["gen"]
        worst = max(worst, *(abs(float(a[c]) - float(b[c])) / max(abs(float(b[c])), 1e-9) for c in ("waasb", "waasby") if float(b[c]) != 0))
    with open(RECORD, "a", encoding="utf-8") as file:
        file.write(json.dumps({"held": "check", "set": "data_ge", "error": worst}) + "\n")
    print(f"WAASB: largest difference to the published values {worst:.1e} of the value")


def units(runs: list[dict[str, list[float]]], years: bool) -> list[dict[str, float]]:
    """Return the losses of each year, or of each site on average over runs: plots of other runs are partly the same, so that runs are not independent."""
    if years:
        return [{m: statistics.fmean(x) for m, x in run.items()} for run in runs]
    methods = [m for m in runs[0] if all(m in run for run in runs)]
    return [{m: statistics.fmean(run[m][s] for run in runs) for m in methods} for s in range(len(runs[0]["random"]))]


def page() -> None:
    rows = read(RECORD)
    errors = [r["error"] for r in rows if r["held"] == "check"]
    rows = [r for r in rows if r["held"] != "check"]
    checked = (
        f"differs from the values that its authors publish for their data by at most {errors[-1]:.0e} of the value"
        if errors
        else "was not compared with published values, because metan's data were missing"
    )
    order = list({**SPLIT, **YEARS})
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[order.index(row["set"]), row["held"], row["train"]].append(row)
    cells = {q: {k: Cell(units([r["loss"][q] for r in of], k[1] == "year")) for k, of in sorted(groups.items()) if len(of) > 1} for q in TITLES}
    versions = rows[-1]["versions"]
    text = [
        "# Field trials: varieties of published trials, compared with lme4 and WAASBY",
        "",
        "After this page you know how well `gonb-cope best` chooses varieties from real trials, compared with the methods that breeders use.",
        "",
        "**Data.** R's package agridat (MIT) collects published trials. The first rule takes all its sets with varieties, four or more sites and two or more "
        "complete blocks at each, up to 600 cells. Methods learn from one or two blocks at each site, chosen at random. The second rule takes sets with four or more sites "
        "and five or more years. Methods learn from other years and choose for a year that they have not seen. The means of the plots held out count as the truth.",
        "",
        f"**Methods.** BLUP: `lmer` with fixed environments and blocks, and random varieties and interactions ({versions['lme4']}). Means: block-adjusted means. WAASBY "
        "weighs mean and stability equally (Olivoto et al. 2019), so it does not choose by the mean alone; it needs two blocks. Our transcription "
        f"{checked}. gonb-cope (commits {', '.join(sorted({r['versions'][OURS] for r in rows}))}): "
        "`best --task site --arm gen --reward y --overall --blocks rep`, and `--blocks year --random year` for years.",
        "",
        "**Reading the tables.** A loss is the held-out mean of the variety that was best there, less that of the chosen variety. It is shown in % of the loss of a random choice. Held-out means are noisy, "
        "so nobody reaches 0. The difference is our loss less that of the strongest other method, with its 95 % interval. The interval is over sites, or over years where a year is held out. *Level*: the interval excludes a loss of more than "
        f"{LEVEL:g}. *Best*: it excludes 0. *Behind*: it excludes 0 on the other side, and not {LEVEL:g}. *Open*: neither.",
        "",
        "## Result",
        "",
        "| question | against | cells |",
        "|---|---|---|",
    ]
    for q, title in TITLES.items():
        for other in ("BLUP", "means", "WAASBY"):
            if any(other in c.methods for c in cells[q].values()):
                text.append(f"| {title} | {other} | {sentence(standings(cells[q].values(), OURS, lambda c, other=other: [other]))} |")
        text.append(f"| {title} | all of them | {sentence(standings(cells[q].values(), OURS, lambda c: [m for m in c.methods if m != OURS]))} |")
    every = [c for q in cells.values() for c in q.values()]
    text += [
        "",
        f"Both questions, against BLUP alone: {sentence(standings(every, OURS, lambda c: ['BLUP']))}. "
        "Noise makes the loss of a random choice look larger. If level means 5 % of what the best method gains over a random choice, the same comparison gives: "
        f"{sentence(standings(every, OURS, lambda c: ['BLUP'], strict=True))}.",
        "",
    ]
    for q, title in TITLES.items():
        for other in ("BLUP", "means"):
            by_set = defaultdict(list)
            for (k, *_), cell in cells[q].items():
                by_set[k].append(cell.difference(OURS, other)[0])
            mean, low, high = interval([statistics.fmean(x) for x in by_set.values()])
            text.append(f"- {title}, mean difference to {other} over {len(by_set)} sets: {number(mean)} {between(low, high)}.")
    text += [
        "",
        "These four intervals are over sets: they state how certain the mean of such sets is.",
        "",
        "![Differences of our loss to BLUP's, with intervals, for each set](field-trials.svg)",
        "",
    ]
    drawn = []
    for q, title in TITLES.items():
        text += [
            f"## {title}",
            "",
            "| set, learned from | sites × varieties | runs | gonb-cope | BLUP | means | WAASBY | difference to the strongest | |",
            "|---|---|---|---|---|---|---|---|---|",
        ]
        for k, cell in cells[q].items():
            of = groups[k]
            other = cell.strongest(OURS)
            mean, low, high = cell.difference(OURS, other)
            losses_ = " | ".join(number(cell.loss(m)) if m in cell.methods else "" for m in (OURS, "BLUP", "means", "WAASBY"))
            sites = sorted({r["sites"] for r in of})
            options = sorted({r["options"] for r in of})
            size = f"{sites[0]}{'' if sites[0] == sites[-1] else f' to {sites[-1]}'} × {options[0]}{'' if options[0] == options[-1] else f' to {options[-1]}'}"
            text.append(f"| {name(of[0])} | {size} | {len(of)} | {losses_} | {other}: {number(mean)} {between(low, high)} | {verdict(low, high)} |")
            drawn.append((f"{name(of[0])}, {'each site' if q == 'site' else 'all sites'}", *cell.difference(OURS, "BLUP")))
        text.append("")
    text += [
        "## Where we lose, and why",
        "",
        *(f"- {line}" for line in WHY),
        "",
        "Run again: `make benchmark-trials` (with R, lme4 and agridat; seeds are names of sets and numbers of runs). The runs are in "
        "[tools/benchmarks/trials.jsonl](../../tools/benchmarks/trials.jsonl).",
        "",
    ]
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write("\n".join(text))
    forest(os.path.join(os.path.dirname(PAGE), "field-trials.svg"), drawn, "our loss less BLUP's, % of the loss of a random choice")


if __name__ == "__main__":
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("what", choices=["run", "check", "page"])
    said.add_argument("--program", default="gonb-cope")
    said.add_argument("--sets", default=",".join({**SPLIT, **YEARS}))
    given = said.parse_args()
    if given.what == "run":
        run(given.program, given.sets.split(","))
    elif given.what == "check":
        check()
    else:
        page()
