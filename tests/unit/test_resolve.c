// SPDX-License-Identifier: Apache-2.0
/* What the resolver adds to the model: facts at ports, families, forced
 * types, the order of steps, refinements. */
#include <stdio.h>
#include <string.h>

#include "dsl/model/codes.h"
#include "graph/desc.h"
#include "unit/defs.h"

static const SnDefNode *
node(const char *name)
{
    const SnDefNode *n = sn_def_node(defs, name);

    assert_non_null(n);
    return n;
}

/* ---- nodes ---- */

static void
test_facts(void **state)
{
    (void)state;
    declare("base.def", "");
    const SnDefNode *c = node("ChannelwiseConv2D");
    assert_ptr_equal(c->base, node("Conv2D"));
    assert_int_equal(c->nin, 3);
    assert_int_equal(c->in[0]->fact, SN_FREE);
    assert_int_equal(c->in[1]->fact, SN_GIVEN);
    assert_int_equal(c->in[2]->fact, SN_PIN);
    assert_int_equal(c->in[2]->npin, 2);
    assert_int_equal(c->in[2]->pin[1], 1);
    assert_int_equal(c->ntuple, 1);
    assert_int_equal(c->tuple[0].in[1].axis, 0);
    assert_int_equal(c->nall, 6);
    assert_ptr_equal(c->clamp, sn_def_attr(c, "clamp"));
    assert_ptr_equal(c->clamp->range_port, c->out[0]);
    const SnDefPort *y = sn_def_port(node("Softmax"), "y");
    assert_int_equal(y->fact, SN_FIXED);
    assert_true(y->fixed_scale == 1.0 / 256 && y->fixed_zp == -128);
    assert_int_equal(node("Add")->comm[0], 0);
    assert_int_equal(node("Add")->comm[1], 1);
    assert_int_equal(node("Relu")->comm[0], -1);
    assert_true(node("Save")->has_effect);
}

/* A form's formulas speak of its own ports. */
static void
test_form_ports(void **state)
{
    (void)state;
    declare("base.def", "");
    const SnDefNode *c = node("ChannelwiseConv2D");
    const SnDefSem *s = c->rsem[0];
    assert_ptr_equal(s->arg[0]->ref, c->in[0]);
    assert_ptr_equal(s->out, c->out[0]);
    assert_ptr_equal(s->clamp, c->clamp);
    assert_int_equal(s->formula->ty, SN_TY_CODE);
}

static void
test_families(void **state)
{
    static const struct {
        const char *name;
        uint32_t absorb;
        bool merge, sink, rest;
    } want[] = {
        {"Splat", 0, true, false, false},
        {"Quantize", 0, true, false, false},
        {"Dequantize", 1, false, false, false},
        {"Rescale", 0, false, false, false},
        {"Conv2D", 3, true, false, false},
        {"ChannelwiseConv2D", 1, true, false, false},
        {"Add", 3, true, false, false},
        {"Relu", 1, true, false, false},
        {"Sqrt", 0, false, false, false},
        {"MaxPool", 0, false, true, true},
        {"LRN", 0, false, false, false},
        {"Softmax", 1, false, false, false},
        {"Concat", 0, false, true, false},
        {"Reshape", 0, false, true, false},
        {"Constant", 0, false, false, false},
    };

    (void)state;
    declare("base.def", "");
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const SnDefFamily *f = &node(want[i].name)->family;
        if (f->absorb != want[i].absorb || f->merge != want[i].merge ||
            f->sink != want[i].sink || f->sink_unused_rest != want[i].rest)
            fail_msg("%s: absorb %x merge %d sink %d rest %d", want[i].name,
                     f->absorb, f->merge, f->sink, f->sink_unused_rest);
        assert_true(f->absorb != 0 || f->why_absorb);
        assert_true(f->merge != (f->why_merge != NULL));
        assert_true(f->sink != (f->why_sink != NULL));
    }
    assert_string_equal(node("LRN")->family.why_sink,
                        "barrier: LRN (same, arithmetic)");
    assert_string_equal(node("Softmax")->family.why_merge,
                        "y is fixed, not free");
}

#define MEAN                                                                  \
    "node Mean { in x; out y; kinds (x) -> y { (q8) -> q8; (f32) -> f32; }\n" \
    "  attr axis : int; free x, y;\n"                                         \
    "  sem window y = q(mean(d(x))) over row(x, axis); }\n"

/* A node of the core, and a backend that narrows it: the node keeps its facts
 * but where that backend is shown. */
