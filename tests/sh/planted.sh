#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What tests/long/breaks.sh, undone.sh and defects.sh plant still changes the
# sources, each in one place or in as many as stand here: a line of theirs that
# changes nothing is found when the source changes, not when they run.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
places='component_names=2 scale_floor=2 normalize_components=2 raise_gelu=3 raise_hardswish=3
    empty_called=3 negative_index=2 kernels_of_nothing=2 crossed_meet=2 stale_shapes=2'

# plant NAME FILE SED: does it change that many places?
plant() {
    want=1
    for p in $places; do
        [ "${p%=*}" != "$1" ] || want=${p#*=}
    done
    n=$((n + 1))
    if [ ! -f "$2" ]; then
        echo "not ok planted $script $1: there is no $2"
        nbad=$((nbad + 1))
        return
    fi
    sed "$3" "$2" | diff -U0 "$2" - >"$tmp/diff"
    found=$(grep -c '^@@' "$tmp/diff")
    [ "$found" -eq "$want" ] && return
    echo "not ok planted $script $1: $found places in $2, expected $want"
    nbad=$((nbad + 1))
}
# As the scripts call it.
b() { plant "$@"; }
u() { plant "$@"; }
c() { plant "$@"; }
d() { plant "$@"; }

for script in breaks undone defects; do
    n=0 nbad=0
    sed '1,/^# ---- /d; /^exit /d; /^echo /d' "tests/long/$script.sh" >"$tmp/calls"
    . "$tmp/calls"
    if [ $n -gt 0 ] && [ $nbad -eq 0 ]; then
        echo "ok planted $script: $n apply"
    else
        echo "not ok planted $script: $nbad of $n"
        bad=1
    fi
done
exit $bad
