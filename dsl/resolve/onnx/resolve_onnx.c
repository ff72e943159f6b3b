// SPDX-License-Identifier: Apache-2.0
/* The ONNX lines of a node. */
#include <stdarg.h>
#include <string.h>
#include "dsl/model/onnx.h"
#include "dsl/resolve/resolver.h"

static void
onnx_entry(SnResolver *rs, SnDefNode *n, const SnDefOnnxEnt *e)
{
    SnCands v = sn_cands(rs);
    const char *what = e->kind == SN_OE_LAYOUT ? "port" : "attribute";

    /* may be an attribute of ONNX */
    if (e->kind == SN_OE_HOOK || e->kind == SN_OE_ANY)
        return;
    if (e->kind == SN_OE_LAYOUT ? sn_def_port(n, e->name) != NULL
                                : sn_def_attr(n, e->name) != NULL)
        return;
    for (uint32_t i = 0; e->kind != SN_OE_LAYOUT && i < n->nall; i++)
        sn_cands_add(&v, n->all[i]->name, &n->all[i]->pos);
    for (uint32_t i = 0; e->kind == SN_OE_LAYOUT && i < n->nin; i++)
        sn_cands_add(&v, n->in[i]->name, &n->in[i]->pos);
    for (uint32_t i = 0; e->kind == SN_OE_LAYOUT && i < n->nout; i++)
        sn_cands_add(&v, n->out[i]->name, &n->out[i]->pos);
    sn_resolve_unknown(rs, e->pos, what, e->name, n->name, &v);
    rs->bad_node[n->kind] = true;
}

/* ---- operators on codes ---- */

static bool
has_codes(const SnDefNode *n, const SnDefPort *p)
{
    for (uint32_t i = 0; i < n->ntuple; i++)
        if (sn_conc_quant(p->out ? n->tuple[i].out[p->index]
                                 : n->tuple[i].in[p->index]))
            return true;
    return false;
}

static const SnDefOnnxCode *
code_of(const SnDefOnnx *o, const SnDefPort *p)
{
    for (uint32_t i = 0; i < o->ncode; i++)
        if (o->code[i].port == p)
            return &o->code[i];
    return NULL;
}

