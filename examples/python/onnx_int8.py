# SPDX-License-Identifier: Apache-2.0
"""A float ONNX model to int8, and what that changes.
Usage: onnx_int8.py MODEL.onnx CALIB.npy TEST.npy LABELS.npy OUT.onnx"""
import sys

import numpy as np
import sinter

model, calib, test, labels, out = sys.argv[1:]
images = np.load(calib).astype(np.float32) / 255
int8 = sinter.quantize(model, images[:, None])
sinter.export(int8, out)
r = sinter.report(int8)
print(f"{r['int8_nodes']} int8 nodes, {len(r['float_nodes'])} float, from {r['samples']} samples")

x = np.load(test)[:500, None].astype(np.float32) / 255
want = np.load(labels)[:500]
for name, m in (("float", model), ("int8", int8)):
    s = sinter.Session(m)
    (y,) = s.run_batch({s.inputs[0].name: x}).values()
    print(f"{name}: top-1 {np.mean(y.reshape(len(x), -1).argmax(1) == want):.4f}")
for output, c in sinter.compare(model, int8, x[:50]).items():
    print(f"{output}: SQNR {c['sqnr_db']:.1f} dB")
