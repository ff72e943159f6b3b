#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# All node tests of the Debian package libonnx-testdata against the committed
# table, and the share that passes of those for the operators of
# tests/onnx/operators.txt: at least 90 % must, and those of operators on codes
# are listed one by one.  To accept changes:
#   $BUILD/tests/node_tests --write tests/onnx/conformance.txt \
#       opset24=../shared/data/node/opset24 \
#       debian=/usr/share/libonnx-testdata/data/node
. "${0%/*}/../../tools/help.sh"
BUILD=${BUILD:-build}
sh tools/deps.sh libonnx-testdata || exit 1
exec "$BUILD/tests/node_tests" --ops tests/onnx/operators.txt \
    tests/onnx/conformance.txt \
    debian=/usr/share/libonnx-testdata/data/node
