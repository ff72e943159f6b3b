#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares the interface of libsinter.so by include/sinter.h with the record in
# tools/sinter.abi: functions, types, offsets of members.  An intended change is
# accepted by `sh tools/abi.sh BUILD bless`; a change that programs would notice
# needs a new version.  Usage: abi.sh BUILD [bless]
. "${0%/*}/help.sh"
set -u
build=$1
[ "$(uname -m)" = x86_64 ] || exit 0 # which tools/sinter.abi is of
base=tools/sinter.abi
lib=$(ls "$build"/libsinter.so.*.*.* 2>/dev/null | head -n 1)
[ -f "$lib" ] || { echo "abi: no libsinter.so in $build: make lib"; exit 1; }
if ! command -v abidiff >/dev/null && ! sh tools/deps.sh abigail-tools >/dev/null 2>&1; then
    echo "abi: not compared, there is no abidiff (abigail-tools)"
    exit 0
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# Backends outside the tree are built again for each minor version.
printf '[suppress_%s]\n  symbol_name_not_regexp = ^sinter_\n  drop = yes\n' function >"$tmp/mine"
printf '[suppress_%s]\n  symbol_name_not_regexp = ^sinter_\n  drop = yes\n' variable >>"$tmp/mine"
mkdir "$tmp/h" && cp include/sinter.h "$tmp/h" || exit 1
abidw --suppr "$tmp/mine" --headers-dir "$tmp/h" --drop-private-types --exported-interfaces-only \
    --no-show-locs --no-corpus-path --no-comp-dir-path --type-id-style hash \
    --out-file "$tmp/now" "$lib" || exit 1
n=$(grep -c "<function-decl name='sinter_" "$tmp/now")
[ "$n" -ge 20 ] || { echo "abi: $n functions, expected 20 at least"; exit 1; }
if [ "${2:-}" = bless ]; then
    cp "$tmp/now" "$base"
    exit 0
fi
abidiff "$base" "$tmp/now" >"$tmp/diff" || { cat "$tmp/diff"; exit 1; }
