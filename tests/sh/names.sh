#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Names are any bytes but NUL.  In what verbs write for people and compilers they
# are printable UTF-8, end no comment, and add no line.
CC=${CC:-gcc} MAKE=${MAKE:-make}
suite=names
. tests/sh_case.sh

# A name that ends a comment and begins a line, one that begins a comment, an
# escape sequence of terminals, a mark that reverses text, half a character.
evil='*/\n#error in a name\n/* \x1b[2J \xe2\x80\xae ??/ <b>&\" \\ \xdd '
sed "s|@|$(printf '%s' "$evil" | sed 's|[\\&]|\\&|g')|g" >"$tmp/m.sn" <<'END'
sinter-graph 1
graph "g@" {
  %"x@" = Placeholder() : f32[1,4]
  %"w@" = Constant() {data = [1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7]} : f32[4,4]
  %"m@" = MatMul(%"x@", %"w@") : f32[1,4]
  %"r@" = Relu(%"m@") : f32[1,4]
  Save(%"r@") {name = "o@"}
}
END
printf '\223NUMPY\1\0\166\0%-117s\n' \
    "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 4), }" >"$tmp/x.npy"
printf '\1\2\3\4\5\6\7\10' >>"$tmp/x.npy"

# plain WHAT FILE...: UTF-8 without control characters, but ends of lines.
plain() {
    what=$1
    shift
    for f; do
        iconv -f UTF-8 -t UTF-8 "$f" >/dev/null 2>&1 &&
            ! LC_ALL=C grep -aq "$(printf '[\001-\010\013-\037\177]')" "$f"
        say $? "$what: ${f##*/} is text"
    done
}
# shown WHAT FILE...: and no mark that reverses what follows.
shown() {
    plain "$@"
    shift
    for f; do
        ! LC_ALL=C grep -aq "$(printf '\342\200\256')" "$f"
        say $? "$what: ${f##*/} in the order that is written"
    done
}
# run NAME ARGUMENTS...: sinter succeeds, and what it prints is shown.
run() {
    t "$1" 0 err "" "$@"
    shown "$1" "$tmp/out" "$tmp/err"
}
m=$tmp/m.sn q=$tmp/q.sn
run inspect "$m"
run draw "$m" -o "$tmp/d.dot"
t overview 0 out "" draw "$m" --overview -o "$tmp/o.dot"
shown draw "$tmp/d.dot" "$tmp/o.dot"
run opt "$m" --trace -o "$tmp/o.sn"
run quantize "$m" --calib "$tmp/x.npy" --mul 1 -o "$q"
run why "$q"
run compare "$m" "$q" --input "$tmp/x.npy" --mul 1
run run "$q" --input "$tmp/x.npy" --mul 1
run report "$m" "$q" --input "$tmp/x.npy" --mul 1 --untimed -o "$tmp/r.html"
plain report "$tmp/r.html"
shown report_title "$(sed -n '/<title>/p' "$tmp/r.html" >"$tmp/title"; echo "$tmp/title")"
run bench "$q" --runs 1 --per-node -o "$tmp/roof.svg"
shown bench "$tmp/roof.svg"

# Text of a name that a compiler reads would run where the program does.
for model in "$m" "$q"; do
    rm -rf "$tmp/c"
    run compile "$model" -o "$tmp/c"
    shown compile "$tmp"/c/*.[ch]
    plain compile "$tmp/c/net.json"
    "$MAKE" -s -C "$tmp/c" CC="$CC" CFLAGS='-std=c11 -O1 -Wall -Wextra -Wpedantic -Werror' >"$tmp/log" 2>&1 &&
        "$tmp/c/net_test" >"$tmp/log" 2>&1
    say $? "compile: what ${model##*/} becomes is the program alone"
done
exit $bad
