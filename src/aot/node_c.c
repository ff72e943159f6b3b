// SPDX-License-Identifier: Apache-2.0
/* The functions of a node: one for each result that is needed. */
#include <ctype.h>
#include <string.h>

#include "aot/band/band.h"
#include "aot/program.h"
#include "aot/node/tile.h"
#include "aot/node/word_set.h"
#include "map/facts.h"

static const char *
fn_name(const SnProgram *p, SnId id, unsigned res)
{
    const SnNode *n = sn_node(p->g, id);
    SnBuf b;

    sn_buf_init(&b, p->a);
    sn_putf(&b, "%s_n%u_", p->name, id);
    for (const char *s = sn_desc(n->kind)->name; *s; s++)
        sn_putc(&b, (char)tolower((unsigned char)*s));
    if (n->nres > 1)
        sn_putf(&b, "_%u", res);
    return sn_buf_str(&b);
}

static bool
is_wanted(const SnProgram *p, const SnNode *n, SnId id, unsigned res)
{
    return sn_tensor_nbyte(n->res[res].type, n->res[res].shape) > 0 &&
           p->value[SN_REF(id, res)].home != SN_HOME_NONE;
}

static void
tensors(const SnProgram *p, SnAotNode *n)
{
    const SnNode *nd = sn_node(p->g, n->id);
    SnTensor *in = SN_NEW_N(p->a, SnTensor, nd->nin + 1u);
    SnTensor *out = SN_NEW_N(p->a, SnTensor, SN_MAXRES);

    for (uint32_t i = 0; i < nd->nin; i++) {
        SnRef r = nd->in[i].ref;
        if (r)
            in[i] = (SnTensor){sn_type(p->g, r), sn_shape_of(p->g, r),
                               (void *)(uintptr_t)sn_def(p->g, r)->data};
    }
    for (unsigned i = 0; i < nd->nres; i++)
        out[i] = (SnTensor){nd->res[i].type, nd->res[i].shape, NULL};
    n->call = (SnCall){.kind = n->kd,
                       .attr = nd->attr,
                       .nin = nd->nin,
                       .nout = nd->nres,
                       .in = in,
                       .out = out,
                       .scratch = p->a,
                       .why = SN_NEW_N(p->a, char, SN_WHY),
                       .rounding = p->g->rounding};
}

/* ---- functions of one operand of 8 bits: tables ---- */

static bool
is_table(const SnAotNode *n)
{
    const SnSem *s = &n->kd->sem[0];
    const SnType *x = n->call.in[0].type;

    return n->call.nin == 1 && n->call.nout == 1 && n->tuple->eval && x &&
           x->elem == SN_QI8 && x->axis < 0 && n->call.out[0].type->axis < 0 &&
           sn_elem_size(n->call.out[0].type->elem) == 1 && s->decl &&
           s->cls != SN_C_MOVE && sn_map_in_place(s->decl) &&
           !sn_map_repeats(s->decl);
}

static const char *
code_item(SnArena *a, const void *v, uint32_t i)
{
    return sn_format(a, "%d", ((const int8_t *)v)[i]);
}

/* The evaluator's results for all codes. */
static SnStatus
put_table(const SnProgram *p, SnAotNode *n)
{
    int8_t code[256], y[256];
    SnShape shape = {1, {256}};
    SnTensor in = n->call.in[0], out = n->call.out[0];
    SnCall c = n->call;

    for (int i = 0; i < 256; i++)
        code[i] = (int8_t)(i - 128);
    in.shape = out.shape = &shape;
    in.data = code;
    out.data = y;
    c.in = &in;
    c.out = &out;
    SnStatus s = n->tuple->eval(&c);
    if (s != SN_OK)
        return sn_fail(p->d, s, sn_label(p->g, n->id, p->a), "%s", c.why);
    const char *t = sn_aot_table(n, sn_aot_elem(n->call.out[0].type->elem), 256,
                                 code_item, y);
    int64_t count = n->band ? n->band->count * n->band->width
                            : sn_shape_count(n->call.out[0].shape);
    sn_aot_line(n, "for (%s i = 0; i < %lld; i++)", sn_aot_index(count),
                (long long)count);
    sn_aot_line(n, "    %s[i] = %s[%s[i] + 128];", sn_aot_result(n, 0), t,
                sn_aot_operand(n, 0));
    return SN_OK;
}

/* ---- functions ---- */

/* Does the body, of these words, read operand slot? */
static bool
reads(const SnAotNode *n, SnAotWords *body, uint32_t slot)
{
    return n->call.in[slot].type &&
           sn_aot_has_word(body, sn_aot_operand(n, slot));
}

