#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The table of tools/schemes.sh on 5000 images (IMAGES=N: fewer): no setting
# chosen on calibration images loses more than half a point.
. "${0%/*}/../../tools/help.sh"
BUILD=${BUILD:-build} SHARED=${SHARED:-../shared}
if [ ! -d "$SHARED/data/datasets" ]; then
    echo "skip schemes: no data under $SHARED"
    exit 0
fi
mkdir -p "$BUILD/schemes"
sh tools/schemes.sh "$BUILD" "$SHARED" "${IMAGES:-5000}" >"$BUILD/schemes/table" 2>&1
rc=$?
grep '^|' "$BUILD/schemes/table"
if [ $rc = 0 ] && grep -q '^|.*float' "$BUILD/schemes/table"; then
    echo "ok schemes"
else
    echo "not ok schemes: see $BUILD/schemes/table: $(tail -n 1 "$BUILD/schemes/table")"
fi
