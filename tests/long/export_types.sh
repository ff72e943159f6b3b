#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Inputs and outputs of every element type: models and their exports in ONNX
# Runtime, with the same types and values.
. "${0%/*}/../../tools/help.sh"
BUILD=${BUILD:-build}
out=$BUILD/long/export_types
ort=$BUILD/oracle
rm -rf "$out"
mkdir -p "$out"

command -v node >/dev/null && command -v npm >/dev/null || sh tools/deps.sh nodejs npm
sh tools/oracle/install.sh "$ort" || { echo "not ok export_types: no ONNX Runtime"; exit 1; }
"$BUILD/tests/test_export_types" --dump "$out" ||
    { echo "not ok export_types: no models"; exit 1; }
node tools/oracle/pairs.js "$ort" "$out" >"$out/log" 2>&1 || echo "not ok export_types" >>"$out/log"
cat "$out/log"
! grep -q "^not ok" "$out/log"
