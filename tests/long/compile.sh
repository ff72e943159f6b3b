#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs in C against the evaluators, bit for bit: the graphs of tests/pass,
# the available quantized models, random graphs (SINTER_COMPILE=N of them,
# default 500, refused ones aside; SINTER_SEED=S is the first seed), and
# networks on all available samples; by each target, built by gcc (c99, gnu99)
# and clang without a flag that forbids to fuse products, and under qemu. Prints
# one table.
#   SINTER_PARTS    what is run: graphs random samples processors
#   SINTER_SAMPLES  of each network: "ALL SOME EMULATED", at most, for one
#                   compiler of each target, for the others, and under qemu
#                   (default: "1000000 500 200")
#   SINTER_WAYS     TARGET:COMPILER.. instead of all
#   SINTER_NETWORKS only those whose names match this expression
. "${0%/*}/../../tools/help.sh"
BUILD=${BUILD:-build}
SHARED=${SHARED:-../shared}
MAKE=${MAKE:-make}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
warn="-Wall -Wextra -Wconversion -pedantic -Werror"
. tests/cross.sh
cross "$tmp"

say() { # OK NAME
    if [ "$1" = 0 ]; then
        echo "ok compile $2"
    else
        echo "not ok compile $2"
        head -n 4 "$tmp/log"
        bad=1
    fi
}

# program FILE [FLAGS]: writes it; 1 where the evaluators or the importer refuse it.
program() {
    f=$1
    shift
    rm -rf "$tmp/p"
    "$BUILD/sinter" compile "$f" -o "$tmp/p" "$@" >"$tmp/log" 2>&1
}

part() {
    case " ${SINTER_PARTS:-graphs random samples processors} " in
    *" $1 "*) return 0 ;;
    esac
    return 1
}

# Compilers; two of them may fuse products, where the machine does.
fused=
[ "$(uname -m)" = x86_64 ] && grep -qw fma /proc/cpuinfo && fused=-mfma
compiler() { # c99|gnu99|clang|aarch64|riscv64|m4|m55
    case $1 in
    c99) echo "gcc -std=c99" ;;
    gnu99) echo "gcc -std=gnu99 $fused" ;;
    clang) echo "clang $fused" ;;
    *) echo "$tmp/cc-$1" ;;
    esac
}

# runs TARGET COMPILER: whether its programs run here.
runs() {
    case $2 in
    c99 | gnu99 | clang) command -v "$(compiler "$2" | cut -d ' ' -f 1)" >/dev/null || return ;;
    *) [ -x "$tmp/cc-$2" ] || return ;;
    esac
    case $1 in
    x86-avx2) grep -q ' avx2 ' /proc/cpuinfo ;;
    x86-avx512vnni) grep -q ' avx512_vnni ' /proc/cpuinfo ;;
    esac 2>/dev/null
}

# Ways to build a program: TARGET:COMPILER.  The first compiler of a target takes
# all samples; portable programs take all by each.
ways=
for way in portable:c99 portable:gnu99 portable:clang armv7em:gnu99 armv7em:c99 armv7em:clang \
    armv8.1m-mve:clang armv8.1m-mve:c99 armv8.1m-mve:gnu99 rv64:c99 rv64:gnu99 rv64:clang \
    x86-avx2:gnu99 x86-avx2:c99 x86-avx2:clang x86-avx512vnni:clang x86-avx512vnni:c99 \
    x86-avx512vnni:gnu99 portable:aarch64 aarch64-dotprod:aarch64 portable:riscv64 rv64:riscv64 \
    armv7em:m4 armv8.1m-mve:m55; do
    runs "${way%:*}" "${way#*:}" && ways="$ways $way"
done
ways=${SINTER_WAYS:-$ways}
targets=$(for way in $ways; do echo "${way%:*}"; done | awk '!seen[$0]++')
# first WAY: whether its compiler is the target's first.
first() {
    for other in $ways; do
        case $1 in
        portable:* | "$other") return ;;
        esac
        [ "${other%:*}" != "${1%:*}" ] || return
    done
}
# Of graphs: tuned programs by one compiler here, and under qemu.
graph_ways=
for way in $ways; do
    case $way in
    *:c99 | *:gnu99 | *:clang) first "$way" || continue ;;
    esac
    graph_ways="$graph_ways $way"
done

# ---- the table ----
# row NAME OF REFUSED: from lines TARGET:COMPILER WHAT in $tmp/cells.
row() {
    line="| $1 | $2 | $3 |"
    for way in $ways; do
        line="$line $(awk -v w="$way" '$1 == w { print $2; n = 1; exit } END { if (!n) print "-" }' \
            "$tmp/cells") |"
    done
    echo "$line" >>"$tmp/rows"
}
table() {
    [ -f "$tmp/rows" ] || return
    line="| equal, of | there are | refused |" rule="|---|---|---|"
    for way in $ways; do
        line="$line ${way%:*} ${way#*:} |" rule="$rule---|"
    done
    echo "$line"
    echo "$rule"
    cat "$tmp/rows"
}

