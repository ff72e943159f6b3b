#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The version script of libsinter.so: the functions of include/sinter.h, and
# those of the library that headers for plugins name.
# Usage: exports.sh LIBRARY VERSION ABI HEADER...
. "${0%/*}/help.sh"
set -eu
lib=$1 version=$2 abi=$3
shift 3
LC_ALL=C
export LC_ALL
echo "SINTER_$version { global: sinter_*; local: *; };"
echo "SINTER_PLUGIN_$abi { global:"
{
    nm -g --defined-only "$lib" 2>/dev/null | awk 'NF == 3 { print "D", $3 }'
    grep -ohE '\bsn_[a-z0-9_]+' "$@" | sort -u | sed 's/^/H /'
} | awk '$1 == "D" { have[$2] = 1 } $1 == "H" && $2 in have { print "    " $2 ";" }'
echo "} SINTER_$version;"
