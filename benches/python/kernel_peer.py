"""The Python side of `cargo xtask bench kernel`: idiomatic numpy and scikit-learn.

Reads one request per line, runs it once, and answers with one JSON object per line:
  load VARS FILE       -> {"check"}             reads one formula per line, as node codes
  gram                 -> {"seconds", "value"}  evaluates and multiplies; value is the mean of the matrix
  plain_gram           -> {"seconds", "value"}  the same, but plain Python evaluates one assignment at a time
  pca COMPONENTS FORM  -> {"seconds", "value"}  PCA of the Gram matrix; value is the explained variance
FORM is `plain` or the sigma2 of the Gaussian form.
"""
import json
import sys
import time

import numpy as np
from sklearn.decomposition import PCA

from logic_peer import AND, NOT, OR, VAR, evaluate, tree


def signs(trees, columns):
    return np.stack([evaluate(t, columns) for t in trees])


def gram(trees, columns):
    values = signs(trees, columns)
    return values @ values.T / values.shape[1]


def evaluate_at(node, values):
    """The value at one assignment, 0 or 1."""
    code = node[0]
    if code == AND:
        return evaluate_at(node[1], values) & evaluate_at(node[2], values)
    if code == OR:
        return evaluate_at(node[1], values) | evaluate_at(node[2], values)
    if code == NOT:
        return 1 - evaluate_at(node[1], values)
    return values[code - VAR]


def plain_gram(trees, n_vars):
    assignments = [[1] + [index >> b & 1 for b in range(n_vars)] for index in range(2 ** n_vars)]
    values = 2.0 * np.array([[evaluate_at(t, a) for a in assignments] for t in trees]) - 1.0
    return values @ values.T / values.shape[1]


def main():
    trees, columns, matrices = [], None, {}
    for line in sys.stdin:
        name, *args = line.split()
        start = time.perf_counter()
        if name == 'load':
            n_vars = int(args[0])
            with open(args[1]) as file:
                trees = [tree([int(c) for c in line.split()]) for line in file]
            index = np.arange(2 ** n_vars)
            columns = [np.ones(2 ** n_vars)] + [np.where(index >> b & 1, 1.0, -1.0) for b in range(n_vars)]
            matrices = {}
            answer = {'check': len(trees)}
        elif name in ('gram', 'plain_gram'):
            matrix = gram(trees, columns) if name == 'gram' else plain_gram(trees, n_vars)
            answer = {'seconds': time.perf_counter() - start, 'value': float(matrix.mean())}
        elif name == 'pca':
            if args[1] not in matrices:
                plain = gram(trees, columns)
                matrices = {args[1]: plain if args[1] == 'plain' else np.exp(-(1 - plain) / float(args[1]))}
            start = time.perf_counter()
            fitted = PCA(n_components=int(args[0]), random_state=0).fit(matrices[args[1]])
            answer = {'seconds': time.perf_counter() - start, 'value': float(fitted.explained_variance_ratio_.sum())}
        else:
            raise SystemExit(f'unknown request {name}')
        print(json.dumps(answer), flush=True)


if __name__ == '__main__':
    main()
