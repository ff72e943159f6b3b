#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What make install puts in place: each header compiles alone as C11 and as
# C++17, none is internal, and examples/embed links with the shared and with the
# static library by what pkg-config says.
CC=${CC:-gcc} MAKE=${MAKE:-make}
suite=install
. tests/sh_case.sh
case $CC in
*clang*) CXX=clang++ ;;
*) CXX=g++ ;;
esac
pre=$tmp/prefix
"$MAKE" -s --no-print-directory install BUILD="$BUILD" CC="$CC" SAN="${SAN:-}" prefix="$pre" >"$tmp/log" 2>&1
say $? "into a prefix"
[ "$bad" = 0 ] || exit 1

# ---- headers ----
inc=$pre/include/sinter
warn='-Wall -Wextra -Wpedantic -Wshadow -Wundef -Werror -fsyntax-only'
for h in $(cd "$inc" && find . -name '*.h' | sed 's|^\./||' | LC_ALL=C sort); do
    { echo "#include \"$h\""; echo 'int one;'; } >"$tmp/one.c"
    # shellcheck disable=SC2086
    "$CC" -std=c11 $warn -I"$inc" "$tmp/one.c" >"$tmp/log" 2>&1
    say $? "$h as C11"
    # shellcheck disable=SC2086
    "$CXX" -x c++ -std=c++17 $warn -I"$inc" "$tmp/one.c" >"$tmp/log" 2>&1
    say $? "$h as C++17"
done
(cd "$inc" && find . -type f | LC_ALL=C sort | tr '\n' ' ') >"$tmp/log"
[ "$(cat "$tmp/log")" = './sinter.h ./sinter_plugin.h ' ] && ! grep -n '^#include "' "$inc"/*.h >>"$tmp/log"
say $? "one header for programs, one for plugins, and no other is needed"

# ---- linking ----
PKG_CONFIG_PATH=$pre/lib/pkgconfig
export PKG_CONFIG_PATH
# embed NAME STATIC CC CXX: builds the examples and runs them.
embed() {
    warn='-Wall -Wextra -Wpedantic -Wshadow -Werror -O1'
    "$MAKE" -s -C examples/embed BUILD="$tmp/$1" STATIC="$2" CC="$3" CXX="$4" \
        CFLAGS="$warn ${SAN:-}" CXXFLAGS="$warn ${SAN:-}" LDFLAGS= >"$tmp/log" 2>&1
    say $? "$1: examples/embed builds"
    LD_LIBRARY_PATH=$pre/lib "$tmp/$1/embed" $demo/fashion_lrn.onnx $demo/calib_images.npy >"$tmp/log" 2>&1
    [ "$(cat "$tmp/log")" = "0 2 6 5 2 2 2 9" ]
    say $? "$1: embed classifies"
    LD_LIBRARY_PATH=$pre/lib "$tmp/$1/threads" $demo/fashion_lrn.onnx >"$tmp/log" 2>&1
    [ "$(cat "$tmp/log")" = "0 of 160 runs differ" ]
    say $? "$1: eight threads agree"
}
embed shared '' "$CC" "$CXX"
embed static 1 "$CC" "$CXX"
# The program of embedding.md, by the commands of that page, in a folder with
# nothing else: the n-th `cc` with the lines that it goes on in.
demo=$PWD/examples/demo page=$PWD/docs/howto/embedding.md
mkdir "$tmp/mine"
cp "$demo/fashion_lrn.onnx" "$tmp/mine/model.onnx"
awk '/^```/ { n++; next } n == 1' "$page" >"$tmp/mine/mine.c"
for n in 1 2; do
    awk -v k=$n '/^    cc / { n++; on = 1 } on && n == k { print } !/\\$/ { on = 0 }' "$page" |
        sed "s|^    cc |    $CC ${SAN:-} -Wall -Wextra -Werror |" >"$tmp/mine/build.sh"
    (cd "$tmp/mine" && rm -f mine && sh -eu build.sh && ./mine >scores.$n) >"$tmp/log" 2>&1
    [ $? = 0 ] && [ "$(grep -c '^[-0-9.e]*$' "$tmp/mine/scores.$n")" = 10 ]
    say $? "mine.c of embedding.md, build $n"
done
cmp "$tmp/mine/scores.1" "$tmp/mine/scores.2" >"$tmp/log" 2>&1
say $? "mine.c has the same scores, shared and static"
# As C++ the C example is the same program.
# shellcheck disable=SC2046,SC2086
"$CXX" ${SAN:-} -std=c++17 -x c++ examples/embed/embed.c -x none $(pkg-config --cflags --libs sinter) \
    -o "$tmp/embed" >"$tmp/log" 2>&1
say $? "embed.c is C++17 too"
LD_LIBRARY_PATH=$pre/lib "$tmp/embed" no.onnx no.npy >"$tmp/log" 2>&1
[ $? = 3 ] && grep -q '^no.onnx: ' "$tmp/log"
say $? "an error has its exit code and its file"
# What is visible: the functions of the header, and those for plugins.
nm -D --defined-only "$pre/lib/libsinter.so" | sed -n 's/.* T \(.*\)@@SINTER_[0-9].*/\1/p' |
    LC_ALL=C sort >"$tmp/visible"
grep -oE '\bsinter_[a-z0-9_]+\(' include/sinter.h | tr -d '(' | LC_ALL=C sort -u >"$tmp/declared"
diff "$tmp/declared" "$tmp/visible" >"$tmp/log"
say $? "libsinter.so shows what sinter.h declares"
! nm -D --defined-only "$pre/lib/libsinter.so" | grep -vE ' (sinter_.*@@SINTER_[0-9]|sn_.*@@SINTER_PLUGIN_|SINTER_)' >"$tmp/log"
say $? "libsinter.so shows nothing else"
readelf -d "$pre/lib/libsinter.so" | grep -q "SONAME.*\[libsinter.so.$(pkg-config --modversion sinter | sed 's/\.[0-9]*$//')\]"
say $? "the soname has the version"
static=$(pkg-config --static --libs sinter)
# One list: what the program itself is linked with.
want=$("$MAKE" -s --no-print-directory -f - print <<'END'
include Makefile
print:
	@echo $(LIBS)
END
)
for l in $want; do
    case " $static " in
    *" $l "*) say 0 "sinter.pc names $l" ;;
    *) say 1 "sinter.pc names $l" ;;
    esac
done
[ "$(pkg-config --modversion sinter)" = "$("$BUILD/sinter" --version | sed 's/^sinter //')" ]
say $? "sinter.pc has the version"

# ---- away again ----
for f in man/man1/sinter.1 man/man1/sinter-quantize.1 man/man1/sinter-gen.1 \
    bash-completion/completions/sinter zsh/site-functions/_sinter \
    fish/vendor_completions.d/sinter.fish doc/sinter/reference.md; do
    [ -s "$pre/share/$f" ]
    say $? "share/$f"
done
"$MAKE" -s --no-print-directory uninstall BUILD="$BUILD" prefix="$pre" >"$tmp/log" 2>&1
find "$pre" ! -type d >>"$tmp/log"
[ ! -s "$tmp/log" ]
say $? "uninstall leaves no file"
exit $bad
