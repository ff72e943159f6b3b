// SPDX-License-Identifier: Apache-2.0
/* Operators on codes: operands and result by codes(..) of their line. */
#include "onnx/import/import_priv.h"

#include <inttypes.h>
#include <string.h>

typedef struct On {
    const SnOnnxDesc *e;
    const SnKindDesc *kd; /* e's */
    uint32_t nin;
    SnRef *in;                    /* [nin] by slot */
    const SnType *out[SN_MAXRES]; /* the first alone is stated */
} On;

/* How many operands the variadic port has; the inputs fit codes(..). */
static SnStatus
count(SnImport *x, const On *o, uint32_t *nlist)
{
    size_t n = x->n->n_input, most = 0;
    const SnPortDesc *list = NULL;

    *nlist = 1;
    for (uint32_t i = 0; i < o->e->ncode; i++) {
        const SnOnnxCode *c = &o->e->code[i];
        if (c->port >= 0 && o->kd->in[c->port].variadic)
            list = &o->kd->in[c->port];
        else
            most += c->ninput;
    }
    if (list == NULL && n <= most)
        return SN_OK;
    if (list == NULL)
        return sn_import_fail(x, SN_EINPUT, "%zu inputs, at most %zu expected",
                              n, most);
    *nlist = (uint32_t)((n - most) / 3);
    if (n <= most || (n - most) % 3 != 0)
        return sn_import_fail(
            x, SN_EINPUT,
            "%zu inputs: expected %zu, and three for each operand '%s'", n,
            most, list->name);
    return SN_OK;
}

/* Pictures and their filters have two spatial dimensions. */
static SnStatus
check_rank(SnImport *x, const SnImportVal *v, const char *word)
{
    if (v->rank == (int)strlen(word))
        return SN_OK;
    if (strcmp(word, "nchw") == 0)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "'%s' has rank %d; only two-dimensional pictures "
                              "are supported",
                              v->name, v->rank);
    return sn_import_fail(x, SN_EINPUT, "'%s' has rank %d, not %zu (%s)",
                          v->name, v->rank, strlen(word), word);
}

static bool
form_of(SnKind f, SnKind k)
{
    return f == k ||
           (sn_desc(f)->form_of == (int32_t)k && sn_desc(f)->backend == NULL);
}

/* Along which axis of the stored operand codes may have several scales; -1:
 * there is one scale. */
static int
scale_axis(const On *o, uint32_t port)
{
    for (SnKind f = 1; f < sn_kind_end(); f++)
        for (uint32_t i = 0; form_of(f, o->e->kind) && i < sn_desc(f)->ntuple;
             i++)
            if (sn_desc(f)->tuple[i].in[port].axis >= 0)
                return sn_desc(f)->tuple[i].in[port].axis;
    return -1;
}

/* Operand `port` at input i, with a scale or without one. */
static SnStatus
operand(SnImport *x, const On *o, const SnOnnxCode *c, uint32_t i, SnRef *out)
{
    const SnPortDesc *p = &o->kd->in[c->port];
    SnImportVal *v = sn_import_in(x, i);
    int perm[SN_MAXRANK], axis = scale_axis(o, (uint32_t)c->port);
    const char *word;

    *out = 0;
    if (v == NULL && p->optional)
        return SN_OK;
    if (v == NULL)
        return sn_import_fail(x, SN_EINPUT, "input %" PRIu32 " is missing", i);
    SN_TRY(sn_import_layout(x, o->e, p->name, v->rank, perm, &word));
    if (word != NULL)
        SN_TRY(check_rank(x, v, word));
    if (c->ninput == 3)
        return sn_import_codes(x, i, axis >= 0 && word ? perm[axis] : axis,
                               word ? perm : NULL, out);
    SN_TRY(sn_import_need(x, i, &v));
    return word != NULL ? sn_import_get(x, v, perm, out)
                        : sn_import_plain(x, v, out);
}

static SnStatus
operands(SnImport *x, On *o)
{
    uint32_t at = 0, first, n, nlist;

    SN_TRY(count(x, o, &nlist));
    o->nin = o->kd->nin - 1 + nlist;
    o->in = SN_NEW_N(x->a, SnRef, o->nin);
    for (uint32_t k = 0; k < o->e->ncode; k++) {
        const SnOnnxCode *c = &o->e->code[k];
        n = 1;
        if (c->port < 0)
            SN_TRY(sn_import_code_type(x, at, at + 1, &o->out[0]));
        else
            sn_port_slots(o->kd, o->nin, (uint32_t)c->port, &first, &n);
        for (uint32_t i = 0; i < n; i++, at += c->ninput)
            if (c->port >= 0 && o->kd->in[c->port].fact != SN_PIN)
                SN_TRY(operand(x, o, c, at, &o->in[first + i]));
    }
    return SN_OK;
}