static SnStatus
body(SnProgram *p, SnAotNode *n, unsigned res)
{
    const char *const *text = n->tuple->text ? n->tuple->text[res] : NULL;

    if (is_table(n))
        return put_table(p, n);
    if (sn_aot_host_sum(p, n))
        return SN_OK;
    SN_TRY(sn_aot_map(n, res));
    if (n->band)
        sn_aot_band_cut(n, n->band);
    if (text && sn_aot_host(p, n, text))
        return SN_OK;
    if (text)
        return sn_aot_text(n, text);
    if (n->sem->cls == SN_C_MOVE || n->u.primitive)
        return sn_aot_move(n, NULL);
    return sn_fail(p->d, SN_EUNSUPPORTED, sn_label(p->g, n->id, p->a),
                   "has no form in C");
}

static const char *
arguments(const SnProgram *p, const SnAotNode *n, SnAotWords *words)
{
    SnBuf b;

    sn_buf_init(&b, p->a);
    for (uint32_t i = 0; i < n->call.nin; i++)
        if (reads(n, words, i)) /* nothing writes over constants */
            sn_putf(
                &b, "const %s *%s%s, ", sn_aot_elem(n->call.in[i].type->elem),
                n->call.in[i].data ? "sn_restrict " : "", sn_aot_operand(n, i));
    if (n->tile && sn_aot_has_word(words, "win"))
        sn_puts(&b, "int16_t *sn_restrict win, ");
    return sn_buf_str(&b);
}

/* The filters in the order of the tile's loops, in addition to the
 * constants. */
static const char *
put_pack(SnProgram *p, const SnAotNode *n)
{
    const SnAotTile *t = n->tile;
    SnShape *shape = sn_alloc(p->a, sizeof *shape);
    *shape = (SnShape){1, {(int64_t)t->npack}};
    SnAotConst c = {.name = sn_format(p->a, "%s_n%u_w", p->name, n->id),
                    .label =
                        sn_format(p->a, "%s, filters in the order of its loops",
                                  sn_label(p->g, n->id, p->a)),
                    .type = n->call.in[t->w].type,
                    .shape = shape,
                    .data = t->pack};

    sn_aot_constant(p, c);
    return c.name;
}

static SnStatus
one_result(SnProgram *p, SnAotNode *n, unsigned res, uint32_t step)
{
    SnBuf out;

    sn_buf_init(&out, p->a);
    sn_buf_init(&n->data, p->a);
    n->out = &out;
    n->depth = 1;
    n->fails = false;
    SN_TRY(body(p, n, res));
    const char *text = sn_buf_str(&out);
    SnAotWords words = sn_aot_words(p->a, text);
    const SnType *y = n->call.out[res].type;
    sn_putf(&p->nodes, "\n/* %s */\n%s",
            sn_aot_comment(p->a, sn_label(p->g, n->id, p->a)),
            sn_buf_str(&n->data));
    const char *pack = n->tile && n->tile->pack ? put_pack(p, n) : NULL;
    const char *alone =
        (n->tile || n->band) && !p->tied[step] ? "sn_restrict " : "";
    sn_putf(&p->nodes, "%sstatic %s\n%s(%s%s *%s%s)\n{\n%s",
            n->tile || n->band ? "SN_APART\n" : "", n->fails ? "int" : "void",
            fn_name(p, n->id, res), arguments(p, n, &words),
            sn_aot_elem(y->elem), alone, sn_aot_result(n, res), text);
    sn_puts(&p->nodes, n->fails ? "    return 0;\n}\n" : "}\n");
    p->fails[step] = p->fails[step] || n->fails;
    /* what the call passes */
    SnNode *nd = sn_node(p->g, n->id);
    SnBuf c;
    sn_buf_init(&c, p->a);
    if (n->band)
        sn_aot_band_pass(p, step);
    sn_putf(&c, "%s(", fn_name(p, n->id, res));
    for (uint32_t i = 0; i < nd->nin; i++)
        if (reads(n, &words, i))
            sn_putf(&c, "%s, ",
                    pack && n->tile->w == i ? pack
                    : n->band && n->band->x == i
                        ? n->band->in
                        : sn_aot_arg(p, nd->in[i].ref));
    if (n->tile && sn_aot_has_word(&words, "win"))
        sn_putf(&c, "(int16_t *)(void *)(%s + %lu), ",
                sn_aot_base(p, p->region[p->scratch[step]]),
                (unsigned long)p->block[p->scratch[step]].offset);
    sn_putf(&c, "%s)",
            n->band ? n->band->out : sn_aot_arg(p, SN_REF(n->id, res)));
    const char *call = sn_buf_str(&c);
    if (n->band)
        p->band[step].call = call;
    else if (n->fails)
        sn_putf(&p->calls, "    if (%s)\n        return 1;\n", call);
    else
        sn_putf(&p->calls, "    %s;\n", call);
    return SN_OK;
}

