#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What random graphs must notice within 100 000 of a flavour, or 200 000 of
# rules, as random.sh has them: each line below undoes a mend in a copy of the
# tree, builds it without proofs, and sees the test fail.  The first seed is
# printed.
#
#   sh tests/long/undone.sh [NAME...]     only these
. "${0%/*}/../../tools/help.sh"
BUILD=${BUILD:-build} CC=${CC:-gcc} MAKE=${MAKE:-make}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
tree=$BUILD/long/undone
want=" $* "
bad=0

mkdir -p "$tree"
find "$tree" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
sh tools/files.sh | tar cf - -T - | tar xf - -C "$tree" || exit 1
cd "$tree" || exit 1
logs=$tree/logs
mkdir -p "$logs"
make_() {
    "$MAKE" -s CC="$CC" BUILD=build SAN= GENFLAGS=--no-prove build/tests/test_random \
        build/tests/test_random_kernels >"$logs/make" 2>&1
}
if ! make_; then
    echo "not ok undone: the copy does not build: $(grep -m 1 error "$logs/make")"
    exit 1
fi

# u NAME FILE SED PROGRAM TEST
u() {
    case $want in '  ' | *" $1 "*) ;; *) return ;; esac
    cp "$2" "$logs/kept"
    sed -i "$3" "$2"
    # 60 graphs of rules for each of another flavour.
    n=100000
    [ "$5" != graphs_of_rules ] || n=3334
    if cmp -s "$2" "$logs/kept"; then
        echo "not ok undone $1: nothing in $2 is changed by $3"
        bad=1
    elif ! make_; then
        echo "not ok undone $1: it does not build: $(grep -m 1 error "$logs/make")"
        bad=1
    elif SINTER_ONLY=$5 SINTER_RANDOM=$n "build/tests/$4" >"$logs/test" 2>&1 ||
        ! grep -aq '^seed [0-9]' "$logs/test"; then
        echo "not ok undone $1: $4 ($5) does not notice"
        bad=1
    else
        echo "ok undone $1: $(grep -am 1 '^seed [0-9]' "$logs/test" | cut -c 1-200)"
    fi
    cat "$logs/kept" >"$2" # a new time, so that make sees the file go back
}

# ---- results without an element
u empty_called src/run/exec.c 's/bool empty = sn_node_empty(g, id);/bool empty = false;/
s/if (p.nunit < 1)/if (false)/;s/s->nunit = p.nunit;/s->nunit = p.nunit > 1 ? p.nunit : 1;/' \
    test_random_kernels graphs_of_codes
u empty_place src/run/plan.c 's/    if (n == 0)$/    if (false)/' test_random_kernels graphs_of_codes
u empty_view src/run/view.c 's/sn_tensor_nbyte(sn_type(c->g, ref), sn_shape_of(c->g, ref)) == 0;/c == NULL;/' \
    test_random_kernels graphs_of_codes

# ---- bounds that are crossed
u crossed_kernel src/kernel/point/point_f32.c \
    's/y\[i\] = sn_clampf(x\[i\], (SnLimF){lo, hi});/y[i] = x[i] < lo ? lo : x[i] > hi ? hi : x[i];/' \
    test_random_kernels graphs_of_floats
u crossed_evaluator nodes.def 's/q(min(max(d(x), low), high))/q(max(min(d(x), high), low))/' \
    test_random_kernels graphs_of_floats
u crossed_rule passes.def 's/when o.type == f32 and o.low <= i.high/when o.type == f32/' \
    test_random graphs_of_rules

# ---- rules and rows that lost something
u input_clamp passes.def 's/when o.type in \[q8, q16\] and covers(o.clamp, o.type)$/when o.type in [q8, q16]/' \
    test_random graphs_of_codes
u negative_index maps.def '/^map bag(/,/^}/{s/require -r <= index/require 0 <= index/;/0, 1, -1, -1/d}' \
    test_random graphs_of_rules
u mean_of_pixel passes.def '/rule avgpool_noop:/,/exact/{/dim(x, 1) > 1/d}' test_random graphs_of_rules
u mean_starts gen/node/emit_formula.c 's/"float %s = m.start/"float %s = 0/' test_random_kernels graphs_of_floats
u sum_exchanged gen/node/emit_row.c 's/^    keep(f, by_row(f, use, two ? a.v : "0", two ? b.v : "0", value_of(f, e), y),$/\
    const char *val = value_of(f, e), *row = by_row(f, use, two ? a.v : "0", two ? b.v : "0", val, y);\
    if (two \&\& after \&\& form == SN_FORM_SUM \&\& !f->text)\
        row = sn_format(f->a, "(c->nin > 1 \&\& c->in[0].shape->rank \&\& c->in[1].shape->rank \&\& "\
            "c->in[0].shape->dim[c->in[0].shape->rank - 1] == 1 \&\& "\
            "c->in[1].shape->dim[c->in[1].shape->rank - 1] > 1 ? %s : %s)",\
            by_row(f, use_row(f, form, \&b, \&a, y, own), b.v, a.v, val, y), row);\
    keep(f, row,/' test_random graphs_of_rules
u sum_commutes nodes.def 's/commutes a, b when round == before;/commutes a, b;/' test_random graphs_of_rules
exit $bad
