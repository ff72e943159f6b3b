// SPDX-License-Identifier: Apache-2.0
/* Operators on codes: operands and result by codes(..) of their line. */
#include "onnx/import/import_priv.h"

#include <inttypes.h>
#include <string.h>

typedef struct On {
    const SnOnnxDesc *e;
    const SnKindDesc *kd; /* e's */
    uint32_t nin;
    SnRef *in;          /* [nin] by slot */
    const SnType *type; /* of the result, or NULL */
} On;

/* How many operands the variadic port has; the inputs fit codes(..), and what
 * entries take of those after them. */
static SnStatus
count(SnImport *x, const On *o, uint32_t *nlist)
{
    size_t n = x->n->n_input, most = 0;
    const SnPortDesc *list = NULL;
    uint32_t each = 1;

    *nlist = 1;
    for (uint32_t i = 0; i < o->e->ncode; i++) {
        const SnOnnxCode *c = &o->e->code[i];
        if (c->port >= 0 && o->kd->in[c->port].variadic)
            list = &o->kd->in[c->port], each = c->ninput;
        else
            most += c->ninput;
    }
    for (uint32_t i = 0; i < o->e->nmap; i++)
        if (o->e->map[i].entry == SN_IMPORT_INPUT &&
            (size_t)o->e->map[i].input >= most)
            most = (size_t)o->e->map[i].input + 1;
    if (list == NULL && n <= most)
        return SN_OK;
    if (list == NULL)
        return sn_import_fail(x, SN_EINPUT, "%zu inputs, at most %zu expected",
                              n, most);
    *nlist = (uint32_t)((n - most) / each);
    if (n <= most || (n - most) % each != 0)
        return sn_import_fail(
            x, SN_EINPUT,
            "%zu inputs: expected %zu, and %s for each operand '%s'", n, most,
            each == 3 ? "three" : "one", list->name);
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
    word = sn_import_layout_word(o->e, p->name);
    if (word != NULL)
        SN_TRY(check_rank(x, v, word));
    SN_TRY(sn_import_layout(x, o->e, p->name, v->rank, perm, &word));
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
            SN_TRY(sn_import_code_type(x, at, at + 1, &o->type));
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
        if (p->fact != SN_SAME || o->type == NULL || o->in[s] == 0 ||
            sn_type(x->g, o->in[s]) == o->type)
            continue;
        SN_TRY(sn_import_node(x, "Rescale",
                              sn_import_part(x, sn_format(x->a, "%" PRIu32, s)),
                              1, &o->in[s], NULL, o->type, &o->in[s]));
    }
    return SN_OK;
}

/* The tuple of a kind for operands and a result of these types, where a fixed
 * result has its own; NULL: none. */
static const SnTuple *
tuple_of(SnImport *x, const SnKindDesc *d, uint32_t nin, const SnRef *in,
         const SnType *type, const SnType ***types)
{
    const SnType *out[SN_MAXRES] = {type};
    const SnPortDesc *y = &d->out[0];

    *types = SN_NEW_N(x->a, const SnType *, nin);
    for (uint32_t i = 0; i < nin; i++)
        (*types)[i] = in[i] != 0 ? sn_type(x->g, in[i]) : NULL;
    if (y->fact == SN_FIXED && type != NULL &&
        (type->scale[0] < y->fixed_scale || type->scale[0] > y->fixed_scale ||
         type->zp[0] != y->fixed_zp))
        return NULL;
    return sn_tuple_find(d, nin, *types, d->nout, out);
}

SnKind
sn_import_form(SnImport *x, SnKind k, uint32_t nin, const SnRef *in,
               const SnType *type)
{
    const SnType **types;

    for (SnKind f = 1; f < sn_kind_end(); f++)
        if (form_of(f, k) &&
            tuple_of(x, sn_desc(f), nin, in, type, &types) != NULL)
            return f;
    return k; /* which says what it takes */
}

SnStatus
sn_import_pinned(SnImport *x, SnKind k, uint32_t nin, SnRef *in, uint32_t port,
                 uint32_t i, const SnShape *s)
{
    const SnKindDesc *d = sn_desc(k);
    const SnType **types, *t;
    const SnTuple *tuple = tuple_of(x, d, nin, in, NULL, &types);
    SnImportVal *v = sn_import_in(x, i);
    const SnData *b;
    uint32_t slot, n;

    if (v == NULL)
        return SN_OK;
    b = sn_import_const(x, v);
    if (b == NULL)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "operand %s ('%s') must be constant",
                              d->in[port].name, v->name);
    if (b->dtype != SN_D_I32)
        return sn_import_fail(
            x, SN_EINPUT, "operand %s ('%s') is %s, expected int32",
            d->in[port].name, v->name, sn_dtype_name(b->dtype));
    if (tuple == NULL) /* what adds the node says what it takes */
        return SN_OK;
    t = sn_pin_type(x->g->pool, x->a, d, &d->in[port], &tuple->in[port], nin,
                    types);
    if (s == NULL)
        s = sn_shape(x->g->pool, b->rank, b->dim);
    if (t == NULL || s == NULL)
        return sn_import_fail(x, SN_EINPUT,
                              "operand %s ('%s'): its scale is out of range",
                              d->in[port].name, v->name);
    sn_port_slots(d, nin, port, &slot, &n);
    return sn_import_constant(x, v->name, t, s,
                              sn_memdup(x->a, b->data, sn_data_nbyte(b)),
                              &in[slot]);
}

SnStatus
sn_import_on_codes(SnImport *x, const SnOnnxDesc *e, SnKind *kind,
                   uint32_t *nin, SnRef **in, const SnType **type)
{
    On o = {.e = e, .kd = sn_desc(e->kind)};
    uint32_t at = 0;

    SN_TRY(operands(x, &o));
    SN_TRY(on_one_grid(x, &o));
    *kind = sn_import_form(x, e->kind, o.nin, o.in, o.type);
    for (uint32_t k = 0; k < e->ncode; at += e->code[k++].ninput) {
        const SnOnnxCode *c = &e->code[k];
        if (c->port >= 0 && o.kd->in[c->port].fact == SN_PIN)
            SN_TRY(sn_import_pinned(x, *kind, o.nin, o.in, (uint32_t)c->port,
                                    at, NULL));
    }
    *nin = o.nin;
    *in = o.in;
    *type = o.type;
    return SN_OK;
}
