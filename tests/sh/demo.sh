#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The demo runs to its end: its score and both pictures.
BUILD=${BUILD:-build}
rm -f "$BUILD/demo/before.svg" "$BUILD/demo/after.svg"
out=$(sh examples/demo/demo.sh "$BUILD" 2>&1 </dev/null)
rc=$?
bad=0
if [ $rc = 0 ]; then
    echo "ok demo exit code"
else
    echo "not ok demo exit code $rc: $(echo "$out" | tail -n 3)"
    bad=1
fi
case $out in
*'int8 : top-1 0.8870 (1774 of 2000)'*) echo "ok demo score" ;;
*) echo "not ok demo score: $(echo "$out" | grep top-1)"; bad=1 ;;
esac
for p in before after; do
    if [ -s "$BUILD/demo/$p.svg" ]; then
        echo "ok demo picture $p"
    else
        echo "not ok demo picture $p"
        bad=1
    fi
done
exit $bad
