# SPDX-License-Identifier: Apache-2.0
"""Holds a graph file against the lines of an arithmetic.

usage: arith_read.py NAME.def MODEL.sn [KIND...]

Reads both texts by itself, apart from the verifier and the quantizer: types,
zero points, powers of two, codes, biases, sums and ratios of scales of each
node on codes.  KINDs are contracts besides the core's.  Prints each line that is broken and what was held, and exits
with 1 where one is broken.
"""
import math
import os
import re
import struct
import sys
from fractions import Fraction as F

CONTRACTS = ('Conv2D', 'ChannelwiseConv2D', 'ConvTranspose2D',
             'ChannelwiseConvTranspose2D', 'FullyConnected',
             'RowwiseQuantizedFullyConnected', 'MatMul')
CONVERTS = ('Rescale', 'Relu', 'Max', 'Min', 'Clip')
PAIRS = {'Add': 'sum', 'BatchedAdd': 'sum', 'Sub': 'difference'}
STORED = {'qi8': (-128, 127, 'b'), 'qi16': (-2**15, 2**15 - 1, 'h'),
          'qi32': (-2**31, 2**31 - 1, 'i')}


# ---- the declaration

def block(path):
    """Lines of the arithmetic that a .def file declares, comments gone."""
    text = re.sub(r'//[^\n]*', '', open(path).read())
    head = re.search(r'\barithmetic\s+(\w+)(?:\s+from\s+(\w+))?[^{]*\{(.*?)\}',
                     text, re.S)
    if not head:
        sys.exit(f'{path}: no arithmetic is declared')
    return [s.strip() for s in head.group(3).split(';')]


def ratios(row):
    """(NAME, RATIO) of each NAME(value : RATIO) in a row."""
    out = []
    for at in (m.start() for m in re.finditer(' : ', row)):
        left, depth = at, 0
        while depth >= 0:
            left -= 1
            depth += {')': 1, '(': -1}.get(row[left], 0)
        right, depth = at, 0
        while depth >= 0:
            right += 1
            depth += {'(': 1, ')': -1}.get(row[right], 0)
        out.append((re.search(r'\w+$', row[:left])[0],
                    row[at + 3:right].strip()))
    return out


def rules(path):
    r = {'codes': {}, 'zero': {}, 'tensor': set(), 'power': set(), 'no': set(),
         'one': set(), 'own': {}, 'pairs': {},
         'bias': None, 'acc': None, 'ratio': None}
    for s in block(path):
        m = re.match(r'codes (\w) (-?\d+)\.\.(-?\d+)$', s)
        if m:
            r['codes'][m[1]] = (int(m[2]), int(m[3]))
        m = re.match(r'zero (\w) (-?\d+)(?:\.\.(-?\d+))?$', s)
        if m:
            r['zero'][m[1]] = (int(m[2]), int(m[3] or m[2]))
        m = re.match(r'scales (\w) per (\w+)( power of two)?$', s)
        if m and m[2] == 'tensor':
            r['tensor'].add(m[1])
        if m and m[3]:
            r['power'].add(m[1])
        m = re.match(r'bias i(\d+) on (?:(\d+) \* )?x\.scale \* w\.scale$', s)
        if m:
            r['bias'] = (int(m[1]), int(m[2] or 1))
        m = re.match(r'accumulate i(\d+) ', s)
        if m:
            r['acc'] = int(m[1])
        m = re.match(r'ratio q (\d+) bits, s (-?\d+)\.\.(-?\d+)(.*)$', s)
        if m and 'outside refuse' in m[4]:
            r['ratio'] = tuple(int(v) for v in m.group(1, 2, 3))
        m = re.match(r'(\w+)\(\w+\), s (-?\d+)\.\.(-?\d+)\s*=', s)
        if m:
            r['own'][m[1]] = int(m[2]), int(m[3])
        m = re.match(r'row any (sum|difference)\b', s)
        if m:
            r['pairs'].setdefault(m[1], ratios(s))
        m = re.match(r'no row ([\w, ]+?)(?: when ([^"]+?))? "', s)
        if m and not m[2]:
            r['no'] |= {k.strip() for k in m[1].split(',')}
        elif m and m[2] == 'not same_type':
            r['one'] |= {k.strip() for k in m[1].split(',')}
    return r


