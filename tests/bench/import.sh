#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Import of a float model of 100 MB beside a session of ONNX Runtime with
# optimizations off: the best of ROUNDS (default 7) runs each, one after the
# other, and the peak resident memory.
#
#   import.sh BUILD SHARED [ROUNDS]
#
# Exit 1 when sinter takes more than half the time, or more memory.
build=${1:-build} shared=${2:-../shared} rounds=${3:-7}
light=$shared/data/light/light_resnet50/model.onnx
big=$build/bench/big.onnx
mkdir -p "$build/bench"
[ -f "$light" ] || { echo "skip import: no data under $shared"; exit 0; }
sh tools/deps.sh python3-onnx || exit 1
command -v npm >/dev/null || sh tools/deps.sh nodejs npm
sh tools/oracle/install.sh "$build/oracle" || exit 1
lib=$(sh tools/oracle/lib.sh "$build/oracle")
[ -s "$big" ] || /usr/bin/python3 tests/bench/big_model.py "$light" "$big" || exit 1

for _ in $(seq "$rounds"); do
    echo "ours $("$build/bench/import" sinter "$big")"
    echo "peer $("$build/bench/import" ort "$lib" "$big")"
done >"$build/bench/import.txt"
awk '
    NF != 3 { bad = 1; next }
    !($1 in ms) || $2 < ms[$1] { ms[$1] = $2 }
    $3 > kib[$1] { kib[$1] = $3 }
    END {
        if (bad || !("ours" in ms) || !("peer" in ms)) {
            print "not ok import: a run failed"
            exit 1
        }
        printf "| import of 100 MB     %8s %10s\n", "ms", "peak KiB"
        printf "| sinter               %8.1f %10d\n", ms["ours"], kib["ours"]
        printf "| ONNX Runtime         %8.1f %10d\n", ms["peer"], kib["peer"]
        ok = ms["ours"] <= ms["peer"] / 2 && kib["ours"] <= kib["peer"]
        print ok ? "ok import: half the time, no more memory" : "not ok import"
        exit !ok
    }' "$build/bench/import.txt"
