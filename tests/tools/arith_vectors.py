# SPDX-License-Identifier: Apache-2.0
"""Vectors of five machines, for sinter run --check-vectors.

usage: arith_vectors.py NAME COUNT

Prints COUNT vectors for each row of examples/arithmetics/NAME.def.  What a
machine gives is computed here from what its public functions mean, with
unbounded integers and fractions, apart from the formulas of the .def file and
from the code that runs them.  A third of all scales are powers of two, and half
of all sums lie half way between two results.
"""
import math
import random
import struct
import sys
from fractions import Fraction as F

I32 = 1 << 31


def f32(x):
    """The nearest binary32, ties to even."""
    return struct.unpack('f', struct.pack('f', float(x)))[0]


def signed32(v):
    """What is left of v in a register of 32 bits."""
    return (v + I32) % (2 * I32) - I32


def clamp(v, lo=-128, hi=127):
    return min(max(v, lo), hi)


# ---- gemmlowp and the kernels of TensorFlow Lite

def quantize_multiplier(real):
    """QuantizeMultiplier: a significand of 31 bits, and an exponent."""
    mantissa, shift = math.frexp(real)
    q = math.floor(F(mantissa) * 2**31 + F(1, 2))
    if q == 2**31:
        q, shift = q // 2, shift + 1
    if shift < -31:
        return 0, 0
    if shift > 30:
        return 2**31 - 1, 30
    return q, shift


def doubling_high_mul(a, b):
    """SaturatingRoundingDoublingHighMul: the upper half of 2ab."""
    if a == b == -I32:
        return I32 - 1
    ab = a * b
    t = ab + (2**30 if ab >= 0 else 1 - 2**30)
    return abs(t) // 2**31 * (1 if t >= 0 else -1)


def divide_by_pot(x, exponent):
    """RoundingDivideByPOT."""
    mask = 2**exponent - 1
    rest = x & mask
    threshold = (mask >> 1) + (1 if x < 0 else 0)
    return (x >> exponent) + (1 if rest > threshold else 0)


def multiply_twice(x, real):
    """MultiplyByQuantizedMultiplier as it is built by default."""
    q, shift = quantize_multiplier(real)
    left, right = max(shift, 0), max(-shift, 0)
    return divide_by_pot(doubling_high_mul(signed32(x * 2**left), q), right)


def multiply_once(x, real):
    """The same with TFLITE_SINGLE_ROUNDING."""
    q, shift = quantize_multiplier(real)
    total = 31 - shift
    v = (x * q + 2**(total - 1)) >> total
    return clamp(v, -I32, I32 - 1)


class Tflite:
    """Convolutions once, what else is multiplied twice."""
    contract = staticmethod(multiply_once)

    def rows(self):
        return [
            ('contract over conv when depthwise', self.depthwise, 'contract'),
            ('contract', self.product_sum, 'contract'),
            ('mean over reduce', self.mean, 'mean'),
            ('convert', self.requantize, 'convert'),
            ('sum', self.add, 'pair'),
            ('difference', self.sub, 'pair'),
            ('product', self.mul, 'pair'),
            ('mean over pool when same_type', self.pool, 'pool'),
        ]

    def depthwise(self, v):
        return multiply_twice(v.acc, v.xs * v.ws / v.ys) + v.yz

    def product_sum(self, v):
        return self.contract(v.acc, v.xs * v.ws / v.ys) + v.yz

    def mean(self, v):
        return multiply_once(signed32(v.acc), v.xs / (v.ys * v.n)) + v.yz

    def requantize(self, v):
        return multiply_twice(v.x - v.xz, v.xs / v.ys) + v.yz

    def scaled(self, v, sign):
        twice_max = 2 * max(v.xs, v.ws)
        a = multiply_twice((v.x - v.xz) * 2**20, v.xs / twice_max)
        b = multiply_twice((v.w - v.wz) * 2**20, v.ws / twice_max)
        return multiply_twice(a + sign * b, twice_max / (2**20 * v.ys)) + v.yz

    def add(self, v):
        return self.scaled(v, 1)

    def sub(self, v):
        return self.scaled(v, -1)

    def mul(self, v):
        return multiply_twice((v.x - v.xz) * (v.w - v.wz),
                              v.xs * v.ws / v.ys) + v.yz

    def pool(self, v):
        """Of codes as they stand: half is added on the sum's own side."""
        acc = v.acc + v.n * v.xz
        t = abs(acc) + v.n // 2
        return t // v.n * (1 if acc > 0 else -1)


