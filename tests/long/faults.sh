#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Allocations and calls on files fail once each, over 20 commands of sinter and
# sinter-gen, and a program that uses sinter.h: a documented exit code, a message where it is not 0, no file half
# written, and a model that is there loads.  Prints how many calls failed.
# MOST (200) calls of each kind and command, evenly spread: readers of JSON make
# 20 000.  Usage: faults.sh [COMMAND...]: only these numbers.
suite=faults
. tests/sh_case.sh
fault=$BUILD/tests/fault.so
m=$demo/fashion_lrn.onnx img=$demo/calib_images.npy lab=$demo/test_labels.npy
px='--mul 0.00392156863'
want=" $* "
MOST=${MOST:-200}
if [ -n "${SAN:-}" ]; then
    echo "skip faults: calls cannot be replaced under a sanitizer"
    exit 0
fi
mkdir "$tmp/in" "$tmp/out.d"
"$sinter" profile $m --calib $img -n 4 $px -o "$tmp/in/p.json" 2>/dev/null &&
    "$sinter" quantize $m --load-profile "$tmp/in/p.json" -o "$tmp/in/q.sn" >/dev/null 2>&1 &&
    "$sinter" opt $m -o "$tmp/in/f.sn" 2>/dev/null || exit 1
q=$tmp/in/q.sn f=$tmp/in/f.sn o=$tmp/out.d
gen="$BUILD/sinter-gen --nodes nodes.def --passes passes.def -I ."

# command N: its words; $o is a directory that starts out empty.
command() {
    case $1 in
    1) echo "$sinter inspect $m" ;;
    2) echo "$sinter inspect $q --json" ;;
    3) echo "$sinter opt $m -o $o/m.sn" ;;
    4) echo "$sinter opt $f --pipeline optimize --check-passes -o $o/m.sn" ;;
    5) echo "$sinter profile $m --calib $img -n 2 $px -j1 -o $o/p.json" ;;
    6) echo "$sinter profile merge $tmp/in/p.json $tmp/in/p.json -o $o/p.json" ;;
    7) echo "$sinter quantize $m --load-profile $tmp/in/p.json -o $o/m.sn" ;;
    8) echo "$sinter quantize $m --load-profile $tmp/in/p.json -o $o/m.onnx" ;;
    9) echo "$sinter quantize $m --calib $img -n 2 $px -j1 -o $o/m.sn --dump-profile $o/p.json" ;;
    10) echo "$sinter run $q --input $img -n 2 $px -j1" ;;
    11) echo "$sinter run $q --input $img -n 2 $px -j1 --labels $lab --dump $o/d.npy" ;;
    12) echo "$sinter run $q --input $img -n 2 $px -j1 --compare $m" ;;
    13) echo "$sinter run $q --input $img -n 2 $px -j1 --backend cpu --check-kernels" ;;
    14) echo "$sinter compare $m $q --input $img -n 2 $px -j1" ;;
    15) echo "$sinter export $q --format qdq -o $o/m.onnx" ;;
    16) echo "$sinter export $q --format qoperator -o $o/m.onnx" ;;
    17) echo "$sinter why $q --json" ;;
    18) echo "$sinter draw $q -o $o/m.dot" ;;
    19) echo "$gen --explain" ;;
    20) echo "$gen --check --passes tests/corpus/glow_5729_plain_fuse.def" ;;
    21) echo "$BUILD/tests/use_api $m $o" ;;
    esac
}

# run SET AT COMMAND...: what it says is in $tmp/said.
run() {
    rset=$1 rat=$2
    shift 2
    rm -rf "$o"
    mkdir "$o"
    timeout 60 env FAULT_SET="$rset" FAULT_AT="$rat" FAULT_COUNT="$tmp/count" \
        LD_PRELOAD="$fault" "$@" >"$tmp/said" 2>&1 </dev/null
}

ncall=0 ncrash=0
# sweep N SET: each call of command N.
sweep() {
    words=$(command "$1")
    # shellcheck disable=SC2086
    run "$2" 0 $words
    plain=$? n=$(cat "$tmp/count") i=1 nbad=0 ntry=0
    step=$((n / MOST + 1))
    while [ $i -le "$n" ]; do
        # shellcheck disable=SC2086
        run "$2" $i $words
        rc=$?
        # sinter-gen says 1 of declarations that it cannot read.
        case $1:$rc in
        *:"$plain") ;;
        19:1 | *:3 | *:5 | *:6) [ -s "$tmp/said" ] || { echo "| $1 $2 $i: exit $rc and no word"; nbad=$((nbad + 1)); } ;;
        *)
            echo "| $1 $2 $i: exit $rc: $(head -n 1 "$tmp/said")"
            nbad=$((nbad + 1))
            ;;
        esac
        case $(ls "$o") in
        *.tmp*) echo "| $1 $2 $i: leaves" $(ls "$o"); nbad=$((nbad + 1)) ;;
        esac
        if [ -e "$o/m.sn" ] && ! "$sinter" inspect "$o/m.sn" >/dev/null 2>&1; then
            echo "| $1 $2 $i: a model that does not load"
            nbad=$((nbad + 1))
        fi
        ntry=$((ntry + 1)) i=$((i + step))
    done
    ncall=$((ncall + ntry)) ncrash=$((ncrash + nbad))
    if [ $nbad -eq 0 ]; then
        echo "ok faults $1 $2: $ntry of $n calls"
    else
        echo "not ok faults $1 $2: $nbad of $ntry calls"
        bad=1
    fi
}
c=0
while [ $((c += 1)) -le 21 ]; do
    case $want in '  ' | *" $c "*) ;; *) continue ;; esac
    sweep $c alloc
    sweep $c io
done
echo "| $ncall calls failed, $ncrash not as documented"
exit $bad