# ---- the graph

def f32(s):
    return struct.unpack('f', struct.pack('f', float(s)))[0]


def types(text):
    """The types of a result list, as (elem, axis, scales, zero points, dims)."""
    out = []
    for m in re.finditer(r'(\w+)(?:<([^>]*)>)?\[([\d,]*)\]', text):
        elem, inner, dims = m.groups()
        dims = [int(d) for d in dims.split(',') if d]
        axis, scales, zps = None, [], []
        if inner:
            a = re.match(r'axis=(\d+), \[([^\]]*)\], \[([^\]]*)\]$', inner)
            if a:
                axis = int(a[1])
                scales = [f32(v) for v in a[2].split(',')]
                zps = [int(v) for v in a[3].split(',')]
            else:
                s, z = inner.split(',')
                scales, zps = [f32(s)], [int(z)]
        out.append((elem, axis, scales, zps, dims))
    return out


NAME = r'%(?:"(?:[^"\\]|\\.)*"|[\w.]+)'
LINE = re.compile(r'\s*((?:%s(?:, )?)*) = (\w+)\((.*?)\)(?: (\{.*?\}))? : (.+)$'
                  % NAME)


def graph(path):
    nodes, value = [], {}
    for line in open(path):
        m = LINE.match(line)
        if not m:
            continue
        outs = re.findall(NAME, m[1])
        n = {'kind': m[2], 'in': re.findall(NAME + '|_', m[3]),
             'attr': m[4] or '', 'out': types(m[5]), 'name': outs[0]}
        nodes.append(n)
        for i, o in enumerate(outs):
            value[o] = (n, i)
    return nodes, value


def data(n, where):
    """The codes of a Constant."""
    elem, _, _, _, dims = n['out'][0]
    count = math.prod(dims)
    lo, hi, code = STORED[elem]
    m = re.search(r'splat = (-?\d+)', n['attr'])
    if m:
        return [int(m[1])] * count
    m = re.search(r'data = "([^"]*)"@(\d+)', n['attr'])
    if m:
        size = struct.calcsize(code)
        with open(os.path.join(where, m[1]), 'rb') as f:
            f.seek(int(m[2]))
            return list(struct.unpack('<%d%s' % (count, code),
                                      f.read(count * size)))
    m = re.search(r'data = \[([^\]]*)\]', n['attr'])
    return [int(v) for v in m[1].split(',')] if m and m[1] else []


# ---- the check

