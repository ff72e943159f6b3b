// SPDX-License-Identifier: Apache-2.0
/* What the resolver makes of declared maps: the data of map/decl.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dsl/model/model.h"

typedef struct Run {
    SnArena *a;
    SnDefs *defs;
} Run;

static Run
resolved(void)
{
    static const char *const dirs[] = {"."};
    Run r = {.a = sn_arena_new()};
    SnDiag *d = sn_diag_new(r.a);

    r.defs = sn_defs_new(r.a);
    sn_def_parse(r.defs, d, "tests/dsl/maps/all.def", dirs, 1);
    sn_def_resolve(r.defs, d);
    assert_string_equal(sn_diag_text(d, r.a), "");
    return r;
}

static const SnMapDecl *
map(Run r, const char *name)
{
    const SnDefMap *m = sn_def_map(r.defs, name);

    assert_non_null(m);
    assert_non_null(m->decl);
    return m->decl;
}

static int
slot(const SnMapDecl *d, const char *name)
{
    for (int i = 0; i < d->nslot; i++)
        if (!strcmp(d->slot[i].name, name))
            return i;
    fail_msg("%s has no '%s'", d->name, name);
    return -1;
}

/* The k-th statement of a kind. */
static const SnMapStmt *
stmt(const SnMapDecl *d, SnMapStmtKind kind, int k)
{
    for (int i = 0; i < d->nstmt; i++)
        if (d->stmt[i].kind == kind && k-- == 0)
            return &d->stmt[i];
    fail_msg("%s lacks a statement", d->name);
    return NULL;
}

/* ---- all maps ---- */

/* Trees: each expression but the roots is the kid of one that stands before
 * it. */
static void
expect_trees(const SnMapDecl *d)
{
    for (unsigned i = 0; i < d->nexpr; i++) {
        const SnMapExpr *e = &d->expr[i];
        unsigned nup = 0;

        assert_true(e->op < SN_NMAPOP);
        assert_true(e->kid + e->nkid <= d->nexpr);
        assert_true(e->nkid == 0 || e->kid > i);
        if (e->op == SN_MO_NAME)
            assert_in_range(e->v, 0, d->nslot - 1);
        for (unsigned k = 0; k < d->nexpr; k++)
            nup += i >= d->expr[k].kid && i < d->expr[k].kid + d->expr[k].nkid;
        assert_true(nup <= 1);
    }
}

static void
test_all(void **state)
{
    Run r = resolved();

    (void)state;
    assert_true(r.defs->nmap >= 28);
    for (uint32_t m = 0; m < r.defs->nmap; m++) {
        const SnMapDecl *d = map(r, r.defs->map[m]->name);
        unsigned nresult = 0;

        expect_trees(d);
        for (int p = 0; p < d->nparam; p++)
            assert_int_equal(d->param[p].slot, p);
        for (int i = 0; i < d->nstmt; i++) {
            const SnMapStmt *s = &d->stmt[i];
            nresult += s->kind == SN_MS_RESULT;
            assert_false(s->kind == SN_MS_RESULT && s->late);
            assert_true(s->kind != SN_MS_REQUIRE || s->text);
            assert_true(s->kind != SN_MS_READ ||
                        s->n == d->param[s->param].nitem);
        }
        assert_int_equal(nresult, 1);
    }
    for (uint32_t n = 0; n < r.defs->nnode; n++)
        assert_non_null(r.defs->node[n]->rsem[0]->decl);
    sn_arena_free(r.a);
}

/* ---- some of them ---- */

