"""Other tools that find formulae or predictions from tables: the peers of `cargo xtask bench mine`.

Reads requests as lines of JSON, and answers each with a line of JSON.

load   {"cmd": "load", "file": F}: the table of a PMLB file as the protocol of Boolformer reads it: columns with
       two values are 0/1, those with three to five are one-hot, others are dropped; the last column is the
       target; one permutation with NumPy's seed 0, 75 % training rows.
run    {"cmd": "run", "tool": T, "train": [[..]], "labels": [..], "test": [[..]]}: predictions for the test rows,
       the seconds, and the number of literals of espresso's sum of products.
"""
import gzip
import json
import sys
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")


def load(path):
    with gzip.open(path, "rt") as file:
        header = file.readline().rstrip("\n").split("\t")
        rows = np.array([[float(v) for v in line.rstrip("\n").split("\t")] for line in file])
    names, columns = [], []
    for at, name in enumerate(header[:-1]):
        values = np.unique(rows[:, at])
        if len(values) == 2:
            names.append(f"c{at}")
            columns.append(rows[:, at] == values[1])
        elif 3 <= len(values) <= 5:
            for value in values:
                names.append(f"c{at}_{value:g}".replace(".", "_").replace("-", "m"))
                columns.append(rows[:, at] == value)
    target = rows[:, -1] == rows[:, -1].max()
    table = np.array(columns).T.astype(int)
    order = np.random.RandomState(0).permutation(len(table))
    cut = int(0.75 * len(table))
    train, test = order[:cut], order[cut:]
    return {"names": names, "train": table[train].tolist(), "labels": target[train].astype(int).tolist(),
            "test": table[test].tolist(), "truth": target[test].astype(int).tolist()}


def espresso(x, y, test):
    """The original espresso, from pyeda. Contradictory rows take the more frequent label."""
    from pyeda.boolalg.espresso import espresso as minimise
    votes = {}
    for row, label in zip(map(tuple, x), y):
        votes.setdefault(row, [0, 0])[label] += 1
    width = x.shape[1]
    cover = set()
    for row, (no, yes) in votes.items():
        bits = tuple(2 if v else 1 for v in row)
        cover.add((bits, (1 if yes > no else 0,)))
    # On-set rows and off-set rows; everything else is a don't-care.
    found = minimise(width, 1, cover, intype=1 | 4)
    cubes = [bits for bits, out in found if out == (1,)]
    literals = sum(sum(1 for b in bits if b in (1, 2)) for bits in cubes)

    def predict(row):
        return any(all(b == 3 or (b == 2) == bool(v) for b, v in zip(bits, row)) for bits in cubes)
    return [int(predict(row)) for row in test], literals


def run(tool, x, y, test):
    if len(set(y.tolist())) < 2:
        return [int(y[0])] * len(test), 0
    if tool == "espresso":
        return espresso(x, y, test)
    if tool == "random forest":
        from sklearn.ensemble import RandomForestClassifier
        model = RandomForestClassifier(100, random_state=0, n_jobs=1).fit(x, y)
    elif tool == "logistic regression":
        from sklearn.linear_model import LogisticRegression
        model = LogisticRegression(max_iter=1000).fit(x, y)
    elif tool == "STreeD":
        from pystreed import STreeDClassifier
        model = STreeDClassifier(max_depth=4, time_limit=60)
        model.fit(x, y)
    elif tool == "RIPPER":
        import pandas
        import wittgenstein
        columns = [f"f{i}" for i in range(x.shape[1])]
        model = wittgenstein.RIPPER(random_state=0)
        model.fit(pandas.DataFrame(x, columns=columns), list(y), pos_class=1)
        return [int(v) for v in model.predict(pandas.DataFrame(test, columns=columns))], 0
    elif tool == "gplearn":
        from gplearn.functions import make_function
        from gplearn.genetic import SymbolicClassifier
        b = lambda v: (v > 0.5)
        land = make_function(function=lambda p, q: (b(p) & b(q)) * 1.0, name="and", arity=2)
        lor = make_function(function=lambda p, q: (b(p) | b(q)) * 1.0, name="or", arity=2)
        lxor = make_function(function=lambda p, q: (b(p) ^ b(q)) * 1.0, name="xor", arity=2)
        lnot = make_function(function=lambda p: 1.0 - b(p), name="not", arity=1)
        model = SymbolicClassifier(population_size=500, generations=20, function_set=[land, lor, lxor, lnot],
                                   const_range=None, parsimony_coefficient=0.001, random_state=0,
                                   transformer="sigmoid", n_jobs=1)
        model.fit(x, y)
        values = model._program.execute(test.astype(float))
        return [int(v > 0.5) for v in values], 0
    else:
        raise ValueError(f"unknown tool {tool}")
    return [int(v) for v in model.predict(test)], 0


for line in sys.stdin:
    request = json.loads(line)
    try:
        if request["cmd"] == "load":
            answer = load(request["file"])
        else:
            x, y = np.array(request["train"]), np.array(request["labels"])
            test = np.array(request["test"])
            start = time.perf_counter()
            predictions, literals = run(request["tool"], x, y, test)
            answer = {"predictions": predictions, "seconds": time.perf_counter() - start, "literals": literals}
    except Exception as error:  # a peer that fails is a row of the table, not the end of the benchmark
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
