#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A backend outside the tree: installs into an empty prefix, builds examples/npu
# only against that, and lets its nodes take part in every pass.
BUILD=${BUILD:-build}
CC=${CC:-gcc}
MAKE=${MAKE:-make}
root=$PWD
abi=$(sed -n 's/^#define SN_PLUGIN_ABI //p' src/backend/plugin.h)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
demo=$root/examples/demo
pre=$tmp/prefix

ok() { # NAME CONDITION...
    name=$1
    shift
    if "$@"; then
        echo "ok npu $name"
    else
        echo "not ok npu $name"
        sed 's/^/    /' "$tmp/log" 2>/dev/null | tail -n 12
    fi
}
has() { grep -qF -- "$2" "$1"; }
same_text() { printf '%s\n' "$2" | cmp -s - "$1"; }
refused() { # NAME STATUS TEXT COMMAND...: exits so, saying just this
    name=$1 status=$2 text=$3
    shift 3
    "$@" >"$tmp/out" 2>"$tmp/log"
    ok "$name: status $status" [ $? -eq "$status" ]
    ok "$name: message" same_text "$tmp/log" "$text"
}

# ---- install ----

# shellcheck disable=SC2086
"$MAKE" -s install BUILD="$BUILD" CC="$CC" SAN="${SAN:-}" prefix="$pre" \
    >"$tmp/log" 2>&1
ok install [ $? -eq 0 ]
"$MAKE" -s install BUILD="$BUILD" CC="$CC" SAN="${SAN:-}" DESTDIR="$tmp/dest" \
    prefix=/opt/sinter >"$tmp/log" 2>&1
ok 'install with DESTDIR' [ -f "$tmp/dest/opt/sinter/share/sinter/core.list" ]
ok 'DESTDIR is not in sinter.pc' \
    has "$tmp/dest/opt/sinter/lib/pkgconfig/sinter.pc" prefix=/opt/sinter
"$MAKE" -s uninstall BUILD="$BUILD" DESTDIR="$tmp/dest" prefix=/opt/sinter \
    >"$tmp/log" 2>&1
ok 'uninstall leaves no file' [ -z "$(find "$tmp/dest" -type f)" ]

# ---- the commands of docs/backends.md ----

awk '/^```/ { on = /sh/; next } on' docs/backends.md |
    sed "s|^make install|$MAKE -s install BUILD='$BUILD' CC='$CC' SAN='${SAN:-}'|
         s|^make -C|$MAKE BUILD=build CC='$CC' CFLAGS='-O1 ${SAN:-}' -C|" \
        >"$tmp/guide.sh"
(MAKEFLAGS='' HOME=$tmp/home; mkdir -p "$HOME"; export HOME; . "$tmp/guide.sh") \
    >"$tmp/log" 2>&1
ok 'the guide works as it stands' [ -s "$tmp/home/q.sn" ]

# ---- the example, away from the tree ----

export PKG_CONFIG_PATH="$pre/lib/pkgconfig"
unset MAKEFLAGS MFLAGS MAKELEVEL
cp -r examples/npu "$tmp/npu"
cd "$tmp/npu" || exit 1
PKG_CONFIG_PATH=$tmp/none "$MAKE" BUILD=build >"$tmp/log" 2>&1
ok 'no installed sinter: make says so' [ $? -eq 2 ]
ok 'no installed sinter: message' \
    has "$tmp/log" "'pkg-config --variable=generator sinter' finds no installed sinter"
ok 'no installed sinter: nothing is made' [ ! -e build ]
warn='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
      -Wmissing-prototypes -Wcast-qual -Wundef -Wvla -Wformat=2 -Werror'
warn=$(echo $warn)
"$MAKE" BUILD=build CC="$CC" CFLAGS="-O1 -g $warn ${SAN:-}" >"$tmp/log" 2>&1
ok 'the example builds from an empty prefix' [ -f build/libnpu.so ]
ok 'no path leads into the source tree' \
    [ -z "$(grep -raF "$root/" build Makefile "$tmp/log")" ]
ok 'only the plugin is generated' [ "$(ls build/gen | tr '\n' ' ')" = \
    'certificates.txt npu_arith.c npu_arith.h npu_eval.c npu_gen.h npu_hooks.h npu_inv.c npu_kernels.h npu_kinds.c npu_kinds.h npu_reference.md npu_rules.c npu_rules.h proofs.txt ' ]

