"""The Python side of `cargo xtask bench kernel`: numpy and scikit-learn, as one would use them.

Reads one request a line, runs it once, and answers with one JSON object a line:
  load VARS FILE       -> {"check"}                     reads node codes, a formula a line
  gram                 -> {"seconds", "value"}          evaluates and multiplies; value is the mean of the matrix
  pca COMPONENTS FORM  -> {"seconds", "value"}          PCA of the Gram matrix's rows; value is the share explained
FORM is `plain` or the sigma2 of the Gaussian form.
"""
import json
import sys
import time

import numpy as np
from sklearn.decomposition import PCA

from logic_peer import evaluate, tree


def signs(trees, columns):
    return np.stack([evaluate(t, columns) for t in trees])


def gram(trees, columns):
    values = signs(trees, columns)
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
        elif name == 'gram':
            matrix = gram(trees, columns)
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
