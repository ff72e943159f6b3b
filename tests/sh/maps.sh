#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Maps and nodes outside the tree, declared only: examples/maps against an
# installed sinter.  tests/sh/extend.sh joins the same declarations in the tree.
suite=maps
. tests/sh_case.sh
. tests/own_maps.sh
CC=${CC:-gcc} MAKE=${MAKE:-make}
pre=$tmp/prefix
"$MAKE" -s --no-print-directory install BUILD="$BUILD" CC="$CC" SAN="${SAN:-}" \
    prefix="$pre" >"$tmp/log" 2>&1
cp -r examples/maps "$tmp/maps"
# One more: of a tap, one index may lie outside and one goes backwards.
cat >>"$tmp/maps/own_maps.def" <<'D'
map skew(x[h, w, c]) {
  result [i < h];
  taps [t < w, u < c];
  read x[i + t - 1, w - 1 - t, u] else skip;
  test ([2, 3, 2]) => [2], x: [[2, 3, 6, 7], [4, 5, 8, 9]];
}
node SkewSum {
  in x; out y;
  kinds (x) -> y { (f32) -> f32; }
  sem window y = q(sum(d(x))) over skew(x);
}
D
warn='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
      -Wmissing-prototypes -Wcast-qual -Wundef -Wvla -Wformat=2 -Werror'
# shellcheck disable=SC2116,SC2086
if (
    unset MAKEFLAGS MFLAGS MAKELEVEL
    PKG_CONFIG_PATH=$pre/lib/pkgconfig "$MAKE" -C "$tmp/maps" BUILD=build \
        CC="$CC" CFLAGS="-O1 -g $(echo $warn) ${SAN:-}"
) >"$tmp/log" 2>&1; then
    echo "ok $suite builds without a line of C"
else
    echo "not ok $suite builds without a line of C"
    tail -n 12 "$tmp/log"
    exit 1
fi
printf '#!/bin/sh\nexec %s --backend-plugin %s "$@"\n' "$pre/bin/sinter" \
    "$tmp/maps/build/libown_maps.so" >"$tmp/sinter"
chmod +x "$tmp/sinter"
own_sinter=$tmp/sinter
own_maps
own_folds 'SkewSum by the formula' 'f32[2,3,2]' \
    '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11' 'SkewSum(%x)' 'f32[2]' '18, 26'
own_says 'the reference has the map' 'unfold(x[n, s..., c]' \
    "$tmp/maps/build/gen/own_maps_reference.md"
own_says 'proved' 'sink Roll' "$tmp/maps/build/gen/proofs.txt"
exit $bad
