#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes an ONNX model quantized statically, as ONNX Runtime's
quantize_static makes them: QuantizeLinear and DequantizeLinear around every
operator, uint8 values, int8 weights with a scale for each output channel.

    qdq_model.py tcn OUT.onnx          convolutions of one dimension
    qdq_model.py tcn_silu OUT.onnx     the same, with SiLU and Concat
    qdq_model.py transformer OUT.onnx  two blocks of 256 channels, 128 long
    qdq_model.py efficient OUT.onnx    depthwise, squeeze and excite, SiLU

Weights and the input that gives the ranges are drawn with a seed of their
own: the file is the same each time."""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Model:
    def __init__(self, shape):
        self.rng = np.random.RandomState(7)
        self.node, self.init, self.scale = [], [], {}
        self.value = {"x": self.rng.normal(0, 1, shape).astype(np.float32)}

    def const(self, value, kind=None):
        name = "c%d" % len(self.init)
        value = np.asarray(value, kind)
        self.init.append(numpy_helper.from_array(value, name))
        return name

    def op(self, kind, inputs, value, **attrs):
        out = "v%d" % len(self.node)
        self.node.append(helper.make_node(kind, inputs, [out], name=out,
                                          **attrs))
        self.value[out] = value.astype(np.float32)
        return out

    def pair(self, x, scale=None):
        """x once it has been quantized and dequantized."""
        v = self.value[x]
        lo, hi = min(v.min(), 0), max(v.max(), 1e-3)
        scale = np.float32(scale or (hi - lo) / 255)
        zero = np.uint8(np.rint(-lo / scale))
        s, z = self.const(scale), self.const(zero)
        q = self.op("QuantizeLinear", [x, s, z], v)
        y = self.op("DequantizeLinear", [q, s, z], v)
        self.scale[y] = scale
        return y

    def codes(self, w, axis):
        rest = tuple(i for i in range(w.ndim) if i != axis)
        scale = (abs(w).max(rest) / 127).astype(np.float32)
        shape = [-1 if i == axis else 1 for i in range(w.ndim)]
        c = np.rint(w / scale.reshape(shape)).astype(np.int8)
        y = self.op("DequantizeLinear",
                    [self.const(c), self.const(scale),
                     self.const(np.zeros(len(scale), np.int8))], w, axis=axis)
        self.scale[y] = scale
        return y

    def conv(self, x, out, k, stride=1, dilate=1, group=1):
        """Of one or two dimensions, as x has; every result is a pair."""
        v = self.value[x]
        nd, cin = v.ndim - 2, v.shape[1]
        pad = (k - 1) * dilate // 2
        w = self.rng.normal(0, (cin // group * k ** nd) ** -0.5,
                            (out, cin // group) + (k,) * nd)
        b = self.rng.normal(0, 0.1, out)
        p = np.pad(v, ((0, 0), (0, 0)) + ((pad, pad),) * nd)
        size = [(n + 2 * pad - dilate * (k - 1) - 1) // stride + 1
                for n in v.shape[2:]]
        y = np.zeros((v.shape[0], out) + tuple(size))
        og, ig = out // group, cin // group
        for tap in np.ndindex(*(k,) * nd):
            at = tuple(slice(t * dilate, t * dilate + stride * (n - 1) + 1,
                             stride) for t, n in zip(tap, size))
            for g in range(group):
                y[:, g * og:(g + 1) * og] += np.einsum(
                    "nc...,oc->no...",
                    p[(slice(None), slice(g * ig, (g + 1) * ig)) + at],
                    w[(slice(g * og, (g + 1) * og), slice(None)) + tap])
        y += b.reshape([-1] + [1] * nd)
        wq = self.codes(w, 0)
        scale = (self.scale[x] * self.scale[wq]).astype(np.float32)
        bq = self.op("DequantizeLinear",
                     [self.const(np.rint(b / scale).astype(np.int32)),
                      self.const(scale),
                      self.const(np.zeros(out, np.int32))], b, axis=0)
        return self.op("Conv", [x, wq, bq], y, kernel_shape=[k] * nd,
                       strides=[stride] * nd, dilations=[dilate] * nd,
                       group=group, pads=[pad] * 2 * nd)

    def relu(self, x):
        return self.op("Relu", [x], np.maximum(self.value[x], 0))

    def sigmoid(self, x):
        return self.op("Sigmoid", [x], 1 / (1 + np.exp(-self.value[x])))

    def two(self, kind, f, a, b):
        return self.pair(self.op(kind, [a, b], f(self.value[a],
                                                 self.value[b])))

    def add(self, a, b):
        return self.two("Add", np.add, a, b)

    def mul(self, a, b):
        return self.two("Mul", np.multiply, a, b)

    def silu(self, x):
        return self.mul(x, self.pair(self.sigmoid(x)))

    def concat(self, a, b):
        v = np.concatenate([self.value[a], self.value[b]], 1)
        return self.pair(self.op("Concat", [a, b], v, axis=1))

    def linear(self, x, out):
        cin = self.value[x].shape[-1]
        w = self.codes(self.rng.normal(0, cin ** -0.5, (cin, out)), 1)
        y = self.two("MatMul", np.matmul, x, w)
        b = self.pair_of(self.rng.normal(0, 0.1, out))
        return self.add(y, b)

    def pair_of(self, v):
        """A constant of codes with one scale."""
        scale = np.float32(abs(v).max() / 127)
        return self.op("DequantizeLinear",
                       [self.const(np.rint(v / scale).astype(np.int8)),
                        self.const(scale), self.const(np.int8(0))], v)

    def reshape(self, x, dims):
        return self.pair(self.op("Reshape", [x, self.const(dims, np.int64)],
                                 self.value[x].reshape(dims)))

    def transpose(self, x, perm):
        return self.pair(self.op("Transpose", [x],
                                 self.value[x].transpose(perm), perm=perm))

    def softmax(self, x):
        e = np.exp(self.value[x] - self.value[x].max(-1, keepdims=True))
        return self.pair(self.op("Softmax", [x], e / e.sum(-1, keepdims=True),
                                 axis=-1), 1 / 256)

    def norm(self, x):
        v = self.value[x]
        g, b = self.rng.normal(1, 0.1, v.shape[-1]), np.zeros(v.shape[-1])
        y = (v - v.mean(-1, keepdims=True)) / (v.std(-1, keepdims=True) + 1e-5)
        return self.pair(self.op("LayerNormalization",
                                 [x, self.const(g, np.float32),
                                  self.const(b, np.float32)], y * g, axis=-1))

    def save(self, y, path):
        def info(n):
            return helper.make_tensor_value_info(n, TensorProto.FLOAT,
                                                 self.value[n].shape)

        graph = helper.make_graph(self.node, "g", [info("x")], [info(y)],
                                  self.init)
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        onnx.save(model, path)


def tcn(silu=False):
    m = Model((1, 16, 1024))
    x = m.pair(m.conv(m.pair("x"), 64, 3))
    for i in range(6):
        if silu:
            y = m.silu(m.pair(m.conv(x, 64, 3, dilate=2 ** i)))
            y = m.concat(m.pair(m.conv(y, 32, 1)), m.pair(m.conv(y, 32, 3)))
        else:
            y = m.pair(m.relu(m.conv(x, 64, 3, dilate=2 ** i)))
            y = m.pair(m.conv(y, 64, 1))
        x = m.add(x, y)
    return m, m.pair(m.conv(x, 10, 1))


def transformer(d=256, heads=4, length=128):
    m = Model((1, length, d))
    x = m.pair("x")
    for _ in range(2):
        h = m.norm(x)
        parts = [m.reshape(m.linear(h, d), [1, length, heads, d // heads])
                 for _ in range(3)]
        q, v = [m.transpose(t, [0, 2, 1, 3]) for t in parts[::2]]
        s = m.two("MatMul", np.matmul, q, m.transpose(parts[1], [0, 2, 3, 1]))
        s = m.mul(s, m.pair_of(np.array([(d // heads) ** -0.5])))
        y = m.two("MatMul", np.matmul, m.softmax(s), v)
        y = m.reshape(m.transpose(y, [0, 2, 1, 3]), [1, length, d])
        x = m.add(x, m.linear(y, d))
        h = m.pair(m.relu(m.linear(m.norm(x), 4 * d)))
        x = m.add(x, m.linear(h, d))
    return m, x


def efficient():
    m = Model((1, 3, 64, 64))
    x = m.silu(m.pair(m.conv(m.pair("x"), 16, 3, 2)))
    for out, stride in ((16, 1), (24, 2), (24, 1), (40, 2), (40, 1)):
        c = 4 * m.value[x].shape[1]
        y = m.silu(m.pair(m.conv(x, c, 1)))
        y = m.silu(m.pair(m.conv(y, c, 3, stride, group=c)))
        g = m.pair(m.op("GlobalAveragePool", [y],
                        m.value[y].mean((2, 3), keepdims=True)))
        g = m.silu(m.pair(m.conv(g, c // 8, 1)))
        g = m.pair(m.sigmoid(m.pair(m.conv(g, c, 1))))
        y = m.pair(m.conv(m.mul(y, g), out, 1))
        same = m.value[x].shape == m.value[y].shape
        x = m.add(x, y) if same else y
    return m, x


if __name__ == "__main__":
    nets = {"tcn": tcn, "tcn_silu": lambda: tcn(True),
            "transformer": transformer, "efficient": efficient}
    if len(sys.argv) != 3 or sys.argv[1] not in nets:
        sys.exit(__doc__)
    model, result = nets[sys.argv[1]]()
    model.save(result, sys.argv[2])