static void
test_refine(void **state)
{
    const char *mine = "version 2;\ninclude \"base.def\";\n"
                       "pass p { allow exact;\n"
                       "  derive merge Rescale into free(output);\n"
                       "  derive sink Rescale through same(inputs, output); }\n"
                       "class kept = same(inputs, output);\n" MEAN;
    const char *theirs = "version 2;\nbackend B { supports all(q8); }\n"
                         "refine Mean { same x, y because \"no multiplier\"; "
                         "}\n";

    (void)state;
    parse_defs("t.def", mine);
    parse_defs("b.def", theirs);
    resolve_defs();
    const SnDefNode *n = node("Mean");
    uint32_t kind = n->kind;
    uint64_t bit = UINT64_C(1) << kind % 64;
    const uint64_t *merge = &defs->derive[0]->member[kind / 64];
    const uint64_t *sink = &defs->derive[1]->member[kind / 64];
    const uint64_t *kept = &defs->cls[defs->nclass - 1]->member[kind / 64];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(n->in[0]->fact, SN_FREE);
        assert_true(n->family.merge && !n->family.sink);
        assert_true((*merge & bit) && !(*sink & bit) && !(*kept & bit));
        sn_def_view(defs, defs->backend[0]);
        assert_ptr_equal(n, node("Mean"));
        assert_int_equal(n->in[0]->fact, SN_SAME);
        assert_string_equal(n->in[0]->because, "no multiplier");
        assert_false(n->family.absorb || n->family.merge);
        assert_true(n->family.sink && n->family.sink_bounded);
        assert_true(n->rsem[0]->mean && !n->rsem[0]->monotone);
        assert_int_equal(n->kind, kind);
        assert_false(*merge & bit);
        assert_true(*sink & bit);
        assert_true(*kept & bit);
        sn_def_view(defs, NULL);
    }
}

static void
test_free_mean(void **state)
{
    (void)state;
    declare("base.def", MEAN);
    assert_true(node("Mean")->family.merge);
    assert_int_equal(node("Mean")->family.absorb, 1);
    assert_false(node("Mean")->family.sink);
}

/* Meanings find their maps; numbers are those of the graph's own types. */
static void
test_maps(void **state)
{
    static const struct {
        const char *node;
        uint32_t result;
        const char *map;
    } want[] = {
        {"Relu", 0, "each"},
        {"Splat", 0, "fill"},
        {"Conv2D", 0, "conv"},
        {"MaxPool", 1, "pool"},
        {"LRN", 0, "window_channel"},
        {"Concat", 0, "concat"},
        {"P", 0, "pad"},
        {"T", 0, "topk"},
        {"B", 0, "bag_at"},
    };

    (void)state;
    declare("base.def",
            "node P { in x; out y; kinds (x) -> y { (f32) -> f32; }\n"
            "  attr pads : int[]; attr m : enum { constant, reflect, edge };\n"
            "  sem move y = x over pad(x, pads, m) else q(0); }\n"
            "node T { in x; out y; kinds (x) -> y { (f32) -> f32; }\n"
            "  attr k : int; attr axis : int;\n"
            "  sem window y = max(x) over topk(x, k, axis, false); }\n"
            "node B { in t, i, o; out y;\n"
            "  kinds (t, i, o) -> y { (row8, i64, i64) -> f32; }\n"
            "  given t; sem contract y = sum(d(t)) over bag_at(t, i, o); }\n");
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const SnDefSem *s = node(want[i].node)->rsem[want[i].result];
        assert_non_null(s->decl);
        assert_string_equal(s->decl->decl->name, want[i].map);
    }
    assert_int_equal(node("T")->rsem[0]->arg[3]->i, 0);
    assert_int_equal((int)SN_BOOL, (int)SN_BOOL);
    assert_int_equal((int)SN_ROW8, (int)SN_ROW8);
    assert_int_equal((int)SN_C_OPAQUE, (int)SN_C_OPAQUE);
    assert_int_equal((int)SN_GIVEN, (int)SN_GIVEN);
}

/* ---- rules ---- */

static const SnDefRule *
rule(const char *name)
{
    for (uint32_t i = 0; i < defs->nrule; i++)
        if (!strcmp(defs->rule[i]->name, name))
            return defs->rule[i];
    fail_msg("no rule %s", name);
    return NULL;
}

static void
test_forced(void **state)
{
    (void)state;
    declare("base.def", "pass p { allow exact; allow real;\n"
                        " rule a: Sqrt(Reshape(x) @r) @o =>\n"
                        "   Reshape(Sqrt(x)) {dims = r.dims} exact;\n"
                        " rule b: Rescale(MaxPool(x) @m) @o =>\n"
                        "   MaxPool(Rescale(x) : o.type) like m exact;\n"
                        " rule c: Relu(Softmax(x) @s) @o => Softmax(x) like s\n"
                        "   when x.type in [q8] and s.type == o.type exact;\n"
                        "}\n");
    const SnTerm *t = rule("a")->rhs;
    assert_string_equal(t->forced->s, "f32");
    assert_string_equal(t->arg[0]->forced->s, "f32");
    assert_ptr_equal(t->by_port[0], t->arg[0]);
    t = rule("b")->rhs;
    assert_int_equal(t->forced->ek, SN_E_MEMBER);
    assert_string_equal(t->forced->kid[0]->s, "o");
    assert_ptr_equal(t->like_var->node, node("MaxPool"));
    t = rule("c")->rhs;
    assert_int_equal(t->forced->ek, SN_E_CALL);
    assert_string_equal(t->forced->s, "q8");
}

