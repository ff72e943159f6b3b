#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kernels under arithmetics other than float (`fallback kernels`): random
# graphs on every instruction set give the bits of the evaluators, value by
# value; models are quantized, run and agree.
#   tests/sh/arith_kernels.sh [COUNT FIRST]    COUNT random graphs from FIRST on
suite=arith_kernels
. tests/sh_case.sh
CC=${CC:-gcc}
MAKE=${MAKE:-make}
count=${1:-60}
first=${2:-1}
pre=$tmp/prefix
random=$BUILD/tests/random_graphs

# shellcheck disable=SC2086
"$MAKE" -s install BUILD="$BUILD" CC="$CC" SAN="${SAN:-}" prefix="$pre" \
    >"$tmp/log" 2>&1
export PKG_CONFIG_PATH="$pre/lib/pkgconfig"
unset MAKEFLAGS MFLAGS MAKELEVEL
mkdir "$tmp/g" "$tmp/r" "$tmp/n"

# build NAME ARITHMETIC: a backend of that arithmetic, whose block is the input.
build() {
    {
        echo 'version 2; include "passes.def";'
        cat
        echo "backend $1 {"
        echo '  supports all(q8, q8c, q16, f32, row8);'
        echo "  arithmetic $2; fallback kernels;"
        echo '  keep FullyConnected, Gelu, Normalize; }'
    } >"$tmp/g/$1.def"
    mkdir "$tmp/g/$1"
    # shellcheck disable=SC2046,SC2086
    "$pre/bin/sinter-gen" --core "$pre/share/sinter" --plugin "$tmp/g/$1.def" \
        --no-prove -o "$tmp/g/$1" >"$tmp/log" 2>&1 &&
        "$CC" $(pkg-config --cflags sinter) -fPIC -I"$tmp/g/$1" -O1 \
            $(pkg-config --variable=plugin_cflags sinter) ${SAN:-} -shared \
            -o "$tmp/$1.so" "$tmp/g/$1/$1"_*.c >>"$tmp/log" 2>&1
    if [ -f "$tmp/$1.so" ]; then
        echo "ok $suite $1 builds"
    else
        echo "not ok $suite $1 builds"
        tail -n 5 "$tmp/log"
        bad=1
    fi
}

# Rounds down, with 9 bits: nothing agrees with float by accident.
build floor9 floor9 <<'END'
arithmetic floor9 {
  ratio q 9 bits, s 0..62;
  scale(v) = shr(v * q, s, floor);
  row any convert = scale(x - x.zp : x.scale / y.scale) + y.zp;
  row any contract over conv when depthwise and not wide
      = scale(acc : x.scale * w.scale / y.scale) + y.zp - 1;
  row any contract when not wide = scale(acc : x.scale * w.scale / y.scale) + y.zp;
  row any mean over pool when same_type and not wide = div(sum, n, floor) + y.zp;
  row any mean when not wide = scale(sum : x.scale / (y.scale * n)) + y.zp;
  row any sum when not wide
      = scale(a - a.zp : a.scale / y.scale) + scale(b - b.zp : b.scale / y.scale) + y.zp;
  row any product when not wide
      = scale((a - a.zp) * (b - b.zp) : a.scale * b.scale / y.scale) + y.zp;
}
END
build twice double </dev/null
build lut5 lut5 <<'END'
arithmetic lut5 { row any function = lut(5, linear, half_up); }
END

"$random" "$tmp/r" "$first" "$count" >"$tmp/log" 2>&1 || {
    echo "not ok $suite random graphs: $(tail -n 1 "$tmp/log")"
    exit 1
}
# Each graph under each arithmetic; graphs with nodes that only float's backend
# has, or the like, are not counted.
cd "$tmp/r" || exit 1
cat >../one.sn <<'END'
sinter-graph 1
graph "one" {
  %x = Placeholder() : qi8<0.5, 0>[1]
  Save(%x) {name = "y"}
}
END
for name in floor9 twice; do
    # as graphs for the backend name its arithmetic
    by=$("$OLDPWD/$sinter" --backend-plugin "../$name.so" opt ../one.sn \
        --backend $name | sed -n 's/^graph "one" \(rounding .*\) {/\1/p')
    ran=0 kernels=0
    for f in *.sn; do
        sed "s/^graph \"\([^\"]*\)\" *{/graph \"\1\" $by {/" "$f" >"./by_$f"
        for cpu in portable avx2 vnni; do
            # shellcheck disable=SC2046
            SINTER_CPU=$cpu "$OLDPWD/$sinter" --backend-plugin "../$name.so" run \
                "./by_$f" $(cat "${f%.sn}.args") --backend "$name" \
                --check-kernels >../out 2>../err
            rc=$?
            [ $rc -eq 0 ] && ran=$((ran + 1)) && kernels=$((kernels +
                $(sed -n 's/.* nodes, \([0-9]*\) by kernels.*/\1/p' ../out)))
            [ $rc -eq 1 ] && {
                echo "not ok $suite $name $f $cpu: $(head -n 2 ../out)"
                bad=1
            }
        done
        rm "./by_$f"
    done
    if [ $((ran * 2)) -ge $((3 * count)) ] && [ $kernels -ge "$ran" ]; then
        echo "ok $suite $name: random graphs"
    else
        echo "not ok $suite $name: $ran runs of $((3 * count)), $kernels nodes by kernels"
        tail -n 2 ../err
        bad=1
    fi
