"""Methods of other projects for the zoo, a line of JSON each way: python adapter.py METHOD

The zoo writes {"run", "budgets", "task_of", "arms", "coded", "tasks"}: the budgets in pulls of each task, for each cell its
task and the values of its arm (numbers scaled to [0, 1], codes as they are), and features of the tasks. The adapter
answers with {"pull": [cell, ...]}, gets {"rewards": [...]}, and so on; at each budget it writes {"picks": [cell of each task]}, and
last {"decisions", "cpu", "peak"}. Higher rewards are better. Every method has the defaults of its project.
"""
import copy
import json
import os
import resource
import sys
import time
import warnings

os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
warnings.filterwarnings("ignore")
import numpy as np


class Table:
    """One run on one table."""

    def __init__(self, said, ask):
        self.ask, self.run, self.budgets = ask, said["run"], said["budgets"]
        self.task_of = np.array(said["task_of"])
        self.groups = [np.flatnonzero(self.task_of == v) for v in range(self.task_of.max() + 1)]
        self.values, self.coded, self.tasks = said["arms"], said["coded"], said["tasks"]
        self.names = said["names"]
        self.cells, self.rewards = [], []
        self.rng = np.random.default_rng([7, self.run])
        self.decisions = 0

    def pull(self, cells):
        cells = [int(c) for c in cells]
        self.cells += cells
        self.rewards += self.ask({"pull": cells})["rewards"]

    def pulled(self, v):
        return int((self.task_of[self.cells] == v).sum()) if self.cells else 0

    def answer(self, picks):
        self.decisions += 1
        self.ask({"picks": [int(c) for c in picks]}, answered=False)

    def first(self):
        """Random different arms of each task, half of the smallest budget and at least one."""
        for g in self.groups:
            self.pull(self.rng.permutation(g)[: (self.budgets[0] + 1) // 2])

    def features(self):
        """A row a cell: numbers, codes as indicators, names as indicators where arms have nothing else, and the task."""
        columns = []
        for c, coded in enumerate(self.coded):
            x = np.array([row[c] for row in self.values])
            columns += [(x == k).astype(float) for k in sorted(set(x))] if coded else [x]
        if not columns:
            columns = [np.array([float(n == k) for n in self.names]) for k in dict.fromkeys(self.names)]
        return np.array(columns).T

    def task_features(self):
        z = np.array(self.tasks, float).reshape(len(self.groups), -1)
        if z.shape[1] == 0:
            return np.eye(len(self.groups)) if len(self.groups) > 1 else z
        low, high = z.min(0), z.max(0)
        return (z - low) / np.where(high > low, high - low, 1)


def botorch_method(multi, acquisition):
    import torch
    from botorch.acquisition.logei import qLogNoisyExpectedImprovement
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import MultiTaskGP, SingleTaskGP
    from botorch.optim import optimize_acqf_discrete
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.set_num_threads(1)
    torch.set_default_dtype(torch.double)

    def fitted(t, x):
        inputs, rewards = x[t.cells], torch.tensor(t.rewards, dtype=torch.double).unsqueeze(-1)
        if multi and len(t.groups) > 1:
            model = MultiTaskGP(inputs, rewards, task_feature=-1)
        else:
            model = SingleTaskGP(inputs, rewards)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        t.decisions += 1
        return model

    def chosen(t, model, x, v, count):
        g = t.groups[v]
        if acquisition == "ts":
            draws = model.posterior(x[g]).sample(torch.Size([count]))[..., 0]
            return g[draws.argmax(-1).numpy()]
        base = [c for c in t.cells if t.task_of[c] == v]
        points = x
        if multi and len(t.groups) > 1:  # a view of the model with this task for its output
            model, points = copy.copy(model), x[:, :-1]
            model._output_tasks, model._num_outputs = [v], 1
        acq = qLogNoisyExpectedImprovement(model, points[base], prune_baseline=True)
        got, _ = optimize_acqf_discrete(acq, q=count, choices=points[g], unique=False)
        return [g[int(torch.cdist(row.unsqueeze(0), points[g]).argmin())] for row in got]

    def run(t):
        torch.manual_seed(t.run)
        x = t.features()
        z = np.arange(len(t.groups))[:, None].astype(float) if multi and len(t.groups) > 1 else t.task_features()
        x = torch.tensor(np.hstack([x, z[t.task_of]]))
        t.first()
        model = fitted(t, x)
        for budget in t.budgets:
            want = [budget - t.pulled(v) for v in range(len(t.groups))]
            picked = [c for v, n in enumerate(want) if n > 0 for c in chosen(t, model, x, v, n)]
            if picked:
                t.pull(picked)
                model = fitted(t, x)
            with torch.no_grad():
                mean = model.posterior(x).mean[:, 0].numpy()
            t.answer([g[mean[g].argmax()] for g in t.groups])

    return run


def optuna_method(sampler):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def run(t):
        studies, arm_of = [], []
        levels = [sorted({row[c] for row in t.values}) for c in range(len(t.coded))]
        for v, g in enumerate(t.groups):
            maker = {"tpe": optuna.samplers.TPESampler, "gp": optuna.samplers.GPSampler}[sampler]
            studies.append(optuna.create_study(direction="maximize", sampler=maker(seed=1000 * t.run + v)))
            at = {tuple(t.values[c]): c for c in g}
            full = len(levels) > 0 and len(at) == len(g) == np.prod([len(l) for l in levels])
            arm_of.append(at if full else None)

        def suggested(trial, v):
            if arm_of[v] is None:
                return t.groups[v][trial.suggest_categorical("arm", list(range(len(t.groups[v]))))]
            values = []
            for c, coded in enumerate(t.coded):
                if coded:
                    values.append(trial.suggest_categorical(f"c{c}", levels[c]))
                else:
                    values.append(levels[c][trial.suggest_int(f"x{c}", 0, len(levels[c]) - 1)] if len(levels[c]) > 1 else levels[c][0])
            return arm_of[v][tuple(values)]

        picks = [g[0] for g in t.groups]
        for budget in t.budgets:
            for v, study in enumerate(studies):
                while len(study.trials) < budget:
                    trial = study.ask()
                    cell = suggested(trial, v)
                    t.decisions += 1
                    t.pull([cell])
                    trial.set_user_attr("cell", int(cell))
                    study.tell(trial, t.rewards[-1])
                picks[v] = study.best_trial.user_attrs["cell"]
            t.answer(picks)

    return run


def parameters(t):
    """The names and levels of the columns where they make up every arm, of all tasks alike; else one column of arms."""
    levels = [sorted({row[c] for row in t.values}) for c in range(len(t.coded))]
    rows = [[tuple(t.values[c]) for c in g] for g in t.groups]
    if levels and all(len(set(r)) == len(r) == np.prod([len(l) for l in levels]) for r in rows):
        used = [c for c in range(len(levels)) if len(levels[c]) > 1]
        label = {cell: {f"c{c}": str(t.values[cell][c]) if t.coded[c] else t.values[cell][c] for c in used} for g in t.groups for cell in g}
        return {f"c{c}": (list(map(str, levels[c])) if t.coded[c] else levels[c], t.coded[c]) for c in used}, label
    names = list(dict.fromkeys(t.names))
    return {"arm": (names, True)}, {cell: {"arm": t.names[cell]} for g in t.groups for cell in g}


def ax_method():
    """A client for each task. Ax takes no arm twice, so that it ends when it has had every arm of the task."""
    import logging

    from ax.api.client import Client
    from ax.api.configs import ChoiceParameterConfig

    for name in list(logging.root.manager.loggerDict):
        logging.getLogger(name).setLevel(logging.CRITICAL)

    def run(t):
        columns, label = parameters(t)
        at = [{tuple(label[c].values()): c for c in g} for g in t.groups]
        clients = []
        for v, g in enumerate(t.groups):
            client = Client(random_seed=1000 * t.run + v)
            client.configure_experiment(parameters=[
                ChoiceParameterConfig(
                    name=n, values=sorted({label[c][n] for c in g}), parameter_type="str" if coded else "float", is_ordered=not coded)
                for n, (_, coded) in columns.items()
            ])
            client.configure_optimization(objective="y")
            clients.append(client)
        for budget in t.budgets:
            picks = []
            for v, client in enumerate(clients):
                while t.pulled(v) < min(budget, len(t.groups[v])):
                    trials = client.get_next_trials(max_trials=budget - t.pulled(v))
                    t.decisions += 1
                    for index, said in trials.items():
                        t.pull([at[v][tuple(said[n] for n in columns)]])
                        client.complete_trial(trial_index=index, raw_data={"y": t.rewards[-1]})
                    if not trials:
                        break
                said = client.get_best_parameterization()[0]
                picks.append(at[v][tuple(said[n] for n in columns)])
            t.answer(picks)

    return run


def baybe_method():
    """A campaign for each task, whose measurements all tasks share by a TaskParameter."""
    import pandas as pd
    from baybe import Campaign
    from baybe.objectives import SingleTargetObjective
    from baybe.parameters import CategoricalParameter, NumericalDiscreteParameter, TaskParameter
    from baybe.searchspace import SearchSpace
    from baybe.targets import NumericalTarget

    def run(t):
        columns, label = parameters(t)
        tasks = [f"t{v}" for v in range(len(t.groups))]
        campaigns, frames = [], []
        for v, g in enumerate(t.groups):
            rows = pd.DataFrame([label[c] for c in g])
            made = [
                CategoricalParameter(n, values) if coded else NumericalDiscreteParameter(n, values)
                for n, (values, coded) in columns.items()
            ]
            if len(tasks) > 1:
                rows["task"] = tasks[v]
                made.append(TaskParameter("task", tasks, active_values=[tasks[v]]))
            campaigns.append(Campaign(
                SearchSpace.from_dataframe(rows, made), SingleTargetObjective(NumericalTarget(name="y")),
                allow_recommending_already_measured=True, allow_recommending_already_recommended=True))
            frames.append(rows)
        np.random.seed(t.run)

        def measure(counts):
            asked = []
            for v, n in enumerate(counts):
                while n > 0:  # it gives every arm once at most
                    got = campaigns[v].recommend(batch_size=min(n, len(t.groups[v])))
                    t.decisions += 1
                    asked.append((v, got))
                    n -= len(got)
            rows = []
            for v, got in asked:
                at = {tuple(label[c].values()): c for c in t.groups[v]}
                got = got.copy()
                t.pull([at[tuple(row[list(columns)])] for _, row in got.iterrows()])
                got["y"] = t.rewards[-len(got):]
                rows.append(got)
            for campaign in campaigns:
                campaign.add_measurements(pd.concat(rows))

        measure([(t.budgets[0] + 1) // 2] * len(t.groups))
        for budget in t.budgets:
            counts = [budget - t.pulled(v) for v in range(len(t.groups))]
            if any(n > 0 for n in counts):
                measure(counts)
            t.decisions += 1
            t.answer([
                g[int(np.argmax(c.posterior_stats(f)["y_mean"].to_numpy()))] for g, c, f in zip(t.groups, campaigns, frames)
            ])

    return run


METHODS = {
    "Ax": ax_method,
    "BayBE": baybe_method,
    "BoTorch-TS": lambda: botorch_method(False, "ts"),
    "BoTorch-NEI": lambda: botorch_method(False, "nei"),
    "BoTorch-MT": lambda: botorch_method(True, "nei"),
    "Optuna-TPE": lambda: optuna_method("tpe"),
    "Optuna-GP": lambda: optuna_method("gp"),
}


def main():
    run = METHODS[sys.argv[1]]()
    out = sys.stdout
    sys.stdout = sys.stderr  # what libraries print is none of the zoo's

    def ask(message, answered=True):
        out.write(json.dumps(message) + "\n")
        out.flush()
        return json.loads(sys.stdin.readline()) if answered else None

    for line in sys.stdin:
        begun = time.process_time()
        t = Table(json.loads(line), ask)
        run(t)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        ask({"decisions": t.decisions, "cpu": time.process_time() - begun, "peak": peak}, answered=False)


main()
