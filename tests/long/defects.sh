#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Defects that this program once had, put back one by one in a copy of the tree:
# a test of make check must fail, or the generator refuse the declarations.
# Those tests also run under make san.  With SAN set the copy is built with it.
#
#   sh tests/long/defects.sh [NAME...]     only these
. "${0%/*}/../../tools/help.sh"
BUILD=${BUILD:-build} CC=${CC:-gcc} MAKE=${MAKE:-make}
tree=$BUILD/long/defects
want=" $* "
bad=0 n=0 noticed=0

# The copy takes over the objects: only what is damaged is compiled again.
rm -rf "$tree"
mkdir -p "$tree/$BUILD" || exit 1
sh tools/files.sh | tar cf - -T - | tar xf - -C "$tree" || exit 1
for f in .deps .flags front gen line obj tests sinter sinter-gen libsinter.a libsinter-dsl.a \
    libtest.a libsinter_ep.so; do
    cp -a "$BUILD/$f" "$tree/$BUILD/$f" || exit 1
done
cd "$tree" || exit 1
logs=$PWD/logs
mkdir "$logs"
make_() { "$MAKE" -s CC="$CC" BUILD="$BUILD" SAN="${SAN:-}" ${OPT:+OPT="$OPT"} "$@" >"$logs/make" 2>&1; }

# chosen NAME: is it asked for?
chosen() { case $want in '  ' | *" $1 "*) ;; *) return 1 ;; esac; }
# damage NAME FILE SED: false where that changes nothing.
damage() {
    n=$((n + 1))
    cp -p "$2" "$logs/kept"
    sed -i "$3" "$2"
    cmp -s "$2" "$logs/kept" || return 0
    echo "not ok defects $1: nothing in $2 is changed by $3"
    bad=1
    return 1
}
# What is put back is newer than the damaged object.
mend() { cat "$logs/kept" >"$1"; }
# found NAME YES WHAT
found() {
    if [ "$2" -eq 0 ]; then
        echo "ok defects $1: $3"
        noticed=$((noticed + 1))
    else
        echo "not ok defects $1: not noticed: $3"
        bad=1
    fi
}

# c NAME FILE SED TEST EXPECTED: in C or a script.  EXPECTED fails, or the test
# does not come to its end.
c() {
    chosen "$1" && damage "$1" "$2" "$3" || return
    # Only programs that the test runs.
    case $4 in
    *.sh) make_ "$BUILD/sinter" "$BUILD/sinter-gen" ;;
    *) make_ "$BUILD/tests/$4" ;;
    esac || {
        echo "not ok defects $1: damaged, it does not build: $(grep -m 1 error "$logs/make")"
        bad=1
        mend "$2"
        return
    }
    case $4 in
    *.sh)
        BUILD=$BUILD SHARED=/nonexistent CC=$CC MAKE=$MAKE sh "tests/sh/$4" >"$logs/test" 2>&1
        grep -q "^not ok $5" "$logs/test"
        ;;
    *)
        timeout 60 "$BUILD/tests/$4" >"$logs/test" 2>&1
        rc=$?
        [ $rc -gt 100 ] || grep -aq "\[  FAILED  \] $5\$" "$logs/test"
        ;;
    esac
    found "$1" $? "$4 ($5)"
    mend "$2"
}