SnAotNode
sn_aot_open(SnProgram *p, uint32_t s, unsigned res)
{
    const SnExecStep *st = &p->x->step[s];
    SnAotNode n = {.a = p->a,
                   .d = p->d,
                   .g = p->g,
                   .id = st->node,
                   .prefix = p->name,
                   .kd = sn_desc(sn_node(p->g, st->node)->kind),
                   .tuple = st->tuple,
                   .rows = &p->rows};

    n.ntable = res * 100;
    tensors(p, &n);
    return n;
}

/* The forms of a sum of products, whose map is open. */
static void
find_forms(SnProgram *p, uint32_t s, SnAotNode *n)
{
    const char *const *text = n->tuple->text[0];
    const SnAotTile *tile[SN_TILES];
    SnConvNum num = {0};
    bool plain = false;

    if (p->o->target->isa != SN_ISA_PORTABLE) {
        const char **line;
        uint32_t k = sn_aot_lines(n, text, &line);
        plain = sn_aot_tile_numbers(n, text, line, k, &num);
    }
    uint32_t k = sn_aot_tiles_of(n, text, p->o->target, plain ? &num : NULL,
                                 p->o->max_ram || p->o->max_flash, tile);
    for (uint32_t i = 0; i < k; i++)
        p->form[s][i] = (SnAotForm){tile[i], sn_aot_trail(n, tile[i])};
    p->nform[s] = (uint8_t)(k + 1);
}

SnStatus
sn_aot_tiles(SnProgram *p)
{
    p->form = SN_NEW_N(p->a, SnAotForms, p->x->nstep + 1);
    p->nform = SN_NEW_N(p->a, uint8_t, p->x->nstep + 1);
    p->at = SN_NEW_N(p->a, uint8_t, p->x->nstep + 1);
    p->tile = SN_NEW_N(p->a, const SnAotTile *, p->x->nstep + 1);
    p->trail = SN_NEW_N(p->a, int64_t, p->x->nstep + 1);
    p->scratch = SN_NEW_N(p->a, uint32_t, p->x->nstep + 1);
    for (uint32_t s = 0; s < p->x->nstep; s++) {
        SnAotNode n = sn_aot_open(p, s, 0);
        const SnNode *nd = sn_node(p->g, n.id);
        if (nd->nres != 1 || !n.tuple->text || !n.tuple->text[0] ||
            n.kd->sem[0].cls != SN_C_CONTRACT || is_table(&n) ||
            sn_tensor_nbyte(nd->res[0].type, nd->res[0].shape) == 0)
            continue;
        SN_TRY(sn_aot_map(&n, 0));
        find_forms(p, s, &n);
        sn_aot_use_form(p, s, 0);
    }
    return SN_OK;
}

SnStatus
sn_aot_band_tile(SnProgram *p, uint32_t s, const SnAotTile **tile)
{
    SnAotNode n = sn_aot_open(p, s, 0);
    const SnAotTile *all[SN_TILES];

    *tile = NULL;
    if (p->nform[s] == 0)
        return SN_OK;
    SN_TRY(sn_aot_map(&n, 0));
    sn_aot_band_cut(&n, &p->band[s]);
    if (sn_aot_tiles_of(&n, n.tuple->text[0], p->o->target, NULL, false, all))
        *tile = all[0];
    return SN_OK;
}

SnStatus
sn_aot_node(SnProgram *p, uint32_t s)
{
    const SnExecStep *st = &p->x->step[s];
    const SnNode *nd = sn_node(p->g, st->node);

    for (unsigned r = 0; r < nd->nres; r++) {
        if (p->skipped[s] || !is_wanted(p, nd, st->node, r))
            continue;
        SnAotNode n = sn_aot_open(p, s, r);
        n.tile = r == 0 ? p->tile[s] : NULL;
        n.band = p->band[s].on ? &p->band[s] : NULL;
        n.unroll = (p->o->target->dsp || p->o->target->isa) &&
                   n.kd->sem[r].cls == SN_C_MOVE;
        SN_TRY(one_result(p, &n, r, s));
        p->tables[s] += n.tables;
    }
    return SN_OK;
}
