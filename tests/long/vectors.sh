#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# 10 000 vectors for each row of five machines, by formulas and by plugins.
. "${0%/*}/../../tools/help.sh"
exec sh tests/sh/vectors.sh 10000 tflite cmsis_nn xnn_rndnu max78000 nvdla
