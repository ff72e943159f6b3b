#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a network and writes it as a float ONNX model with data to calibrate.

    draw_net.py SEED NUMBER OUT.onnx CALIB.npy [DYNAMIC.onnx]

The kind follows from NUMBER, which counts through all of them; sizes, widths,
depths, batch and activations are drawn with SEED and NUMBER.  DYNAMIC.onnx is
the same network with its products of constant matrices as quantize_dynamic of
ONNX Runtime makes them.  Prints the kind, what was drawn and the products in
millions (MMAC)."""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Net:
    """Values are names, with shapes beside them; a sample first."""

    def __init__(self, seed, dynamic):
        self.rng = np.random.RandomState(seed)
        self.node, self.init, self.dim = [], [], {}
        self.mac, self.dynamic, self.said = 0, dynamic, []

    def pick(self, *choices):
        return choices[self.rng.randint(len(choices))]

    def const(self, v, kind=np.float32):
        name = "c%d" % len(self.init)
        self.init.append(numpy_helper.from_array(np.asarray(v, kind), name))
        self.dim[name] = list(np.shape(v))
        return name

    def op(self, kind, x, dim, **attrs):
        x = [x] if isinstance(x, str) else x
        y = "v%d" % len(self.node)
        self.node.append(helper.make_node(kind, x, [y], name=y, **attrs))
        self.dim[y] = list(dim)
        return y

    def same(self, kind, x, **attrs):
        return self.op(kind, x, self.dim[x], **attrs)

    def two(self, kind, a, b):
        dim = np.broadcast_shapes(self.dim[a], self.dim[b])
        return self.op(kind, [a, b], dim)

    def weight(self, dim, fan, gain=1.0):
        return self.rng.normal(0, gain * fan ** -0.5, dim)

    # ---- layers ----

    def conv(self, x, out, k, stride=1, dilate=1, group=1, gain=1.4):
        n, c, *size = self.dim[x]
        nd, pad = len(size), (k - 1) * dilate // 2
        w = self.weight([out, c // group] + [k] * nd, c // group * k ** nd,
                        gain)
        size = [(s + 2 * pad - dilate * (k - 1) - 1) // stride + 1
                for s in size]
        self.mac += n * int(np.prod(size)) * w.size
        return self.op("Conv", [x, self.const(w),
                                self.const(self.rng.normal(0, 0.1, out))],
                       [n, out] + size, kernel_shape=[k] * nd,
                       strides=[stride] * nd, dilations=[dilate] * nd,
                       group=group, pads=[pad] * 2 * nd)

    def deconv(self, x, out, k, stride):
        n, c, *size = self.dim[x]
        nd, pad = len(size), (k - stride) // 2
        w = self.weight([c, out] + [k] * nd, c * (k / stride) ** nd, 1.4)
        self.mac += n * int(np.prod(size)) * w.size
        size = [(s - 1) * stride - 2 * pad + k for s in size]
        return self.op("ConvTranspose",
                       [x, self.const(w),
                        self.const(self.rng.normal(0, 0.1, out))],
                       [n, out] + size, kernel_shape=[k] * nd,
                       strides=[stride] * nd, pads=[pad] * 2 * nd)

    def linear(self, x, out, gain=1.0):
        k = self.dim[x][-1]
        w = self.weight([k, out], k, gain)
        b = self.const(self.rng.normal(0, 0.1, out))
        dim = self.dim[x][:-1] + [out]
        self.mac += int(np.prod(dim)) * k
        if not self.dynamic:
            return self.two("Add", self.op("MatMul", [x, self.const(w)], dim),
                            b)
        scale = abs(w).max() / 127
        q = ["q%d%s" % (len(self.node), s) for s in ("", ".scale", ".zero")]
        self.node.append(helper.make_node("DynamicQuantizeLinear", [x], q))
        self.dim[q[1]] = []
        y = self.op("MatMulInteger",
                    [q[0], self.const(np.rint(w / scale), np.int8), q[2]], dim)
        y = self.same("Cast", y, to=TensorProto.FLOAT)
        s = self.two("Mul", q[1], self.const(scale))
        return self.two("Add", self.two("Mul", y, s), b)

    def act(self, x, kind):
        if kind == "SiLU":
            return self.two("Mul", x, self.same("Sigmoid", x))
        if kind == "Relu6":
            return self.op("Clip", [x, self.const(0), self.const(6)],
                           self.dim[x])
        if kind == "Gelu":
            e = self.same("Erf", self.two("Div", x, self.const(2 ** 0.5)))
            g = self.two("Add", e, self.const(1))
            return self.two("Mul", self.two("Mul", x, g), self.const(0.5))
        return self.same(kind, x)

    def pool(self, x, k, stride):
        n, c, *size = self.dim[x]
        pad = (k - 1) // 2
        size = [(s + 2 * pad - k) // stride + 1 for s in size]
        return self.op("MaxPool", x, [n, c] + size, kernel_shape=[k] * 2,
                       strides=[stride] * 2, pads=[pad] * 4)

    def mean(self, x):
        d = self.dim[x]
        return self.op("GlobalAveragePool", x, d[:2] + [1] * (len(d) - 2))

    def head(self, x, out):
        y = self.mean(x)
        y = self.op("Flatten", y, self.dim[y][:2])
        return self.linear(y, out)

    def concat(self, parts, axis=1):
        d = list(self.dim[parts[0]])
        d[axis] = sum(self.dim[p][axis] for p in parts)
        return self.op("Concat", parts, d, axis=axis)

    def reshape(self, x, dim):
        return self.op("Reshape", [x, self.const(dim, np.int64)], dim)

    def turn(self, x, perm):
        return self.op("Transpose", x, [self.dim[x][i] for i in perm],
                       perm=perm)

    def norm(self, x):
        c = self.dim[x][-1]
        return self.op("LayerNormalization",
                       [x, self.const(self.rng.normal(1, 0.1, c)),
                        self.const(self.rng.normal(0, 0.1, c))], self.dim[x],
                       axis=-1)

    def bigger(self, x):
        n, c, h, w = self.dim[x]
        return self.op("Resize", [x, "", self.const([1, 1, 2, 2])],
                       [n, c, 2 * h, 2 * w], mode="nearest",
                       coordinate_transformation_mode="asymmetric",
                       nearest_mode="floor")

    def attend(self, x, heads, causal):
        n, length, d = self.dim[x]
        q, k, v = [self.reshape(self.linear(x, d),
                                [n, length, heads, d // heads])
                   for _ in range(3)]
        q, v = [self.turn(t, [0, 2, 1, 3]) for t in (q, v)]
        k = self.turn(k, [0, 2, 3, 1])
        s = self.op("MatMul", [q, k], [n, heads, length, length])
        s = self.two("Mul", s, self.const((d // heads) ** -0.5))
        if causal:
            s = self.two("Add", s, self.const(
                np.triu(np.full((length, length), -16.0), 1)))
        y = self.op("MatMul", [self.same("Softmax", s, axis=-1), v],
                    self.dim[q])
        self.mac += 2 * n * length * length * d
        y = self.reshape(self.turn(y, [0, 2, 1, 3]), [n, length, d])
        return self.linear(y, d, 0.5)

    def excite(self, x, kind):
        c = self.dim[x][1]
        g = self.act(self.conv(self.mean(x), max(c // 8, 4), 1), kind)
        return self.two("Mul", x, self.same("Sigmoid", self.conv(g, c, 1)))

    # ---- beginnings; each says what was drawn ----

    def start(self, *dim):
        self.dim["x"] = list(dim)
        self.said.append("x".join(str(d) for d in dim))
        return "x"

    def picture(self, c=3):
        size = self.pick(32, 48, 64, 96, 112)
        return self.start(self.pick(1, 1, 1, 2, 4), c, size, size)


def residual(m):
    kind, c = m.pick("Relu", "LeakyRelu", "SiLU"), m.pick(16, 24, 32, 48)
    x = m.act(m.conv(m.picture(), c, 3, 2), kind)
    for stage in range(m.pick(2, 3)):
        for b in range(m.pick(1, 2, 3)):
            stride = 2 if b == 0 and stage else 1
            y = m.act(m.conv(x, c << stage, 3, stride), kind)
            y = m.conv(y, c << stage, 3, gain=0.4)
            if m.dim[x] != m.dim[y]:
                x = m.conv(x, c << stage, 1, stride)
            x = m.act(m.two("Add", x, y), kind)
    return m.head(x, m.pick(10, 100, 1000))


def depthwise(m):
    kind, c = m.pick("Relu", "Relu6", "HardSwish"), m.pick(8, 16, 24)
    x = m.act(m.conv(m.picture(), c, 3, 2), kind)
    for b in range(m.pick(4, 6, 8)):
        wide, stride = m.dim[x][1] * m.pick(2, 4, 6), 2 if b % 3 == 1 else 1
        y = m.act(m.conv(x, wide, 1), kind)
        y = m.act(m.conv(y, wide, m.pick(3, 5), stride, group=wide), kind)
        y = m.conv(y, c + c // 2 * (b // 2), 1)
        x = m.two("Add", x, y) if m.dim[x] == m.dim[y] else y
    return m.head(x, 100)


def squeeze(m):
    kind, c = m.pick("SiLU", "SiLU", "HardSwish"), m.pick(16, 24)
    x = m.act(m.conv(m.picture(), c, 3, 2), kind)
    for b in range(m.pick(3, 5)):
        wide, stride = m.dim[x][1] * 4, 2 if b % 2 else 1
        y = m.act(m.conv(x, wide, 1), kind)
        y = m.act(m.conv(y, wide, m.pick(3, 5), stride, group=wide), kind)
        y = m.conv(m.excite(y, kind), c + 8 * (b // 2), 1)
        x = m.two("Add", x, y) if m.dim[x] == m.dim[y] else y
    return m.head(x, 100)


def dense(m):
    grow = m.pick(12, 16, 24, 32)
    x = m.same("Relu", m.conv(m.picture(), 2 * grow, 3, 2))
    for b in range(m.pick(6, 9)):
        y = m.same("Relu", m.conv(x, 4 * grow, 1))
        x = m.concat([x, m.same("Relu", m.conv(y, grow, 3))])
        if b % 3 == 2:
            x = m.pool(m.conv(x, m.dim[x][1] // 2, 1), 2, 2)
    return m.head(x, 10)


def dilated(m):
    c, kind = m.pick(16, 32, 48), m.pick("Relu", "LeakyRelu", "Elu")
    x = m.act(m.conv(m.picture(), c, 3, 2), kind)
    for b in range(m.pick(3, 5)):
        y = m.act(m.conv(x, c, 3, dilate=2 ** (b % 4)), kind)
        x = m.two("Add", x, m.conv(y, c, 1, gain=0.5))
    return m.conv(x, m.pick(5, 19, 21), 1)


def shuffled(m):
    groups = m.pick(2, 3, 4)
    c = groups * m.pick(8, 16, 24)
    x = m.same("Relu", m.conv(m.picture(), c, 3, 2))
    for _ in range(m.pick(3, 5)):
        y = m.same("Relu", m.conv(x, c, 1, group=groups))
        n, _, h, w = m.dim[y]
        y = m.reshape(y, [n, groups, c // groups, h, w])
        y = m.reshape(m.turn(y, [0, 2, 1, 3, 4]), [n, c, h, w])
        y = m.conv(m.conv(y, c, 3, group=c), c, 1, group=groups)
        x = m.same("Relu", m.two("Add", x, y))
    return m.head(x, 100)


def series(m):
    c, kind = m.pick(32, 48, 64, 128), m.pick("Relu", "SiLU", "LeakyRelu")
    x = m.start(m.pick(1, 1, 4), m.pick(8, 16, 40), m.pick(256, 512, 1024))
    x = m.conv(x, c, 3)
    for b in range(m.pick(4, 6)):
        y = m.act(m.conv(x, c, 3, dilate=2 ** b), kind)
        x = m.two("Add", x, m.conv(y, c, 1, gain=0.5))
    return m.conv(x, 10, 1)


def audio(m):
    c, kind = m.pick(16, 24, 32), m.pick("Relu", "LeakyRelu", "Tanh")
    x = m.start(1, 1, m.pick(4000, 8000, 16000))
    for b in range(4):
        x = m.act(m.conv(x, c << b // 2, m.pick(5, 9), 4), kind)
    return m.head(x, 35)


def generator(m):
    c, kind = m.pick(64, 96, 128), m.pick("Relu", "LeakyRelu")
    x = m.start(m.pick(1, 2, 8), c, 4, 4)
    for _ in range(m.pick(2, 3)):
        c = c // 2
        x = m.act(m.deconv(x, c, 4, 2), kind)
    return m.same("Tanh", m.deconv(x, 3, 4, 2))


def unet(m):
    c, up = m.pick(8, 16, 24), m.pick(True, False)
    x, seen = m.picture(m.pick(1, 3)), []
    for level in range(3):
        x = m.same("Relu", m.conv(x, c << level, 3))
        seen.append(x)
        x = m.pool(x, 2, 2)
    x = m.same("Relu", m.conv(x, 8 * c, 3))
    for level in reversed(range(3)):
        x = m.bigger(x) if up else m.deconv(x, c << level, 2, 2)
        x = m.same("Relu", m.conv(m.concat([x, seen[level]]), c << level, 3))
    return m.same("Sigmoid", m.conv(x, 1, 1))


def detector(m):
    kind, c = m.pick("SiLU", "SiLU", "LeakyRelu"), m.pick(16, 24, 32)
    x, levels = m.picture(), []
    for stage in range(4):
        x = m.act(m.conv(x, c << min(stage, 2), 3, 2), kind)
        y = m.act(m.conv(x, m.dim[x][1] // 2, 1), kind)
        z = m.act(m.conv(y, m.dim[y][1], 3, gain=0.7), kind)
        x = m.act(m.conv(m.concat([y, m.two("Add", y, z)]), m.dim[x][1], 1),
                  kind)
        levels.append(x)
    up = m.bigger(x)
    if m.dim[up][2:] == m.dim[levels[2]][2:]:
        levels[2] = m.act(m.conv(m.concat([up, levels[2]]), 2 * c, 3), kind)
    boxes = []
    for x in levels[2:]:
        y = m.conv(m.act(m.conv(x, 2 * c, 3), kind), 3 * 9, 1)
        n, d, h, w = m.dim[y]
        boxes.append(m.turn(m.reshape(y, [n, d, h * w]), [0, 2, 1]))
    return m.same("Sigmoid", m.concat(boxes))


def transformer(m, causal):
    d, length = m.pick(128, 256, 384, 512), m.pick(32, 64, 128)
    x = m.start(m.pick(1, 1, 2), length, d)
    heads, kind = d // m.pick(32, 64), m.pick("Gelu", "Relu")
    return blocks(m, x, m.pick(1, 2), heads, kind, causal)


def blocks(m, x, count, heads, kind, causal):
    d = m.dim[x][-1]
    for _ in range(count):
        x = m.two("Add", x, m.attend(m.norm(x), heads, causal))
        y = m.act(m.linear(m.norm(x), 4 * d), kind)
        x = m.two("Add", x, m.linear(y, d, 0.5))
    return m.norm(x)


def encoder(m):
    return transformer(m, False)


def decoder(m):
    return transformer(m, True)


def convnext(m):
    c = m.pick(32, 48, 64, 96)
    x = m.conv(m.picture(), c, 4, 4)
    for _ in range(m.pick(2, 3)):
        y = m.turn(m.conv(x, c, 7, group=c), [0, 2, 3, 1])
        y = m.act(m.linear(m.norm(y), 4 * c), "Gelu")
        y = m.turn(m.linear(y, c, 0.5), [0, 3, 1, 2])
        x = m.two("Add", x, y)
    return m.head(x, 100)


def mixed(m):
    c = m.pick(32, 64, 96)
    x = m.same("Relu", m.conv(m.picture(), c // 2, 3, 2))
    x = m.same("Relu", m.conv(x, c, 3, 4))
    n, _, h, w = m.dim[x]
    t = m.turn(m.reshape(x, [n, c, h * w]), [0, 2, 1])
    t = m.two("Add", t, m.attend(m.norm(t), c // 16, False))
    x = m.reshape(m.turn(t, [0, 2, 1]), [n, c, h, w])
    return m.head(m.same("Relu", m.conv(x, 2 * c, 3, 2)), 100)


def recurrent(m, kind, gates):
    length, d, h = m.pick(16, 32, 64), m.pick(32, 64), m.pick(64, 128)
    x = m.start(length, 1, d)
    w, r = m.weight([1, gates * h, d], d), m.weight([1, gates * h, h], h)
    b = m.rng.normal(0, 0.1, [1, 2 * gates * h])
    m.mac += length * (w.size + r.size)
    y = m.op(kind, [x, m.const(w), m.const(r), m.const(b)],
             [length, 1, 1, h], hidden_size=h,
             **({"linear_before_reset": 1} if kind == "GRU" else {}))
    return m.linear(m.reshape(y, [length, h]), 10)


def lstm(m):
    return recurrent(m, "LSTM", 4)


def gru(m):
    return recurrent(m, "GRU", 3)


def chain(m):
    x = m.start(m.pick(1, 4), m.pick(16, 32), m.pick(32, 64), m.pick(32, 64))
    c = m.dim[x][1]
    for _ in range(m.pick(6, 10)):
        kind = m.pick("Relu", "LeakyRelu", "Tanh", "Sigmoid", "HardSigmoid",
                      "HardSwish", "SiLU", "Elu", "Softplus", "Mul", "Add")
        if kind in ("Mul", "Add"):
            x = m.two(kind, x, m.const(m.rng.normal(1, 0.3, [1, c, 1, 1])))
        else:
            x = m.act(x, kind)
    return x


def plain(m):
    c = m.pick(9, 13, 17, 23, 31)
    x = m.picture(m.pick(1, 3))
    for _ in range(m.pick(3, 4)):
        x = m.pool(m.same("Relu", m.conv(x, c, 3)), 2, 2)
        c = 2 * c + m.pick(0, 1)
    return m.head(x, m.pick(7, 10))


def perceptron(m):
    x = m.start(m.pick(1, 4, 16), m.pick(64, 200, 784))
    for _ in range(m.pick(2, 4)):
        x = m.act(m.linear(x, m.pick(128, 300, 512, 1024), 1.4), "Relu")
    return m.linear(x, 10)


KINDS = [residual, depthwise, squeeze, dense, dilated, shuffled, series, audio,
         generator, unet, detector, encoder, decoder, convnext, mixed, lstm,
         gru, chain, plain, perceptron]


def of_width(seed, d, dynamic):
    """Two blocks of an encoder of width d, heads of 64, 128 long."""
    m = Net(seed * 1000003 % 2 ** 31 + d, dynamic)
    x = m.start(1, 128, d)
    return m, blocks(m, x, 2, d // 64, "Gelu", False)


def draw(seed, number, dynamic):
    m = Net(seed * 1000003 % 2 ** 31 + number, dynamic)
    y = KINDS[number % len(KINDS)](m)
    return m, y


def save(m, y, path):
    def info(n):
        return helper.make_tensor_value_info(n, TensorProto.FLOAT, m.dim[n])

    graph = helper.make_graph(m.node, "drawn", [info("x")], [info(y)], m.init)
    model = helper.make_model(graph,
                              opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, path)


def calibrate(m, seed, path):
    """Four samples of the network's input."""
    rng = np.random.RandomState(seed)
    np.save(path, np.concatenate(
        [rng.normal(0, 1, m.dim["x"]) for _ in range(4)]).astype(np.float32))


def title(m, number):
    return "%s %s %.1f" % (KINDS[number % len(KINDS)].__name__,
                           " ".join(m.said), m.mac / 1e6)


def main():
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    seed, number = int(sys.argv[1]), int(sys.argv[2])
    m, y = draw(seed, number, False)
    save(m, y, sys.argv[3])
    calibrate(m, seed, sys.argv[4])
    if len(sys.argv) == 6:
        save(*draw(seed, number, True), sys.argv[5])
    print(title(m, number))


if __name__ == "__main__":
    main()
