// SPDX-License-Identifier: Apache-2.0
/* Every node whose map indexes, with wild literals for attributes, through the
 * prover: what cannot be run is refused or no case, and never undefined (`make
 * san` looks for that).  A rule that changes nothing is not refused as wrong;
 * one that negates the result is, and its counterexample is run again by the
 * generated evaluators, whose maps (src/kernel) are written apart. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "dsl/syntax/parse.h"
#include "dsl/prove/prove.h"
#include "dsl/resolve/resolver.h"
#include "graph/text/text.h"
#include "kernel/eval/eval.h"
#include "sn_kinds.h"

enum { NTRY = 12, NDRAW = 6 };

static const char *const dirs[] = {"."};
static uint64_t rng = 1;

static uint32_t
below(uint32_t n)
{
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return (uint32_t)((rng >> 33) % n);
}

/* Mostly what maps take, now and then what none does. */
static const char *
wild_int(void)
{
    static const char *const usual[] = {"-2", "-1", "0", "1", "1", "2", "3"};
    static const char *const odd[] = {"-9",
                                      "7",
                                      "64",
                                      "-1000000",
                                      "1048577",
                                      "1099511627776",
                                      "-9007199254740993"};

    return below(8) ? usual[below(7)] : odd[below(7)];
}

static const char *
wild_real(void)
{
    static const char *const v[] = {"1.0", "2.0", "0.5",  "0.25",  "1.5",
                                    "3.0", "0.0", "-1.0", "1.0e38"};

    return v[below(below(4) ? 6 : 9)];
}

static void
put_wild(SnBuf *b, const SnDefAttr *a)
{
    bool list = a->ty == SN_A_INTS || a->ty == SN_A_REALS;
    bool real = a->ty == SN_A_REALS || a->ty == SN_A_REAL;
    uint32_t n = !list ? 1 : a->fixed ? a->fixed : below(5);

    if (a->ty == SN_A_BOOL)
        sn_puts(b, below(2) ? "true" : "false");
    else if (a->ty == SN_A_ENUM)
        sn_puts(b, a->word[below(a->nword)]);
    else
        for (uint32_t i = 0; i < n || (list && i == n); i++)
            sn_putf(b, "%s%s%s", list && i == 0 ? "[" : "",
                    i < n ? real ? wild_real() : wild_int() : "]",
                    i + 1 < n ? ", " : "");
}

static bool
takes(const SnDefAttr *a)
{
    return a->ty != SN_A_STR && a->ty != SN_A_TYPE && a->ty != SN_A_RANGE;
}

/* "N(p0, p1)" and, on the left, some attributes. */
static void
put_node(SnBuf *b, const SnDefNode *n, bool left)
{
    bool any = false;

    sn_putf(b, "%s(", n->name);
    for (uint32_t i = 0; i < n->nin; i++)
        sn_putf(b, "%s%sp%u", i ? ", " : "", n->in[i]->variadic ? "each " : "",
                i);
    sn_putc(b, ')');
    for (uint32_t i = 0; left && i < n->nall; i++) {
        if (!takes(n->all[i]) || below(2))
            continue;
        sn_putf(b, "%s%s = ", any ? ", " : " {", n->all[i]->name);
        put_wild(b, n->all[i]);
        any = true;
    }
    sn_puts(b, any ? "}" : "");
}

static const char *
rule_of(SnArena *a, const SnDefNode *n, const char *around)
{
    SnBuf b;

    sn_buf_init(&b, a);
    sn_puts(&b, "version 2;\ninclude \"nodes.def\";\npass p {\n  allow exact;\n"
                "  rule r: ");
    put_node(&b, n, true);
    sn_putf(&b, " @o => %s", *around ? around : "");
    sn_puts(&b, *around ? "(" : "");
    put_node(&b, n, false);
    sn_puts(&b, " like o : o.type");
    sn_puts(&b, *around ? ") : o.type" : "");
    sn_puts(&b, " exact;\n}\n");
    return sn_buf_str(&b);
}

/* NULL: the literals do not resolve. */
static const SnProof *
proved(SnArena *a, SnDiag *d, const char *text, uint64_t seed)
{
    SnProveOpts o = {.ndraw = NDRAW, .seed = seed};
    SnDefs *s = sn_defs_new(a);

    sn_def_parse_text(s, d, "r.def", text, strlen(text), dirs, 1);
    if (sn_diag_nerror(d))
        fail_msg("%s\n%s", text, sn_diag_text(d, a));
    sn_def_resolve(s, d);
    if (sn_diag_nerror(d))
        return NULL;
    const SnProofs *p = sn_prove(s, d, &o);
    const SnProof *of = NULL;
    for (uint32_t i = 0; i < p->n; i++)
        if (p->v[i].rule == s->rule[0])
            of = &p->v[i];
    assert_non_null(of);
    return of;
}

/* A Pad's value is not what calibration saw: no seed finds that a Rescale which
 * sinks below waives a saturation of it (SN313). */