class Check:
    def __init__(self, r, path):
        self.r, self.where = r, os.path.dirname(path)
        self.nodes, self.value = graph(path)
        self.held, self.broken = 0, 0

    def hold(self, ok, n, text):
        self.held += 1
        if not ok:
            self.broken += 1
            print(f"{n['name']} ({n['kind']}): {text}")

    def typed(self, n, role, t, what, codes=None):
        elem, axis, scales, zps, _ = t
        if elem not in ('qi8', 'qi16'):
            return
        if role in self.r['tensor']:
            self.hold(axis is None, n, f'{what} has scales along an axis')
        if role in self.r['power']:
            self.hold(all(math.frexp(s)[0] == 0.5 for s in scales), n,
                      f'{what} has a scale that is no power of two')
        if role in self.r['zero']:
            lo, hi = self.r['zero'][role]
            self.hold(all(lo <= z <= hi for z in zps), n,
                      f'{what} has zero point {zps}')
        if role in self.r['codes'] and codes is not None:
            lo, hi = self.r['codes'][role]
            self.hold(all(lo <= c <= hi for c in codes), n,
                      f'{what} has codes outside {lo}..{hi}')

    def window(self, n, m, what, scale=None):
        if not self.r['ratio']:
            return
        bits, lo, hi = self.r['ratio']
        lo, hi = self.r['own'].get(scale, (lo, hi))
        q, e = math.frexp(m)
        q = math.floor(F(q) * 2**bits + F(1, 2))
        s = bits - e - (q == 2**bits)
        self.hold(lo <= s <= hi, n, f'{what} {m:.9g} needs a shift by {s}')

    def source(self, ref):
        return self.value.get(ref, (None, 0))

    def contract(self, n):
        ins = [self.source(v) for v in n['in']]
        x, w = [s['out'][i] for s, i in ins[:2]]
        y = n['out'][0]
        if w[0] not in ('qi8', 'qi16') or x[0] not in ('qi8', 'qi16'):
            return
        known = ins[1][0]['kind'] == 'Constant'
        codes = data(ins[1][0], self.where) if known else None
        if known:
            self.typed(n, 'w', w, 'w', codes)
        for k, ws in enumerate(w[2]):
            self.window(n, x[2][0] * ws / y[2][0], f'ratio {k}')
        b = None
        if len(ins) > 2 and ins[2][0]:
            b = ins[2][0]
            b = data(b, self.where) if b['kind'] == 'Constant' else None
            if self.r['bias']:
                width, step = self.r['bias']
                self.hold(b is not None and all(
                    c % step == 0 and -2**(width - 1) <= c // step <
                    2**(width - 1) for c in b), n, 'a bias is off its grid')
        if self.r['acc'] and known and n['kind'] != 'MatMul':
            per = len(codes) // w[4][0]
            lo, hi = self.r['codes'].get('x', STORED[x[0]][:2])
            top = max(x[3][0] - lo, hi - x[3][0])
            for c in range(w[4][0]):
                z = w[3][c if len(w[3]) > 1 else 0]
                s = top * sum(abs(v - z) for v in codes[c * per:(c + 1) * per])
                s += abs(b[c]) if b else 0
                self.hold(s < 2**(self.r['acc'] - 1), n,
                          f'the sum of channel {c} may reach {s}')

    def pair(self, n, form):
        """The ratios of a sum or difference of codes."""
        grids = [self.source(v)[0]['out'][self.source(v)[1]][2]
                 for v in n['in'][:2]] + [n['out'][0][2]]
        if not all(len(g) == 1 for g in grids):
            return
        scales = dict(zip('aby', (g[0] for g in grids)))
        for name, text in self.r['pairs'].get(form, []):
            m = re.fullmatch(r'([aby])\.scale / ([aby])\.scale', text)
            if not m:
                sys.exit(f'{text}: a ratio that is not read here')
            self.window(n, scales[m[1]] / scales[m[2]], f'ratio {text}', name)

    def node(self, n):
        quant = any(t[0] in STORED for t in n['out'])
        if n['kind'] == 'Constant':
            return
        quant |= any(self.source(v)[0] and
                     self.source(v)[0]['out'][self.source(v)[1]][0] in STORED
                     for v in n['in'] if v != '_')
        if quant:
            self.hold(n['kind'] not in self.r['no'], n, 'there is no row for it')
        if quant and n['kind'] in self.r['one']:
            ins = [self.source(v) for v in n['in']]
            self.hold(all(s['out'][i][:4] == n['out'][0][:4] for s, i in ins), n,
                      'its values are of several types')
        for i, t in enumerate(n['out']):
            self.typed(n, 'x', t, f'result {i}')
        if n['kind'] in CONTRACTS + tuple(sys.argv[3:]) and n['out'][0][0] in ('qi8', 'qi16'):
            self.contract(n)
        elif n['kind'] in PAIRS and self.r['ratio'] and \
                n['kind'] not in self.r['one'] and n['out'][0][0] == 'qi8':
            self.pair(n, PAIRS[n['kind']])
        elif n['kind'] in CONVERTS and n['out'][0][0] in ('qi8', 'qi16') and \
                'convert' in self.r.get('rows', ''):
            for v in n['in']:
                s, i = self.source(v)
                if s and s['out'][i][2]:
                    self.window(n, s['out'][i][2][0] / n['out'][0][2][0],
                                'ratio')


def main():
    r = rules(sys.argv[1])
    r['rows'] = ' '.join(s for s in block(sys.argv[1])
                         if s.startswith('row any convert'))
    c = Check(r, sys.argv[2])
    for n in c.nodes:
        c.node(n)
    print(f'{len(c.nodes)} nodes, {c.held} lines held, {c.broken} broken')
    return 1 if c.broken else 0


if __name__ == '__main__':
    sys.exit(main())