sinter=$pre/bin/sinter
# A plain sinter; with the plugin; for its backend.
plugin() { "$sinter" --backend-plugin build/libnpu.so "$@"; }
npu() { "$sinter" --backend-plugin ./build/libnpu.so --target npu "$@"; }
pixels='--mul 0.00392156863 --layout nchw'
calib="$demo/calib_images.npy $pixels -n 64"
# shellcheck disable=SC2086
quantize() { "$@" quantize "$demo/fashion_lrn.onnx" --calib $calib; }

# ---- its nodes in the passes ----

# shellcheck disable=SC2086
npu quantize "$demo/fashion_lrn.onnx" --calib $calib --trace --stats --verify \
    --check-passes --disable=simplify.relu_clamp -o q.sn >q.out 2>"$tmp/log"
ok 'quantize for it' [ -s q.sn ]
# It has no nodes with a scale for each slice of the weights, and says so.
ok 'weights of one scale' has q.out \
    '(Conv2D) has one scale for its weights: backend NPU does not run ChannelwiseConv2D'
ok 'all its convolutions' [ "$(grep -c 'has one scale for its weights: backend NPU does not run' q.out)" = 4 ]
for line in 'backend.conv at /c1/Conv_output_0 (Conv2D)' \
    'backend.relu at /Relu_1_output_0 (Relu)' \
    'backend.pool at /MaxPool_output_0.q (MaxPool)' \
    'lower_nodes.fully_connected at logits (FullyConnected)'; do
    ok "trace: $line" has "$tmp/log" "$line"
done
ok 'stats: merge into NPUConv' [ "$(awk '/quant_cleanup.merge/ && $1 == 4' \
    "$tmp/log" | wc -l)" -eq 1 ]
ok 'no Rescale is left' [ "$(npu why q.sn)" = 'No Rescale is left.' ]

# Its rules first, then the cleanup: every Rescale meets a node of its own.
# shellcheck disable=SC2086
npu quantize "$demo/fashion_lrn.onnx" --calib $calib --disable=quant_cleanup \
    -o placed.sn >/dev/null 2>&1
npu opt --passes=backend,quant_cleanup --trace --stats --verify --check-passes \
    placed.sn -o clean.sn 2>"$tmp/log"
ok 'sink below NPUPool' has "$tmp/log" \
    'quant_cleanup.sink at /MaxPool_output_0 (NPUPool)'
ok 'absorb into NPUConv' has "$tmp/log" \
    'quant_cleanup.absorb at /Relu_1_output_0 (NPUConv)'
ok 'sink: both pools, and what follows AvgPool' \
    has "$tmp/log" '4  quant_cleanup.sink'
cat >merge.sn <<'END'
sinter-graph 1
graph "merge" {
  %x = Placeholder() : qi8<0.05, 3>[1,4,4,1]
  %w = Constant() {splat = 50} : qi8<0.5, 0>[2,3,3,1]
  %c = NPUConv(%x, %w, _) {kernel = [3,3], pads = [1,1,1,1]} : qi8<0.1, 0>[1,4,4,2]
  %r = Rescale(%c) : qi8<0.2, 0>[1,4,4,2]
  %m = NPUMaxSplat(%r) {value = 2} : qi8<0.2, 0>[1,4,4,2]
  Save(%m) {name = "y"}
}
END
npu opt --trace --check-passes merge.sn >merged.sn 2>"$tmp/log"
ok 'merge into NPUConv carries the saturation' has merged.sn \
    '%r = NPUConv(%x, %w) {kernel = [3,3], pads = [1,1,1,1], clamp = [-64, 64]} : qi8<0.2, 0>'
# NPUConv has no tuple of floats: its formula is run over the reals.
ok 'merge: the fire is checked' has "$tmp/log" 'checked 1 of 1 fires'
ok 'merge: the Rescale is gone' [ "$(grep -c Rescale merged.sn)" -eq 0 ]
npu opt --disable=quant_cleanup.merge --trace --check-passes merge.sn \
    >sunk.sn 2>"$tmp/log"