/* What `same` asks: operands on the result's grid. */
static SnStatus
on_one_grid(SnImport *x, On *o)
{
    for (uint32_t s = 0; s < o->nin; s++) {
        const SnPortDesc *p = &o->kd->in[sn_port_of_slot(o->kd, o->nin, s)];
        if (p->fact != SN_SAME || o->out[0] == NULL || o->in[s] == 0 ||
            sn_type(x->g, o->in[s]) == o->out[0])
            continue;
        SN_TRY(sn_import_node(x, "Rescale",
                              sn_import_part(x, sn_format(x->a, "%" PRIu32, s)),
                              1, &o->in[s], NULL, o->out[0], &o->in[s]));
    }
    return SN_OK;
}

/* The tuple of a kind for these types, of which a fixed result has its own. */
static const SnTuple *
tuple_of(SnImport *x, const On *o, SnKind k)
{
    const SnPortDesc *y = &sn_desc(k)->out[0];
    const SnType **in = SN_NEW_N(x->a, const SnType *, o->nin), *t = o->out[0];

    for (uint32_t i = 0; i < o->nin; i++)
        in[i] = o->in[i] != 0 ? sn_type(x->g, o->in[i]) : NULL;
    if (y->fact == SN_FIXED && t != NULL &&
        (t->scale[0] < y->fixed_scale || t->scale[0] > y->fixed_scale ||
         t->zp[0] != y->fixed_zp))
        return NULL;
    return sn_tuple_find(sn_desc(k), o->nin, in, o->kd->nout, o->out);
}

/* int32 at input i on the grid that the node pins it to. */
static SnStatus
pinned(SnImport *x, On *o, const SnTuple *tuple, uint32_t port, uint32_t i)
{
    const SnType **in = SN_NEW_N(x->a, const SnType *, o->nin), *t;
    SnImportVal *v = sn_import_in(x, i);
    const SnData *b;
    const SnShape *s;
    uint32_t slot, n;

    if (v == NULL)
        return SN_OK;
    b = sn_import_const(x, v);
    if (b == NULL)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "operand %s ('%s') must be constant",
                              o->kd->in[port].name, v->name);
    if (b->dtype != SN_D_I32)
        return sn_import_fail(
            x, SN_EINPUT, "operand %s ('%s') is %s, expected int32",
            o->kd->in[port].name, v->name, sn_dtype_name(b->dtype));
    for (uint32_t k = 0; k < o->nin; k++)
        in[k] = o->in[k] != 0 ? sn_type(x->g, o->in[k]) : NULL;
    t = sn_pin_type(x->g->pool, x->a, o->kd, &o->kd->in[port], &tuple->in[port],
                    o->nin, in);
    s = sn_shape(x->g->pool, b->rank, b->dim);
    if (t == NULL || s == NULL)
        return sn_import_fail(x, SN_EINPUT,
                              "operand %s ('%s'): its scale is out of range",
                              o->kd->in[port].name, v->name);
    sn_port_slots(o->kd, o->nin, port, &slot, &n);
    return sn_import_constant(x, v->name, t, s,
                              sn_memdup(x->a, b->data, sn_data_nbyte(b)),
                              &o->in[slot]);
}

static SnStatus
pins(SnImport *x, On *o, const SnTuple *tuple)
{
    uint32_t at = 0;

    for (uint32_t k = 0; k < o->e->ncode; at += o->e->code[k++].ninput) {
        const SnOnnxCode *c = &o->e->code[k];
        if (c->port >= 0 && o->kd->in[c->port].fact == SN_PIN)
            SN_TRY(pinned(x, o, tuple, (uint32_t)c->port, at));
    }
    return SN_OK;
}

SnStatus
sn_import_on_codes(SnImport *x, const SnOnnxDesc *e, SnKind *kind,
                   uint32_t *nin, SnRef **in, const SnType **type)
{
    On o = {.e = e, .kd = sn_desc(e->kind)};
    const SnTuple *tuple = NULL;

    SN_TRY(operands(x, &o));
    SN_TRY(on_one_grid(x, &o));
    *kind = e->kind; /* which says what it takes where no form fits */
    for (SnKind f = 1; f < sn_kind_end() && tuple == NULL; f++)
        if (form_of(f, e->kind) && (tuple = tuple_of(x, &o, f)) != NULL)
            *kind = f;
    if (tuple != NULL)
        SN_TRY(pins(x, &o, tuple));
    *nin = o.nin;
    *in = o.in;
    *type = o.out[0];
    return SN_OK;
}
