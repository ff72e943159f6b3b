#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs in C against the evaluators, bit for bit: the graphs of tests/pass,
# the quantized models at hand, random graphs (SINTER_COMPILE=N, default 500;
# SINTER_SEED=S is the first seed), trained models on all samples there are
# (SINTER_SAMPLES=N of them); by each target, built by gcc (c99, gnu99) and clang
# without a flag that forbids to fuse products; where there are cross compilers
# and emulators, on them.  SINTER_PARTS names those parts of it that are run:
# graphs random samples processors.
BUILD=${BUILD:-build}
SHARED=${SHARED:-../shared}
MAKE=${MAKE:-make}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
warn="-Wall -Wextra -Wconversion -pedantic -Werror"

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

# Compilers; two of them may fuse products, where the machine does.
fused=
[ "$(uname -m)" = x86_64 ] && grep -qw fma /proc/cpuinfo && fused=-mfma
compiler() { # c99|gnu99|clang
    case $1 in
    c99) echo "gcc -std=c99" ;;
    gnu99) echo "gcc -std=gnu99 $fused" ;;
    clang) echo "clang $fused" ;;
    esac
}

targets="portable armv7em armv8.1m-mve"

part() {
    case " ${SINTER_PARTS:-graphs random samples processors} " in
    *" $1 "*) return 0 ;;
    esac
    return 1
}

# ---- graphs by their self-tests ----
# Portable programs are built by each compiler, tuned ones by one.
compilers_of() {
    case $1 in
    portable) echo c99 gnu99 clang ;;
    armv7em) echo gnu99 ;;
    armv8.1m-mve) echo clang ;;
    esac
}

