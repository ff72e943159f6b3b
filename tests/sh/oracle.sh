#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Stored results of ONNX Runtime (tools/oracle/vectors.sh), without it.
exec "${BUILD:-build}/tests/differ" --replay tests/onnx/vectors
