// SPDX-License-Identifier: Apache-2.0
#include "onnx/import/import_priv.h"

#include <inttypes.h>
#include <string.h>
#include "base/buf.h"

/* ---- lines of nodes.def ---- */

const SnOnnxDesc *
sn_import_desc(SnOnnxOp op, int64_t version, const SnOnnxDesc **other)
{
    const SnOnnxDesc *best = NULL;

    *other = NULL;
    for (uint32_t i = 0; i < sn_onnx_end(); i++) {
        const SnOnnxDesc *e = sn_onnx_at(i);
        if (!sn_onnx_same(e->op, op))
            continue;
        *other = e;
        if (e->since <= version && (e->until == 0 || version <= e->until) &&
            (best == NULL || e->since > best->since))
            best = e;
    }
    return best;
}

/* ---- a node mapped by its entries ---- */

typedef struct Map {
    const SnOnnxDesc *e;
    const SnKindDesc *kd;
    void *attr;
    SnRef *in;
    uint32_t nin;
    const SnType *type; /* of result 0, where the operator gives it */
} Map;

static const SnOnnxMap *
entry_for(const SnOnnxDesc *e, SnOnnxEntry kind, const char *name)
{
    for (uint32_t i = 0; i < e->nmap; i++)
        if (e->map[i].entry == kind && strcmp(e->map[i].name, name) == 0)
            return &e->map[i];
    return NULL;
}

/* Is ONNX input i an attribute here? */
static bool
is_attr_input(const SnOnnxDesc *e, uint32_t i)
{
    for (uint32_t k = 0; k < e->nmap; k++)
        if (e->map[k].entry == SN_IMPORT_INPUT && e->map[k].input == (int32_t)i)
            return true;
    return false;
}

/* The permutation of a layout word: ONNX axes in the node's order. */
static bool
layout_perm(const char *word, int rank, int *perm)
{
    static const int ohwi_of_iohw[] = {1, 2, 3, 0};

    if (strcmp(word, "iohw") == 0 && rank == 4) {
        memcpy(perm, ohwi_of_iohw, sizeof ohwi_of_iohw);
        return true;
    }
    sn_import_last_perm(rank, perm);
    return strcmp(word, "nchw") == 0 || strcmp(word, "oihw") == 0;
}

const char *
sn_import_layout_word(const SnOnnxDesc *e, const char *port)
{
    const SnOnnxMap *l = entry_for(e, SN_IMPORT_LAYOUT, port);

    return l != NULL ? l->value : NULL;
}

SnStatus
sn_import_layout(SnImport *x, const SnOnnxDesc *e, const char *port, int rank,
                 int *perm, const char **word)
{
    const SnOnnxMap *l = entry_for(e, SN_IMPORT_LAYOUT, port);
    int64_t as_here = 0;

    *word = NULL;
    if (l == NULL)
        return SN_OK;
    if (l->unless != NULL)
        SN_TRY(sn_import_int(x, l->unless, 0, &as_here));
    if (as_here != 0)
        return SN_OK;
    *word = l->value;
    if (!layout_perm(l->value, rank, perm))
        sn_bug("onnx: %s: unknown layout '%s'", sn_desc(e->kind)->name,
               l->value);
    return SN_OK;
}

/* Does a tuple of the kind have this element type at a port? */
static bool
takes(const SnKindDesc *d, uint32_t port, SnElem e)
{
    for (uint32_t i = 0; i < d->ntuple; i++)
        if (d->tuple[i].in[port].elem == (int)e)
            return true;
    return false;
}

/* int32 as int64. */
static SnStatus
widened(SnImport *x, SnImportVal *v, SnRef *out)
{
    const SnData *t = v->data;
    SnData *r;

    if (t == NULL)
        return sn_import_cast(x, sn_format(x->a, "%s.i64", v->name), *out,
                              SN_I64, out);
    v->data = t = sn_import_settle(x, t);
    SN_TRY(sn_import_new_data(x, SN_D_I64, t->rank, t->dim, &r));
    for (int64_t i = 0, n = sn_data_count(t); i < n; i++)
        ((int64_t *)(uintptr_t)r->data)[i] = sn_data_int(t, i);
    return sn_import_constant(x, v->name, sn_type_plain(x->g->pool, SN_I64),
                              sn_shape(x->g->pool, r->rank, r->dim), r->data,
                              out);
}

