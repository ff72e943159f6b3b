#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Errors planted in the C that rewrites graphs: in the derived families, in
# generated matchers, in the folder and in what they share.  For each a sinter is
# linked with the damaged file; of what it does to the graphs of tests/pass
# and random ones, the sound sinter's verify must refuse one, and it
# accepts what the sound one does.
# PLANTS: names of those to plant, all when not given.
# ENOUGH: after so many refused graphs a plant needs no more of them (1).
. "${0%/*}/../../tools/help.sh"
suite=verify_planted
. tests/sh_case.sh
CC=${CC:-gcc}
ENOUGH=${ENOUGH:-1}
libs='-lspng -lturbojpeg -lprotobuf-c -ljansson -lxxhash -lpthread -lm'

# A few graphs for what those of tests/pass do not ask for.
mkdir "$tmp/g"
g() { cat >"$tmp/g/$1.sn"; }
g cse <<'END'
; RUN: --passes=cse
sinter-graph 1
graph "cse" {
  %x = Placeholder() : f32[2, 3]
  %z = Placeholder() : f32[2, 3]
  %a = LeakyRelu(%x) {alpha = 0.25} : f32[2, 3]
  %b = LeakyRelu(%x) {alpha = 0.5} : f32[2, 3]
  %c = LeakyRelu(%z) {alpha = 0.25} : f32[2, 3]
  %k = Constant() {data = [1, 2, 3]} : f32[3]
  %l = Constant() {data = [1, 2, 4]} : f32[3]
  %d = Add(%a, %k) : f32[2, 3]
  %e = Add(%b, %l) : f32[2, 3]
  Save(%d) {name = "d"}
  Save(%e) {name = "e"}
  Save(%c) {name = "c"}
}
END
g fold <<'END'
; RUN: --passes=fold,splats,constants
sinter-graph 1
graph "fold" {
  %x = Placeholder() : f32[2, 3]
  %k = Constant() {data = [1, 2, 3]} : f32[3]
  %l = Constant() {data = [4]} : f32[1]
  %s = Add(%k, %l) : f32[3]
  %d = Add(%x, %s) : f32[2, 3]
  %e = Mul(%d, %l) : f32[2, 3]
  Save(%e) {name = "e"}
}
END
g splat <<'END'
; RUN: --passes=splats
sinter-graph 1
graph "splat" {
  %x = Placeholder() : f32[2, 3]
  %l = Constant() {data = [4]} : f32[1]
  %e = Mul(%x, %l) : f32[2, 3]
  Save(%e) {name = "e"}
}
END
g permute <<'END'
; RUN: --passes=simplify
sinter-graph 1
graph "permute" {
  %x = Placeholder() : f32[2, 2, 2]
  %t = Transpose(%x) {perm = [1, 2, 0]} : f32[2, 2, 2]
  %u = Transpose(%t) {perm = [1, 0, 2]} : f32[2, 2, 2]
  %s = Softmax(%t) {axis = 1} : f32[2, 2, 2]
  Save(%u) {name = "u"}
  Save(%s) {name = "s"}
}
END
g relu <<'END'
; RUN: --passes=simplify
sinter-graph 1
graph "relu" {
  %x = Placeholder() : f32[2, 3]
  %z = Placeholder() : f32[2, 3]
  %a = Add(%x, %z) : f32[2, 3]
  %r = Relu(%a) : f32[2, 3]
  %c = Clip(%x) {low = -1, high = 2} : f32[2, 3]
  %d = Clip(%c) {low = 0, high = 6} : f32[2, 3]
  Save(%r) {name = "r"}
  Save(%d) {name = "d"}
}
END
g concat <<'END'
sinter-graph 1
graph "concat" {
  %a = Placeholder() : qi8<0.1, 0>[4]
  %b = Placeholder() : qi8<0.1, 0>[4]
  %r = Rescale(%a) {clamp = [-20, 20]} : qi8<0.2, 1>[4]
  %s = Rescale(%b) : qi8<0.2, 1>[4]
  %y = Concat(%r, %s) {axis = 0} : qi8<0.2, 1>[8]
  Save(%y) {name = "y"}
}
END
g partly <<'END'
sinter-graph 1
graph "partly" {
  %a = Placeholder() : qi8<0.1, 0>[4]
  %b = Placeholder() : qi8<0.1, 0>[4]
  %r = Rescale(%a) : qi8<0.2, 1>[4]
  %n = Relu(%b) : qi8<0.2, 1>[4]
  %y = Concat(%r, %n) {axis = 0} : qi8<0.2, 1>[8]
  Save(%y) {name = "y"}
}
END
cp tests/pass/*.sn "$tmp/g"
mkdir "$tmp/r"
"$BUILD/tests/random_graphs" "$tmp/r" 1 "${SINTER_RANDOM:-300}" >/dev/null || bad=1
for f in "$tmp"/r/*.sn; do
    { echo '; RUN: --pipeline=optimize' && cat "$f"; } >"$tmp/g/random$(basename "$f")"
done

# over SINTER: what it makes of all graphs, verified; leaves $accepted, $refused,
# $failed (where it does not come to an end) and the first message in $tmp/first.
over() {
    accepted=0 refused=0 failed=0
    : >"$tmp/first"
    for f in "$tmp"/g/*.sn; do
        run=$(sed -n 's/^; RUN: *//p' "$f")
        case $run in *quantized-io* | *bad_* | *print-after*) continue ;; esac
        rm -f "$tmp"/l.* "$tmp"/a.*
        # shellcheck disable=SC2086
        if ! "$1" opt "$f" ${run:---passes=quant_cleanup} --log "$tmp/l.sn" -o "$tmp/a.sn" \
            >/dev/null 2>&1; then
            failed=$((failed + 1))
            continue
        fi
        flags=
        for o in $run; do
            case $o in --backend=* | --enable=* | --strict-saturation) flags="$flags $o" ;; esac
        done
        # shellcheck disable=SC2086
        "$sinter" verify "$f" "$tmp/a.sn" --log "$tmp/l.sn" $flags >/dev/null 2>"$tmp/err"
        case $? in
        0) accepted=$((accepted + 1)) ;;
        1)
            [ -s "$tmp/first" ] || sed "s|^$tmp/l.sn: ||" "$tmp/err" | head -n 1 >"$tmp/first"
            refused=$((refused + 1))
            [ "$refused" -lt "$ENOUGH" ] || break
            ;;
        *)
            echo "| $f: $(head -n 1 "$tmp/err")"
            failed=$((failed + 1))
            ;;
        esac
    done
}

