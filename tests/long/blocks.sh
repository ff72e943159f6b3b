#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The cost of one more arithmetic for sinter-gen, without a cache: CPU seconds
# for each of examples/arithmetics beyond those for a backend of floats, the
# least of ROUNDS (3).  At most 2 s each.
#   BUILD=build sh tests/long/blocks.sh [MACHINE...]
. "${0%/*}/../../tools/help.sh"
set -u
BUILD=${BUILD:-build} MAKE=${MAKE:-make} CC=${CC:-gcc}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
[ $# -gt 0 ] || set -- tflite cmsis_nn xnn_rndnu max78000 nvdla
"$MAKE" -s install BUILD="$BUILD" CC="$CC" prefix="$tmp/prefix" >"$tmp/log" 2>&1 ||
    { cat "$tmp/log"; exit 1; }
cp examples/arithmetics/* "$tmp" 2>/dev/null
cat >"$tmp/floats.def" <<'END'
version 2;
include "passes.def";
backend floats { supports all(q8, q8c, f32); rounding float; fallback reference; keep FullyConnected; }
refine AvgPool { same x, y because "as the others have it"; }
END
cd "$tmp" || exit 1
python3 - "$tmp/prefix" "${ROUNDS:-3}" floats "$@" <<'END'
import resource
import shutil
import subprocess
import sys

prefix, rounds, *names = sys.argv[1:]
best = {}
for name in names * int(rounds):
    shutil.rmtree('out', ignore_errors=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([prefix + '/bin/sinter-gen', '--core',
                    prefix + '/share/sinter', '--plugin', name + '.def', '-o',
                    'out'], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    best[name] = min(used, best.get(name, used))
bad = 0
for name in names[1:]:
    more = best[name] - best['floats']
    ok = more <= 2
    bad |= not ok
    print(f"{'ok' if ok else 'not ok'} blocks {name}: {more:.2f} s more than "
          f"{best['floats']:.2f} s")
sys.exit(bad)
END
