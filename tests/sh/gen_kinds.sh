#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What an added node recompiles: each kind has its own header, so the headers of
# later kinds change, whose numbers move, and that of the node is new.
case $BUILD in /*) build=$BUILD ;; *) build=$PWD/$BUILD ;; esac
tmp=$build/tests/gen_kinds
rm -rf "$tmp"
mkdir -p "$tmp/defs/src"
say() { if [ "$2" = 0 ]; then echo "ok $1"; else echo "not ok $1"; fi; }

cp maps.def arith.def nodes.def passes.def "$tmp/defs/"
cp -r src/backend "$tmp/defs/src/"
# made DIR: what is generated of these declarations, without proofs.
made() (
    cd "$tmp/defs" || exit
    set -- "$1" "--no-prove --nodes nodes.def --passes passes.def -I ."
    for b in src/backend/*/*.def; do set -- "$1" "$2 --backend $b"; done
    # shellcheck disable=SC2086
    "$build/sinter-gen" $2 -o "$tmp/$1" >"$tmp/$1.log" 2>&1 || head -n 5 "$tmp/$1.log"
)
made was
sed '/^node Neg {/i\
node Half {\
  in x; out y;\
  kinds (x) -> y { (T) -> T for T in act; }\
  free x, y;\
  sem point y = q(d(x) / 2) over each(x);\
}' nodes.def >"$tmp/defs/nodes.def"
made is

# Kinds in their order, by the headers that sn_kinds.h names.
kinds() { sed -n 's/^#include "\(sn_kind_.*\)"/\1/p' "$tmp/$1/sn_kinds.h"; }
kinds was >"$tmp/kinds"
[ -s "$tmp/kinds" ] && kinds is | grep -vx sn_kind_half.h | cmp -s - "$tmp/kinds"
say one_header_each $?
{
    sed -n '/^sn_kind_neg.h$/,$p' "$tmp/kinds"
    printf '%s\n' sn_kinds.h sn_kind_half.h
} | sort >"$tmp/want"
changed() { (cd "$tmp/is" && for f in $1; do cmp -s "$f" "../was/$f" || echo "$f"; done); }
changed 'sn_kind*.h sn_attr_*.h sn_gen.h sn_maps.h sn_hooks.h' | sort >"$tmp/got"
diff "$tmp/want" "$tmp/got"
say headers_that_change $?
[ "$(changed 'sn_eval_*.h' | wc -l)" = 1 ]
say evaluators_of_one_part $?
cmp -s "$tmp/is/sn_maps.c" "$tmp/was/sn_maps.c"
say maps_stay $?

# So a file of src includes the kinds that it is about.
grep -rl '"sn_kinds.h"' src
[ $? = 1 ]
say no_file_of_src_includes_all $?

# Integers are exact; binary64 has no 2^53 + 1.
cat >"$tmp/far.def" <<'EOF'
version 2;
include "tests/gen/mini.def";
node Far {
  in x; out y;
  kinds (x) -> y { (f32) -> f32; }
  attr one : int = 9007199254740993;
  attr least : int = -9223372036854775807 - 1;
  attr list : int[] = [-9007199254740993, 3 * 3002399751580331, 6 / 2];
  sem point y = d(x) over each(x);
}
onnx "x:Far" 1.. (x) for f32 let far = 9007199254740993 => Add(x, far);
EOF
"$build/sinter-gen" --no-prove --backend "$tmp/far.def" -I . -o "$tmp/far" >"$tmp/far.log" 2>&1 ||
    head -n 5 "$tmp/far.log"
tr -s ' \n' '  ' <"$tmp/far/sn_kinds.c" | grep -q 'far_default = { .one = INT64_C(9007199254740993), .least = INT64_MIN, .list = { 3, (const int64_t\[\]){ INT64_C(-9007199254740993), INT64_C(9007199254740993), 3 } }, };'
say whole_numbers_are_exact $?
tr -s ' \n' '  ' <"$tmp/far/sn_kinds.c" |
    grep -q '.num = { SN_A_INT, NULL, -1, true, { .i = INT64_C(9007199254740993) } } },'
say whole_numbers_of_operators_are_exact $?
