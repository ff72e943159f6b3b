#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The machines of examples/arithmetics against vectors that a script computes
# independently of their rows (tests/tools/arith_vectors.py): by the generator,
# which evaluates formulas, and by the C that it writes, in plugins.
#   tests/sh/vectors.sh [COUNT NAME...]    COUNT vectors a row; plugins of NAMEs
suite=vectors
. tests/sh_case.sh
CC=${CC:-gcc}
MAKE=${MAKE:-make}
count=${1:-300}
[ $# -gt 0 ] && shift
plugins=${*:-nvdla tflite cmsis_nn}
names='tflite cmsis_nn xnn_rndnu max78000 nvdla'
root=$PWD
pre=$tmp/prefix
script=$root/tests/tools/arith_vectors.py
command -v python3 >/dev/null || {
    echo "skip $suite: there is no python3"
    exit 0
}

fine() { # NAME CONDITION...
    name=$1
    shift
    if "$@"; then
        echo "ok $suite $name"
    else
        echo "not ok $suite $name"
        sed 's/^/    /' "$tmp/log" 2>/dev/null | tail -n 12
        bad=1
    fi
}

# shellcheck disable=SC2086
"$MAKE" -s install BUILD="$BUILD" CC="$CC" SAN="${SAN:-}" prefix="$pre" \
    >"$tmp/log" 2>&1
fine install [ $? -eq 0 ]
export PKG_CONFIG_PATH="$pre/lib/pkgconfig"
unset MAKEFLAGS MFLAGS MAKELEVEL
gen() { "$pre/bin/sinter-gen" --core "$pre/share/sinter" "$@"; }

cp -r examples/arithmetics "$tmp/a"
for n in $names; do
    python3 "$script" "$n" 50 >"$tmp/log"
    fine "$n.vectors is what the script computes" \
        cmp "$tmp/log" "examples/arithmetics/$n.vectors"
    python3 "$script" "$n" "$count" >"$tmp/a/$n.vectors"
done
cd "$tmp/a" || exit 1
for n in $names; do
    gen --plugin "$n.def" --check --no-prove --report >"$tmp/report" \
        2>"$tmp/log"
    rows=$(grep -c '^row' "$n.vectors")
    fine "$n: formulas give them, $count a row" grep -q \
        "^arithmetic $n: $((rows * count)) vectors of $n.vectors agree$" \
        "$tmp/report"
    case $n in
        max78000) as='convert, product, point, function' ;;
        nvdla) as='product, point, function' ;;
        xnn_rndnu) as='convert, mean, difference, product, point, function' ;;
        *) as='point, function' ;;
    esac
    fine "$n: what float says is listed" \
        [ "$(sed -n "/^arithmetic $n:/{n;s/^  as float: //p;}" "$tmp/report")" = "$as" ]
    [ "$n" = tflite ] || continue
    grep -q '^arithmetic double: unchecked' "$tmp/report"
    fine 'the core is not the plugin to be checked' [ $? -ne 0 ]
done

# What a row gives is the row's vectors, and no other machine's.
sed 's/tflite/cmsis_nn/' tflite.vectors >cmsis_nn.vectors
gen --plugin cmsis_nn.def --check --no-prove >"$tmp/log" 2>&1
fine 'a row that rounds otherwise is refused' [ $? -eq 1 ]
fine 'with its place' grep -q \
    'cmsis_nn.def:.*SN193.*cmsis_nn.vectors:[0-9]* has -\{0,1\}[0-9]*, it gives' \
    "$tmp/log"
sed '/vectors "/d' nvdla.def >unchecked.def
gen --plugin unchecked.def --check --no-prove --report >"$tmp/log" 2>&1
fine 'a block without vectors is unchecked' grep -q \
    '^arithmetic nvdla: unchecked against the machine$' "$tmp/log"
python3 "$script" cmsis_nn "$count" >cmsis_nn.vectors
cp xnn_rndnu.vectors all.vectors
sed '/^row sum/,$d' all.vectors >xnn_rndnu.vectors
gen --plugin xnn_rndnu.def --check --no-prove --report >"$tmp/log" 2>&1
fine 'a row without vectors is named' grep -q \
    "^arithmetic xnn_rndnu: $count vectors of .* agree; none for sum$" "$tmp/log"
mv all.vectors xnn_rndnu.vectors

# Nodes whose rows depend on what they are over: values worked out by hand.
# nvdla: 9 by 32768 * 21845 / 2^32 is 1, not 1.5; 1 + 2 * 0.25 is 2 steps of 1.
cat >nvdla.sn <<'END'
sinter-graph 1
graph "n" BY {
  %x = Constant() {data = [1, 2, 1, 2, 1, 2]} : qi8<0.5, 0>[1,2,3,1]
  %p = AvgPool(%x) {kernel = [2,3]} : qi8<0.5, 0>[1,1,1,1]
  %a = Constant() {data = [1]} : qi8<1, 0>[1]
  %b = Constant() {data = [2]} : qi8<0.25, 0>[1]
  %s = Add(%a, %b) : qi8<1, 0>[1]
  Save(%p) {name = "p"}
  Save(%s) {name = "s"}
}
END
printf '0.5\n2\n' >nvdla.want
# tflite: 5 quarters are 1, and 2 where they are rounded twice (depthwise, and a
# Rescale); 3 halves are 2; the mean of codes -6 / 4 is -2, which represents 1.
cat >tflite.sn <<'END'
sinter-graph 1
graph "n" BY {
  %x = Constant() {data = [5, 5]} : qi8<0.5, 0>[1,1,1,2]
  %w = Constant() {data = [1, 1]} : qi8<0.5, 0>[2,1,1,1]
  %d = Conv2D(%x, %w, _) {kernel = [1,1], group = 2} : qi8<1, 0>[1,1,1,2]
  %v = Constant() {data = [1, 0]} : qi8<0.5, 0>[1,1,1,2]
  %c = Conv2D(%x, %v, _) {kernel = [1,1]} : qi8<1, 0>[1,1,1,1]
  %r = Rescale(%x) : qi8<2, 0>[1,1,1,2]
  %a = Constant() {data = [3]} : qi8<0.5, 0>[1]
  %z = Constant() {data = [0]} : qi8<0.5, 0>[1]
  %s = Add(%a, %z) : qi8<1, 0>[1]
  %q = Constant() {data = [-1, -2, 0, -3]} : qi8<1, -3>[1,2,2,1]
  %p = AvgPool(%q) {kernel = [2,2]} : qi8<1, -3>[1,1,1,1]
  Save(%d) {name = "d"}
  Save(%c) {name = "c"}
  Save(%r) {name = "r"}
  Save(%s) {name = "s"}
  Save(%p) {name = "p"}
}
END
printf '2\n2\n1\n4\n4\n2\n1\n' >tflite.want

for n in $plugins; do
    "$MAKE" BUILD=build NAME="$n" CC="$CC" CFLAGS="-O1 ${SAN:-}" >"$tmp/log" 2>&1
    fine "$n builds out of the tree" [ -f "build/lib$n.so" ]
    so=$tmp/a/build/lib$n.so
    rows=$(grep -c '^row' "$n.vectors")
    "$root/$sinter" --backend-plugin "$so" run --check-vectors "$n.vectors" \
        >"$tmp/log" 2>&1
    fine "$n: its code gives them" grep -q \
        "^$n: $((rows * count)) vectors of $rows rows agree$" "$tmp/log"
    fine "$n: rows are as far from operators of reals as their bounds say" \
        [ "$(grep -c 'codes from the operator of reals, bound' "$tmp/log")" = "$rows" ]
    fine "$n: and one as far" grep -Eq \
        ': -1 to 1 codes from .*, bound -1 to 1(;|$)' "$tmp/log"
    gen --plugin "$n.def" --vectors "$n" --count 200 >"$tmp/drawn"
    "$root/$sinter" --backend-plugin "$so" run --check-vectors "$tmp/drawn" \
        >"$tmp/log" 2>&1
    fine "$n: what --vectors prints is read" grep -q 'rows agree$' "$tmp/log"
    printf 'sinter-graph 1\ngraph "n" {\n  %%x = Placeholder() : %s\n%s\n}\n' \
        'qi8<0.5, 0>[1]' '  Save(%x) {name = "y"}' >one.sn
    by=$("$root/$sinter" --backend-plugin "$so" opt one.sn --backend "$n" |
        sed -n 's/^graph "n" \(rounding .*\) {/\1/p')
    if [ "$n" = cmsis_nn ]; then # of a matrix, and of two of them; by a ratio of 1/4 it fits
        for to in '[4,4] 0.000030517578' '[2,4,4] 0.000030517578' '[2,4,4] 4'; do
            # shellcheck disable=SC2086 # a shape and a scale
            set -- $to
            {
                printf 'sinter-graph 1\ngraph "m" %s {\n' "$by"
                printf '  %%%s = Placeholder() : qi8<1, 0>%s\n' x "$1" w "$1"
                printf '  %%y = MatMul(%%x, %%w) : qi8<%s, 0>%s\n' "$2" "$1"
                printf '  Save(%%y) {name = "y"}\n}\n'
            } >m.sn
            "$root/$sinter" --backend-plugin "$so" inspect m.sn >"$tmp/log" 2>&1
            rc=$?
            if [ "$2" = 4 ]; then
                fine 'products of several matrices that fit' [ $rc = 0 ]
            else
                fine "MatMul of $1 that may wrap is refused" grep -q \
                    'y (MatMul): one of its products may wrap' "$tmp/log"
            fi
        done
    fi
    if [ -f "$n.sn" ]; then
        sed "s/ BY / $by /" "$n.sn" >by.sn
        for on in "$n" interp; do
            "$root/$sinter" --backend-plugin "$so" run by.sn --backend "$on" \
                2>"$tmp/log" | grep '^ ' | tr -s ' ' '\n' | sed '/^$/d' >got
            fine "$n: a graph gives its values, on $on" cmp got "$n.want"
        done
        if [ "$n" = nvdla ]; then
            sed '/Add(/s/<1, 0>/<0.5, 0>/' by.sn >far.sn
            "$root/$sinter" --backend-plugin "$so" inspect far.sn >"$tmp/log" 2>&1
            fine 'a scale has a window of its own' grep -qF \
                'a.scale / y.scale is 2, arithmetic nvdla expects 2^-49 to 2^1' "$tmp/log"
        fi
        if [ "$n" = tflite ]; then # 2^-1 / 2^-28: 128 * 2^28 leaves 32 bits
            sed '/Rescale(/s/<2, 0>/<3.7252903e-09, 0>/' by.sn >far.sn
            "$root/$sinter" --backend-plugin "$so" inspect far.sn >"$tmp/log" 2>&1
            fine 'a product that may wrap is refused' grep -q \
                'r (Rescale): one of its products may wrap' "$tmp/log"
        fi
        # the same with inputs, as a program: its self-test has an evaluator's bits
        sed 's/%\([xabzq]\) = Constant() {[^}]*}/%\1 = Placeholder()/' by.sn >in.sn
        rm -rf prog
        "$root/$sinter" --backend-plugin "$so" compile in.sn -o prog >"$tmp/log" 2>&1 &&
            "$CC" -std=c99 -O1 -Wall -Wextra -Wconversion -Werror -o prog/t prog/*.c \
                >>"$tmp/log" 2>&1 && prog/t >>"$tmp/log" 2>&1
        fine "$n: a program in C gives them" grep -q right "$tmp/log"
        # gcc: clang takes reals for those of the x87 then, which the header refuses
        if [ "$(uname -m)" = x86_64 ]; then
            gcc -std=c99 -O1 -mgeneral-regs-only -c -o prog/net.o prog/net.c \
                >"$tmp/log" 2>&1
            fine "$n: by integers alone" [ $? -eq 0 ]
        fi
    fi
    # the eleventh of the first row, changed by one
    awk '/^row/ && !row++ { from = NR } NR == from + 11 && row == 1 {
             $NF += $NF > 0 ? -1 : 1 } { print }' "$n.vectors" >"$tmp/bad"
    "$root/$sinter" --backend-plugin "$so" run --check-vectors "$tmp/bad" \
        >"$tmp/out" 2>"$tmp/log"
    fine "$n: a difference ends with 1" [ $? -eq 1 ]
    fine "$n: and is named" grep -q \
        'bad:14: vector 10 of row .*: expected -\{0,1\}[0-9]*, got' "$tmp/log"
done

# Files that are none, and arithmetics that nobody has.
cd "$root" || exit 1
printf 'sinter-vectors 1 nobody\nrow sum : %s y\n' \
    'a.scale a.zp b.scale b.zp y.scale y.zp zp_shift a b' >"$tmp/v"
t 'an unknown arithmetic' 3 err "no arithmetic is named 'nobody'" \
    run --check-vectors "$tmp/v"
sed 's/nobody/double/' "$tmp/v" >"$tmp/w"
t 'a row that there is not' 4 err 'arithmetic double has no row for sum' \
    run --check-vectors "$tmp/w"
gen -I . --vectors double --count 400 >"$tmp/v" 2>"$tmp/log"
t 'an arithmetic of the core' 0 out \
    'double: 1600 vectors of 4 rows agree' run --check-vectors "$tmp/v"
t 'no model goes with it' 2 err 'cannot be combined with a model' \
    run --check-vectors "$tmp/v" model.sn
bad_file() { # NAME TEXT MESSAGE
    printf '%b' "$2" >"$tmp/w"
    t "$1" 3 err "$3" run --check-vectors "$tmp/w"
}
row='row convert : x.scale x.zp y.scale y.zp x y'
head='sinter-vectors 1 single\n'
bad_file 'no head' 'row sum\n' "'row sum', expected 'sinter-vectors 1 NAME'"
bad_file 'no rows' "$head" 'no vectors'
bad_file 'no form' "${head}row som : a\n" "'som', expected a form"
bad_file 'no condition' "${head}row sum when dry : a\n" \
    "'dry', expected a condition"
bad_file 'other columns' "${head}row convert : x y\n" \
    "columns 'x y', expected 'x.scale x.zp y.scale y.zp x y'"
bad_file 'values before rows' "${head}1 2 3\n" 'values before the first row'
bad_file 'a scale of 0' "$head$row\n0 0 1 0 1 1\n" \
    "'0', expected a scale from 2^-100 to 2^100"
bad_file 'a code of 9 bits' "$head$row\n1 0 1 0 128 1\n" \
    "'128', expected an integer from -128 to 127"
bad_file 'too few' "$head$row\n1 0 1 0 12\n" \
    "'end of line', expected an integer"
bad_file 'too many' "$head$row\n1 0 1 0 12 12 1\n" \
    "'1', expected the end of the line"
exit $bad
