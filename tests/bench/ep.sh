#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the execution provider gains: times of ONNX Runtime with all optimizations
# over times of the same with the provider, for the quantized networks of
# SHARED/data, and what a call costs beyond a run of sinter alone, in microseconds.
# Times are the least of many in one process.  Fails where, of networks of at
# least 1 MMAC, the geometric mean is below LEAST or one ratio below 1 (where
# nothing is claimed both sides are the same code, and differ by up to 3 %), or
# where a call costs more than MOST us, of networks that take less than 0.2 ms:
# of others it is less than what times differ by.
# Usage: [THREADS=1] [BITS=contract] [LEAST=1.5] [MOST=5] sh tests/bench/ep.sh
set -u
BUILD=${BUILD:-build} SHARED=${SHARED:-../shared} MAKE=${MAKE:-make} CC=${CC:-gcc}
THREADS=${THREADS:-1} BITS=${BITS:-contract} LEAST=${LEAST:-1.5} MOST=${MOST:-5}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
sh tools/oracle/install.sh "$BUILD/oracle" && ort=$(sh tools/oracle/lib.sh "$BUILD/oracle") || exit 1
"$MAKE" -s --no-print-directory ep "$BUILD/tests/ep_host" "$BUILD/sinter" BUILD="$BUILD" CC="$CC" || exit 1
ep=$(cd "$BUILD" && pwd)/libsinter_ep.so bad=0

printf '%-32s %8s %8s %8s\n' network MMAC ratio 'us more'
for m in "$SHARED"/data/quantized/*/model.onnx; do
    name=$(basename "$(dirname "$m")")
    case $name in
    ort_* | migraphx_*) continue ;; # tests of operators, no networks
    esac
    ops=$("$BUILD/sinter" bench "$m" --runs 1 --json 2>/dev/null | sed -n 's/.*"ops": \([0-9]*\).*/\1/p')
    line=$("$BUILD/tests/ep_host" -b -p -o bits="$BITS" "$ort" "$ep" "$THREADS" 2 "$m" 2>/dev/null)
    echo "$name ${ops:-0} $line" | awk '{ printf "%s %.2f %.3f %.1f %.1f\n", $1, $2 / 2e6,
        $(NF - 2) / $(NF - 1), $(NF - 1) - $NF, $NF }'
done | tee "$tmp/all" | awk '{ printf "%-32s %8.2f %8.2f %8.1f\n", $1, $2, $3, $4; fflush() }'
awk -v least="$LEAST" '$2 >= 1 { n++; sum += log($3); if (n == 1 || $3 < min) min = $3 }
    END {
        if (!n)
            exit 1
        mean = exp(sum / n)
        printf "of at least 1 MMAC: %d networks, geometric mean %.2f, least %.2f\n", n, mean, min
        exit !(mean >= least && min >= 0.97) }' "$tmp/all" || bad=1
[ "$BITS" != contract ] || awk -v most="$MOST" '$5 < 200 { n++; if (n == 1 || $4 > max) max = $4 }
    END {
        printf "of less than 0.2 ms: %d networks, a call costs at most %.1f us more than sinter alone\n", n, max
        exit !(n && max < most) }' "$tmp/all" || bad=1
exit $bad
