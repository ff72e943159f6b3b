# SPDX-License-Identifier: Apache-2.0
# Sourced by tests of the command line, with $suite set: what they share.
# $tmp is gone at the end; a case that fails sets $bad.
BUILD=${BUILD:-build}
sinter=$BUILD/sinter
demo=examples/demo
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0

# side FILE.sn: the sidecar file beside it, named by what it holds.
side() { ls "${1%.sn}".????????????????.snw; }

# say RESULT NAME: the case NAME ended with RESULT; of one that fails, what is
# in $tmp/log.
say() {
    if [ "$1" = 0 ]; then
        echo "ok $suite $2"
    else
        echo "not ok $suite $2"
        [ ! -f "$tmp/log" ] || tail -n 20 "$tmp/log" | sed 's/^/    /'
        bad=1
    fi
}

# fine NAME CONDITION...: the case NAME is fine where the condition holds.
fine() {
    name=$1
    shift
    "$@"
    say $? "$name"
}

# t NAME CODE WHERE TEXT ARGS...: sinter ARGS exits with CODE and says TEXT
# (a fixed string, or nothing in particular) on WHERE, out or err.
t() {
    name=$1 code=$2 where=$3 text=$4
    shift 4
    "$sinter" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    rc=$?
    if [ $rc -ne "$code" ]; then
        echo "not ok $suite $name: exit code $rc, expected $code"
        head -n 3 "$tmp/err"
        bad=1
    elif [ -n "$text" ] && ! grep -qF -- "$text" "$tmp/$where"; then
        echo "not ok $suite $name: std$where does not say '$text'"
        head -n 5 "$tmp/$where"
        bad=1
    else
        echo "ok $suite $name"
    fi
}
