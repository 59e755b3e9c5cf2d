"""The Python side of `cargo xtask bench logic`: idiomatic Python and numpy.

Reads one request per line, runs it once, and answers with one JSON object per line:
  sample VARS MAX_NODES ALL_VARS COUNT SEED -> {"seconds", "check"}  distinct formulae by Algorithm 1
  load VARS FILE                            -> {"check"}             reads one formula per line, as node codes
  tables                                    -> {"seconds", "check"}  values -1 and +1, as in the kernel
  bool_tables                               -> {"seconds", "check"}  values False and True: the fastest
"""
import json
import random
import sys
import time

import numpy as np

TRUE, NOT, AND, OR, VAR = 0, 1, 2, 3, 3      # the codes of the logic crate; x_i is VAR + i
ARITY = {NOT: 1, AND: 2, OR: 2}


def sample(n_vars, max_nodes, all_vars, rng, p_leaf=0.4):
    """Algorithm 1. Rejects trees that are too large and, if `all_vars`, trees that lack a variable."""
    while True:
        codes = [rng.choice((NOT, AND, OR))]
        open_slots = ARITY[codes[0]]
        while open_slots and len(codes) <= max_nodes:
            code = VAR + rng.randint(1, n_vars) if rng.random() < p_leaf else rng.choice((NOT, AND, OR))
            codes.append(code)
            open_slots += ARITY.get(code, 0) - 1
        if open_slots or len(codes) > max_nodes:
            continue
        if all_vars and len({c for c in codes if c > VAR}) < n_vars:
            continue
        return codes


def distinct(n_vars, max_nodes, all_vars, count, seed):
    rng, seen, out = random.Random(seed), set(), []
    while len(out) < count:
        codes = sample(n_vars, max_nodes, all_vars, rng)
        key = tuple(codes)
        if key not in seen:
            seen.add(key)
            out.append(codes)
    return out


def tree(codes):
    """Nested tuples (code, children...) from preorder."""
    stack = []
    for code in reversed(codes):
        stack.append((code, *[stack.pop() for _ in range(ARITY.get(code, 0))]))
    return stack[0]


def evaluate(node, columns):
    """One numpy operation per node, on all assignments at once; +1 is true, -1 is false."""
    code = node[0]
    if code == AND:
        return np.minimum(evaluate(node[1], columns), evaluate(node[2], columns))
    if code == OR:
        return np.maximum(evaluate(node[1], columns), evaluate(node[2], columns))
    if code == NOT:
        return -evaluate(node[1], columns)
    return columns[code - VAR]


def evaluate_bool(node, columns):
    """The same with arrays of bool."""
    code = node[0]
    if code == AND:
        return evaluate_bool(node[1], columns) & evaluate_bool(node[2], columns)
    if code == OR:
        return evaluate_bool(node[1], columns) | evaluate_bool(node[2], columns)
    if code == NOT:
        return ~evaluate_bool(node[1], columns)
    return columns[code - VAR]


def main():
    trees, signs, bools = [], None, None
    for line in sys.stdin:
        name, *args = line.split()
        start = time.perf_counter()
        if name == 'sample':
            n_vars, max_nodes, all_vars, count, seed = map(int, args)
            formulae = distinct(n_vars, max_nodes, bool(all_vars), count, seed)
            answer = {'seconds': time.perf_counter() - start, 'check': sum(map(len, formulae))}
        elif name == 'load':
            n_vars = int(args[0])
            with open(args[1]) as file:
                trees = [tree([int(c) for c in line.split()]) for line in file]
            index = np.arange(2 ** n_vars)
            bools = [np.ones(2 ** n_vars, bool)] + [(index >> b & 1).astype(bool) for b in range(n_vars)]
            signs = [np.where(column, 1.0, -1.0) for column in bools]
            answer = {'check': len(trees)}
        elif name == 'tables':
            tables = [evaluate(t, signs) for t in trees]
            answer = {'seconds': time.perf_counter() - start, 'check': int(sum((t > 0).sum() for t in tables))}
        elif name == 'bool_tables':
            tables = [evaluate_bool(t, bools) for t in trees]
            answer = {'seconds': time.perf_counter() - start, 'check': int(sum(t.sum() for t in tables))}
        else:
            raise SystemExit(f'unknown request {name}')
        print(json.dumps(answer), flush=True)


if __name__ == '__main__':
    main()