/* int32 is widened where the node takes int64 alone, as indices. */
static SnStatus
operand(SnImport *x, const Map *m, uint32_t port, SnImportVal *v, SnRef *out)
{
    bool wide = takes(m->kd, port, SN_I64) && !takes(m->kd, port, SN_I32);
    int perm[SN_MAXRANK];
    const char *word;

    SN_TRY(
        sn_import_layout(x, m->e, m->kd->in[port].name, v->rank, perm, &word));
    if (word != NULL)
        return sn_import_get(x, v, perm, out);
    if (wide && v->data != NULL && v->data->dtype == SN_D_I32 && v->q == NULL)
        return widened(x, v, out);
    SN_TRY(sn_import_plain(x, v, out));
    if (wide && sn_type(x->g, *out)->elem == SN_I32)
        return widened(x, v, out);
    return SN_OK;
}

static SnStatus
operands(SnImport *x, Map *m)
{
    uint32_t port = 0;
    SnImportVal *v;

    m->in = SN_NEW_N(x->a, SnRef, x->n->n_input + m->kd->nin + 1);
    for (uint32_t i = 0; i < x->n->n_input; i++) {
        if (is_attr_input(m->e, i))
            continue;
        if (port == m->kd->nin && x->n->input[i][0] == '\0')
            continue;
        if (port == m->kd->nin)
            return sn_import_fail(x, SN_EINPUT,
                                  "%zu inputs, at most %u expected",
                                  x->n->n_input, (unsigned)m->kd->nin);
        const SnPortDesc *p = &m->kd->in[port];
        if (sn_import_in(x, i) == NULL && p->optional) {
            m->in[m->nin++] = 0;
        } else {
            SN_TRY(sn_import_need(x, i, &v));
            SN_TRY(operand(x, m, port, v, &m->in[m->nin++]));
        }
        port += !p->variadic;
    }
    for (; port < m->kd->nin; port++) {
        const SnPortDesc *p = &m->kd->in[port];
        if (p->variadic && m->nin > port)
            continue;
        if (!p->optional)
            return sn_import_fail(x, SN_EINPUT, "input '%s' is missing",
                                  p->name);
        m->in[m->nin++] = 0;
    }
    return SN_OK;
}

static SnStatus
word_index(SnImport *x, const SnAttrDesc *a, const char *onnx, const char *word,
           int32_t *out)
{
    SnBuf b;

    for (int32_t i = 0; a->words[i] != NULL; i++)
        if (strcmp(a->words[i], word) == 0) {
            *out = i;
            return SN_OK;
        }
    sn_buf_init(&b, x->a);
    for (int32_t i = 0; a->words[i] != NULL; i++)
        sn_putf(&b, i > 0 ? ", %s" : "%s", a->words[i]);
    return sn_import_fail(
        x, SN_EUNSUPPORTED,
        "attribute '%s' = \"%s\" is not supported, only %s are", onnx, word,
        sn_buf_str(&b));
}

SnStatus
sn_import_check_count(SnImport *x, const SnAttrDesc *a, const char *what,
                      uint32_t n)
{
    if (a->fixed == 0 || n == a->fixed)
        return SN_OK;
    return sn_import_fail(
        x, SN_EUNSUPPORTED, "%s has %" PRIu32 " value%s, %u are supported%s",
        what, n, n == 1 ? "" : "s", (unsigned)a->fixed,
        a->fixed == 2 || a->fixed == 4 ? " (two-dimensional pictures)" : "");
}

SnStatus
sn_import_take_attr(SnImport *x, const SnAttrDesc *a, const char *onnx, void *p)
{
    const char *word, *what = sn_format(x->a, "attribute '%s'", onnx);
    SnInts ints;
    SnReals reals;
    int64_t i;

    switch (a->kind) {
    case SN_A_INT:
        return sn_import_int(x, onnx, 0, p);
    case SN_A_REAL:
        return sn_import_real(x, onnx, 0, p);
    case SN_A_BOOL:
        SN_TRY(sn_import_int(x, onnx, 0, &i));
        if (i != 0 && i != 1)
            return sn_import_fail(x, SN_EINPUT, "%s is %" PRId64 ", not 0 or 1",
                                  what, i);
        *(bool *)p = i != 0;
        return SN_OK;
    case SN_A_STR:
        return sn_import_str(x, onnx, "", p);
    case SN_A_ENUM:
        SN_TRY(sn_import_str(x, onnx, "", &word));
        return word_index(x, a, onnx, word, p);
    case SN_A_INTS:
        SN_TRY(sn_import_ints(x, onnx, &ints));
        SN_TRY(sn_import_check_count(x, a, what, ints.n));
        *(SnInts *)p = ints;
        return SN_OK;
    case SN_A_REALS:
        SN_TRY(sn_import_reals(x, onnx, &reals));
        SN_TRY(sn_import_check_count(x, a, what, reals.n));
        *(SnReals *)p = reals;
        return SN_OK;
    default:
        sn_bug("onnx: attribute '%s' cannot come from a model", a->name);
    }
}