class CmsisNN(Tflite):
    """arm_nn_requantize: twice, unless built otherwise."""
    contract = staticmethod(multiply_twice)


# ---- XNNPACK

class XnnRndnu:
    def rows(self):
        return [('contract', self.product_sum, 'contract'),
                ('sum', self.add, 'pair')]

    def product_sum(self, v):
        """The bits of a binary32 scale are its multiplier and shift."""
        scale = f32(F(f32(F(v.xs) * F(v.ws))) / F(v.ys))
        bits = struct.unpack('I', struct.pack('f', scale))[0]
        multiplier = (bits & 0x7FFFFF) | 0x800000
        shift = 127 + 23 - (bits >> 23)
        return ((v.acc * multiplier + 2**(shift - 1)) >> shift) + v.yz

    def add(self, v):
        ra, rb = f32(F(v.xs) / F(v.ys)), f32(F(v.ws) / F(v.ys))
        bits = struct.unpack('I', struct.pack('f', max(ra, rb)))[0]
        shift = 20 - ((bits >> 23) - 127)
        ma, mb = (round(F(r) * 2**shift) for r in (ra, rb))
        acc = (v.x - v.xz) * ma + (v.w - v.wz) * mb
        return ((acc + 2**(shift - 1)) >> shift) + v.yz


# ---- MAX78000: the simulator of ai8x-synthesis

class Max78000:
    power = True
    zero = True

    def rows(self):
        return [('contract', self.product_sum, 'contract'),
                ('sum when same_type', lambda v: v.x + v.w, 'same'),
                ('difference when same_type', lambda v: v.x - v.w, 'same'),
                ('mean over pool when same_type', self.pool, 'pool')]

    def product_sum(self, v):
        """floor(1/2 + sum / 2^(7 - output_shift)), powers of two in all."""
        scale = F(v.xs) * F(v.ws) / F(v.ys)
        return math.floor(F(1, 2) + v.acc * scale)

    def pool(self, v):
        """The quotient as a float, cut by an integer type."""
        return math.trunc(F(v.acc, v.n))


# ---- NVDLA

def half_away(v):
    return math.floor(v + F(1, 2)) if v >= 0 else -math.floor(-v + F(1, 2))


def convert15(v, real):
    """A converter: a multiplier of 15 bits, and a shift to the right."""
    shift = 0
    while real * 2**(shift + 1) < 2**15:
        shift += 1
    q = half_away(F(real) * 2**shift)
    if q == 2**15:
        q, shift = q // 2, shift - 1
    return half_away(F(v * q, 2**shift))


