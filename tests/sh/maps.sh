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
own_says 'the reference has the map' 'unfold(x[n, s..., c]' \
    "$tmp/maps/build/gen/own_maps_reference.md"
own_says 'proved' 'sink Roll' "$tmp/maps/build/gen/proofs.txt"
exit $bad
