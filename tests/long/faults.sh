#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every allocation and every call on files fails once, over 22 commands: of
# sinter, of sinter-gen, and a program that uses sinter.h.  The exit code is
# documented, there is a message if it is not 0, and each written file is the
# previous one or the one that a run without a fault writes, byte for byte; if
# the exit code is 0, all files and the output are new.  Prints how many calls
# failed.
# MOST: at most about so many calls of each kind and command, evenly spread (all).
# Usage: faults.sh [COMMAND...]: only these numbers.
. "${0%/*}/../../tools/help.sh"
suite=faults
. tests/sh_case.sh
fault=$BUILD/tests/fault.so
m=$demo/fashion_lrn.onnx img=$demo/calib_images.npy lab=$demo/test_labels.npy
px='--mul 0.00392156863'
want=" $* "
MOST=${MOST:-1000000}
case ${SAN:-} in
*-fsanitize*)
    echo "skip faults: calls cannot be replaced under a sanitizer"
    exit 0
    ;;
esac
mkdir "$tmp/in" "$tmp/out.d"
# Every number of a profile is an allocation of the reader of JSON: profiles
# are of a small model over ones.
cat >"$tmp/in/t.sn" <<'END'
sinter-graph 1
graph "t" {
  %x = Placeholder() : f32[1, 4]
  %y = Relu(%x) : f32[1, 4]
  Save(%y) {name = "y"}
}
END
cat >"$tmp/in/tidy.def" <<'END'
version 2; include "mini.def";
pass tidy {
  allow exact;
  rule requant: Quantize(Dequantize(x)) @o => x when x.type == o.type and o.clamp == full exact;
}
END
cat >"$tmp/in/unsound.def" <<'END'
version 2; include "mini.def";
pass tidy { allow exact; rule fuse: Rescale(Rescale(x) @m) @o => Rescale(x) like o : o.type exact; }
END
t=$tmp/in/t.sn
{
    printf '\223NUMPY\1\0\166\0%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4), }"
    for i in 1 2 3 4; do printf '\0\0\200\77\0\0\200\77\0\0\200\77\0\0\200\77'; done
} >"$tmp/in/t.npy"
"$sinter" profile "$t" --calib "$tmp/in/t.npy" -n 2 -o "$tmp/in/p.json" 2>/dev/null &&
    "$sinter" profile "$t" --calib "$tmp/in/t.npy" --skip 2 -o "$tmp/in/p2.json" 2>/dev/null &&
    "$sinter" quantize $m --calib $img -n 2 $px -o "$tmp/in/q.sn" >/dev/null 2>&1 &&
    "$sinter" opt $m -o "$tmp/in/f.sn" 2>/dev/null || exit 1
q=$tmp/in/q.sn f=$tmp/in/f.sn o=$tmp/out.d
gen="$BUILD/sinter-gen --nodes tests/gen/mini.def -I tests/gen -I ."

# command N: its words; what it writes lies in $o.
command() {
    case $1 in
    1) echo "$sinter inspect $m" ;;
    2) echo "$sinter inspect $q --json" ;;
    3) echo "$sinter opt $m -o $o/m.sn" ;;
    4) echo "$sinter opt $f --pipeline optimize --check-passes -o $o/m.sn" ;;
    5) echo "$sinter profile $m --calib $img -n 2 $px -j1 -o $o/p.json" ;;
    6) echo "$sinter profile merge $tmp/in/p.json $tmp/in/p2.json -o $o/p.json" ;;
    7) echo "$sinter quantize $t --load-profile $tmp/in/p.json -o $o/m.sn" ;;
    8) echo "$sinter quantize $t --load-profile $tmp/in/p.json -o $o/m.onnx" ;;
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
    19) echo "$gen --passes $tmp/in/tidy.def --explain" ;;
    20) echo "$gen --check --passes $tmp/in/unsound.def" ;;
    21) echo "$gen --passes $tmp/in/tidy.def -o $o" ;;
    22) echo "$BUILD/tests/use_api $m $o" ;;
    esac
}

