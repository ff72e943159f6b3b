#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# 5000 random small models, float, QDQ and QOperator, through ONNX Runtime and
# sinter (tests/differ).  Models that disagree are reduced, printed, and saved
# under $BUILD/long/differ.
#   BUILD as in the Makefile; MODELS, SEED: other models
. "${0%/*}/../../tools/help.sh"
BUILD=${BUILD:-build}
ort=$BUILD/oracle
out=$BUILD/long/differ
mkdir -p "$out"
command -v npm >/dev/null || sh tools/deps.sh nodejs npm
sh tools/oracle/install.sh "$ort" || { echo "not ok differ: no ONNX Runtime"; exit 1; }
exec "$BUILD/tests/differ" --ort "$(sh tools/oracle/lib.sh "$ort")" \
    --n "${MODELS:-5100}" --seed "${SEED:-0}" --out "$out"
