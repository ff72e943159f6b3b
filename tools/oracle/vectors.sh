#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the stored vectors of `make check` anew: small models of every operator
# and form with inputs and what ONNX Runtime gives (optimizations off), under
# tests/onnx/vectors.  Those that a defect left behind are kept: their names
# end in a word instead of a number.
#   BUILD as in the Makefile
. "${0%/*}/../help.sh"
set -eu
BUILD=${BUILD:-build}
dir=tests/onnx/vectors
sh tools/oracle/install.sh "$BUILD/oracle"
rm -rf "$dir"/*_[0-9]
"$BUILD/tests/differ" --ort "$(sh tools/oracle/lib.sh "$BUILD/oracle")" --store "$dir"