# What lies where a command writes, before it does: another model, another text.
mkdir "$tmp/model.d"
"$sinter" opt $f --passes=dce -o "$tmp/model.d/m.sn" || exit 1
# before NEW: $tmp/old.d has an old file for each of NEW.
before() {
    rm -rf "$tmp/old.d"
    mkdir "$tmp/old.d"
    for name in $(ls "$1"); do
        case $name in
        m.sn) cp "$tmp"/model.d/* "$tmp/old.d" ;;
        *.snw) ;;
        *) echo "old" >"$tmp/old.d/$name" ;;
        esac
    done
}

# run SET AT COMMAND...: what it says is in $tmp/said, what it prints in $tmp/out.
run() {
    rset=$1 rat=$2
    shift 2
    rm -rf "$o"
    cp -r "$tmp/old.d" "$o"
    timeout 120 env FAULT_SET="$rset" FAULT_AT="$rat" FAULT_COUNT="$tmp/count" \
        LD_PRELOAD="$fault" "$@" >"$tmp/out" 2>"$tmp/said" </dev/null
}

# whole RC PLAIN: is every file old or new, and none else there?  Says which is
# not.  With the exit code of a run without a fault all are new.  The weights of
# the model that was replaced may stay where they cannot be removed.
whole() {
    ! diff -rq "$tmp/new.d" "$o" >/dev/null || return 0
    [ "$1" = "$2" ] || ! diff -rq "$tmp/old.d" "$o" >/dev/null || return 0
    for name in $(ls -A "$tmp/new.d" "$tmp/old.d" "$o" | grep -v -e : -e '\.snw$' | sort -u); do
        cmp -s "$tmp/new.d/$name" "$o/$name" && continue
        case $2:$name in
        0:proofs.txt | 0:certificates.txt) ;; # kept for the next run only
        *) [ "$1" != "$2" ] ;;
        esac && cmp -s "$tmp/old.d/$name" "$o/$name" && continue
        echo "$name is neither old nor new"
        return 1
    done
    [ -e "$tmp/new.d/m.sn" ] || return 0
    of=$tmp/new.d
    cmp -s "$of/m.sn" "$o/m.sn" || of=$tmp/old.d
    for w in "$of"/*.snw; do
        [ ! -e "$w" ] || cmp -s "$w" "$o/${w##*/}" && continue
        echo "weights of the ${of##*/} are not whole"
        return 1
    done
    for w in "$o"/*.snw; do
        [ ! -e "$w" ] || [ -e "$of/${w##*/}" ] || { [ $of = "$tmp/new.d" ] && cmp -s "$w" "$tmp/old.d/${w##*/}"; } ||
            { echo "${w##*/} is left"; return 1; }
    done
}

ncall=0 ncrash=0 nmixed=0
# sweep N SET: each call of command N.
sweep() {
    words=$(command "$1")
    rm -rf "$tmp/new.d" "$tmp/old.d"
    mkdir "$tmp/old.d"
    # shellcheck disable=SC2086
    run none 0 $words
    before "$o"
    # shellcheck disable=SC2086
    run "$2" 0 $words
    plain=$? n=$(cat "$tmp/count") i=1 nbad=0 ntry=0
    cp -r "$o" "$tmp/new.d"
    cp "$tmp/out" "$tmp/printed"
    step=$((n / MOST + 1))
    case $1:$plain in
    20:1) ;;
    *:0) ;;
    *)
        echo "| $1: exit $plain without a fault: $(head -n 1 "$tmp/said")"
        nbad=1
        ;;
    esac
    while [ $i -le "$n" ]; do
        # shellcheck disable=SC2086
        run "$2" $i $words
        rc=$?
        # sinter-gen says 1 of declarations that it cannot read.
        case $1:$rc in
        *:"$plain")
            cmp -s "$tmp/out" "$tmp/printed" || {
                echo "| $1 $2 $i: exit $rc and another output"
                nbad=$((nbad + 1))
            }
            ;;
        19:1 | 21:1 | 22:3 | *:5 | *:6) [ -s "$tmp/said" ] || { echo "| $1 $2 $i: exit $rc and no word"; nbad=$((nbad + 1)); } ;;
        *:3) [ "$2" = io ] && [ -s "$tmp/said" ] || { echo "| $1 $2 $i: exit $rc: $(head -n 1 "$tmp/said")"; nbad=$((nbad + 1)); } ;;
        *)
            echo "| $1 $2 $i: exit $rc: $(head -n 1 "$tmp/said")"
            nbad=$((nbad + 1))
            ncrash=$((ncrash + 1))
            ;;
        esac
        if ! whole $rc $plain >"$tmp/mixed"; then
            echo "| $1 $2 $i: exit $rc: $(cat "$tmp/mixed")"
            nbad=$((nbad + 1))
            nmixed=$((nmixed + 1))
        fi
        ntry=$((ntry + 1)) i=$((i + step))
    done
    ncall=$((ncall + ntry))
    if [ $nbad -eq 0 ] && [ $ntry -gt 0 ]; then
        echo "ok faults $1 $2: $ntry of $n calls"
    else
        echo "not ok faults $1 $2: $nbad of $ntry calls"
        bad=1
    fi
}
c=0
while [ $((c += 1)) -le 22 ]; do
    case $want in '  ' | *" $c "*) ;; *) continue ;; esac
    sweep $c alloc
    sweep $c io
done
echo "| $ncall calls failed, $ncrash crashes, $nmixed mixed outputs"
exit $bad