ok 'sink below NPUMaxSplat' has "$tmp/log" 'quant_cleanup.sink at m (NPUMaxSplat)'

# ---- results ----

# shellcheck disable=SC2086
run() { "$@" run q.sn --input "$demo/test_images.npy" $pixels -n 200; }
run npu --dump kernels.npy >/dev/null 2>"$tmp/log"
run plugin --backend interp --dump reference.npy >/dev/null 2>"$tmp/log"
ok 'kernels give what the evaluators give' cmp -s kernels.npy reference.npy
rm -rf prog
plugin compile q.sn -o prog >"$tmp/log" 2>&1 && "$CC" -std=c99 -O1 \
    -Wall -Wextra -Werror -o prog/t prog/*.c >>"$tmp/log" 2>&1 && prog/t >"$tmp/log" 2>&1
ok 'a program in C under its arithmetic' has "$tmp/log" right
run plugin --backend c --dump program.npy >/dev/null 2>"$tmp/log"
ok 'gives what the evaluators give, too' cmp -s program.npy reference.npy
sed 's/ rounding npu[^{]*{/ {/' q.sn >float.sn
# Its convolution calls functions for sums of products; filters have a zero point,
# so that those for vectors are the ones of DSP instructions.
for pair in portable:net_dot_windows armv7em:net_dot_pair_windows \
    armv8.1m-mve:net_dot_pair_windows; do
    rm -rf prog
    plugin compile float.sn -o prog --target "${pair%:*}" >"$tmp/log" 2>&1 && "$CC" -std=c99 -O1 \
        -Wall -Wextra -Werror -o prog/t prog/*.c >>"$tmp/log" 2>&1 && prog/t >"$tmp/log" 2>&1
    ok "its nodes in a program in C: ${pair%:*}" has "$tmp/log" right
    sed -n '/^net_n[0-9]*_npuconv(/,/^}/p' prog/net.c >npuconv.c
    ok "its convolution goes in tiles: ${pair%:*}" has npuconv.c "${pair#*:}("
done
run npu --check-kernels >check.out 2>"$tmp/log"
ok 'check-kernels: all values agree' has check.out \
    '20 nodes, 18 by kernels of NPU, 20'
ok 'check-kernels: none differs' has check.out '0 nodes differ'
# Kernels that err: each is named, also below others that do.
sed -i 's/acc = sn_add32(acc, b\[o\]);/acc = sn_add32(acc, 10000);/' npu_kernels.c
"$MAKE" BUILD=wrong CC="$CC" CFLAGS="-O1 ${SAN:-}" >"$tmp/log" 2>&1
run "$sinter" --backend-plugin wrong/libnpu.so --target npu --check-kernels \
    >wrong.out 2>"$tmp/log"
ok 'check-kernels: a wrong kernel is status 1' [ $? -eq 1 ]
ok 'check-kernels: it is named wherever it runs' \
    [ "$(grep -c 'by npu_conv_q8: .* values differ' wrong.out)" -eq \
    "$(grep -c ' NPUConv(' q.sn)" ]
ok 'check-kernels: nothing else is' has wrong.out \
    "values compared, $(grep -c ' NPUConv(' q.sn) nodes differ"
ok 'check-kernels: the first code, where, and what it should be' \
    [ "$(grep -c ': [^ ]*\[0,[0-9,]*\] is -*[0-9]*, expected -*[0-9]*$' wrong.out)" -eq \
    "$(grep -c ' NPUConv(' q.sn)" ]
run "$sinter" --backend-plugin wrong/libnpu.so --target npu --check-kernels --json \
    >wrong.json 2>"$tmp/log"
ok 'check-kernels: the same as JSON' \
    [ "$(grep -c '"first": {"sample": 0, "value": "[^"]*", "index": \[0,[0-9,]*\], "got": -*[0-9]*, "expected": -*[0-9]*}' wrong.json)" -eq \
    "$(grep -c ' NPUConv(' q.sn)" ]
cp "$root/examples/npu/npu_kernels.c" .
# The float model has 179 of these 200 right; eight bits, and a pool narrowed
# to one scale, may cost one image in thirty-three.
top=$(run npu --labels "$demo/test_labels.npy" 2>/dev/null |
    sed -n 's/.*(\([0-9]*\) of 200).*/\1/p')
