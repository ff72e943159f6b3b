#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The table of nodes and families: instances with claim, guard and proof.
BUILD=${BUILD:-build}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
files="--nodes nodes.def --passes passes.def"
for b in src/backend/*/*.def; do files="$files --backend $b"; done
# shellcheck disable=SC2086
"$BUILD/sinter-gen" --explain $files -I . >"$tmp/table" 2>"$tmp/err" || bad=1

# says NODE TEXT: the paragraph of the node has the line.
says() {
    if sed -n "/^$1 (/,/^[A-Z]/p" "$tmp/table" | grep -qF -- "$2"; then
        echo "ok explain $1: $2"
    else
        echo "not ok explain $1: no '$2'"
        bad=1
    fi
}
says Conv2D '    absorb Conv2D.x: refines, by L4 L5'
says Conv2D '      when covers(reach(r), reach(x))'
says Conv2D '    integerize Conv2D -> q8: within 1 lsb, by L4 L5 L6'
says MaxPool '  absorb  no: x is same, not free'
says MaxPool '      when unused(n.idx)'
says Pad '    sink Pad: exact, by L1 L3'
says Relu '    sink Transpose below Relu: exact, by L1'
says LRN '  sink    no: barrier: LRN (same, arithmetic)'
exit $bad
