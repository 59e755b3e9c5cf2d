"""The Python side of `cargo xtask bench train`: a whole training step of the PyTorch model.

Reads one request per line, runs it, and answers with one JSON object per line:
  load VARS FILE                                  -> {"check"}    reads one formula per line, as node codes
  model KIND HIDDEN HEAD_DIM BATCH STATE READOUT  -> {"check"}    creates weights and an optimiser
  threads N                                       -> {}           sets the number of threads
  steps COUNT                                     -> {"seconds"}  collate, loss, backward, clip, Adam
"""
import json
import sys
import time

import torch

from gnn_peer import load
from logicvae_torch import LogicVae, collate


def main():
    formulae, parts, model, optimiser = [], [], None, None
    for line in sys.stdin:
        name, *args = line.split()
        answer = {}
        if name == 'load':
            n_vars, formulae = int(args[0]), load(args[1])
            answer = {'check': len(formulae)}
        elif name == 'model':
            kind, (hidden, head_dim, size), (state, readout) = args[0], map(int, args[1:4]), args[4:]
            torch.manual_seed(0)
            extra = {'head_dim': head_dim} if kind == 'gat' else {}
            model = LogicVae(n_vars, kind, hidden=hidden, graph_state=state, readout=readout, **extra)
            optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
            parts = [formulae[i:i + size] for i in range(0, len(formulae), size)]
            answer = {'check': len(parts)}
        elif name == 'threads':
            torch.set_num_threads(int(args[0]))
        elif name == 'steps':
            count = int(args[0])
            for i in range(-1, count):      # the first step is a warm-up
                if i == 0:
                    start = time.perf_counter()
                part = parts[i % len(parts)]
                optimiser.zero_grad(set_to_none=True)
                loss, nll, _ = model.loss(collate(part))
                (loss / len(part)).backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)
                optimiser.step()
                nll.item()
            answer = {'seconds': (time.perf_counter() - start) / count}
        else:
            raise SystemExit(f'unknown request {name}')
        print(json.dumps(answer), flush=True)


if __name__ == '__main__':
    main()