/* A kernel that the file leaves out is as large as the weights. */
static SnStatus
kernel_of_weights(SnImport *x, Map *m, const SnAttrDesc *a)
{
    SnInts *p = sn_attr_at(m->attr, a);
    int64_t *v = SN_NEW_N(x->a, int64_t, SN_MAXRANK);

    for (uint32_t i = 0; i < m->kd->nin; i++) {
        const SnOnnxMap *l =
            entry_for(m->e, SN_IMPORT_LAYOUT, m->kd->in[i].name);
        if (l == NULL || strcmp(l->value, "nchw") == 0 || m->in[i] == 0)
            continue;
        const SnShape *s = sn_shape_of(x->g, m->in[i]);
        if (s->rank < 2)
            break;
        p->n = (uint32_t)s->rank - 2;
        p->v = v;
        memcpy(v, s->dim + 1, p->n * sizeof *v);
        return sn_import_check_count(x, a, "the kernel", p->n);
    }
    return sn_import_fail(x, SN_EINPUT, "attribute '%s' is missing",
                          entry_for(m->e, SN_IMPORT_ATTR, a->name)->value);
}

SnStatus
sn_import_take_input(SnImport *x, const SnAttrDesc *a, const char *name,
                     uint32_t input, void *p)
{
    const char *what = sn_format(x->a, "input '%s'", name);
    SnInts ints;

    if (sn_import_in(x, input) == NULL) {
        if (a->has_default)
            return SN_OK;
        return sn_import_fail(x, SN_EINPUT, "%s is missing", what);
    }
    if (a->kind == SN_A_REAL)
        return sn_import_real_in(x, input, what, 0, p);
    SN_TRY(sn_import_ints_in(x, input, what, &ints));
    if (a->kind == SN_A_INTS) {
        SN_TRY(sn_import_check_count(x, a, what, ints.n));
        *(SnInts *)p = ints;
        return SN_OK;
    }
    if (ints.n != 1)
        return sn_import_fail(
            x, SN_EINPUT, "%s has %" PRIu32 " values, not one", what, ints.n);
    if (a->kind == SN_A_INT)
        *(int64_t *)p = ints.v[0];
    else if (a->kind == SN_A_BOOL)
        *(bool *)p = ints.v[0] != 0;
    else
        sn_bug("onnx: attribute '%s' cannot come from an input", a->name);
    return SN_OK;
}

static SnStatus
attributes(SnImport *x, Map *m)
{
    for (uint32_t i = 0; i < m->e->nmap; i++) {
        const SnOnnxMap *e = &m->e->map[i];
        const SnAttrDesc *a = sn_attr_named(m->kd, e->name);
        if (e->entry == SN_IMPORT_ANY)
            sn_import_ignore(x, e->value);
        if (a == NULL)
            continue;
        if (e->entry == SN_IMPORT_INPUT)
            SN_TRY(sn_import_take_input(x, a, a->name, (uint32_t)e->input,
                                        sn_attr_at(m->attr, a)));
        if (e->entry != SN_IMPORT_ATTR)
            continue;
        if (sn_import_has_attr(x, e->value))
            SN_TRY(sn_import_take_attr(x, a, e->value, sn_attr_at(m->attr, a)));
        else if (!a->has_default && a->kind == SN_A_INTS)
            SN_TRY(kernel_of_weights(x, m, a));
        else if (!a->has_default)
            return sn_import_fail(x, SN_EINPUT, "attribute '%s' is missing",
                                  e->value);
    }
    return SN_OK;
}

