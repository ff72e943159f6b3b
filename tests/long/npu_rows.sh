#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The arithmetic that examples/npu declares, in three ways: the formula as the
# prover evaluates it, its C as evaluators call it, and the CPU's kernels, on
# 10^6 random cases for each row.
. "${0%/*}/../../tools/help.sh"
suite=npu_rows
. tests/sh_case.sh
CC=${CC:-gcc}
MAKE=${MAKE:-make}
pre=$tmp/prefix
count=${1:-1000000}

# shellcheck disable=SC2086
"$MAKE" -s install BUILD="$BUILD" CC="$CC" SAN="${SAN:-}" prefix="$pre" \
    >"$tmp/log" 2>&1
export PKG_CONFIG_PATH="$pre/lib/pkgconfig"
unset MAKEFLAGS MFLAGS MAKELEVEL
cp -r examples/npu "$tmp/npu"
(cd "$tmp/npu" && "$MAKE" BUILD=build CC="$CC" CFLAGS="-O1 ${SAN:-}") \
    >"$tmp/log" 2>&1
so=$tmp/npu/build/libnpu.so
[ -f "$so" ] || { echo "not ok $suite build: $(tail -n 1 "$tmp/log")"; exit 1; }

"$pre/bin/sinter-gen" --core "$pre/share/sinter" --plugin "$tmp/npu/npu.def" \
    --vectors npu --count "$count" >"$tmp/vectors" 2>"$tmp/log"
t "prover and evaluator, $count a row" 0 out \
    "npu: $((2 * count)) vectors of 2 rows agree" --backend-plugin "$so" \
    run --check-vectors "$tmp/vectors"

# as graphs for the backend name its arithmetic
cat >"$tmp/one.sn" <<'END'
sinter-graph 1
graph "one" {
  %x = Placeholder() : qi8<0.5, 0>[1]
  Save(%x) {name = "y"}
}
END
by=$("$sinter" --backend-plugin "$so" opt "$tmp/one.sn" --backend npu |
    sed -n 's/^graph "one" \(rounding .*\) {/\1/p')

# DIR: sums.sn, a product with count results, and rescales.sn, all codes through
# count / 256 Rescales, with their inputs.
python3 - "$tmp" "$count" "$by" <<'END'
import random, struct, sys

where, count, by = sys.argv[1], int(sys.argv[2]), sys.argv[3]
rng = random.Random(17)


def kind():
    scale = rng.uniform(1, 2) * 2.0**rng.randint(-6, -2)
    return 'qi8<%.9g, %d>' % (scale, rng.randint(-128, 127))


def f32(x):
    return struct.unpack('f', struct.pack('f', x))[0]


def npy(name, shape, codes):
    head = "{'descr': '|i1', 'fortran_order': False, 'shape': %s, }" % (shape,)
    head = head.ljust(117) + '\n'
    with open(where + '/' + name, 'wb') as f:
        f.write(b'\x93NUMPY\x01\x00' + len(head).to_bytes(2, 'little')
                + head.encode() + bytes(c & 255 for c in codes))


def codes(n):
    return [rng.randint(-128, 127) for _ in range(n)]


rows, k = 1000, 24
cols = count // rows
with open(where + '/sums.sn', 'w') as f:
    bias = [rng.randint(-9000, 9000) for _ in range(cols)]
    f.write('''sinter-graph 1
graph "s" %s {
  %%x = Placeholder() : qi8<0.0371, -9>[%d,%d]
  %%w = Constant() {data = %s} : qi8<0.0173, 5>[%d,%d]
  %%b = Constant() {data = %s} : qi32<%.9g, 0>[%d]
  %%y = FullyConnected(%%x, %%w, %%b) : qi8<0.219, 11>[%d,%d]
  Save(%%y) {name = "y"}
}
''' % (by, rows, k, codes(k * cols), cols, k, bias,
       f32(f32(0.0371) * f32(0.0173)), cols, rows,
       cols))
npy('sums.npy', (rows, k), codes(rows * k))

with open(where + '/rescales.sn', 'w') as f:
    f.write('sinter-graph 1\ngraph "r" ' + by + ' {\n'
            '  %x0 = Placeholder() : ' + kind() + '[1,256]\n')
    for i in range(count // 256 + 1):
        # a node of its own is read by each: all codes of another type
        f.write('  %%v%d = Constant() {data = %s} : %s[1,256]\n'
                '  %%y%d = Rescale(%%v%d) : %s[1,256]\n'
                '  Save(%%y%d) {name = "y%d"}\n'
                % (i, list(range(-128, 128)), kind(), i, i, kind(), i, i))
    f.write('  Save(%x0) {name = "x"}\n}\n')
npy('rescales.npy', (1, 256), range(-128, 128))
END
for graph in sums rescales; do
    for cpu in portable avx2 vnni; do
        SINTER_CPU=$cpu "$sinter" --backend-plugin "$so" run "$tmp/$graph.sn" \
            --input "$tmp/$graph.npy" --backend npu --check-kernels \
            >"$tmp/out" 2>"$tmp/err"
        rc=$?
        n=$(sed -n 's/.*samples: \([0-9]*\) values.*/\1/p' "$tmp/out")
        k=$(sed -n 's/.* nodes, \([0-9]*\) by kernels.*/\1/p' "$tmp/out")
        if [ $rc -eq 0 ] && [ "${n:-0}" -ge "$count" ] && [ "${k:-0}" -gt 0 ]; then
            echo "ok $suite $graph $cpu: $n results of $k kernels"
        else
            echo "not ok $suite $graph $cpu: $(head -n 2 "$tmp/err")"
            bad=1
        fi
    done
done
exit $bad
