#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes an ONNX model quantized dynamically, as ONNX Runtime's
quantize_dynamic makes them: DynamicQuantizeLinear, MatMulInteger with a
constant matrix, Cast, Mul by the product of the scales, Add of the bias.

    dynamic_model.py mlp BATCH OUT.onnx [INPUTS.npy]
    dynamic_model.py transformer LENGTH OUT.onnx [INPUTS.npy]
    dynamic_model.py bert LENGTH OUT.onnx [INPUTS.npy]

Two blocks of 256 channels in 4 heads, or of 768 in 12, as BERT's.

Weights are drawn with a seed of their own: the file is the same each time."""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Model:
    def __init__(self):
        self.rng = np.random.RandomState(7)
        self.node, self.init, self.count = [], [], 0
        self.codes = {}

    def const(self, value, kind=np.float32):
        name = "c%d" % len(self.init)
        self.init.append(numpy_helper.from_array(np.asarray(value, kind),
                                                 name))
        return name

    def op(self, kind, *inputs, nout=1, **attrs):
        out = ["v%d" % (self.count + i) for i in range(nout)]
        self.count += nout
        self.node.append(helper.make_node(kind, list(inputs), out,
                                          name=out[0], **attrs))
        return out[0] if nout == 1 else out

    def linear(self, x, nin, nout):
        """x times a matrix of uint8 codes, plus a bias."""
        w = self.rng.normal(0, nin ** -0.5, (nin, nout)).astype(np.float32)
        lo, hi = min(w.min(), 0), max(w.max(), 0)
        scale = np.float32((hi - lo) / 255)
        zp = np.uint8(np.rint(-lo / scale))
        codes = np.clip(np.rint(w / scale) + zp, 0, 255).astype(np.uint8)
        if x not in self.codes:
            self.codes[x] = self.op("DynamicQuantizeLinear", x, nout=3)
        q, s, z = self.codes[x]
        y = self.op("MatMulInteger", q, self.const(codes, np.uint8), z,
                    self.const(zp, np.uint8))
        y = self.op("Cast", y, to=TensorProto.FLOAT)
        y = self.op("Mul", y, self.op("Mul", s, self.const(scale)))
        return self.op("Add", y, self.const(self.rng.normal(0, 0.1, nout)))

    def norm(self, x, n):
        return self.op("LayerNormalization", x,
                       self.const(self.rng.normal(1, 0.1, n)),
                       self.const(self.rng.normal(0, 0.1, n)), axis=-1)

    def gelu(self, x):
        e = self.op("Erf", self.op("Div", x, self.const(2 ** 0.5)))
        y = self.op("Mul", x, self.op("Add", e, self.const(1)))
        return self.op("Mul", y, self.const(0.5))

    def heads(self, x, n, length, head, perm):
        dims = self.const([1, length, n, head], np.int64)
        return self.op("Transpose", self.op("Reshape", x, dims), perm=perm)

    def block(self, x, length, size, nhead):
        head = size // nhead
        n = self.norm(x, size)
        q, k, v = (self.linear(n, size, size) for _ in range(3))
        q = self.heads(q, nhead, length, head, [0, 2, 1, 3])
        k = self.heads(k, nhead, length, head, [0, 2, 3, 1])
        v = self.heads(v, nhead, length, head, [0, 2, 1, 3])
        a = self.op("Div", self.op("MatMul", q, k), self.const(head ** 0.5))
        y = self.op("MatMul", self.op("Softmax", a, axis=-1), v)
        y = self.op("Transpose", y, perm=[0, 2, 1, 3])
        y = self.op("Reshape", y, self.const([1, length, size], np.int64))
        x = self.op("Add", x, self.linear(y, size, size))
        y = self.gelu(self.linear(self.norm(x, size), size, 4 * size))
        return self.op("Add", x, self.linear(y, 4 * size, size))

    def save(self, shape, last, out, path):
        graph = helper.make_graph(
            self.node, "dynamic",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
            [helper.make_tensor_value_info(last, TensorProto.FLOAT, out)],
            self.init)
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        onnx.checker.check_model(model)
        onnx.save(model, path)


def main():
    kind, n, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    m, x = Model(), "x"
    size, nhead = (768, 12) if kind == "bert" else (256, 4)
    shape = [n, 784] if kind == "mlp" else [1, n, size]
    if len(sys.argv) > 4:  # two runs' worth
        np.save(sys.argv[4], m.rng.normal(0, 1, [2 * shape[0]] + shape[1:])
                .astype(np.float32))
    if kind == "mlp":
        for a, b in ((784, 512), (512, 512), (512, 512)):
            x = m.op("Relu", m.linear(x, a, b))
        m.save(shape, m.linear(x, 512, 10), [n, 10], path)
    else:
        for _ in range(2):
            x = m.block(x, n, size, nhead)
        m.save(shape, m.norm(x, size), shape, path)


if __name__ == "__main__":
    main()
