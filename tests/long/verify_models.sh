#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sinter verify accepts what the pipelines make of every model at hand and of
# random graphs (SINTER_RANDOM: how many, 10000; SINTER_SEED: the first).
. "${0%/*}/../../tools/help.sh"
suite=verify_models
. tests/sh_case.sh
SHARED=${SHARED:-../shared}
n=${SINTER_RANDOM:-10000} first=${SINTER_SEED:-1}

# over NAME FILE...: the pipelines optimize and profile on each.
over() {
    name=$1 nfile=0 nstep=0 wrong=0 nout=0
    shift
    for f in "$@"; do
        for p in optimize profile; do
            rm -f "$tmp"/l.* "$tmp"/a.*
            "$sinter" opt "$f" --pipeline $p --log "$tmp/l.sn" -o "$tmp/a.sn" >/dev/null 2>"$tmp/err"
            case $? in
            0) ;;
            3 | 4) nout=$((nout + 1)) && continue ;; # open dimensions, unsupported operators
            *) echo "| $f, $p: $(head -n 1 "$tmp/err")" && wrong=$((wrong + 1)) && continue ;;
            esac
            "$sinter" verify "$f" "$tmp/a.sn" --log "$tmp/l.sn" --json >"$tmp/out" 2>"$tmp/err"
            rc=$?
            if [ $rc -eq 0 ]; then
                k=$(sed -n 's/.*"rewrites": \([0-9]*\).*/\1/p' "$tmp/out")
                nstep=$((nstep + ${k:-0}))
            else
                echo "| $f, $p: exit code $rc: $(head -n 1 "$tmp/err")"
                wrong=$((wrong + 1))
            fi
        done
        nfile=$((nfile + 1))
    done
}
# verdict LEAST
verdict() {
    if [ $wrong -eq 0 ] && [ $nfile -ge "$1" ]; then
        echo "ok $suite $name: $nfile, $nstep rewrites, $nout runs do not import"
    else
        echo "not ok $suite $name: $wrong of $nfile, expected $1 at least"
        bad=1
    fi
}

if [ -d "$SHARED/data" ]; then
    # Models by name: none of them has spaces.
    # shellcheck disable=SC2046
    over models $(find -L "$SHARED/data" -name '*.onnx' -not -path '*/node/*' | LC_ALL=C sort)
    verdict 50
else
    echo "skip $suite: no models under $SHARED"
fi
mkdir "$tmp/r"
"$BUILD/tests/random_graphs" "$tmp/r" "$first" "$n" >/dev/null || bad=1
over random "$tmp"/r/*.sn
verdict "$n"
exit $bad
