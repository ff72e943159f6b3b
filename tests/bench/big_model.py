#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a model of about 100 MB: a topology whose weights are ConstantOfShape
nodes (light_resnet50 under ../shared/data), with seeded random weights.

    big_model.py LIGHT.onnx OUT.onnx
"""
import sys

import numpy as np
import onnx
from onnx import numpy_helper

model = onnx.load(sys.argv[1])
graph = model.graph
rng = np.random.default_rng(1)
known = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
keep, used = [], set()
for node in graph.node:
    if node.op_type != "ConstantOfShape":
        keep.append(node)
        used.update(node.input)
        continue
    shape = known[node.input[0]]
    fan = float(np.prod(shape[1:])) if len(shape) > 1 else 1.0
    value = rng.standard_normal(shape, dtype=np.float32) / np.sqrt(fan)
    if len(shape) == 1:  # scales, means, variances: positive
        value = np.abs(value) + np.float32(0.5)
    graph.initializer.append(
        numpy_helper.from_array(value.astype(np.float32), node.output[0]))
del graph.node[:]
graph.node.extend(keep)
tensors = [t for t in graph.initializer if t.name in used]
inputs = [i for i in graph.input if i.name in used and
          i.name not in {t.name for t in tensors}]
del graph.initializer[:]
graph.initializer.extend(tensors)
del graph.input[:]
graph.input.extend(inputs)
onnx.save(model, sys.argv[2])
