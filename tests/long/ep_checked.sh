#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The execution provider with its memory checked: random graphs in ONNX Runtime
# under the sanitizers, with fences in the arena and without them, where inputs
# and outputs are ONNX Runtime's; allocations that fail; and random graphs under
# valgrind.  MODELS and VALGRIND are the numbers of graphs, SEED the first.
. "${0%/*}/../../tools/help.sh"
MAKE=${MAKE:-make} CC=${CC:-gcc} MODELS=${MODELS:-400} VALGRIND=${VALGRIND:-60} SEED=${SEED:-700001}
suite=ep_checked
. tests/sh_case.sh
unset SAN
if ! sh tools/oracle/install.sh "$BUILD/oracle" 2>"$tmp/log" || ! ort=$(sh tools/oracle/lib.sh "$BUILD/oracle"); then
    echo "skip ep_checked: ONNX Runtime cannot be had"
    exit 0
fi
"$MAKE" -s --no-print-directory all ep "$BUILD/tests/ep_differ" BUILD="$BUILD" CC="$CC" || exit 1
b=$BUILD/ep_checked
mkdir -p "$b"
cp -a "$BUILD/gen" "$BUILD/line" "$BUILD/sinter-gen" "$BUILD/libsinter-dsl.a" "$b" || exit 1
"$MAKE" -s --no-print-directory ep "$b/tests/ep_differ" "$b/tests/ep_fake" "$b/tests/ep_parts" "$b/tests/ep_memory" \
    "$b/tests/test_bind" BUILD="$b" CC="$CC" SAN='-fsanitize=address,undefined -fno-sanitize-recover=all' \
    -o "$b/sinter-gen" -o "$b/libsinter-dsl.a" >"$tmp/log" 2>&1
say $? "builds with sanitizers"
[ "$bad" = 0 ] || exit 1
for t in ep_fake ep_parts ep_memory test_bind; do
    "$b/tests/$t" >"$tmp/log" 2>&1
    say $? "$t with sanitizers$(sed -n 's/ allocations end/ allocations that fail end/p' "$tmp/log" | sed 's/^/; /' | tr -d '\n')"
done

# What ONNX Runtime loses is its own.  Provider and test have a library each.
echo 'leak:libonnxruntime' >"$tmp/leaks"
so=$(cd "$b" && pwd)/libsinter_ep.so
for fence in 1 0; do
    for form in '' exact; do
        # shellcheck disable=SC2086
        LSAN_OPTIONS=suppressions=$tmp/leaks:print_suppressions=0 ASAN_OPTIONS=detect_odr_violation=0 \
            SINTER_FENCE=$fence "$b/tests/ep_differ" "$ort" "$so" "$MODELS" "$SEED" $form >"$tmp/log" 2>&1
        say $? "fences $fence, ${form:-all forms}: $(tail -n 1 "$tmp/log" | sed 's/^[^:]*: //')"
    done
done

# Of valgrind's messages those with a frame in sinter's code count.
if command -v valgrind >/dev/null; then
    find src "$BUILD/gen" -name '*.c' | sed 's|.*/||; s|.*|(&:|' >"$tmp/ours"
    so=$(cd "$BUILD" && pwd)/libsinter_ep.so
    valgrind --error-limit=no --num-callers=40 --leak-check=full --log-file="$tmp/valgrind" \
        "$BUILD/tests/ep_differ" "$ort" "$so" "$VALGRIND" "$SEED" >"$tmp/one" 2>&1
    grep -q '^==.*ERROR SUMMARY' "$tmp/valgrind" && grep -q ' 0 differ$' "$tmp/one"
    say $? "valgrind: $(tail -n 1 "$tmp/one" | sed 's/^[^:]*: //')"
    sed 's/^==[0-9]*== \{0,1\}//' "$tmp/valgrind" |
        awk -v ours="$tmp/ours" 'BEGIN { while ((getline f <ours) > 0) name[++n] = f }
            /^$/ { if (hit) printf "%s\n", text; text = ""; hit = 0; next }
            { text = text $0 "\n"; for (i = 1; i <= n; i++) if (index($0, name[i])) hit = 1 }
            END { if (hit) printf "%s", text }' >"$tmp/log"
    [ ! -s "$tmp/log" ]
    say $? "valgrind says nothing about sinter"
else
    echo "| valgrind is not here: nothing runs under it"
fi
exit $bad