over "$sinter"
if [ $refused -eq 0 ] && [ $accepted -gt 120 ]; then
    echo "ok $suite sound: $accepted graphs accepted"
else
    echo "not ok $suite sound: $refused refused, $accepted accepted: $(cat "$tmp/first")"
    bad=1
fi

# plant NAME FILE SED...: a sinter with FILE damaged.
plant() {
    name=$1 file=$2
    shift 2
    case " ${PLANTS:-$name} " in *" $name "*) ;; *) return ;; esac
    sed "$@" "$file" >"$tmp/p.c"
    if cmp -s "$file" "$tmp/p.c"; then
        echo "not ok $suite $name: nothing in $file is changed"
        bad=1
        return
    fi
    # shellcheck disable=SC2086
    if ! $CC -std=c11 -D_GNU_SOURCE -ffp-contract=off -fno-strict-aliasing -O0 -w ${SAN:-} \
        -Isrc -I. -I"$BUILD/gen" -I"$(dirname "$file")" -c -o "$tmp/p.o" "$tmp/p.c" ||
        ! $CC ${SAN:-} -rdynamic -o "$tmp/sinter" "$tmp/p.o" \
            $(find "$BUILD/obj/src/cli" "$BUILD/obj/src/report" "$BUILD/obj/src/image" -name '*.o') \
            "$BUILD/obj/made/gen/sn_report_page.o" "$BUILD/libsinter.a" $libs; then
        echo "not ok $suite $name: does not compile"
        bad=1
        return
    fi
    over "$tmp/sinter"
    if [ $refused -gt 0 ]; then
        echo "ok $suite $name: $refused of $((refused + accepted + failed)) graphs refused"
        echo "| $name: $(cut -c 1-120 "$tmp/first")"
    else
        echo "not ok $suite $name: $accepted accepted, none refused, $failed end otherwise"
        bad=1
    fi
}