static bool codes_fail(SnResolver *rs, const SnDefNode *n, SnPos at,
                       const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
static bool
codes_fail(SnResolver *rs, const SnDefNode *n, SnPos at, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    sn_error(rs->d, at, "SN135", "%s", sn_vformat(rs->a, fmt, ap));
    va_end(ap);
    rs->bad_node[n->kind] = true;
    return false;
}

/* Number i of codes(..): its port, and how many inputs it has. */
static bool
code_port(SnResolver *rs, const SnDefNode *n, SnDefOnnx *o, uint32_t i)
{
    SnDefOnnxCode *c = &o->code[i];
    const SnDefPort *p = sn_def_port(n, c->name);
    SnCands v = sn_cands(rs);

    for (uint32_t k = 0; k < n->nin && !p; k++)
        sn_cands_add(&v, n->in[k]->name, &n->in[k]->pos);
    for (uint32_t k = 0; k < n->nout && !p; k++)
        sn_cands_add(&v, n->out[k]->name, &n->out[k]->pos);
    if (!p) {
        sn_resolve_unknown(rs, c->pos, "port", c->name, n->name, &v);
        rs->bad_node[n->kind] = true;
        return false;
    }
    if (code_of(o, p)) {
        sn_resolve_twice(rs, c->pos, "port", c->name, code_of(o, p)->pos);
        return false;
    }
    if (p->out && (p->index || !has_codes(n, p)))
        return codes_fail(rs, n, c->pos, "result '%s' of %s %s", p->name,
                          n->name,
                          p->index ? "is not the first, which alone has a "
                                     "scale and zero point"
                                   : "is never quantized: it has no scale");
    if (p->variadic && i + 1 < o->ncode)
        return codes_fail(rs, n, c->pos,
                          "'%s...' takes all further inputs: it is the "
                          "last one",
                          p->name);
    c->port = p;
    c->ninput = p->out ? 2 : has_codes(n, p) && p->fact != SN_PIN ? 3 : 1;
    return true;
}

/* codes(..) names each port that has codes, and what else must be given. */
static void
codes(SnResolver *rs, const SnDefNode *n, SnDefOnnx *o)
{
    uint32_t total = 0, nthree = 0;
    const SnDefPort *lack = NULL, *list = NULL;

    for (uint32_t i = 0; i < o->ncode; i++) {
        if (!code_port(rs, n, o, i))
            return;
        total += o->code[i].ninput;
        nthree += o->code[i].ninput == 3;
        list = o->code[i].port->variadic ? o->code[i].port : list;
    }
    for (uint32_t i = n->nin; i-- > 0;)
        if (!n->in[i]->optional && !code_of(o, n->in[i]))
            lack = n->in[i];
    if (!lack && n->nout && has_codes(n, n->out[0]) && !code_of(o, n->out[0]))
        lack = n->out[0];
    if (lack)
        codes_fail(rs, n, o->codes_pos, "\"%s\" lacks %s '%s' of %s", o->op,
                   lack->out ? "the result" : "operand", lack->name, n->name);
    else if (!nthree)
        codes_fail(rs, n, o->codes_pos, "no operand of %s is quantized",
                   n->name);
    for (uint32_t i = 0; i < o->nent; i++)
        if (o->ent[i].kind == SN_OE_INPUT &&
            (list || o->ent[i].input < (int64_t)total))
            codes_fail(rs, n, o->ent[i].pos,
                       "input %lld of \"%s\" is one of those of "
                       "codes(..)",
                       (long long)o->ent[i].input, o->op);
}

bool
sn_resolve_op_name(SnResolver *rs, const char *op, SnPos at)
{
    const char *colon = strchr(op, ':'), *name = colon ? colon + 1 : op;
    const char *dot = strrchr(name, '.');

    if (colon != op && *name && !(*name >= '0' && *name <= '9') &&
        name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"
                          "abcdefghijklmnopqrstuvwxyz")] == '\0')
        return true;
    sn_error(rs->d, at, "SN125",
             "no ONNX operator can be named '%s': expected letters, digits "
             "and '_', after DOMAIN: where it has a domain of its own",
             op);
    if (dot && dot != name && dot[1] && !colon)
        sn_diag_help(rs->d, "onnx \"%.*s:%s\"", (int)(dot - op), op, dot + 1);
    return false;
}

void
sn_resolve_onnx(SnResolver *rs, SnDefNode *n)
{
    for (uint32_t i = 0; i < n->nonnx; i++) {
        const SnDefOnnx *o = n->onnx[i];
        if (!sn_resolve_op_name(rs, o->op, o->pos))
            rs->bad_node[n->kind] = true;
        if (o->until && o->until < o->since) {
            sn_error(rs->d, o->pos, "SN125",
                     "opset range %lld..%lld of \"%s\" is empty",
                     (long long)o->since, (long long)o->until, o->op);
            rs->bad_node[n->kind] = true;
        }
        if (o->ncode)
            codes(rs, n, n->onnx[i]);
        for (uint32_t j = 0; j < o->nent; j++) {
            onnx_entry(rs, n, &o->ent[j]);
            for (uint32_t k = 0; k < j; k++)
                if (!strcmp(o->ent[j].name, o->ent[k].name) &&
                    o->ent[j].kind == o->ent[k].kind)
                    sn_resolve_twice(rs, o->ent[j].pos, "ONNX entry",
                                     o->ent[j].name, o->ent[k].pos);
        }
    }
}

/* ---- hooks ---- */

/* A note is about the hook: a note in one of its lines holds for all.  False if
 * two of them have one. */
