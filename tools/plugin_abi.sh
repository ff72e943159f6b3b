#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares what plugins are compiled against, the declarations of the installed
# header without comments and without what nodes.def makes, with the record of
# the interface's number in tools/plugin.abi: "NUMBER HASH".  Structs that
# differ need another SN_PLUGIN_ABI (src/backend/plugin.h), or plugins built
# before would read other members; `sh tools/plugin_abi.sh BUILD bless` records
# it then.  Usage: plugin_abi.sh BUILD [bless]
. "${0%/*}/help.sh"
set -eu
build=$1 record=${PLUGIN_ABI:-tools/plugin.abi}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for f in $(find "$build" -maxdepth 2 -name '*.h'); do
    echo >"$tmp/${f##*/}"
done
sh tools/plugin_header.sh include/sinter_plugin.h "${SRC:-src}" "$tmp" >"$tmp/text"
sed -e ':a' -e '/\/\*/!b' -e '/\*\//!{N;ba' -e '}' -e 's|/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/||g' -e 'ta' "$tmp/text" |
    sed 's|//.*||' | tr -s ' \t\n' '\n' >"$tmp/words"
number=$(awk '$1 == "#define" && $2 == "SN_PLUGIN_ABI" { print $3 }' "${SRC:-src}/backend/plugin.h")
hash=$(grep -v -x "$number" "$tmp/words" | sha256sum | cut -c1-16)
if [ "${2:-}" = bless ]; then
    echo "$number $hash" >"$record"
    exit 0
fi
read -r was old <"$record"
if [ "$hash" = "$old" ] && [ "$number" = "$was" ]; then
    exit 0
fi
if [ "$number" = "$was" ]; then
    echo "plugin_abi: the declarations for plugins differ from those of interface $was:"
    echo "  raise SN_PLUGIN_ABI in src/backend/plugin.h, then sh tools/plugin_abi.sh $build bless"
else
    echo "plugin_abi: interface $number is not recorded: sh tools/plugin_abi.sh $build bless"
fi
exit 1
