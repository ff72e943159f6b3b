# SPDX-License-Identifier: Apache-2.0
"""A PyTorch network to an int8 ONNX model.  Usage: torch_int8.py OUT.onnx"""
import io
import sys

import sinter
import torch

torch.manual_seed(1)
net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU(),
                          torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(8 * 64, 10)).eval()
data = torch.utils.data.TensorDataset(torch.rand(64, 3, 16, 16), torch.zeros(64))
loader = torch.utils.data.DataLoader(data, batch_size=16)

proto = io.BytesIO()
torch.onnx.export(net, torch.rand(1, 3, 16, 16), proto, input_names=["x"], output_names=["y"])
int8 = sinter.quantize(proto.getvalue(), loader)
sinter.export(int8, sys.argv[1])

x = torch.rand(1, 3, 16, 16)
y = sinter.Session(int8).run({"x": x})["y"]
print("int8 differs by at most", round(abs(net(x).detach().numpy() - y).max().item(), 3))
