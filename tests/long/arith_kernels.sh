#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# 1500 more random graphs by kernels under arithmetics other than float.
. "${0%/*}/../../tools/help.sh"
exec sh tests/sh/arith_kernels.sh 1500 100000