static void
test_variables(void **state)
{
    (void)state;
    declare("base.def",
            "pass p { allow exact;\n"
            " rule a: Conv2D(x, b = y, w = Reshape(z) @r) @o\n"
            "   let f = Reshape(z) {dims = r.dims}\n"
            "   => Conv2D(x, f, y) like o : o.type\n"
            "   when o.type == f32 exact;\n"
            " rule b: Concat(xs...) @o => xs when count(xs) == 1 exact;\n"
            "}\n");
    const SnDefRule *r = rule("a");
    assert_int_equal(r->nvar, 6);
    assert_string_equal(r->pat->by_port[1]->name, "Reshape");
    assert_ptr_equal(r->pat->by_port[2]->var, r->var[1]);
    assert_int_equal(r->var[1]->index, 1);
    assert_int_equal(r->rhs->by_port[1]->var->vk, SN_V_LET);
    assert_ptr_equal(r->rhs->by_port[1]->var->let, r->let[0]);
    assert_ptr_equal(r->root, node("Conv2D"));
    assert_int_equal(rule("b")->var[0]->vk, SN_V_LIST);
}

static void
test_order(void **state)
{
    static const char *const want[] = {"fuse", "merge", "absorb", "again"};

    (void)state;
    declare("base.def",
            "pass p { allow refines;\n"
            " derive absorb Rescale into free(inputs);\n"
            " derive merge Rescale into free(output);\n"
            " rule again: Relu(Relu(x)) @o => Relu(x) : o.type exact;\n"
            " rule fuse: Rescale(x) @o => x when x.type == o.type exact;\n"
            " prefer merge over absorb;\n"
            " prefer fuse over merge, again;\n"
            "}\n");
    const SnDefPass *p = defs->pass[0];
    assert_int_equal(p->nstep, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_string_equal(p->step[i].rule ? p->step[i].rule->name
                                            : p->step[i].derive->family,
                            want[i]);
    assert_int_equal(rule("again")->id, 0);
    assert_int_equal(p->derive[1]->id, 3);
    uint32_t k = node("Add")->kind, m = node("MaxPool")->kind;
    assert_true(p->derive[0]->member[k / 64] >> k % 64 & 1);
    assert_false(p->derive[0]->member[m / 64] >> m % 64 & 1);
}

static void
test_class(void **state)
{
    (void)state;
    declare("base.def",
            "class odd = has(clamp) and not (sem(convert) or Add);\n");
    const SnDefClass *c = defs->cls[defs->nclass - 1];
    static const char *const in[] = {"Conv2D", "ChannelwiseConv2D"};
    uint32_t n = 0;
    for (uint32_t k = 1; k <= defs->nnode; k++)
        n += (uint32_t)(c->member[k / 64] >> k % 64 & 1);
    assert_int_equal(n, 2);
    for (size_t i = 0; i < 2; i++) {
        uint32_t k = node(in[i])->kind;
        assert_true(c->member[k / 64] >> k % 64 & 1);
    }
}

static void
test_backend(void **state)
{
    (void)state;
    declare("base.def",
            "arithmetic float { } arithmetic other from float { }\n"
            "backend X { supports all(act); rounding other;\n"
            "  kernels \"x.h\"; fallback reference;\n"
            "  keep Conv2D when group == 1, Relu; }\n"
            "rule a: Relu(Relu(x)) @o => Relu(x) : o.type exact;\n");
    const SnDefBackend *b = defs->backend[0];
    assert_int_equal(b->nsupport, 3);
    assert_int_equal(b->rounding, 1);
    assert_string_equal(b->kernels_h, "x.h");
    assert_true(b->fallback_reference);
    const SnExpr *g = b->keep_when[0]->kid[0];
    assert_ptr_equal(g->ref, sn_def_attr(node("Conv2D"), "group"));
    assert_null(b->keep_when[1]);
    const SnDefPass *p = defs->pass[defs->npass - 1];
    assert_string_equal(p->name, "backend");
    assert_int_equal(p->nstep, 1);
}

/* ---- codes ---- */

static void
test_codes(void **state)
{
    (void)state;
    for (size_t i = 1; i < sn_ncode; i++)
        assert_true(strcmp(sn_code_list[i - 1].code, sn_code_list[i].code) < 0);
    assert_non_null(sn_code_named("SN310"));
    assert_null(sn_code_named("SN000"));
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup_defs, teardown)
    const struct CMUnitTest tests[] = {
        T(test_facts),  T(test_form_ports), T(test_families),
        T(test_refine), T(test_free_mean),  T(test_maps),
        T(test_forced), T(test_variables),  T(test_order),
        T(test_class),  T(test_backend),    T(test_codes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
