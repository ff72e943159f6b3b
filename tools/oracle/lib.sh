#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the path of ONNX Runtime's library in DIR, where install.sh put it.
# Usage: lib.sh DIR
. "${0%/*}/../help.sh"
case $(uname -m) in
x86_64) cpu=x64 ;;
aarch64) cpu=arm64 ;;
*) echo "no ONNX Runtime for $(uname -m)" >&2; exit 1 ;;
esac
echo "$1/node_modules/onnxruntime-node/bin/napi-v6/linux/$cpu/libonnxruntime.so.1"