done
cd "$OLDPWD" || exit 1

# Nodes of each kind that a row computes, alone: none is left to its evaluator.
python3 tests/tools/row_nodes.py "$tmp/n"
cd "$tmp/n" || exit 1
for name in floor9 twice; do
    by=$("$OLDPWD/$sinter" --backend-plugin "../$name.so" opt ../one.sn \
        --backend $name | sed -n 's/^graph "one" \(rounding .*\) {/\1/p')
    for f in *.sn; do
        sed "s/^graph \"g\" {/graph \"g\" $by {/" "$f" >../by.sn
        bits=0
        for cpu in portable avx2 vnni; do
            # shellcheck disable=SC2046
            SINTER_CPU=$cpu "$OLDPWD/$sinter" --backend-plugin "../$name.so" run \
                ../by.sn $(cat "${f%.sn}.args") --backend "$name" \
                --check-kernels >../log 2>&1 &&
                grep -q '^1 nodes, 1 by kernels' ../log || bits=1
        done
        say $bits "$name: ${f%.sn}"
    done
done
cd "$OLDPWD" || exit 1

# A table of five entries, of |x| on steps of 1: 127 (of -128, saturated), 64,
# 0, 64 and 127 (of 128).  By hand: -100 is 28 of 64 from 127 to 64, which is
# 127 - 27.56; 100 is 36 of 64 from 64 to 127, 64 + 35.44.
python3 - "$tmp/x.npy" <<'END'
import sys
codes = [-128, -100, -64, -33, -1, 0, 1, 32, 100, 127] * 30
head = "{'descr': '|i1', 'fortran_order': False, 'shape': (1, 300), }".ljust(117) + '\n'
with open(sys.argv[1], 'wb') as f:
    f.write(b'\x93NUMPY\x01\0' + len(head).to_bytes(2, 'little') + head.encode()
            + bytes(c % 256 for c in codes))
END
by=$("$sinter" --backend-plugin "$tmp/lut5.so" opt "$tmp/one.sn" --backend lut5 |
    sed -n 's/^graph "one" \(rounding .*\) {/\1/p')
{
    printf 'sinter-graph 1\ngraph "f" %s {\n' "$by"
    printf '  %%x = Placeholder() : qi8<1, 0>[1,300]\n'
    printf '  %%y = Abs(%%x) : qi8<1, 0>[1,300]\n  Save(%%y) {name = "y"}\n}\n'
} >"$tmp/f.sn"
for backend in lut5 interp c; do
    "$sinter" --backend-plugin "$tmp/lut5.so" run "$tmp/f.sn" --input "$tmp/x.npy" \
        --backend $backend >"$tmp/out" 2>"$tmp/log"
    got=$(sed 1d "$tmp/out" | tr -s ' \n' '  ' | cut -d' ' -f2-11)
    [ "$got" = '127 99 64 33 1 0 1 32 99 126' ]
    say $? "lut5 by $backend: a table's codes, computed by hand"
done
"$sinter" --backend-plugin "$tmp/lut5.so" run "$tmp/f.sn" --input "$tmp/x.npy" \
    --backend lut5 --check-kernels >"$tmp/log" 2>&1 &&
    grep -q '^1 nodes, 1 by kernels' "$tmp/log"
say $? 'lut5: its kernel'
printf 'sinter-vectors 1 lut5\nrow function : y.scale y.zp below above more y\n' >"$tmp/v"
printf '1 0 %s\n' '127 64 28 99' '64 0 31 33' '64 127 36 99' '0 1 32 1' >>"$tmp/v"
"$sinter" --backend-plugin "$tmp/lut5.so" run --check-vectors "$tmp/v" >"$tmp/log" 2>&1
say $? 'lut5: vectors'
sed 's/36 99/36 98/' "$tmp/v" >"$tmp/w"
"$sinter" --backend-plugin "$tmp/lut5.so" run --check-vectors "$tmp/w" >"$tmp/log" 2>&1
[ $? -eq 1 ] && grep -q 'expected 98, got 99' "$tmp/log"
say $? 'lut5: wrong vectors'

# A model: most of it runs on kernels, and none differs.
for name in floor9 twice; do
    "$sinter" --backend-plugin "$tmp/$name.so" quantize $demo/fashion_lrn.onnx \
        --calib $demo/calib_images.npy --mul 0.0039216 -n 16 --backend $name \
        -o "$tmp/m.sn" >"$tmp/log" 2>&1
    for cpu in portable avx2 vnni; do
        SINTER_CPU=$cpu "$sinter" --backend-plugin "$tmp/$name.so" run \
            "$tmp/m.sn" --input $demo/test_images.npy --mul 0.0039216 -n 8 \
            --backend $name --check-kernels --threads 2 >"$tmp/out" 2>&1
        rc=$?
        n=$(sed -n 's/^\([0-9]*\) nodes.*/\1/p' "$tmp/out")
        k=$(sed -n 's/.* nodes, \([0-9]*\) by kernels.*/\1/p' "$tmp/out")
        if [ $rc -eq 0 ] && [ "${n:-0}" -gt 9 ] && [ $((k + 4)) -ge "$n" ]; then
            echo "ok $suite $name: a model $cpu"
        else
            echo "not ok $suite $name: a model $cpu: $(tail -n 2 "$tmp/out")"
            bad=1
        fi
    done
done
exit $bad