ok "top-1 holds: ${top:-none} of 200" [ "${top:-0}" -ge 173 ]

# ---- a refinement is for its backend only ----

for b in interp cpu; do
    mkdir -p plain loaded
    quantize "$sinter" --backend $b -o plain/m.sn >/dev/null 2>"$tmp/log"
    quantize plugin --target $b -o loaded/m.sn >/dev/null 2>"$tmp/log"
    ok "the plugin does not change backend $b" cmp plain/m.sn loaded/m.sn
    ok "... nor its constants ($b)" cmp plain/m.????????????????.snw loaded/m.????????????????.snw
done
cat >wide.sn <<'END'
sinter-graph 1
graph "wide" {
  %x = Placeholder() : qi8<0.1, 0>[1,4,4,8]
  %p = AvgPool(%x) {kernel = [2,2], stride = [2,2]} : qi8<0.05, 3>[1,2,2,8]
  Save(%p) {name = "y"}
}
END
plugin inspect wide.sn >/dev/null 2>"$tmp/log"
ok 'a wide AvgPool is a graph' [ $? -eq 0 ]
plugin --target cpu inspect wide.sn >/dev/null 2>"$tmp/log"
ok '... for another backend' [ $? -eq 0 ]
refused '... but not for the NPU' 3 \
    'p (AvgPool): x and y must have one type: no multiplier after the pool
     | x is qi8<0.1, 0>, set by x (Placeholder)
     | y is qi8<0.05, 3>, set by p (AvgPool)' npu inspect wide.sn

# ---- every verb ----

npu inspect q.sn >out 2>"$tmp/log"
ok 'inspect' has out NPUConv
npu draw q.sn >out 2>"$tmp/log"
ok 'draw' has out NPUMaxSplat
plugin ops >out 2>"$tmp/log"
ok 'ops' has out QLinearSoftmax
# shellcheck disable=SC2086
npu compare "$demo/fashion_lrn.onnx" q.sn --input "$demo/test_images.npy" \
    $pixels -n 20 >out 2>"$tmp/log"
ok 'compare' has out '(NPUMaxSplat)'
npu opt --passes=cse --verify q.sn >out 2>"$tmp/log"
ok 'opt' has out NPUPool
refused 'export' 4 \
    'x.onnx: the graph computes with rounding npu, which ONNX has no operators for; what is quantized for a backend of rounding float can be written
   help: --format qdq-twin writes operators of reals, and how far from the graph'"'"'s codes they may be' \
    npu export q.sn --format=qdq -o x.onnx
refused 'export of its nodes' 4 \
    "x.onnx: node 'rescale' (NPUConv): has no form in ONNX at opset 17" \
    plugin export float.sn --format=qdq -o x.onnx
ok 'export leaves no file' [ ! -e x.onnx ]
refused 'without the plugin' 2 \
    '--target: no backend is named '\''npu'\'' (there are: CPU, interp, interp_double, interp_single)
   help: if a plugin declares it, load the plugin: --backend-plugin FILE' \
    "$sinter" --target npu inspect q.sn
"$sinter" inspect float.sn >/dev/null 2>"$tmp/log"
ok 'its nodes are unknown without it' \
    has "$tmp/log" "there is no node kind 'NPUConv'"
ok 'which a plugin may declare' \
    has "$tmp/log" 'load the plugin: --backend-plugin FILE'
"$sinter" inspect q.sn >/dev/null 2>"$tmp/log"
ok 'so is its arithmetic' \
    has "$tmp/log" 'load the plugin: --backend-plugin FILE'

# ---- a program of one's own ----

cat >host.c <<'END'
#include <stdio.h>
#include <sinter_plugin.h>

int
main(int argc, char **argv)
{
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);

    for (int i = 1; i < argc; i++)
        sn_plugin_load(d, argv[i]);
    sn_diag_print(d, stdout);
    if (sn_backend_named("npu") && sn_kind_named("NPUConv"))
        puts(sn_backend_named("npu")->where);
    sn_arena_free(a);
    return 0;
}
END
# shellcheck disable=SC2046,SC2086
"$CC" -std=c11 -D_GNU_SOURCE ${SAN:-} $(pkg-config --cflags sinter) host.c \
    $(pkg-config --libs sinter) -o host 2>"$tmp/log"
