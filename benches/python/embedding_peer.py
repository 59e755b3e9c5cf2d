"""The Python side of `cargo xtask bench embedding`: the built-in model in PyTorch, with its own weights.

Reads one request per line, runs it, and answers with one JSON object per line:
  load VARS FILE       -> {"check"}             reads one formula per line, as node codes
  model WEIGHTS Y      -> {"check"}             reads the weights (safetensors) and the semantic vectors (.npy)
  threads N            -> {}                    sets the number of threads
  encode BATCH         -> {"seconds", "value"}  latent vectors of all formulae; the sum of their absolute values
  decode BATCH         -> {"seconds", "check"}  greedy decoding; how many formulae are reconstructed
"""
import json
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from gnn_peer import load
from logicvae_torch import AND, ARITY, NOT, OR, START, VAR0, LogicVae, collate

N_VARS, MAX_NODES = 5, 30
ALL = (1 << 32) - 1
PATTERNS = [sum(1 << i for i in range(32) if i >> v & 1) for v in range(N_VARS)] + [ALL]     # x1 to x5, then 1


def read_safetensors(path):
    with open(path, 'rb') as file:
        length = int.from_bytes(file.read(8), 'little')
        header, data = json.loads(file.read(length)), file.read()
    kinds = {'F16': np.float16, 'F32': np.float32}
    out = {}
    for name, about in header.items():
        if name != '__metadata__':
            start, end = about['data_offsets']
            flat = np.frombuffer(data[start:end], kinds[about['dtype']]).astype(np.float32)
            out[name] = torch.from_numpy(flat.reshape(about['shape']))
    return out


class Tracker:
    """What the next subformula should be worth at each of the 32 assignments: required and preferred values."""

    def __init__(self, table):
        self.root, self.pending = (table, ~table & ALL, 0, 0), []

    def goal(self):
        if not self.pending:
            return self.root
        kind, (one, zero, p_one, p_zero), left = self.pending[-1]
        if kind == NOT:
            return zero, one, p_zero, p_one
        if left is None:
            return (one, 0, p_one, zero | p_zero) if kind == AND else (0, zero, one | p_one, p_zero)
        mask = left if kind == AND else ~left & ALL
        return one & mask, zero & mask, p_one & mask, p_zero & mask

    def add(self, kind):
        if kind < VAR0:
            self.pending.append([kind, self.goal(), None])
            return
        table = PATTERNS[kind - VAR0]
        while self.pending:
            kind, _, left = self.pending[-1]
            if kind == NOT:
                table = ~table & ALL
            elif left is None:
                self.pending[-1][2] = table
                return
            else:
                table = left & table if kind == AND else left | table
            self.pending.pop()


def goal_features(goals):
    bits = np.array(goals, dtype=np.uint32)                                     # [rows, 4]
    planes = (bits[:, :, None] >> np.arange(32, dtype=np.uint32) & 1).astype(np.float32)
    return torch.from_numpy(np.concatenate([planes[:, 0] - planes[:, 1], planes[:, 2] - planes[:, 3]], 1))


class GeneralVae(LogicVae):
    """LogicVae with the constant 1, goals, and the state of START as an input of the type network."""

    def __init__(self, weights):
        super().__init__(N_VARS + 1, 'gru', hidden=250, latent=56, context=32, graph_state='recurrent', positional=True)
        self.score = nn.Sequential(nn.Linear(2 * 250 + 64 + 250, 1000), nn.ReLU(), nn.Linear(1000, N_VARS + 4))
        self.prior = None
        self.load_state_dict({k: v for k, v in weights.items() if not k.startswith(('prior.', 'readout.'))})

    @torch.no_grad()
    def decode_meanings(self, z, y, tables):
        h0 = torch.tanh(self.from_latent(torch.cat([z, y], 1)))
        n = len(z)
        start = self.dec(torch.cat([self.features(torch.full((n,), START), torch.zeros(n)), h0], 1), h0)
        newest, out = start.clone(), [[] for _ in range(n)]
        stack = [[(start[i], 1, 1)] for i in range(n)]
        trackers, open_slots = [Tracker(t) for t in tables], [1] * n
        arity = torch.tensor([ARITY.get(t + AND, 0) for t in range(N_VARS + 4)])
        for step in range(MAX_NODES):
            live = [i for i in range(n) if stack[i]]
            if not live:
                break
            idx = torch.tensor(live)
            par = torch.stack([stack[i][-1][0] for i in live])
            goals = goal_features([trackers[i].goal() for i in live])
            logits = self.score(torch.cat([newest[idx], par, goals, start[idx]], 1))
            left = torch.tensor([MAX_NODES - step - open_slots[i] for i in live])
            t = logits.masked_fill(arity > left[:, None], -torch.inf).argmax(1) + AND
            right = torch.tensor([stack[i][-1][1] < stack[i][-1][2] for i in live])
            h = self.dec(torch.cat([self.features(t, right), par], 1), newest[idx])
            newest[idx] = h
            for j, (i, kind) in enumerate(zip(live, t.tolist())):
                out[i].append(kind)
                trackers[i].add(kind)
                state, due, size = stack[i].pop()
                if due > 1:
                    stack[i].append((state, due - 1, size))
                if kind < VAR0:
                    stack[i].append((h[j], ARITY[kind], ARITY[kind]))
                open_slots[i] += ARITY.get(kind, 0) - 1
        return [o if not stack[i] else None for i, o in enumerate(out)]


def truth_table(types):
    stack = []
    for t in reversed(types):
        if t >= VAR0:
            stack.append(PATTERNS[t - VAR0])
        elif t == NOT:
            stack.append(~stack.pop() & ALL)
        else:
            a, b = stack.pop(), stack.pop()
            stack.append(a | b if t == OR else a & b)
    return stack[0]


def main():
    formulae, model, y, z, tables = [], None, None, None, []
    for line in sys.stdin:
        name, *args = line.split()
        answer = {}
        if name == 'load':
            formulae = load(args[1])
            answer = {'check': len(formulae)}
        elif name == 'model':
            model, y = GeneralVae(read_safetensors(args[0])).eval(), torch.from_numpy(np.load(args[1])).float()
            tables = [truth_table(f) for f in formulae]
            answer = {'check': len(y)}
        elif name == 'threads':
            torch.set_num_threads(int(args[0]))
        elif name == 'encode':
            size, start = int(args[0]), time.perf_counter()
            with torch.no_grad():
                parts = [(formulae[i:i + size], y[i:i + size]) for i in range(0, len(formulae), size)]
                z = torch.cat([model.encode(collate(part), context)[0] for part, context in parts])
            answer = {'seconds': time.perf_counter() - start, 'value': z.abs().sum().item()}
        elif name == 'decode':
            size, start, same = int(args[0]), time.perf_counter(), 0
            for i in range(0, len(formulae), size):
                found = model.decode_meanings(z[i:i + size], y[i:i + size], tables[i:i + size])
                same += sum(a == b for a, b in zip(found, formulae[i:i + size]))
            answer = {'seconds': time.perf_counter() - start, 'check': same}
        else:
            raise SystemExit(f'unknown request {name}')
        print(json.dumps(answer), flush=True)


if __name__ == '__main__':
    main()
