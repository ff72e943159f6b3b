#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The ONNX backend's node tests under $SHARED against the committed table.
BUILD=${BUILD:-build}
dir=${SHARED:-../shared}/data/node/opset24
if [ ! -d "$dir" ]; then
    echo "skip onnx_node: no $dir"
    exit 0
fi
exec "$BUILD/tests/node_tests" tests/onnx/conformance.txt opset24="$dir"
