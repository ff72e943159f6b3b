#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The cost of proofs: the time of sinter-gen on the shipped declarations on one
# core (user and system, the least of several runs), as multiples of a run
# without proofs (--no-prove) and, with a second build, of that build's time on
# the declarations of its own tree, the folder above it.  Seconds depend on the
# machine and are printed only for information.
# Usage: proof_time.sh BUILD [OTHER-BUILD]
. "${0%/*}/help.sh"
set -u
build=${1:?usage: proof_time.sh BUILD [OTHER-BUILD]}
other=${2:-}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# least N COMMAND: milliseconds of the quickest of N runs.
least() {
    n=$1
    shift
    for _ in $(seq "$n"); do
        [ -z "$before" ] || eval "$before"
        bash -c "TIMEFORMAT='%U %S'; time $* >$tmp/out 2>&1" 2>"$tmp/time" ||
            { cat "$tmp/out" >&2; touch "$tmp/failed"; }
        awk '{ printf "%.0f\n", ($1 + $2) * 1000 }' "$tmp/time"
    done | sort -n | head -n 1
}

# of BUILD TREE: the four figures, one a line.
of() {
    gen=$(cd "$1" && pwd)/sinter-gen
    cd "$2" || exit 1
    files="--nodes nodes.def --passes passes.def"
    for b in src/backend/*/*.def; do files="$files --backend $b"; done
    # One rule with its condition in another order: it alone is proved again.
    rm -rf "$tmp/edit"
    mkdir -p "$tmp/edit/src/backend"
    cp ./*.def "$tmp/edit/"
    for d in src/backend/*/; do
        mkdir "$tmp/edit/$d"
        cp "$d"*.def "$tmp/edit/$d" 2>/dev/null
    done
    sed -i '/rule relu_relu:/s/i.type == o.type/o.type == i.type/' "$tmp/edit/passes.def"
    if cmp -s passes.def "$tmp/edit/passes.def"; then
        echo "passes.def: expected a rule relu_relu with i.type == o.type to edit" >&2
        touch "$tmp/failed"
    fi
    dir=$tmp/gen
    rm -rf "$dir"
    before=
    least 5 "$gen $files -I . -o $dir --no-prove"
    before='rm -rf "$dir"'
    least 2 "$gen $files -I . -o $dir"
    before=
    least 5 "$gen $files -I . -o $dir"
    cp -r "$dir" "$tmp/kept"
    before='rm -rf "$dir"; cp -r "$tmp/kept" "$dir"'
    least 5 "env -C $tmp/edit $gen $files -I . --check -o $dir"
    rm -rf "$tmp/kept"
}

(of "$build" .) >"$tmp/this"
: >"$tmp/that"
[ -z "$other" ] || (of "$other" "$other/..") >"$tmp/that"
[ ! -e "$tmp/failed" ] || exit 1
printf '%s\n' 'no proofs' cold cached 'check of one edited rule' |
    paste -d '|' - "$tmp/this" "$tmp/that" | awk -F '|' '
    NR == 1 { base = $2 > 0 ? $2 : 1 }
    {
        printf "%-25s %6.2f s, %6.1f times a run without proofs", $1, $2 / 1000, $2 / base
        if ($3 != "") printf "; %.2f times the other build", $2 / ($3 > 0 ? $3 : 1)
        print ""
    }'
