"""The Python side of `cargo xtask bench gnn`: a training step of the PyTorch encoder with a linear head.

Reads one request per line, runs it, and answers with one JSON object per line:
  load VARS FILE                    -> {"check"}    reads one formula per line, as node codes
  model KIND HIDDEN HEAD_DIM BATCH  -> {"check"}    creates weights and batches of the loaded formulae
  threads N                         -> {}           sets the number of threads
  multiply SIZE COUNT               -> {"seconds"}  total time of COUNT products of square matrices
  steps collated|raw COUNT          -> {"seconds"}  per step: forward, head, loss, backward; raw: collate too
"""
import json
import sys
import time

import torch
from torch import nn

from logicvae_torch import AND, NOT, OR, VAR0, LogicVae, collate

TYPES = {1: NOT, 2: AND, 3: OR}
LATENT = 56


def load(path):
    """Formulae as lists of type ids, from node codes of the logic crate."""
    with open(path) as file:
        return [[TYPES.get(int(c), int(c) - 4 + VAR0) for c in line.split()] for line in file]


def encode(model, g):
    x = model.features(g.types, g.right)
    down = model.read(g, model.down.run(g, x, g.down), g.last)
    up = model.read(g, model.up.run(g, x, g.up), g.first)
    return torch.cat([down, up], 1)


def main():
    formulae, parts, batches, model, head = [], [], [], None, None
    for line in sys.stdin:
        name, *args = line.split()
        answer = {}
        if name == 'load':
            n_vars, formulae = int(args[0]), load(args[1])
            answer = {'check': len(formulae)}
        elif name == 'model':
            kind, hidden, head_dim, size = args[0], *map(int, args[1:])
            torch.manual_seed(0)
            extra = {'head_dim': head_dim} if kind == 'gat' else {}
            model = LogicVae(n_vars, kind, hidden=hidden, **extra)
            head = nn.Linear(2 * hidden, LATENT)
            parts = [formulae[i:i + size] for i in range(0, len(formulae), size)]
            batches = [collate(p) for p in parts]
            answer = {'check': len(parts)}
        elif name == 'threads':
            torch.set_num_threads(int(args[0]))
        elif name == 'multiply':
            size, count = map(int, args)
            a, b = torch.rand(size, size), torch.rand(size, size)
            start = time.perf_counter()
            for _ in range(count):
                a @ b
            answer = {'seconds': time.perf_counter() - start}
        elif name == 'steps':
            ready, count = args[0] == 'collated', int(args[1])
            for i in range(-1, count):      # the first step is a warm-up
                if i == 0:
                    start = time.perf_counter()
                at = i % len(parts)
                g = batches[at] if ready else collate(parts[at])
                model.zero_grad(set_to_none=True)
                head.zero_grad(set_to_none=True)
                head(encode(model, g)).square().sum().backward()
            answer = {'seconds': (time.perf_counter() - start) / count}
        else:
            raise SystemExit(f'unknown request {name}')
        print(json.dumps(answer), flush=True)


if __name__ == '__main__':
    main()
