#!/usr/bin/env python3
"""Counts of the packages of commits, without tests, as a Markdown table: python3 tools/house.py BEFORE AFTER

Exported names are functions, methods and types. An arrow up is an import of a folder that is later in LAYERS.
"""
import collections
import io
import re
import subprocess
import sys
import tarfile

LAYERS = ["internal/base", "kernels", "engine", "internal/kinds", "report", "dsl", "internal", "session", "cmd", "tools"]
MODULE = "github.com/gonb-cope/gonb-cope/"


def layer(folder):
    return LAYERS.index(max((top for top in LAYERS if (folder + "/").startswith(top + "/")), key=len))


def packages(commit):
    out = collections.defaultdict(lambda: [0, 0, 0, collections.Counter(), set()])
    archive = subprocess.run(["git", "archive", commit], stdout=subprocess.PIPE, check=True).stdout
    tree = tarfile.open(fileobj=io.BytesIO(archive))
    for member in tree:
        folder, _, name = member.name.rpartition("/")
        if not name.endswith(".go") or name.endswith("_test.go") or "testdata" in folder:
            continue
        text = tree.extractfile(member).read().decode()
        p = out[folder]
        methods = re.findall(r"^func \((?:\w+ )?\*?(\w+)[^)]*\) (\w+)", text, re.M)
        p[0] += 1
        p[1] += text.count("\n")
        p[2] += sum(m[0].isupper() for _, m in methods) + len(re.findall(r"^(?:func|type) [A-Z]", text, re.M))
        p[3].update(t for t, _ in methods)
        p[4] |= {i for i in re.findall(f'"{MODULE}([^"]+)"', text) if layer(i) > layer(folder)}
    return out


def row(p):
    largest = max(p[3].values(), default=0)
    return [f"{p[0]:,}", f"{p[1]:,}", f"{p[2]:,}", str(largest), str(len(p[4]))]


before, after = (packages(commit) for commit in sys.argv[1:3])
print("| package | files | lines | exported | methods | arrows up |\n|---|---|---|---|---|---|")
none = [0, 0, 0, collections.Counter(), set()]
total = [[0] * 5, [0] * 5]
for folder in sorted(before.keys() | after.keys()):
    pair = [row(tree.get(folder, none)) for tree in (before, after)]
    for sums, r in zip(total, pair):
        sums[:] = [max(s, int(x)) if i == 3 else s + int(x.replace(",", "")) for i, (s, x) in enumerate(zip(sums, r))]
    print("| `" + folder + "` | " + " | ".join(b if b == a else f"{b} → {a}" for b, a in zip(*pair)) + " |")
print("| all | " + " | ".join(f"{b:,} → {a:,}" for b, a in zip(*total)) + " |")