a=src/rewrite/absorb.c s=src/rewrite/sink.c
i=src/rewrite/integerize/integerize.c
fold=src/rewrite/fold.c
r=$BUILD/gen/sn_rules.c
# saturation that a consumer cannot have
plant absorb_saturation $a 's/if (!may_drop(g, rw, id, r, &w))/if (!may_drop(g, rw, id, r, \&w) \&\& 0)/'
plant absorb_swallowed $a 's/ok = !reached || !cut_off || before\[i\] == after\[i\];/ok = true;/'
plant absorb_unsaid $a 's/^    \*waived = true;/    *waived = false;/'
plant absorb_operand $a 's/return !x || sn_in(g, SN_NODE(v), 0) == x ? SN_NODE(v) : 0;/return SN_NODE(v);/'
plant bias_code src/rewrite/regrid.c 's/v\[c\] = (int32_t)rint(moved(\(.*\)));$/v[c] = (int32_t)rint(moved(\1)) + 40;/'
plant merge_no_clamp $a 's/^    sn_edit_clamp(e, kept);//'
plant merge_inner $a 's/SnRange kept = sn_meet(rc, .*$/SnRange kept = rc;/'
plant merge_reach $a 's/if (sn_range_full(rc) && sn_covers(sn_clamp_reach(mid, rc),/if (1 || sn_covers(sn_clamp_reach(mid, rc),/'
plant sink_constant $s 's/if (!d->family.sink_const || d->family.sink_bounded)/if (1)/'
plant sink_clamps $s 's/SnRange a = sn_clamp_of(g, r0), b = sn_clamp_of(g, r);/SnRange a = sn_clamp_of(g, r0), b = a;/'
plant sink_partly $s 's/return other ? "not every input is a Rescale" : NULL;/return NULL;/'
plant layout_axis src/rewrite/layout.c 's/if (!sn_axes_renumber(g->arena, d, e.attr, perm))/if (0)/'
plant integerize_clamp $i 's/^        sn_edit_clamp(&e, codes_clamp(p));/        ;/'
plant integerize_after $i 's/(!carried && !sn_range_full(/(0 \&\& !sn_range_full(/'
plant fold_value $fold 's/^    if (data) {/    if (data) { ((unsigned char *)(uintptr_t)data)[1] ^= 4;/'
plant fold_splat $fold 's/{.value = \*(const float \*)n->data}/{.value = 1 + *(const float *)n->data}/'
plant cse_attribute $fold -e 's/if (!sn_attrs_equal(sn_desc(x->kind), x->attr, y->attr))/if (0)/' \
    -e 's/h = sn_attrs_hash(.*);/;/'
plant cse_operand $fold -e 's/if (x->in\[i\].ref != y->in\[i\].ref)/if (0)/' \
    -e 's/h = XXH64(&n->in\[i\].ref,.*);/;/'
plant cse_data $fold -e 's/return !x->data ||/return 1 ||/' -e 's/^    if (n->data)/    if (0)/'
# generated matchers and right sides
plant rule_fuse_clamp "$r" '/^quant_cleanup_fuse(/,/^}/s/sn_meet(sn_rescale_attr(g, o)->clamp,/sn_meet((SnRange){0},/'
plant rule_identity_guard "$r" '/^quant_cleanup_identity(/,/^}/s/if (!sn_covers(/if (0 \&\& !sn_covers(/'
plant rule_clip "$r" '/^simplify_clip_clip(/,/^}/s/sn_minf(/sn_maxf(/'
plant rule_relu_side "$r" '/^simplify_relu_clamp(/,/^}/s/true, 0,/false, 0,/'
plant rule_compose "$r" '/^simplify_transpose_pair(/,/^}/{s/sn_transpose_attr(g, i_)->perm,/sn_transpose_attr(g, XX)->perm,/;s/sn_transpose_attr(g, o)->perm)/sn_transpose_attr(g, i_)->perm)/;s/XX/o/}'
plant rule_noop "$r" '/^simplify_transpose_noop(/,/^}/s/if (!sn_\(.*identity[^;]*\)$/if (0 \&\& !sn_\1/'
exit $bad