# d NAME FILE SED TEXT: in declarations, or in what the generator reads them with.
# It refuses them with TEXT; damaged itself, it may also find out that it is (70).
d() {
    chosen "$1" && damage "$1" "$2" "$3" || return
    own=1
    case $2 in *.c) own=70 && make_ "$BUILD/sinter-gen" ;; esac
    "$BUILD/sinter-gen" --check --nodes nodes.def --passes passes.def -I . \
        $(for b in src/backend/*/*.def; do echo --backend "$b"; done) >"$logs/test" 2>&1
    rc=$?
    { [ $rc -eq 1 ] || [ $rc -eq $own ]; } && grep -q "$4" "$logs/test"
    found "$1" $? "$(grep -m 1 error "$logs/test" | cut -c1-100)"
    mend "$2"
    case $2 in *.c) make_ "$BUILD/sinter-gen" ;; esac
}

# ---- sets and results without elements
c kernels_of_nothing src/run/exec.c 's/\.nunit = !empty/.nunit = 1/; s/empty ? NULL : kernel_for/kernel_for/' test_empty results
c empties_share src/run/plan.c 's/        return SN_PLAN_ALIGN;/        return 0;/' test_run plan_empty
c nothing_has_a_maximum src/graph/shape.c 's/c->sem->nonempty && u.ntap == 0/false/' test_empty refused
d vector_is_no_matrix maps.def 's/^  let tb = trans_b or rank(b) == 1;/  let tb = trans_b;/' 'map matmul: the declaration refuses it'

# ---- crossed bounds, NaN, -0
c crossed_portable src/kernel/point/point_f32.c 's/sn_clampf(x\[i\], (SnLimF){lo, hi})/x[i] < lo ? lo : x[i] > hi ? hi : x[i]/' test_special elements
# A case contradicts a lemma; the row that it computed by is blamed.
d crossed_meet src/base/saturate.c 's/    if (r.has_lo && r.has_hi && r.lo > r.hi)/    if (false)/' \
    'a row of float is not its formula'
c sign_of_nan nodes.def 's/select(d(x) == 0, 0, d(x))/0/' test_special elements
d mean_of_minus_zero passes.def '/rule avgpool_noop:/,/exact/s/and (dim(x, 1) > 1 or dim(x, 2) > 1)//' "rule 'avgpool_noop' is not proved"

# ---- rules
d input_without_clamp passes.def '/rule quant_input:/,/note/s/ and covers(o.clamp, o.type)//' "rule 'quant_input'"
d claims_nothing passes.def '/^  rule quant_output:/i\
  rule relu_output: Save(Relu(x)) @s => Save(x) like s;' "rule 'relu_output'"
d bag_from_the_end maps.def '/^map bag(/,/^}/s/select(at < 0, at + r, at)/at/' 'map bag: the declaration has'
d sum_in_any_order nodes.def '/^node Add /,/^}/s/commutes a, b when round == before/commutes a, b/' "'commutes' of Add is not proved"
d sum_into_convolution src/backend/cpu/cpu.def '/^rule conv_add:/i\
rule conv_sum: Add(s:{q8}, Conv2D(x, w, b) @c :1) @o\
     => CPUConvAdd(x, w, b, s) {kernel = c.kernel, stride = c.stride, pads = c.pads,\
     dilate = c.dilate, group = c.group, mid = c.type, mid_clamp = c.clamp, clamp = o.clamp,\
     round = o.round, zp_shift = o.zp_shift} : o.type\
     when c.type in [q8] and o.type in [q8] and shape(s) == shape(c) exact optin "fuse";' "rule 'conv_sum' is not proved"

# ---- the prover's places
d axis_of_remainder src/map/bind.c 's/r.v\[i\].v < 0 ? r.v\[i\].v + rank : r.v\[i\].v/r.v[i].v % rank/; s/    if (k < 0 || k >= rank)/    if (k >= rank)/' 'map flip: '
d one_row_of_pytorch maps.def 's/coord == pytorch_half_pixel and dims == 1, 0.0,/coord == pytorch_half_pixel and dims == 0, 0.0,/' 'map nearest: the declaration has'

# ---- biases, exported types, wide nodes
c bias_one_ulp src/rewrite/integerize/integerize.c 's/    if (p->how\[s\] != SN_INT_UNWRAP || \*type == p->type\[s\])/    if (p->how[s] != SN_INT_MOVED)/' test_onnx_bias case_is_right
c uint8_becomes_int8 src/onnx/export/export_plain.c '/^sn_export_bound_u8/,/^}/s/^{/{\n    if (n)\n        return false;/' test_export_types no_way_round_int8
c norm_of_four_axes src/onnx/export/export_ops.c '/{"BatchNormalization", sn_export_batch_norm}/d' test_export_back round_trip_batch_norm
c operands_64 src/rewrite/integerize/integerize.c 's/    if (!sn_integerizable(g, id, join))/    if (n->nin > 64 || !sn_integerizable(g, id, join))/' test_wide operands

# ---- in the way of users
c skipped_tests tests/tally.sh 's/    \*) awk .*$/    *) cat "$out" ;;/' tally.sh tally
c weights_per_tensor src/cli/verb/verb_quantize.c 's/o.channelwise = !c->args.per_tensor || /o.channelwise = /' quant.sh 'quant plain'
c static_libraries tools/sinter.pc.in 's/@libs@/-lm/' install.sh 'install sinter.pc names -lxxhash'
c own_headers Makefile 's|install -m 644 $(PLUGIN_H)|& src/graph/graph_priv.h|' install.sh 'install one header for programs'
c text_over_a_model src/base/file/file_text.c 's/    if (text \&\& s.more == 0)/    if (true)/' output.sh 'output opt_model'
c generator_into_the_void gen/main.c 's/    return code != SN_OK ? code : SN_EOUTPUT;/    return code;/' output.sh 'output gen_stdout'
c stale_shapes src/onnx/import/import_val.c 's/dims_agree(v, t->shape) || x->nstale++ > 0)/dims_agree(v, t->shape))/; s/^    x->stale = sn_format(x->a, \(.*\));/    return sn_import_fail(x, SN_EINPUT, \1);/' test_onnx_bad stale_shapes_are_said
c unused_initializers src/onnx/import.c 's/    if (t->data_type != ONNX__TENSOR_PROTO__DATA_TYPE__UNDEFINED &&/    if (t->data_type == -1 \&\&/' test_onnx_bad unused_initializers_may_be_anything
c stacks_of_samples src/run/samples.c '/^is_stack/,/^}/s/    return t->rank == s->rank + 1 &&/    return t->rank == s->rank + 99 \&\&/' import.sh import
c models_without_inputs src/run/samples.c 's/    if (s->ninput == 0)$/    if (s->ninput == 99)/' import.sh import
echo "| $n defects put back, $noticed noticed"
exit $bad