LD_LIBRARY_PATH=$pre/lib ./host ./build/libnpu.so >out 2>>"$tmp/log"
ok 'libsinter.so: a host loads the plugin' \
    same_text out "npu.def:$(grep -n '^ *supports' npu.def | cut -d: -f1)"
LD_LIBRARY_PATH=$pre/lib ./host ./build/libnpu.so ./build/libnpu.so >out \
    2>"$tmp/log"
ok 'a second plugin is refused' has out \
    './build/libnpu.so: is a second plugin; only one can be loaded'

# ---- refused when it is loaded ----

try() { "$sinter" --backend-plugin "$1" ops; }
echo 'not an object' >text.so
refused 'not a shared object' 3 \
    'text.so: cannot be loaded as a plugin: file too short' try text.so
refused 'no such file' 3 'gone.so: cannot be loaded as a plugin: cannot open shared object file: No such file or directory' \
    try gone.so
echo 'extern int nothing; int nothing;' >nothing.c
# shellcheck disable=SC2086
"$CC" ${SAN:-} -shared -fPIC -o nothing.so nothing.c
refused 'no description' 3 \
    "nothing.so: is not a plugin of sinter: it has no symbol 'sn_plugin'" \
    try nothing.so
made='build/gen/npu_kinds.c build/gen/npu_eval.c build/gen/npu_inv.c
      build/gen/npu_rules.c build/gen/npu_arith.c'
# Plugins that differ in a define alone share a file of profiles, and cannot be
# merged there: of make coverage, these have no profile.
case ${SAN:-} in
*-fprofile*) san= ;;
*) san=${SAN:-} ;;
esac
# shellcheck disable=SC2046,SC2086
shared() { # OUT FLAGS-AND-FILES...
    out=$1
    shift
    "$CC" -shared -fPIC -Ibuild/gen $(pkg-config --variable=plugin_cflags \
        sinter) $san "$@" $(pkg-config --cflags sinter) -o "$out" \
        2>"$tmp/log"
}
# shellcheck disable=SC2086
shared old.so -DSN_PLUGIN_ABI=0 npu_kernels.c $made
refused 'an old plugin: interface' 3 \
    "old.so: was built for plugin interface 0, and this sinter has interface $abi: build it against the headers installed with this sinter" \
    try old.so
# shellcheck disable=SC2086
cp npu_kernels.c k.c
sed -i 's/^npu_max_splat_q8/npu_max_splat_other/' k.c
# shellcheck disable=SC2086
shared lacks.so k.c -Wno-missing-prototypes $made
refused 'a kernel that no file defines' 3 \
    'lacks.so: cannot be loaded as a plugin: undefined symbol: npu_max_splat_q8' \
    try lacks.so
cat >twice.c <<'END'
#include <sinter_plugin.h>

static const SnKindDesc kind[] = {
    { .name = "Conv2D", .kind = SN_K_END, .where = "twice.def:3" },
};
const SnPluginDesc sn_plugin = {
    .abi = SN_PLUGIN_ABI, .nkind_at = SN_K_END, .core_hash = SN_CORE_HASH,
    .name = "Twice", .kinds = { .nkind = 1, .kind = kind },
};
END
shared twice.so twice.c
at=$(grep -n '^node Conv2D ' "$pre/share/sinter/nodes.def" | cut -d: -f1)
refused 'a node that the core has' 3 \
    "twice.so: declares node 'Conv2D' (twice.def:3), which the core has already (nodes.def:$at)" \
    try twice.so

# Another core: a declaration more, and headers that say so.
cp -r "$pre" other
echo 'class mine = has(clamp);' >>other/share/sinter/passes.def
"$sinter-gen" --core other/share/sinter --plugin npu.def --no-prove -o other/gen \
    >/dev/null 2>"$tmp/log"
hash=$(sed -n 's/.*core_hash = UINT64_C(0x\(.*\)), .name.*/\1/p' \
    other/gen/npu_rules.c)
mine=$(sed -n 's/.*core_hash = UINT64_C(0x\(.*\)), .name.*/\1/p' \
    build/gen/npu_rules.c)
