#!/bin/sh
# All node tests of the Debian package libonnx-testdata against the committed
# table.  To accept what changed:
#   $BUILD/tests/node_tests --write tests/onnx/conformance.txt \
#       opset24=../shared/data/node/opset24 \
#       debian=/usr/share/libonnx-testdata/data/node
BUILD=${BUILD:-build}
sh tools/deps.sh libonnx-testdata || exit 1
exec "$BUILD/tests/node_tests" tests/onnx/conformance.txt \
    debian=/usr/share/libonnx-testdata/data/node