static SnStatus
hooks(SnImport *x, Map *m)
{
    SnImportCall c = {
        .desc = m->e, .attr = m->attr, .nin = m->nin, .in = m->in};

    for (uint32_t i = 0; i < m->e->nmap; i++) {
        if (m->e->map[i].entry != SN_IMPORT_HOOK)
            continue;
        c.m = &m->e->map[i];
        SN_TRY(c.m->hook(x, &c));
    }
    return SN_OK;
}

/* Attributes of the model keep to the constraints of their declarations. */
static SnStatus
check_attrs(SnImport *x, const Map *m)
{
    for (uint32_t i = 0; i < m->kd->nattr; i++) {
        const SnAttrDesc *a = &m->kd->attr[i];
        const SnOnnxMap *e = entry_for(m->e, SN_IMPORT_ATTR, a->name);
        if (entry_for(m->e, SN_IMPORT_HOOK, a->name) == NULL &&
            a->check != NULL && !a->check(m->attr))
            return sn_import_fail(x, SN_EINPUT, "attribute '%s' breaks '%s'",
                                  e != NULL ? e->value : a->name, a->where);
    }
    return SN_OK;
}

static SnStatus
results(SnImport *x, const Map *m, SnRef y)
{
    for (uint32_t k = 0; k < x->n->n_output && k < m->kd->nout; k++) {
        SnRef r = SN_REF(SN_NODE(y), k);
        int perm[SN_MAXRANK];
        const char *word;
        SN_TRY(sn_import_layout(x, m->e, m->kd->out[k].name,
                                sn_shape_of(x->g, r)->rank, perm, &word));
        if (k > 0 &&
            entry_for(m->e, SN_IMPORT_HOOK, m->kd->out[k].name) != NULL)
            SN_TRY(sn_import_nchw_positions(x, k, r, m->in[0]));
        else if (word != NULL)
            SN_TRY(sn_import_put_last(x, k, r));
        else
            SN_TRY(sn_import_put(x, k, r));
    }
    return SN_OK;
}

const SnOnnxDesc *
sn_import_entries(SnKind kind, const char *op)
{
    for (uint32_t i = 0; i < sn_onnx_end(); i++) {
        const SnOnnxDesc *e = sn_onnx_at(i);
        if (e->kind == kind && e->hook == NULL && e->term == NULL &&
            sn_onnx_is(e->op, op))
            return e;
    }
    sn_bug("onnx: %s has no line for %s", sn_desc(kind)->name, op);
}

SnStatus
sn_import_entry_attrs(SnImport *x, const SnOnnxDesc *e, SnKind k, uint32_t nin,
                      SnRef *in, void **attr)
{
    Map m = {.e = e, .kd = sn_desc(k), .nin = nin, .in = in};

    m.attr = *attr = sn_attr_new(x->a, m.kd);
    SN_TRY(attributes(x, &m));
    SN_TRY(check_attrs(x, &m));
    return hooks(x, &m);
}

SnStatus
sn_import_map(SnImport *x, const SnOnnxDesc *e)
{
    Map m = {.e = e, .kd = sn_desc(e->kind)};
    SnSpec s = {.kind = e->kind, .name = sn_import_name(x, 0)};
    SnRef y;

    SN_TRY(sn_import_attrs_needed(x));
    for (uint32_t k = m.kd->nout; k < x->n->n_output; k++)
        if (sn_import_out(x, k) != NULL)
            return sn_import_fail(x, SN_EUNSUPPORTED,
                                  "its result %" PRIu32
                                  " ('%s') is not supported",
                                  k, x->n->output[k]);
    if (e->ncode > 0) {
        SN_TRY(sn_import_on_codes(x, e, &s.kind, &m.nin, &m.in, &m.type));
        m.kd = sn_desc(s.kind);
    } else {
        SN_TRY(operands(x, &m));
    }
    m.attr = sn_attr_new(x->a, m.kd);
    SN_TRY(attributes(x, &m));
    SN_TRY(check_attrs(x, &m));
    SN_TRY(hooks(x, &m));
    s.nin = m.nin;
    s.in = m.in;
    s.attr = m.kd->nattr > 0 ? m.attr : NULL;
    s.type = m.type != NULL ? &m.type : NULL;
    SN_TRY(sn_import_add(x, &s, &y));
    return results(x, &m, y);
}