made="other/gen/npu_kinds.c other/gen/npu_eval.c other/gen/npu_inv.c
      other/gen/npu_rules.c other/gen/npu_arith.c"
# shellcheck disable=SC2086
shared other.so -Iother/gen npu_kernels.c $made
ok 'headers of another core do not compile' has "$tmp/log" \
    'generated from other declarations than the installed headers'
sed -i "s/$mine/$hash/" other/include/sinter/sinter_plugin.h
# shellcheck disable=SC2086
shared other.so -Iother/include/sinter -Iother/gen npu_kernels.c $made
refused 'an old plugin: declarations' 3 \
    "other.so: was generated from other core declarations ($hash, this sinter's are $mine): run sinter-gen --plugin with those installed with this sinter, and build it again" \
    try other.so

# ---- refused when it is generated ----

gen() { # DEF [SOURCE]
    "$sinter-gen" --core "$pre/share/sinter" --plugin "$1" \
        ${2:+--sources "$2"} --check --no-prove
}
sed 's/^npu_conv_q8(const SnCall \*call)/npu_conv_q8(const SnTensor *call)/' \
    npu_kernels.c >wrong.c
line=$(grep -n ': npu_conv_q8;' npu.def | cut -d: -f1)
there=$(grep -n '^npu_conv_q8' wrong.c | cut -d: -f1)
refused 'a kernel of another type' 1 \
    "npu.def:$line:12: error[SN701]: kernel npu_conv_q8 has the wrong prototype; see npu_kernels.h
  $line |   kernel { (q8, q8, q32) -> q8 : npu_conv_q8; }
     |            ^
 wrong.c:$there: SnStatus npu_conv_q8(const SnTensor *call)
  $there | npu_conv_q8(const SnTensor *call)
     | ^~~~~~~~~~~
   help: SnStatus npu_conv_q8(const SnCall *)" gen npu.def wrong.c
for s in 's/^SnStatus$/int/' 's/^npu_lower(const SnGraph \*g, SnId id)/npu_lower(SnGraph *g, SnId id)/' \
    's/^npu_max_splat_q8(const SnCall \*call)/npu_max_splat_q8(const SnCall *call, int n)/'; do
    sed "$s" npu_kernels.c >wrong.c
    gen npu.def wrong.c >/dev/null 2>"$tmp/log"
    ok "SN701 after $s" has "$tmp/log" 'error[SN701]'
done
sed 's/^npu_conv_q8/npu_conv_other/' npu_kernels.c >wrong.c
gen npu.def wrong.c >/dev/null 2>"$tmp/log"
ok 'a kernel that no source defines' has "$tmp/log" \
    'error[SN703]: kernel npu_conv_q8 is defined in no source file'
# The same type in other words.
sed 's/^npu_conv_q8(const SnCall \*call)/npu_conv_q8 ( SnCall const * call ) /' \
    npu_kernels.c >right.c
gen npu.def right.c >/dev/null 2>"$tmp/log"
ok 'spelling of a prototype is free' [ $? -eq 0 ]

bad() { # NAME TEXT-IN-MESSAGE, the declarations on standard input
    cat >bad.def
    gen bad.def >/dev/null 2>"$tmp/log"
    ok "$1" has "$tmp/log" "$2"
}
head='version 2; include "passes.def"; backend Bad { supports all(q8); }'
bad 'a refinement that widens' \
    "error[SN603]: refine LRN widens its facts: 'free x', where the declaration says 'same x, y'" <<END
$head
refine LRN { free x, y; }
END
bad 'a node declared by the core' "error[SN103]: node 'Conv2D' is declared twice" <<END
$head
node Conv2D { in x; out y; kinds (x) -> y { (q8) -> q8; } free x, y; sem point y = q(d(x)) over each(x); }
END
bad 'a pass of its own' "error[SN704]: a plugin cannot declare pass 'mine'" <<END
$head
pass mine { allow exact; rule noop: Relu(Relu(x) @i) @o => Relu(x) : o.type when i.type == o.type exact; }
END
bad 'a class of its own' "error[SN704]: a plugin cannot declare class 'mine'" <<END
$head
class mine = has(clamp);
END
bad 'no backend' 'error[SN705]: a plugin declares one backend, not 0' <<END
version 2; include "passes.def";
END