# some FILE...: programs of them for each target, which are linked together, run
# their self-tests; a line TARGET COMPILER FILE in $tmp/right for what is right.
some() {
    : >"$tmp/said"
    for target in $targets; do
        rm -rf "$tmp/b"
        mkdir "$tmp/b"
        k=0
        printf '#include <stdio.h>\nstatic char name[] = "t", *args[] = {name, NULL};\n' >"$tmp/b/all.c"
        for f in "$@"; do
            k=$((k + 1))
            if ! "$BUILD/sinter" compile "$f" -o "$tmp/b/g$k" --name g$k --target "$target" \
                >"$tmp/log" 2>&1; then
                [ "$target" = portable ] && echo "$f" >>"$tmp/refused"
                continue
            fi
            echo "#define main main_g$k" >"$tmp/b/g$k.c"
            for src in "$tmp/b/g$k"/*.c; do
                echo "#include \"${src#"$tmp/b/"}\"" >>"$tmp/b/g$k.c"
            done
            echo "int main_g$k(int argc, char **argv);" >>"$tmp/b/all.c"
            echo "if (main_g$k(1, args) == 0) { puts(\"RIGHT $f\"); fflush(stdout); }" \
                >>"$tmp/b/calls"
        done
        [ -f "$tmp/b/calls" ] || continue
        { echo 'int main(void) {' && cat "$tmp/b/calls" && echo 'return 0; }'; } >>"$tmp/b/all.c"
        for c in $(compilers_of "$target"); do
            # shellcheck disable=SC2046,SC2086
            $(compiler "$c") -O2 $warn -o "$tmp/t" "$tmp"/b/*.c >"$tmp/log" 2>&1 &&
                "$tmp/t" >"$tmp/said" 2>>"$tmp/log" || cp "$tmp/log" "$tmp/first"
            sed -n "s|^RIGHT |$target $c |p" "$tmp/said" >>"$tmp/right"
            : >"$tmp/said"
        done
    done
}

# many NAME FILE...: a row of how many programs are right.
many() {
    name=$1 row='' fails=0
    shift
    : >"$tmp/right"
    : >"$tmp/refused"
    all=$#
    printf '%s\n' "$@" >"$tmp/files"
    : >"$tmp/wrong"
    while [ $# -gt 0 ]; do
        few=''
        for k in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
            [ $# -gt 0 ] || break
            few="$few $1"
            shift
        done
        # shellcheck disable=SC2086
        some $few
    done
    refused=$(wc -l <"$tmp/refused")
    n=$((all - refused))
    for target in $targets; do
        for c in $(compilers_of "$target"); do
            k=$(grep -c "^$target $c " "$tmp/right")
            row="$row $k |"
            [ "$k" = $n ] && continue
            fails=1
            grep -vxFf "$tmp/refused" "$tmp/files" | sed "s|^|$target $c |" |
                grep -vxFf "$tmp/right" >>"$tmp/wrong"
        done
    done
    echo "| $name | $n | $refused |$row" >>"$tmp/graphs"
    if [ $fails = 1 ]; then # what is not right, and what a compiler said
        touch "$tmp/first"
        cat "$tmp/wrong" "$tmp/first" >"$tmp/log"
        rm "$tmp/first"
    fi
    [ $n -gt 0 ] && [ $fails = 0 ]
    say $? "$name: $n programs, $refused graphs refused"
}

if part graphs; then
    many 'graphs of tests/pass' tests/pass/*.sn
    [ -d "$SHARED/data/quantized" ] &&
        many 'quantized models' "$SHARED"/data/quantized/*/*.onnx
fi
if part random; then
    mkdir "$tmp/random"
    "$BUILD/tests/random_graphs" "$tmp/random" "${SINTER_SEED:-1}" "${SINTER_COMPILE:-500}"
    many 'random graphs' "$tmp"/random/*.sn
fi

# ---- real networks on real samples: all values of the outputs ----
# Lines of NAME FILE SAMPLES FLAGS; models that came as float are quantized here.
D=$SHARED/data
demo=examples/demo
"$BUILD/sinter" quantize $demo/fashion_lrn.onnx --calib $demo/calib_images.npy \
    --mul 0.0039216 -o "$tmp/demo.sn" >"$tmp/log" 2>&1
echo "demo $tmp/demo.sn $demo/test_images.npy --mul 0.0039216" >"$tmp/networks"
[ -f "$D/models.tsv" ] && while IFS="$(printf '\t')" read -r model set layout _ mul add _; do
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
        f=$tmp/$name.sn
    fi
    echo "$name $f $D/datasets/${set}_x.npy $flags" >>"$tmp/networks"
done <"$D/models.tsv"

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

# samples NAME MODEL SAMPLES FLAGS...: the values of `sinter run` by evaluators
# and by programs, of each target by each compiler.
samples() {
    name=$1 m=$2 fails=0 row=''
    shift 2
    set -- --input "$@"
    [ -z "${SINTER_SAMPLES:-}" ] || set -- "$@" -n "$SINTER_SAMPLES"
    rm -f "$tmp/want.npy"
    "$BUILD/sinter" run "$m" --backend interp "$@" --dump "$tmp/want.npy" >"$tmp/log" 2>&1
    n=$(head -c 128 "$tmp/want.npy" | LC_ALL=C sed -n "s/.*'shape': (\([0-9]*\),.*/\1/p")
    for target in $targets; do
        for c in c99 gnu99 clang; do
            rm -f "$tmp/got.npy"
            if CC="$tmp/bare $(compiler $c)" "$BUILD/sinter" run "$m" --backend "c:$target" \
                "$@" --dump "$tmp/got.npy" >"$tmp/log" 2>&1 &&
                cmp "$tmp/want.npy" "$tmp/got.npy" >>"$tmp/log" 2>&1; then
                row="$row same |"
            else
                row="$row differ |"
                fails=1
                { echo "$target $c" && cat "$tmp/log"; } >"$tmp/first"
            fi
        done
    done
    echo "| $name | $n |$row" >>"$tmp/samples"
    [ $fails = 0 ] || mv "$tmp/first" "$tmp/log"
    say $fails "$n samples of $name"
}
if part samples; then
    while read -r name f x flags; do
        # shellcheck disable=SC2086
        samples "$name" "$f" "$x" $flags </dev/null
    done <"$tmp/networks"
fi

finish() {
    [ -f "$tmp/graphs" ] && cat - "$tmp/graphs" <<'END'
| graphs | programs | refused | gcc c99 | gcc gnu99 | clang | armv7em | armv8.1m-mve |
END
    [ -f "$tmp/samples" ] && cat - "$tmp/samples" <<'END'
| network | samples | portable: gcc c99 | gnu99 | clang | armv7em: gcc c99 | gnu99 | clang | armv8.1m-mve: gcc c99 | gnu99 | clang |
END
    exit $bad
}

