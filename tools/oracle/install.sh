#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Puts ONNX Runtime for node into DIR (once), without running any script of a
# package.  Usage: install.sh DIR [VERSION]
. "${0%/*}/../help.sh"
set -eu
dir=$1
mkdir -p "$dir"
[ -d "$dir/node_modules/onnxruntime-node" ] && exit 0
echo '{"private": true}' >"$dir/package.json"
cd "$dir"
npm install --ignore-scripts --no-audit --no-fund --no-save --loglevel=error \
    onnxruntime-node@"${2:-1.30.0}" >/dev/null