static bool
hook_note(SnResolver *rs, SnDefOnnx *a, SnDefOnnx *b)
{
    if (strcmp(a->hook, b->hook) || a->note == b->note)
        return true;
    if (a->note && b->note) {
        sn_resolve_twice(rs, b->note_pos, "note of hook", b->hook, a->note_pos);
        return false;
    }
    SnDefOnnx *to = a->note ? b : a, *from = a->note ? a : b;
    to->note = from->note;
    to->note_pos = from->note_pos;
    return true;
}

/* A plugin names hooks of the program; the program's lines name all of them. */
static void
plugin_hook(SnResolver *rs, const char *fn, SnPos at)
{
    SnCands v = sn_cands(rs);

    for (uint32_t i = 0; i < rs->defs->core_nnode; i++) {
        const SnDefNode *n = rs->defs->node[i];
        for (uint32_t k = 0; k < n->nonnx; k++) {
            const SnDefOnnx *o = n->onnx[k];
            if (o->hook)
                sn_cands_add(&v, o->hook, &o->hook_pos);
            for (uint32_t e = 0; e < o->nent; e++)
                if (o->ent[e].kind == SN_OE_HOOK)
                    sn_cands_add(&v, o->ent[e].value, &o->ent[e].pos);
        }
    }
    if (!sn_name_among(v.s, (uint32_t)v.n, fn))
        sn_resolve_unknown(rs, at, "hook", fn, NULL, &v);
}

static void
hooks(SnResolver *rs, const SnDefNode *n, SnDefOnnx *o)
{
    bool plugin = rs->defs->is_plugin && n->kind > rs->defs->core_nnode;

    if (plugin && o->hook)
        plugin_hook(rs, o->hook, o->hook_pos);
    for (uint32_t e = 0; plugin && e < o->nent; e++)
        if (o->ent[e].kind == SN_OE_HOOK)
            plugin_hook(rs, o->ent[e].value, o->ent[e].pos);
    for (uint32_t i = 0; i < rs->defs->nnode && o->hook; i++) {
        const SnDefNode *m = rs->defs->node[i];
        for (uint32_t j = 0; j < m->nonnx; j++) {
            if (m->onnx[j] == o)
                return;
            if (m->onnx[j]->hook && !hook_note(rs, m->onnx[j], o))
                return;
        }
    }
}

/* ---- all lines together ---- */

/* The lowest opset that both have, or -1. */
static int64_t
both(const SnDefOnnx *a, const SnDefOnnx *b)
{
    int64_t k = a->since > b->since ? a->since : b->since;

    if (strcmp(a->op, b->op) || (a->until && a->until < k) ||
        (b->until && b->until < k))
        return -1;
    return k;
}

/* An operator at one opset is one node. */
static void
one_reader(SnResolver *rs, const SnDefNode *n, const SnDefOnnx *o)
{
    for (uint32_t i = 0; i < rs->defs->nnode; i++) {
        const SnDefNode *m = rs->defs->node[i];
        for (uint32_t j = 0; j < m->nonnx && m->onnx[j] != o; j++) {
            int64_t k = both(m->onnx[j], o);
            if (k < 0)
                continue;
            sn_error(
                rs->d, o->pos, "SN103",
                "ONNX operator '%s' of opset %lld is already imported as %s",
                o->op, (long long)k, m->name);
            sn_diag_span(rs->d, m->onnx[j]->pos, "here");
            sn_diag_help(rs->d,
                         "onnx \"%s\" FIRST..LAST: a range that no "
                         "other node has",
                         o->op);
            return;
        }
        if (m == n)
            return;
    }
}

void
sn_resolve_onnx_alone(SnResolver *rs, SnDefNode *n)
{
    for (uint32_t i = 0; i < n->nonnx; i++) {
        one_reader(rs, n, n->onnx[i]);
        hooks(rs, n, n->onnx[i]);
    }
}