# ---- other processors ----
part processors || finish
for m in aarch64 riscv64; do
    command -v $m-linux-gnu-gcc >/dev/null && command -v qemu-$m >/dev/null || continue
    for f in "$SHARED"/data/quantized/mlperf_*/model.onnx "$tmp"/*.sn; do
        [ -f "$f" ] || continue
        program "$f"
        # shellcheck disable=SC2086
        $m-linux-gnu-gcc -O2 $warn -static -o "$tmp/t" "$tmp"/p/*.c >"$tmp/log" 2>&1 &&
            qemu-$m "$tmp/t" >"$tmp/log" 2>&1
        say $? "$m $f"
    done
done
for m in m4 m55; do
    command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null || continue
    "$MAKE" -s -C examples/cortex-m lrn-$m SINTER="$PWD/$BUILD/sinter" OUT="$tmp/$m" >"$tmp/log" 2>&1
    say $? "Cortex-$m: $(tail -n 1 "$tmp/log")"
done
# Sums of products by DSP instructions and by vectors, which other machines have
# a twin of; and networks as they are.
. tests/tiles.sh
cpu_m4="-mcpu=cortex-m4 -mfpu=fpv4-sp-d16" qemu_m4=mps2-an386 size_m4=4M target_m4=armv7em
cpu_m55=-mcpu=cortex-m55 qemu_m55=mps3-an547 size_m55=512K target_m55=armv8.1m-mve
# board m4|m55 OPTION FILE.sn FLAGS...: the self-test on the emulated processor.
board() {
    m=$1 opt=$2 f=$3 b=examples/cortex-m
    shift 3
    eval "cpu=\$cpu_$m qemu=\$qemu_$m size=\$size_$m target=\$target_$m"
    program "$f" --target "$target" "$@" || return 1
    printf '%s\n' '#define main self_test' '#include "net_test.c"' '#undef main' \
        'int main(void);' 'int main(void) { char s[] = "t", *v[] = {s, NULL};' \
        'return self_test(1, v); }' >"$tmp/p/once.c"
    # shellcheck disable=SC2086
    arm-none-eabi-gcc $cpu -mthumb -mfloat-abi=hard -O1 -c -o "$tmp/start.o" $b/start.c \
        >"$tmp/log" 2>&1 &&
        arm-none-eabi-gcc $cpu -mthumb -mfloat-abi=hard $opt $warn -nostartfiles \
            --specs=rdimon.specs -T $b/board.ld \
            -Wl,--defsym,ROM_SIZE=$size,--defsym,RAM_SIZE=$size -o "$tmp/t" "$tmp/start.o" \
            "$tmp/p/once.c" "$tmp/p/net.c" "$tmp/p/net_weights.c" >"$tmp/log" 2>&1 &&
        timeout 300 qemu-system-arm -M $qemu -nographic -semihosting -kernel "$tmp/t" \
            >"$tmp/log" 2>&1
}
if command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null; then
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
    # Random graphs, by the instructions that the twins replace elsewhere:
    # SINTER_BOARDS=N, default 20.
    mkdir "$tmp/boards"
    "$BUILD/tests/random_graphs" "$tmp/boards" "${SINTER_SEED:-9001}" "${SINTER_BOARDS:-20}"
    for f in "$tmp"/boards/*.sn; do
        for m in m4 m55; do
            board $m -O2 "$f"
            say $? "Cortex-$m random graph $(basename "$f")"
        done
    done
    # mps3-an547 has 512 KB of each memory: what takes more is skipped.
    for f in "$SHARED"/data/quantized/mlperf_*/model.onnx "$tmp"/*.sn; do
        [ -f "$f" ] || continue
        n=$(basename "$(dirname "$f")")
        [ "${f##*.}" = sn ] && n=$(basename "$f")
        for m in m4 m55; do
            board $m -O2 "$f" --io int8
            rc=$?
            if [ $rc != 0 ] && [ $m = m55 ] && grep -q 'will not fit\|overflowed' "$tmp/log"; then
                echo "ok compile Cortex-$m $n # SKIP it takes more than 512 KB"
                continue
            fi
            say $rc "Cortex-$m $n"
        done
    done
    # Estimated instructions against counted ones.  15 %: loops without a tile have one
    # coefficient for each class of meaning.
    for f in "$SHARED"/data/quantized/mlperf_*_qdq/model.onnx; do
        [ -f "$f" ] || continue
        for m in m4 m55; do
            eval "target=\$target_$m"
            "$MAKE" -s -C examples/cortex-m $m MODEL="$(realpath "$f")" SAMPLE=--io=int8 \
                SINTER="$PWD/$BUILD/sinter" OUT="$tmp/$m" >"$tmp/log" 2>&1
            counted=$(sed -n 's/.*, \(.*\) M instructions.*/\1/p' "$tmp/log")
            # shellcheck disable=SC2154
            about=$("$BUILD/sinter" compile "$f" --report --io int8 --target "$target" |
                sed -n 's/^estimate.*: \(.*\) M instructions.*/\1/p')
            awk -v a="$about" -v b="$counted" \
                'BEGIN { exit !(b > 0 && a > b * .85 && a < b * 1.15) }'
            say $? "estimate of $(basename "$(dirname "$f")") on $m: $about M, counted $counted M"
        done
    done
fi
finish
