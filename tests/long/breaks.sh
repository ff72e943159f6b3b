#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each behaviour of the quantizer, and of how convolutions are cut, has a test
# that fails when it is removed: every line below breaks one in a copy of the
# tree, builds, and checks that this test fails (only this test is run; the copy
# is restored after it).
#
#   sh tests/long/breaks.sh [NAME...]     only these
. "${0%/*}/../../tools/help.sh"
BUILD=${BUILD:-build} CC=${CC:-gcc} MAKE=${MAKE:-make}
here=$PWD
case $BUILD in /*) ;; *) BUILD=$here/$BUILD ;; esac
tree=$BUILD/long/breaks
want=" $* "
bad=0

mkdir -p "$tree"
find "$tree" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
sh tools/files.sh | tar cf - -T - | tar xf - -C "$tree" || exit 1
cd "$tree" || exit 1
logs=$tree/logs
mkdir -p "$logs"
make_() { "$MAKE" -s CC="$CC" BUILD=build SAN= "$@" >"$logs/make" 2>&1; }
if ! make_ tests; then
    echo "not ok breaks: the copy does not build: $(grep -m 1 error "$logs/make")"
    exit 1
fi

# fails TEST EXPECTED: the test fails and names EXPECTED as failed.
fails() {
    case $1 in
    *.sh) BUILD=build SHARED=/nonexistent CC=$CC MAKE=$MAKE sh "tests/sh/$1" >"$logs/test" 2>&1
        grep -q "^not ok $2" "$logs/test" ;;
    *) make_ "build/tests/$1" && ! "build/tests/$1" >"$logs/test" 2>&1 &&
        grep -aq "\[  FAILED  \] $2\$" "$logs/test" ;;
    esac
}

# b NAME FILE SED TEST EXPECTED
b() {
    case $want in '  ' | *" $1 "*) ;; *) return ;; esac
    cp "$2" "$logs/kept"
    sed -i "$3" "$2"
    if cmp -s "$2" "$logs/kept"; then
        echo "not ok breaks $1: nothing in $2 is changed by $3"
        bad=1
        return
    fi
    if ! make_ all; then
        echo "not ok breaks $1: broken, it does not build: $(grep -m 1 error "$logs/make")"
        bad=1
    elif fails "$4" "$5"; then
        echo "ok breaks $1: $4 ($5) fails"
    else
        echo "not ok breaks $1: $4 ($5) does not notice"
        bad=1
    fi
    # A new time, so that make sees the file go back.
    cat "$logs/kept" >"$2"
}

# ---- lowering and profiles
b profile_lowered passes.def '/^pipeline profile/,/;/s/lower_nodes, fold;/fold;/' test_compare lowered_or_kept
b component_names passes.def 's/ as product//' test_compare lowered_or_kept
b components_of_gelu passes.def 's/ as half//' pass.sh tests/pass/lower_components.sn
b backend_keeps src/rewrite/driver.c 's/    if (keep \&\& kept(rw, g, id))/    if (keep \&\& !rw \&\& kept(rw, g, id))/' test_compare lowered_or_kept
b gate_ranges src/onnx/hooks/hooks_rnn.c 's/"s%d_"/"t%d_"/' test_rnn lstm_gates
b shared_by_name src/quant/profile/profile_merge.c 's/            if (is_value(n, r) \&\& !sn_profile_of(p, placed, SN_REF(id, r)))/            if (false)/' quant.sh 'quant stale'
b other_batch src/cli/verb/verb_quantize.c 's/    if (fit.nmissing)$/    if (true)/' quant.sh 'quant other_batch'
b other_folding src/cli/verb/verb_quantize.c 's/    if (p->hash == hash \&\& fit.nmissing)/    if (false)/' quant.sh 'quant folding_lacks'
b averages_per_sample src/quant/profile/profile.c 's/c \* ((double)lo - l)/0 * ((double)lo - l)/' test_range moving_average
b average_not_merged src/quant/profile/profile_merge.c 's/if (p->average > 0)/if (p->average > 1)/' quant.sh 'quant average_merge'
b calib_streams src/run/npy.c 's/    if (s != SN_OK || !whole)/    if (s != SN_OK)/' test_npy reads_parts
b calib_nan src/cli/load.c 's/SN_TRY(check_inputs(c, x, \*out));/(void)check_inputs;/' quant.sh 'quant calib_nan'

# ---- shards
b merge_adds src/quant/profile/profile.c 's/    h->count += o->count;/    h->count = o->count;/' test_quant hist_merge_any_order
b bins_add src/quant/profile/profile.c 's/^    h->bin\[at\] += n;/    h->bin[at] = n;/' test_quant hist_merge_any_order
b shard_part src/cli/load.c 's|p.s->n \* (sh.index + 1) / sh.count|p.s->n * sh.index / sh.count + 1|' quant.sh 'quant merge_is_whole'
b shard_mpi src/cli/quant_options.c 's/"OMPI_COMM_WORLD_RANK"/"OMPI_COMM_WORLD_RANG"/' quant.sh 'quant shard_mpi'
b shard_slurm src/cli/quant_options.c 's/env_number("SLURM_ARRAY_TASK_MIN")/0/' quant.sh 'quant shard_slurm_array_is_shard'
b merge_other_graph src/quant/profile/profile_merge.c 's/    if (o->hash != p->hash || o->n != p->n)/    if (o->n == 12345)/' quant.sh 'quant merge_other'

b jobs_add src/quant/profile/profile.c 's/        sn_profile_merge(sum, p.part\[i\].profile);/        if (i == 0)\n    &/' quant.sh 'quant profile_any_jobs'

# ---- schemes, ranges, precision
b asymmetric src/quant/choose/scheme.c 's/    if (has0 \&\& (s == SN_SYMMETRIC || s == SN_POWER_OF_TWO ||$/    if (has0 \&\& (true ||/' test_quant scheme_ranges
b uint8_full_range src/quant/choose/scheme.c 's/SN_SYMMETRIC_UINT8 \&\& lo < 0/SN_SYMMETRIC_UINT8/' test_range schemes
b power_of_two src/quant/choose/scheme.c 's/m == 0.5 ? k - 1 : k/m == 0.5 ? k : k/' test_range schemes
b degenerate_range src/quant/choose/scheme.c 's/    if (!(x > (double)SN_SCALE_LEAST))/    if (x < 0)/' test_quant scheme_degenerate
b percentile src/quant/choose/range.c 's|((100 - p) / 200)|((100 - p) / 100)|' test_range percentile
b mse src/quant/choose/range.c 's/s \* s \* s \/ 12/s * s * s \/ 3/' test_range mse_is_the_error
b entropy src/quant/choose/range.c 's/    if (r.kind == SN_ENTROPY \&\& e != SN_QI8)/    if (r.kind == SN_ENTROPY)/' quant.sh 'quant range_entropy_differs'
b int16 src/quant/place/place_decide.c 's/    if (pl->want\[id\].precision == SN_INT16) {/    if (false) {/' test_compare int16_node
b int16_missing_form src/quant/place/place_decide.c 's/    if (!why8 \&\& why)/    if (false)/' test_compare int16_narrow
b bias_int8 src/quant/quantize.c 's/    if (o->bias8)/    if (false)/' quant.sh 'quant bias_int8'

# ---- rows, channels, biases
b channelwise src/quant/place/place_decide.c 's/        return pl->p->channelwise;/        return false;/' test_quant place_channelwise
b rowwise src/quant/place/place_decide.c 's/ \&\& pl->p->rowwise;/ \&\& false;/' quant.sh 'quant axes_kind_fc'
b depthwise src/quant/place/place_decide.c 's/    if (sn_map_rows(m)) .*$/    if (sn_map_rows(m) \&\& m != \&sn_map_decl_conv_transpose)/' quant.sh 'quant axes_kind_tr'
b moved_weights_named src/rewrite/fold.c 's/            sn_rename(g, c, name);/            (void)name;/' quant.sh 'quant axes_rowwise_moved'
b raised_channels src/quant/place/place_const.c 's/        if (q.scale > wanted)/        if (q.scale < wanted)/' test_quant place_raises_scale
b conv_as_rows passes.def 's/dim(w, 3)\]} named w$/dim(w, 3)]}/' quant.sh 'quant rows_params'
b range_past_moves src/quant/profile/profile_merge.c 's/enum { MOVES = 8 };/enum { MOVES = 0 };/' quant.sh 'quant rows_matrix'
b scale_floor src/quant/place/place_const.c 's/    if (least > (double)q.scale)$/    if (least < 0)/' test_quant place_raises_scale
b fused_rows src/quant/choose/row8.c 's|- (double)lo) / 255|- (double)lo) / 127|' test_rows packs
b raise_embedding passes.def '/rule raise_embedding:/,/real 1e-5/s/real 1e-5/& optin "never"/' quant.sh 'quant emb_rows'
b rows_of_indices src/kernel/eval/set_walk.c 's/    int64_t r = ++s->at\[t->v\];/    int64_t r = s->at[t->v] + 1;/' test_rows fused_sums
b bags_from_onnx src/onnx/hooks/hooks_bag.c 's/        v\[i\] = i \* size;/        v[i] = i * size \/ 2;/' test_rows from_onnx
b table_at_compile_time src/quant/place/place.c 's/                place_table(pl, v);/                (void)place_table;/' test_rows fused_sums

# ---- placement
b fixed_type_filled src/quant/place/place_decide.c 's/    if (m >= FIXED_STEPS \* (double)p->fixed_scale)/    if (m >= 0 * (double)p->fixed_scale)/' test_quant place_unfit_fixed_type
b unify_concat src/quant/place/place.c 's/    if (pl.p->unify)/    if (false)/' test_compare unify
b unify_residual src/quant/place/place_unify.c 's/        if (meets(pl, id))/        if (false \&\& meets(pl, id))/' test_compare unify_residual
b require_int8 src/cli/verb/verb_quantize.c 's/    if (!c->args.require_int8 || !r->nfloat)/    if (true)/' quant.sh 'quant require_int8_fails'
b quantized_io passes.def 's/optin "quantized-io"  note/optin "quantized-oi"  note/' quant.sh 'quant quantized_input'

# ---- how convolutions are cut
b pick_fits src/kernel/tune/tune.c 's|    if (!sn_tune_fits(|    if (false \&\& !sn_tune_fits(|' test_tune messages
b pick_sizes src/kernel/tune/tune.c 's/    if (!sane(/    if (false \&\& !sane(/' test_tune messages
b pick_end src/kernel/tune/tune.c 's/n != r->t->nlayer ||/false ||/' test_tune messages
b pick_missed src/kernel/tune/tune.c 's/        if (t->nmissed++ == 0)/        if (t->nmissed == 0)/' test_tune round_trip
b pick_used src/kernel/tune/tune.c 's|    return \*layer ? t|    return false ? t|' test_pack picks
b pick_packed src/backend/cpu/contract.c 's/num->pick->npanel,/0,/' test_pack picks
b rules_lines src/kernel/conv/conv_pick.c 's/    SHARED_NS = 15,/    SHARED_NS = 0,/' test_kernel_conv picks_of_rules
b rules_shares src/kernel/conv/conv_pick.c 's/most = c > o->oc - c ? c : o->oc - c;/most = o->oc \/ 2;/' test_kernel_conv picks_of_rules

# ---- raising, tables of functions
b functions_are_tables src/backend/cpu/point.c 's/    const int8_t \*t = evaluate(p, tmp, 256, code, NULL);/    code[9] = 0;\n&/' quant.sh 'quant unary_tables'
b normalize_components passes.def 's/ as deviation//' test_compare normalize_lowered_or_kept
b raise_silu passes.def 's/=> Swish(x) : o.type real 1e-5;/=> Swish(x) : o.type when dim(x, 0) == 7 real 1e-5;/' pass.sh tests/pass/raise_activations.sn
b raise_gelu passes.def '/=> Gelu(x) : o.type/{n;s/when shape/when dim(x, 0) == 7 and shape/}' pass.sh tests/pass/raise_activations.sn
b raise_hardswish passes.def '/=> HardSwish(x) : o.type/{n;s/when shape/when dim(x, 0) == 7 and shape/}' pass.sh tests/pass/raise_activations.sn
b raise_fc passes.def '/rule raise_fc:/,/real 1e-5/s/real 1e-5/& optin "never"/' pass.sh tests/pass/raise_fc.sn
b raise_normalize passes.def '/rule raise_norm:/,/real 1e-5/s/real 1e-5/& optin "never"/' pass.sh tests/pass/raise_normalize.sn
b raise_fc_lowered passes.def '/rule raise_fc_lowered:/,/real 1e-5/s/real 1e-5/& optin "never"/' pass.sh tests/pass/raise_fc_lowered.sn
b numbers_in_patterns src/rewrite/fold.c 's/        if (!from || node->dead/        if (splats || !from || node->dead/' pass.sh tests/pass/raise_activations.sn

# ---- control and comparison
b globs src/quant/choose/control.c 's/fnmatch(glob, n->res\[r\].name, 0) == 0/strcmp(glob, n->res[r].name) == 0/' test_range globs
b kinds_by_glob src/quant/choose/control.c "s/    if (glob\[0\] == '@')/    if (glob[0] == '#')/" quant.sh 'quant keep_kind'
b glob_without_match src/quant/choose/control.c 's/        if (!matches_any(\&c->wish\[i\], g))/        if (false \&\& !matches_any(\&c->wish[i], g))/' test_range globs_without_match
b later_wins src/quant/choose/control.c 's/        set(&s, c->wish\[i\].ask, &c->wish\[i\].to);/        if (!s.precision)\n            set(\&s, c->wish[i].ask, \&c->wish[i].to);/' quant.sh 'quant precision_back'
b compare_noise src/quant/compare.c 's/e->noise += r \* r;/e->noise += 0 * r;/' test_compare compare_local
b compare_threshold src/cli/verb/verb_compare.c 's/    if (c->args.threshold \&\& p.k.worst_output < db)/    if (false)/' quant.sh 'quant compare_fails'
b keep_list src/cli/verb/verb_compare.c 's/    if (!v->nkeep)$/    if (true)/' quant.sh 'quant compare_keeps'
b held_out_data src/cli/load.c 's/    (\*out)->skip = skip;/    (*out)->skip = 0;/' quant.sh 'quant skip_leaves_out'
b keep_enough src/quant/advise.c 's/        if (out->kept >= v->o->db + SPARE)/        if (out->kept >= 0 * v->o->db)/' quant.sh 'quant compare_kept'
b advice_needed src/cli/verb/verb_compare.c 's/    bool met = p.k.worst_output >= db;/    bool met = false;/' quant.sh 'quant compare_met_is_silent'
b merged_names src/quant/choose/control.c "s/        if (c->wish\[i\].glob\[0\] != '@')/        if (false)/" quant.sh 'quant name_merged'
b form_kinds src/quant/choose/control.c 's/        if (sn_desc(k)->form_of == (int32_t)kind \&\&$/        if (sn_desc(k)->form_of == -2 \&\&/' quant.sh 'quant name_form'
b export_names src/quant/compare.c 's/{".q", ".dq", ".r", ".f"}/{".q", ".dq", ".r"}/' quant.sh 'quant compare_all_qdq.onnx'
b shard_copy src/quant/profile/profile_merge.c 's/        if (by)$/        if (false)/' quant.sh 'quant merge_copy'
b shard_missing src/quant/profile/profile_merge.c 's/^    if (!p->nshard)$/    if (true)/' quant.sh 'quant merge_missing'

# ---- --eval
b eval_apart src/cli/eval.c 's/                if (from >= to ||/                if (from < to ||/' quant.sh 'quant eval_apart'
b eval_other_data src/cli/eval.c 's/                         "--eval-skip", a->eval_skip, &e->quant.samples/                         "--eval-skip", 0, \&e->quant.samples/' quant.sh 'quant eval_sqnr'
b eval_unlike src/cli/eval.c 's/        if (share > SHARE_BEYOND)/        if (share > 1)/' quant.sh 'quant eval_unlike'
exit $bad
