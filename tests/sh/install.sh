#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What make install puts in place: each header compiles alone as C11 and as
# C++17, none is internal, and a program links with the shared and with the
# static library by what pkg-config says.
BUILD=${BUILD:-build} CC=${CC:-gcc} MAKE=${MAKE:-make}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
case $CC in
*clang*) CXX=clang++ ;;
*) CXX=g++ ;;
esac
say() { # RESULT NAME
    if [ "$1" = 0 ]; then
        echo "ok install $2"
    else
        echo "not ok install $2"
        sed 's/^/    /' "$tmp/log" | head -n 8
        bad=1
    fi
}
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
(cd "$inc" && find . -name '*.h' | grep -E '_priv|internal|/(conv|point|lanes|each|erf|hooks)') >"$tmp/log"
[ ! -s "$tmp/log" ]
say $? "no header of a kernel's or a module's own"

# ---- linking ----
cat >"$tmp/m.sn" <<'END'
sinter-graph 1
graph "m" {
  %x = Placeholder() : f32[1,4]
  %k = Constant() {data = [1, 2, 3, 4]} : f32[1,4]
  %s = Add(%x, %k) : f32[1,4]
  %q = Quantize(%s) : qi8<0.5, 0>[1,4]
  %r = Relu(%q) : qi8<0.5, 0>[1,4]
  %y = Dequantize(%r) : f32[1,4]
  Save(%y) {name = "out"}
}
END
PKG_CONFIG_PATH=$pre/lib/pkgconfig
export PKG_CONFIG_PATH
# host NAME LIBRARIES COMPILER...: builds the program and runs it.
host() {
    name=$1 libs=$2
    shift 2
    # shellcheck disable=SC2046,SC2086
    "$@" ${SAN:-} $(pkg-config --cflags sinter) -o "$tmp/host" tests/host/host.c -x none $libs \
        >"$tmp/log" 2>&1
    say $? "$name links"
    LD_LIBRARY_PATH=$pre/lib "$tmp/host" "$tmp/m.sn" >"$tmp/out" 2>"$tmp/log"
    rc=$?
    cat "$tmp/out" >>"$tmp/log"
    [ $rc = 0 ] && [ "$(cat "$tmp/out")" = "1 3 5 7" ]
    say $? "$name runs"
    rm -f "$tmp/host"
}
shared=$(pkg-config --libs sinter)
host 'shared, C11' "$shared" "$CC" -std=c11
host 'shared, C++17' "$shared" "$CXX" -std=c++17 -x c++
# The same line with the static library alone in its directory.
mkdir "$tmp/static" "$tmp/static/pkgconfig"
cp "$pre/lib/libsinter.a" "$tmp/static"
rm "$pre/lib/libsinter.so"
sed "s|^libdir=.*|libdir=$tmp/static|" "$pre/lib/pkgconfig/sinter.pc" >"$tmp/static/pkgconfig/sinter.pc"
PKG_CONFIG_PATH=$tmp/static/pkgconfig
static=$(pkg-config --static --libs sinter)
host 'static, C11' "$static" "$CC" -std=c11
host 'static, C++17' "$static" "$CXX" -std=c++17 -x c++
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
exit $bad
