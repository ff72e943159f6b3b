// SPDX-License-Identifier: Apache-2.0
/* Graphs that are damaged in memory, one field at a time, as a wrong rewrite
 * would: what the verifier says of each.  test_graph.c has graphs that break
 * facts of nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "graph/desc.h"
#include "graph/text/text.h"
#include "unit/graph_table.h"

static SnArena *arena;
static SnGraph *g;

static void
parse(const char *text)
{
    SnDiag *d = sn_diag_new(arena);
    SnSrc *src = SN_NEW(arena, SnSrc);

    *src = (SnSrc){"t.sn", text, strlen(text), 0};
    if (sn_parse(arena, src, NULL, d, &g) != SN_OK)
        fail_msg("%s", sn_diag_text(d, arena));
}

/* x -> a -> b -> Save, and a Concat of a and b. */
static int
setup(void **state)
{
    (void)state;
    arena = sn_arena_new();
    parse("sinter-graph 1\ngraph \"t\" {\n"
          "%x = Placeholder() : qi8<0.5, 0>[2]\n"
          "%a = Rescale(%x) : qi8<0.25, 0>[2]\n"
          "%b = Rescale(%a) : qi8<0.25, 0>[2]\n"
          "%c = Concat(%a, %b) {axis = 0} : qi8<0.25, 0>[4]\n"
          "Save(%b) {name = \"o\"}\n}\n");
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    sn_arena_free(arena);
    return 0;
}

static SnNode *
node(const char *name)
{
    return sn_node(g, SN_NODE(sn_find(g, name)));
}

static void
expect(const char *text)
{
    SnDiag *d = sn_diag_new(arena);

    assert_int_equal(sn_verify(g, d), *text ? SN_EINPUT : SN_OK);
    assert_string_equal(sn_diag_text(d, arena), text);
}

/* ---- nodes and operands ---- */

static void
kinds(void **state)
{
    SnNode *b = node("b");

    (void)state;
    b->kind = 0;
    expect(sn_format(arena, "t: node %u has unknown kind 0\n",
                     (unsigned)SN_NODE(sn_find(g, "b"))));
    b->kind = K_COUNT;
    expect(sn_format(arena, "t: node %u has unknown kind %d\n",
                     (unsigned)SN_NODE(sn_find(g, "b")), K_COUNT));
    b->kind = K_CELL;
    expect("b (Cell): has 1 operand slots and 1 results, but 1 and 3 are "
           "declared\n");
    b->kind = K_CONV;
    expect("b (Conv): has 1 operand slots and 1 results, but 3 and 1 are "
           "declared\n");
    b->kind = K_RESCALE;
    expect("");
}

static void
operands(void **state)
{
    SnUse *in = node("b")->in, was = *in;

    (void)state;
    in->ref = 0;
    expect("a (Rescale): the use list of result 'y' is inconsistent\n"
           "b (Rescale): operand 'x' is missing\n");
    in->ref = SN_REF(g->nnode, 0);
    expect("a (Rescale): the use list of result 'y' is inconsistent\n"
           "b (Rescale): operand 'x' is not a result of a live node\n");
    in->ref = SN_REF(SN_NODE(was.ref), 1);
    expect("a (Rescale): the use list of result 'y' is inconsistent\n"
           "b (Rescale): operand 'x' is not a result of a live node\n");
    /* Entries of no node, of none that exists, and of another one. */
    const SnId users[] = {0, g->nnode, SN_NODE(sn_find(g, "c"))};
    for (int i = 0; i <= 3; i++) {
        *in = was;
        if (i < 3)
            in->user = users[i];
        else
            in->slot = 1;
        expect("a (Rescale): the use list of result 'y' is inconsistent\n"
               "b (Rescale): operand 'x' has a wrong entry in a use list\n");
    }
    *in = was;
    /* Removed, but for its uses. */
    node("b")->dead = true;
    expect("a (Rescale): the use list of result 'y' is inconsistent\n"
           "c (Concat): operand 'x' is not a result of a live node\n"
           "o (Save): operand 'x' is not a result of a live node\n");
    sn_node(g, in->user)->dead = false;
    expect("");
}