class Nvdla:
    zero = True

    def rows(self):
        return [('contract', self.product_sum, 'contract'),
                ('convert', self.convert, 'convert'),
                ('sum', self.add, 'pair'),
                ('difference', self.sub, 'pair'),
                ('mean over pool when same_type', self.pool, 'window')]

    def product_sum(self, v):
        return convert15(v.acc, v.xs * v.ws / v.ys)

    def convert(self, v):
        return convert15(v.x, v.xs / v.ys)

    def add(self, v):
        return convert15(v.x + convert15(v.w, v.ws / v.xs), v.xs / v.ys)

    def sub(self, v):
        return convert15(v.x - convert15(v.w, v.ws / v.xs), v.xs / v.ys)

    def pool(self, v):
        """The sum times both reciprocals, 2^16 / side each."""
        recip = (2**16 // v.k[0]) * (2**16 // v.k[1])
        return half_away(F(v.acc * recip, 2**32))


# ---- values

class Values:
    pass


def draw_scale(m, rng):
    whole = getattr(m, 'power', False) or rng.random() < 1 / 3
    return f32((1 if whole else 1 + rng.random()) * 2.0**rng.randint(-9, 0))


def draw(m, rng, what):
    v = Values()
    zero = getattr(m, 'zero', False)
    v.xs, v.ws, v.ys = (draw_scale(m, rng) for _ in range(3))
    v.xz, v.wz, v.yz = (0 if zero or rng.random() < 1 / 4
                        else rng.randint(-128, 127) for _ in range(3))
    v.x, v.w = rng.randint(-128, 127), rng.randint(-128, 127)
    v.k, v.n = (1, 1), 1
    if what in ('same', 'pool', 'window'):
        v.ws = v.ys = v.xs
        v.wz = v.yz = v.xz
    if what == 'contract':
        if isinstance(m, XnnRndnu):         # its multipliers are below 2^8
            while not 2**-32 <= v.xs * v.ws / v.ys < 2**8:
                v.xs = v.xs / 2
        real = F(v.xs) * F(v.ws) / F(v.ys)
        t = rng.randint(-136, 136) + F(rng.randint(0, 1), 2)
        v.acc = clamp(round(t / real), -I32, I32 - 1)
        if rng.random() < 1 / 4:
            v.acc = clamp(v.acc + rng.choice((-1, 1)), -I32, I32 - 1)
        elif rng.random() < 1 / 8:
            v.acc = rng.randint(-I32, I32 - 1)
    elif what in ('mean', 'pool', 'window'):
        if what == 'mean':
            v.n = rng.randint(1, 2000)
        else:
            v.k = rng.randint(1, 8), rng.randint(1, 8)
            v.n = v.k[0] * v.k[1]
            if what == 'pool' and rng.random() < 1 / 4:
                v.n = rng.randint(1, v.n)
        mean = rng.randint(-128 - v.xz, 127 - v.xz)
        v.acc = v.n * mean + rng.randint(-(v.n // 2), v.n // 2)
    elif isinstance(m, XnnRndnu):           # its ratios are from 2^-10 to 2^8
        while max(v.xs, v.ws) / v.ys < 2**-10:
            v.ys /= 2
        while max(v.xs, v.ws) / v.ys >= 2**8:
            v.ys *= 2
    elif isinstance(m, Nvdla) and what == 'pair':       # a's steps are below 2 y's
        while v.xs / v.ys >= 2 - 2**-15:
            v.xs /= 2
    return v


COLUMNS = {
    'contract': ('x.scale w.scale y.scale y.zp acc', 'xs ws ys yz acc'),
    'convert': ('x.scale x.zp y.scale y.zp x', 'xs xz ys yz x'),
    'mean': ('x.scale x.zp y.scale y.zp n kernel[0] kernel[1] sum',
             'xs xz ys yz n k acc'),
    'pair': ('a.scale a.zp b.scale b.zp y.scale y.zp zp_shift a b',
             'xs xz ws wz ys yz shift x w'),
}
for also, of in (('same', 'pair'), ('pool', 'mean'), ('window', 'mean')):
    COLUMNS[also] = COLUMNS[of]


def text(v, names):
    v.shift = 0
    for name in names.split():
        value = getattr(v, name)
        if isinstance(value, float):
            yield value.hex()
        elif isinstance(value, tuple):
            yield '%d %d' % value
        else:
            yield str(value)


MACHINES = {'tflite': Tflite, 'cmsis_nn': CmsisNN, 'xnn_rndnu': XnnRndnu,
            'max78000': Max78000, 'nvdla': Nvdla}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in MACHINES:
        sys.exit('usage: arith_vectors.py NAME COUNT, NAME one of '
                 + ', '.join(MACHINES))
    machine = MACHINES[sys.argv[1]]()
    out = ['sinter-vectors 1 ' + sys.argv[1],
           '# tests/tools/arith_vectors.py ' + ' '.join(sys.argv[1:])]
    for row, value, what in machine.rows():
        rng = random.Random(sys.argv[1] + row)
        title, names = COLUMNS[what]
        out.append('row %s : %s y' % (row, title))
        for _ in range(int(sys.argv[2])):
            v = draw(machine, rng, what)
            out.append('%s %d' % (' '.join(text(v, names)), clamp(value(v))))
    print('\n'.join(out))


main()
