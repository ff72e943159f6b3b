#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples/embed under ThreadSanitizer: two sessions on eight threads, with the
# shared and with the static library, by gcc, g++ and clang; no race.
. "${0%/*}/../../tools/help.sh"
MAKE=${MAKE:-make}
suite=embed_tsan
. tests/sh_case.sh
unset SAN
"$MAKE" -s --no-print-directory all BUILD="$BUILD" || exit 1
# Programs of NAME (gcc or clang) and CXX.
try() {
    b=$BUILD/tsan-$1
    mkdir -p "$b"
    cp -a "$BUILD/gen" "$BUILD/line" "$BUILD/sinter-gen" "$BUILD/libsinter-dsl.a" "$b" || exit 1
    "$MAKE" -s --no-print-directory install BUILD="$b" CC="$1" OPT='-O1 -g' \
        SAN=-fsanitize=thread prefix="$tmp/$1" -o "$b/sinter-gen" -o "$b/libsinter-dsl.a" >"$tmp/log" 2>&1
    say $? "$1: builds and installs"
    for static in '' 1; do
        o=$tmp/$1/programs$static name="$1, ${static:+static}${static:-shared}"
        name=$(echo "$name" | sed 's/static1/static/')
        PKG_CONFIG_PATH=$tmp/$1/lib/pkgconfig "$MAKE" -s -C examples/embed BUILD="$o" STATIC=$static CC="$1" CXX="$2" \
            CFLAGS='-O1 -g -fsanitize=thread' CXXFLAGS='-O1 -g -fsanitize=thread' \
            >"$tmp/log" 2>&1
        say $? "$name: examples/embed builds"
        LD_LIBRARY_PATH=$tmp/$1/lib TSAN_OPTIONS=halt_on_error=1 "$o/threads" examples/demo/fashion_lrn.onnx \
            >"$tmp/log" 2>&1
        [ "$(cat "$tmp/log")" = "0 of 160 runs differ" ]
        say $? "$name: eight threads, no race"
        LD_LIBRARY_PATH=$tmp/$1/lib TSAN_OPTIONS=halt_on_error=1 "$o/embed" examples/demo/fashion_lrn.onnx \
            examples/demo/calib_images.npy >"$tmp/log" 2>&1
        [ "$(cat "$tmp/log")" = "0 2 6 5 2 2 2 9" ]
        say $? "$name: embed classifies, no race"
    done
}
for cc in ${COMPILERS:-gcc clang}; do
    case $cc in
    clang) try clang clang++ ;;
    *) try gcc g++ ;;
    esac
done
exit $bad