static void
use_lists(void **state)
{
    static const char bad[] =
        "a (Rescale): the use list of result 'y' is inconsistent\n";
    SnResult *r = &node("a")->res[0];
    SnUse *first = r->uses, *second = first->next, was = *second;

    (void)state;
    assert_int_equal(r->nuse, 2);
    r->uses = second;
    expect(bad);
    r->uses = first;
    second->pprev = &r->uses;
    expect(bad);
    *second = was;
    first->next = NULL;
    expect(bad);
    first->next = second;
    /* One that is longer than its count, without an end. */
    second->next = first;
    expect(bad);
    *second = was;
    r->nuse = 3;
    expect(bad);
    r->nuse = 2;
    expect("");
}

static void
counts(void **state)
{
    (void)state;
    g->nlive++;
    expect("t: 5 uses and 5 operands; 5 live nodes, 6 counted\n");
    g->nlive--;
    expect("");
    g->rounding = (SnRounding)sn_arith_end();
    expect(sn_format(arena,
                     "t: has rounding %d, which is not a rounding policy\n",
                     (int)sn_arith_end()));
}

/* ---- results ---- */

static void
results(void **state)
{
    SnResult *a = &node("a")->res[0], *c = &node("c")->res[0], was = *a;

    (void)state;
    SnType copy = *a->type;
    a->type = &copy;
    expect("a (Rescale): the type of result 'y' is not interned\n");
    a->type = NULL;
    expect("a (Rescale): result 'y' is used, but has no type\n"
           "a (Rescale): result 'y' has no type\n");
    *a = was;
    const SnType *t = c->type;
    c->type = NULL; /* unused */
    expect("c (Concat): result 'y' has no type\n");
    c->type = t;
    a->shape = NULL;
    expect("a (Rescale): result 'y' has no shape\n");
    *a = was;
    expect("");
}

/* ---- types that are set by others ---- */

static void
optional_results(void **state)
{
    (void)state;
    parse("sinter-graph 1\ngraph \"t\" {\n"
          "%x = Placeholder() : f32[2]\n"
          "%y, %h = Cell(%x) : (f32[2], qi8<0.5, 0>[2])\n"
          "Save(%h) {name = \"o\"}\n}\n");
    expect("");
    SnResult *h = sn_res(g, sn_find(g, "h"));
    h->type = NULL;
    expect("y (Cell): result 'h' is used, but has no type\n");
}

/* Many slices: the first that differs is named. */
static void
pins_of_many_slices(void **state)
{
    (void)state;
    parse("sinter-graph 1\ngraph \"t\" {\n"
          "%x = Placeholder() : qi8<0.5, 0>[1,2,2,1]\n"
          "%w = Placeholder() : qi8<axis=0, [1, 2, 4, 8, 16], "
          "[0, 0, 0, 0, 0]>[5,1,1,1]\n"
          "%b = Placeholder() : qi32<axis=0, [0.5, 1, 2, 4, 8], "
          "[0, 0, 0, 0, 0]>[5]\n"
          "%c = Conv(%x, %w, %b) : qi8<0.5, 0>[1,2,2,5]\n}\n");
    expect("");
    SnPool *p = g->pool;
    float s[] = {0.5F, 1, 2, 3, 8};
    int32_t z[] = {0, 0, 0, 0, 0};
    sn_res(g, sn_find(g, "b"))->type = sn_type_axis(p, SN_QI32, 0, 5, s, z);
    expect("c (Conv): b must have the scale x.scale * w.scale; in slice 3 that "
           "is 4, not 3: it sits on the accumulator\n"
           "     | b is qi32<axis=0, [0.5, 1, 2, ... 5 scales], ...>, set by b "
           "(Placeholder)\n"
           "     | x is qi8<0.5, 0>, set by x (Placeholder)\n"
           "     | w is qi8<axis=0, [1, 2, 4, ... 5 scales], ...>, set by w "
           "(Placeholder)\n");
}

int
main(void)
{
#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(kinds),   T(operands),         T(use_lists),           T(counts),
        T(results), T(optional_results), T(pins_of_many_slices),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