# ---- graphs by their self-tests ----

# together WAY NUMBER...: builds these graphs of $tmp/b as one program and runs
# it; a line WAY FILE in $tmp/right for what is right.  Graphs that a board's
# memory does not hold together are built apart, and one that it does not hold
# at all is a line of $tmp/large.
together() {
    way=$1 sources=$tmp/b/all.c
    shift
    {
        printf '#include <stdio.h>\nstatic char name[] = "t", *args[] = {name, NULL};\n'
        for k; do echo "int main_g$k(int argc, char **argv);"; done
        echo 'int main(void) {'
        for k; do cat "$tmp/b/call$k"; done
        echo 'return 0; }'
    } >"$tmp/b/all.c"
    for k; do
        for src in "$tmp/b/g$k.c" "$tmp/b/g${k}_tuned.c"; do
            [ ! -f "$src" ] || sources="$sources $src"
        done
    done
    : >"$tmp/said"
    # shellcheck disable=SC2046,SC2086
    if $(compiler "${way#*:}") -O2 $warn -o "$tmp/t" $sources >"$tmp/log" 2>&1; then
        "$tmp/t" >"$tmp/said" 2>>"$tmp/log" || cp "$tmp/log" "$tmp/first"
    elif ! grep -q 'will not fit in region' "$tmp/log"; then
        cp "$tmp/log" "$tmp/first"
    elif [ $# = 1 ]; then
        sed -n "s|.*RIGHT \(.*\)\"); ff.*|$way \1|p" "$tmp/b/call$1" >>"$tmp/large"
    else
        for k; do together "$way" "$k"; done
        return
    fi
    sed -n "s|^RIGHT |$way |p" "$tmp/said" >>"$tmp/right"
}

# some FILE...: programs of them for each target, which run their self-tests.
some() {
    for target in $targets; do
        rm -rf "$tmp/b"
        mkdir "$tmp/b"
        k=0 made=
        for f in "$@"; do
            k=$((k + 1))
            if ! "$BUILD/sinter" compile "$f" -o "$tmp/b/g$k" --name g$k --target "$target" \
                >"$tmp/log" 2>&1; then
                echo "$f" >>"$tmp/refused"
                continue
            fi
            echo "#define main main_g$k" >"$tmp/b/g$k.c"
            for src in "$tmp/b/g$k"/*.c; do # g_tuned.c has functions that g.c has
                to=g$k.c
                [ "${src%_tuned.c}" = "$src" ] || to=g${k}_tuned.c
                echo "#include \"${src#"$tmp/b/"}\"" >>"$tmp/b/$to"
            done
            echo "if (main_g$k(1, args) == 0) { puts(\"RIGHT $f\"); fflush(stdout); }" \
                >"$tmp/b/call$k"
            made="$made $k"
        done
        [ -n "$made" ] || continue
        for way in $graph_ways; do
            # shellcheck disable=SC2086
            [ "${way%:*}" != "$target" ] || (together "$way" $made)
        done
    done
}

# many NAME MOST FILE...: a row of how many programs are right, of MOST that are
# not refused, and of how many no board's memory holds.
many() {
    name=$1 most=$2 fails=0 all=0
    shift 2
    : >"$tmp/right"
    : >"$tmp/large"
    : >"$tmp/refused"
    : >"$tmp/files"
    : >"$tmp/wrong"
    : >"$tmp/cells"
    refused=0
    while [ $# -gt 0 ] && [ $((all - refused)) -lt "$most" ]; do
        few=''
        for k in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
            [ $# -gt 0 ] && [ $((all - refused)) -lt "$most" ] || break
            few="$few $1"
            echo "$1" >>"$tmp/files"
            all=$((all + 1))
            shift
        done
        # shellcheck disable=SC2086
        some $few
        refused=$(sort -u "$tmp/refused" | wc -l)
    done
    n=$((all - refused))
    for way in $graph_ways; do
        k=$(grep -c "^$way " "$tmp/right")
        large=$(grep -c "^$way " "$tmp/large")
        echo "$way $k$([ "$large" = 0 ] || echo ",$large>memory")" >>"$tmp/cells"
        [ $((k + large)) = $n ] && continue
        fails=1
        grep -vxFf "$tmp/refused" "$tmp/files" | sed "s|^|$way |" |
            grep -vxFf "$tmp/right" | grep -vxFf "$tmp/large" >>"$tmp/wrong"
    done
    row "$name" $n "$refused"
    if [ $fails = 1 ]; then # what is not right, and what a compiler said
        touch "$tmp/first"
        { head -n 3 "$tmp/wrong" && tail -n 1 "$tmp/first"; } >"$tmp/log"
        rm "$tmp/first"
    fi
    [ $n -gt 0 ] && [ $fails = 0 ]
    say $? "$name: $n programs, $refused graphs refused"
}

if part graphs; then
    many 'graphs of tests/pass' 1000000 tests/pass/*.sn
    [ -d "$SHARED/data/quantized" ] &&
        many 'quantized models' 1000000 "$SHARED"/data/quantized/*/*.onnx
fi
if part random; then # a tenth more, as some are refused
    mkdir "$tmp/random"
    n=${SINTER_COMPILE:-500}
    "$BUILD/tests/random_graphs" "$tmp/random" "${SINTER_SEED:-1}" $((n + n / 10 + 1))
    many 'random graphs' "$n" "$tmp"/random/*.sn
fi

# ---- networks on samples: all values of the first output ----
# Lines of NAME FILE SAMPLES FLAGS; models that came as float are quantized here,
# others lowered to nodes on codes.
D=$SHARED/data
demo=examples/demo
networks() {
    "$BUILD/sinter" quantize $demo/fashion_lrn.onnx --calib $demo/calib_images.npy \
        --mul 0.0039216 -o "$tmp/demo.sn" >"$tmp/log" 2>&1
    echo "demo_lrn $tmp/demo.sn $demo/test_images.npy --mul 0.0039216" >"$tmp/networks"
    [ -f "$D/models.tsv" ] || return
    while IFS="$(printf '\t')" read -r model set layout _ mul add _; do
        f=$D/$model/model.onnx
        [ -f "$f" ] || continue
        name=$(basename "$model")
        calib=$D/datasets/${set%_test}_calib_x.npy
        [ -f "$calib" ] || calib=$D/datasets/${set}_x.npy
        flags="--mul=$mul --add=$add --layout $layout"
        if [ "${model#quantized/}" = "$model" ]; then
            # shellcheck disable=SC2086
            "$BUILD/sinter" quantize "$f" --calib "$calib" -n 64 $flags -o "$tmp/$name.sn" \
                >"$tmp/log" 2>&1 </dev/null
        else
            "$BUILD/sinter" opt "$f" -o "$tmp/$name.sn" >"$tmp/log" 2>&1 </dev/null
        fi
        echo "$name $tmp/$name.sn $D/datasets/${set}_x.npy $flags" >>"$tmp/networks"
    done <"$D/models.tsv"
    # No samples come with these: bytes of pictures, in rows of their size.
    pixels vww 555 "96, 96, 3" 27648
    pixels autoencoder 4000 640 640
    for pair in mobilenetv1_vww_qdq:vww:.0039216:0 autoencoder_ad_qdq:autoencoder:.39:-86; do
        f=$D/quantized/mlperf_${pair%%:*}/model.onnx name=${pair#*:}
        [ -f "$f" ] || continue
        "$BUILD/sinter" opt "$f" -o "$tmp/${pair%%:*}.sn" >"$tmp/log" 2>&1
        flags=${name#*:}
        echo "mlperf_${pair%%:*} $tmp/${pair%%:*}.sn $tmp/${name%%:*}.npy" \
            "--mul=${flags%:*} --add=${flags#*:}" >>"$tmp/networks"
    done
}
# pixels NAME SAMPLES SHAPE BYTES: $tmp/NAME.npy of pictures' bytes.
pixels() {
    {
        printf '\223NUMPY\001\000\166\000'
        printf '%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': ($2, $3), }"
        tail -c +129 "$D/datasets/cifar10_test_x.npy" | head -c $(($2 * $4))
    } >"$tmp/$1.npy"
}

# The compiler without the flag that `sinter run` gives it.
cat >"$tmp/bare" <<'END'
#!/bin/sh
for a; do
    shift
    [ "$a" = -ffp-contract=off ] || set -- "$@" "$a"
done
exec "$@"
END
chmod +x "$tmp/bare"

# how_many WAY: at most so many samples.
how_many() {
    # shellcheck disable=SC2086
    set -- "$1" ${SINTER_SAMPLES:-1000000 500 200}
    case $1 in
    *:c99 | *:gnu99 | *:clang) first "$1" && echo "$2" || echo "$3" ;;
    *) echo "$4" ;;
    esac
}
samples_of() { head -c 128 "$1" | LC_ALL=C sed -n "s/.*'shape': (\([0-9]*\),.*/\1/p"; }

# samples NAME MODEL SAMPLES FLAGS...: the values of `sinter run` by evaluators
# and by programs.
samples() {
    name=$1 m=$2 fails=0
    shift 2
    : >"$tmp/cells"
    rm -f "$tmp/want.npy"
    "$BUILD/sinter" run "$m" --backend interp --input "$@" -n "$(how_many portable:c99)" \
        --dump "$tmp/want.npy" >"$tmp/log" 2>&1
    n=$(samples_of "$tmp/want.npy")
    size=$(($(wc -c <"$tmp/want.npy") - 128))
    for way in $ways; do
        rm -f "$tmp/got.npy"
        k=$(how_many "$way")
        [ "$k" -lt "$n" ] || k=$n
        if CC="$tmp/bare $(compiler "${way#*:}")" "$BUILD/sinter" run "$m" \
            --backend "c:${way%:*}" --input "$@" -n "$k" --dump "$tmp/got.npy" >"$tmp/log" 2>&1 &&
            [ "$(samples_of "$tmp/got.npy")" = "$k" ] &&
            [ $(($(wc -c <"$tmp/got.npy") - 128)) = $((size / n * k)) ] &&
            cmp -i 128 -n $((size / n * k)) "$tmp/want.npy" "$tmp/got.npy" >>"$tmp/log" 2>&1; then
            echo "$way $k" >>"$tmp/cells"
        elif [ "${way#*:}" = m55 ] && grep -q 'will not fit\|overflowed' "$tmp/log"; then
            echo "$way >512K" >>"$tmp/cells" # of one of the emulated memories
        else
            echo "$way differ" >>"$tmp/cells"
            fails=1
            { echo "$way" && cat "$tmp/log"; } >"$tmp/first"
        fi
    done
    row "samples of $name" "$n" 0
    [ $fails = 0 ] || mv "$tmp/first" "$tmp/log"
    say $fails "$n samples of $name"
}
if part samples; then
    networks
    grep -E "^[^ ]*(${SINTER_NETWORKS:-.})" "$tmp/networks" >"$tmp/chosen"
    while read -r name f x flags; do
        # shellcheck disable=SC2086
        samples "$name" "$f" "$x" $flags </dev/null
    done <"$tmp/chosen"
fi
table
part processors || exit $bad

# ---- boards: what their instructions replace, at each optimization ----
command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null || exit $bad
for m in m4 m55; do
    for g in lrn kws; do
        [ $g = lrn ] || [ -f "$D/quantized/mlperf_dscnn_kws_qdq/model.onnx" ] || continue
        "$MAKE" -s -C examples/cortex-m $g-$m SINTER="$PWD/$BUILD/sinter" OUT="$tmp/$m" \
            DATA="$(realpath "$SHARED")/data" >"$tmp/log" 2>&1
        say $? "Cortex-$m, $g: $(tail -n 1 "$tmp/log")"
    done
done
. tests/tiles.sh
# board m4|m55 OPTION FILE.sn FLAGS...: the self-test on the emulated processor.
board() {
    m=$1 opt=$2 f=$3 target=armv7em
    shift 3
    [ "$m" = m55 ] && target=armv8.1m-mve
    program "$f" --target "$target" "$@" || return 1
    # shellcheck disable=SC2086
    "$tmp/cc-$m" "$opt" $warn -o "$tmp/t" "$tmp"/p/*.c >"$tmp/log" 2>&1 &&
        timeout 300 "$tmp/t" >"$tmp/log" 2>&1
}
for policy in "" "rounding single"; do
    tiles "$policy" >"$tmp/tiles.sn"
    chain "$policy" >"$tmp/chain.sn"
    for m in m4 m55; do
        for opt in -O0 -O2 -O3 -Os; do
            for g in tiles chain; do
                board $m $opt "$tmp/$g.sn"
                say $? "Cortex-$m $g $policy $opt"
            done
        done
    done
done
apart >"$tmp/apart.sn"
for m in m4 m55; do
    board $m -O2 "$tmp/apart.sn"
    say $? "Cortex-$m apart"
done
# Estimated instructions against counted ones.  15 %: loops without a tile have one
# coefficient for each class of meaning.
for f in "$SHARED"/data/quantized/mlperf_*_qdq/model.onnx; do
    [ -f "$f" ] || continue
    for m in m4 m55; do
        target=armv7em
        [ $m = m55 ] && target=armv8.1m-mve
        "$MAKE" -s -C examples/cortex-m $m MODEL="$(realpath "$f")" SAMPLE=--io=int8 \
            SINTER="$PWD/$BUILD/sinter" OUT="$tmp/$m" >"$tmp/log" 2>&1
        counted=$(sed -n 's/.*, \(.*\) M instructions.*/\1/p' "$tmp/log")
        about=$("$BUILD/sinter" compile "$f" --report --io int8 --target "$target" |
            sed -n 's/^estimate.*: \(.*\) M instructions.*/\1/p')
        awk -v a="$about" -v b="$counted" \
            'BEGIN { exit !(b > 0 && a > b * .85 && a < b * 1.15) }'
        say $? "estimate of $(basename "$(dirname "$f")") on $m: $about M, counted $counted M"
    done
done
exit $bad
