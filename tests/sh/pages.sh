#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pages of docs that are walked through: every command runs, in order, as a
# reader would type it, against an installed sinter; every file is as on the
# page; the output is as on the page (tests/page.awk).
CC=${CC:-gcc} MAKE=${MAKE:-make}
suite=pages
. tests/sh_case.sh
root=$PWD
case $BUILD in
/*) ;;
*) BUILD=$root/$BUILD ;;
esac
unset MAKEFLAGS MFLAGS MAKELEVEL
"$MAKE" -s --no-print-directory install BUILD="$BUILD" CC="$CC" SAN="${SAN:-}" prefix="$tmp/sinter" >"$tmp/log" 2>&1
say $? "make install"

# What the shell of a page has beside its commands.
cat >"$tmp/shell" <<'E2'
# make as it is here: with the compiler and the flags of this run.
make() {
    case ${1:-} in
    install) cp -r "$tmp/sinter" "${2#prefix=}" ;;
    *) command "$MAKE" CC="$CC" CFLAGS="-O1 ${SAN:-}" LDFLAGS="${SAN:-}" "$@" ;;
    esac
}
# The lines of $1 are in $2, in order.
holds() {
    awk '{ gsub(/^[ \t]+|[ \t]+$/, "") }
        NR == FNR { if ($0 != "" && $0 != "...") want[++n] = $0; next }
        BEGIN { k = 1 }
        k <= n && index($0, want[k]) { k++ }
        END { if (k <= n) { print "nothing prints: " want[k]; exit 1 } }' "$1" "$2"
}
E2
# walk PAGE: from a folder that looks like the root of the tree.
walk() {
    d=$tmp/$(basename "$1" .md)
    mkdir -p "$d/home" "$d/blocks" "$d/tree"
    ln -s "$root/examples" "$root/include" "$d/tree"
    mkdir "$d/tree/build"
    ln -s "$BUILD/sinter" "$BUILD/sinter-gen" "$d/tree/build"
    mkdir "$d/tree/pictures"
    for f in rgb.png rgb.jpg gray.png gray.jpg palette.png rgba.png; do
        ln -s "$root/tests/images/$f" "$d/tree/pictures"
    done
    # Files of the reader's own.
    ln -s "$root/$demo/fashion_lrn.onnx" "$d/tree/model.onnx"
    ln -s "$root/$demo/calib_images.npy" "$d/tree/images.npy"
    ln -s "$root/$demo/test_images.npy" "$d/tree/test.npy"
    ln -s "$root/$demo/test_labels.npy" "$d/tree/labels.npy"
    {
        echo 'set -eu'
        cat "$tmp/shell"
        echo "trap '[ \$? = 0 ] || { echo \"$1:\$line\"; tail -n 12 \"\$(ls -t $d/blocks/*.out | head -n 1)\"; }' EXIT"
        awk -v dir="$d/blocks" -f tests/page.awk "$1"
    } >"$d/walk.sh"
    (cd "$d/tree" && HOME=$d/home tmp=$tmp CC=$CC MAKE=$MAKE SAN=${SAN:-} sh "$d/walk.sh") >"$tmp/log" 2>&1
    rc=$?
    n=$(find "$d/blocks" -name '*.sh' | wc -l)
    [ "$n" -gt 0 ] || rc=1
    say $rc "$1: $n blocks of commands"
}
for page in README.md docs/tutorial.md docs/howto/accuracy.md docs/howto/rescale.md \
    docs/howto/images.md docs/howto/cluster.md docs/howto/kernels.md; do
    [ "${1:-$page}" = "$page" ] || continue
    walk "$page"
done
exit $bad
