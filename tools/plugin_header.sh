#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints HEADER with the text of each `#include "..."`, of its includes and so
# on, in place of the first line that includes it.  They are looked for in DIR...
# Usage: plugin_header.sh HEADER DIR...
. "${0%/*}/help.sh"
set -eu
header=$1
shift
awk -v dirs="$*" '
function find(name,    i, n, d, line, got) {
    n = split(dirs, d, " ")
    for (i = 1; i <= n; i++) {
        got = getline line < (d[i] "/" name)
        close(d[i] "/" name)
        if (got > 0)
            return d[i] "/" name
    }
    printf "plugin_header.sh: no %s in %s\n", name, dirs > "/dev/stderr"
    exit failed = 1
}
function put(path, inside,    line, name) {
    while ((getline line < path) > 0) {
        if (line ~ /^#include "/) {
            name = line
            gsub(/^#include "|"$/, "", name)
            if (!(name in seen)) {
                seen[name] = 1
                put(find(name), 1)
            }
        } else if (!inside || line !~ /SPDX-License-Identifier/)
            print line
    }
    close(path)
}
BEGIN { put(ARGV[1], 0); exit failed }' "$header"