static void
test_conv(void **state)
{
    Run r = resolved();
    const SnMapDecl *d = map(r, "conv");
    const SnMapItem *k = &d->param[1].item[1];
    const SnMapStmt *s = stmt(d, SN_MS_REQUIRE, 5);

    (void)state;
    assert_int_equal(d->nparam, 6);
    assert_memory_equal(d->where, "maps.def:", 9);
    assert_int_equal(k->kind, SN_MI_ALONG);
    assert_int_equal(k->slot, slot(d, "k"));
    assert_int_equal(k->along, slot(d, "s"));
    assert_int_equal(d->param[2].length, SN_ML_RUN);
    assert_int_equal(d->param[3].length, SN_ML_PAIR);
    assert_int_equal(d->param[3].along, slot(d, "s"));
    assert_true(d->slot[slot(d, "p")].list);
    assert_false(d->slot[slot(d, "m")].list);
    assert_string_equal(s->text, "{0} filters do not divide into {1} groups");
    assert_int_equal(s->nhole, 2);
    assert_int_equal(d->expr[s->hole[1]].v, slot(d, "group"));
    assert_string_equal(stmt(d, SN_MS_REQUIRE, 1)->text,
                        "'stride' holds {0}, not above 0");
    s = stmt(d, SN_MS_LET, 1); /* s + pads[0] + pads[1] - span */
    const SnMapExpr *e = &d->expr[s->e];
    assert_int_equal(e->op, SN_MO_SUB);
    e = &d->expr[d->expr[e->kid].kid + 1];
    assert_int_equal(e->op, SN_MO_HALF);
    assert_int_equal(e->v, 1);
    assert_int_equal(stmt(d, SN_MS_READ, 0)->els, SN_ME_SKIP);
    assert_int_equal(stmt(d, SN_MS_READ, 1)->els, SN_ME_NONE);
    assert_false(stmt(d, SN_MS_TAPS, 0)->late);
    assert_true(stmt(d, SN_MS_BESIDE, 0)->late);
    sn_arena_free(r.a);
}

/* Words are numbers of their parameter; `floor` is a word beside `near` and
 * a function elsewhere. */
static void
test_words(void **state)
{
    Run r = resolved();
    const SnMapDecl *d = map(r, "nearest");
    const SnMapStmt *s = stmt(d, SN_MS_LET, 2); /* select(near == floor, ... */
    const SnMapExpr *e = &d->expr[d->expr[s->e].kid];

    (void)state;
    assert_int_equal(e->op, SN_MO_EQ);
    assert_int_equal(d->expr[e->kid].v, slot(d, "near"));
    assert_int_equal(d->expr[e->kid + 1].op, SN_MO_INT);
    assert_int_equal(d->expr[e->kid + 1].v, 2);
    assert_int_equal(d->expr[stmt(d, SN_MS_LET, 1)->e].op, SN_MO_FLOOR);
    assert_true(d->param[2].dflt >= 0);
    assert_int_equal(d->param[2].kind, SN_MP_REAL);
    assert_string_equal(d->param[4].word[3], "ceil");
    assert_null(d->param[4].word[4]);
    sn_arena_free(r.a);
}

/* What is known only with elements. */
static void
test_late(void **state)
{
    Run r = resolved();
    const SnMapDecl *d = map(r, "bag_at");
    const SnMapStmt *s = stmt(d, SN_MS_READ, 0);
    const SnMapStmt *at = stmt(d, SN_MS_LET, 0);
    const SnMapExpr *e = &d->expr[at->e];

    (void)state;
    assert_true(s->late && at->late);
    assert_false(stmt(d, SN_MS_REQUIRE, 0)->late);
    assert_true(stmt(d, SN_MS_REQUIRE, 1)->late);
    assert_true(stmt(d, SN_MS_TAPS, 0)->late);
    assert_int_equal(d->param[1].data, 'i');
    assert_int_equal(e->op, SN_MO_DATA);
    assert_int_equal(e->v, 1);
    assert_int_equal(e->nkid, 1);
    d = map(r, "concat");
    s = stmt(d, SN_MS_READ, 0);
    assert_int_equal(d->expr[s->which].v, slot(d, "k"));
    assert_true(d->param[0].item[1].vary);
    assert_int_equal(d->param[0].item[1].along, 1);
    assert_true(d->slot[slot(d, "d")].list);
    d = map(r, "table");
    assert_int_equal(d->param[0].data, 'c');
    assert_true(stmt(d, SN_MS_LET, 0)->late);
    sn_arena_free(r.a);
}

int
main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_all), cmocka_unit_test(test_conv),
        cmocka_unit_test(test_words), cmocka_unit_test(test_late)};

    return cmocka_run_group_tests(t, NULL, NULL);
}