static void
constants_are_not_calibrated(void **state)
{
    static const char text[] =
        "version 2;\ninclude \"nodes.def\";\npass p {\n  allow exact; allow 2 "
        "lsb;\n"
        "  derive sink Rescale through same(inputs, output);\n}\n";

    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        SnArena *a = sn_arena_new();
        SnDiag *d = sn_diag_new(a);
        SnProveOpts o = {.seed = seed * 7919};
        SnDefs *s = sn_defs_new(a);
        sn_def_parse_text(s, d, "r.def", text, strlen(text), dirs, 1);
        sn_def_resolve(s, d);
        (void)sn_prove(s, d, &o);
        if (strstr(sn_diag_text(d, a), "SN313"))
            fail_msg("%s", sn_diag_text(d, a));
        sn_arena_free(a);
    }
}

static double
saved(SnArena *a, const SnGraph *g, const char *name, int64_t at,
      const char *why)
{
    for (SnId id = 1; id < g->nnode; id++) {
        if (g->node[id]->kind != SN_K_SAVE ||
            strcmp(sn_save_attr(g, id)->name, name))
            continue;
        SnRef v = sn_in(g, id, 0);
        const void *p = sn_eval_const(g, v, a);
        if (!p)
            fail_msg("'%s' could not be run\n%s", name, why);
        switch (sn_type(g, v)->elem) {
        case SN_F32:
            return (double)((const float *)p)[at];
        case SN_QI8:
        case SN_I8:
            return ((const int8_t *)p)[at];
        case SN_QI16:
            return ((const int16_t *)p)[at];
        case SN_QI32:
        case SN_I32:
            return ((const int32_t *)p)[at];
        case SN_I64:
            return (double)((const int64_t *)p)[at];
        default:
            break;
        }
    }
    fail_msg("no result '%s'\n%s", name, why);
    return 0;
}

/* The evaluators find what the counterexample says. */
static void
replay(SnArena *a, const char *text, const SnCounter *k)
{
    SnDiag *d = sn_diag_new(a);
    SnSrc *src = SN_NEW(a, SnSrc);
    SnGraph *g = NULL;

    *src = (SnSrc){
        .name = "counterexample", .text = k->graph, .nbyte = strlen(k->graph)};
    if (sn_parse(a, src, NULL, d, &g))
        fail_msg("%s%s\n%s", text, k->graph, sn_diag_text(d, a));
    const char *side[] = {"left", "right"};
    for (int i = 0; i < 2; i++) {
        double want = i ? k->right : k->left;
        double v = saved(a, g, side[i], k->at, k->graph);
        if (v != want && !(isnan(v) && isnan(want)))
            fail_msg("%s%s: the prover has %.9g, the evaluator %.9g\n%s", text,
                     side[i], want, v, k->graph);
    }
}

static uint32_t nsame, nreplay;

static void
one(const SnDefNode *n, uint32_t k)
{
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);

    rng = (uint64_t)n->kind * 1000 + k + 1;
    for (int i = 0; i < 8; i++)
        below(2);
    const char *text = rule_of(a, n, k % 2 ? "Neg" : "");
    const SnProof *p = proved(a, d, text, k + 1);
    if (p && k % 2 == 0) {
        const char *said = sn_diag_text(d, a);
        nsame += p->layer != SN_LAYER_REFUSED;
        if (p->layer == SN_LAYER_REFUSED && !strstr(said, "SN312"))
            fail_msg("%s%s", text, said);
    } else if (p && p->counter) {
        replay(a, text, p->counter);
        nreplay++;
    }
    sn_arena_free(a);
}

static bool
indexes(const SnDefNode *n)
{
    const char *m = n->nout && n->nin ? n->rsem[0]->map : NULL;

    return m && n->rsem[0]->cls != SN_C_OPAQUE && strcmp(m, "each") &&
           strcmp(m, "broadcast") && strcmp(m, "fill");
}

static void
maps(void **state)
{
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    SnDefs *s = sn_defs_new(a);
    uint32_t nnode = 0;

    (void)state;
    sn_def_parse(s, d, "nodes.def", dirs, 1);
    sn_def_resolve(s, d);
    assert_int_equal(sn_diag_nerror(d), 0);
    const char *more = getenv("TRIES"); /* of each node */
    uint32_t ntry = more ? (uint32_t)atoi(more) : NTRY;
    for (uint32_t i = 0; i < s->nnode; i++)
        if (indexes(s->node[i])) {
            nnode++;
            for (uint32_t k = 0; k < ntry; k++)
                one(s->node[i], k);
        }
    print_message("%u nodes: %u rules hold, %u counterexamples run again\n",
                  nnode, nsame, nreplay);
    assert_true(nnode >= 30);
    assert_true(nsame >= 80 && nreplay >= 60);
    sn_arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(maps),
        cmocka_unit_test(constants_are_not_calibrated),
    };

    return cmocka_run_group_tests(t, NULL, NULL);
}
