// SPDX-License-Identifier: Apache-2.0
/* Nodes of models that are terms over nodes: the first declaration whose
 * operands, attributes and element types are those of the node, and its nodes
 * one by one. */
#include <inttypes.h>
#include <string.h>
#include "base/buf.h"
#include "onnx/import/import_priv.h"

typedef struct Run {
    const SnOnnxTerm *t;
    const SnRef *given; /* operands, or NULL: the node's own */
    SnElem elem;        /* that operands share */
    SnRef *made;        /* [nstep] */
} Run;

/* ---- which declaration ---- */

/* The element type of an operand; *known is false where none can be said yet.
 */
static SnStatus
elem_of(SnImport *x, SnImportVal *v, const SnRef *given, uint32_t i,
        SnElem *out)
{
    const SnType *t = NULL;
    SnRef r;

    if (given != NULL) {
        *out = sn_type(x->g, given[i])->elem;
        return SN_OK;
    }
    if (v->data != NULL && v->q == NULL)
        t = sn_import_plain_type(x, v->data->dtype);
    if (t == NULL) {
        SN_TRY(sn_import_plain(x, v, &r));
        t = sn_type(x->g, r);
    }
    *out = t->elem;
    return SN_OK;
}

static SnStatus
operands_fit(SnImport *x, const SnOnnxTerm *t, const SnRef *given, bool *fit)
{
    const SnOnnxIn *in = NULL;
    SnElem e;

    *fit = false;
    for (uint32_t i = 0; i < x->n->n_input || i < t->nin; i++) {
        SnImportVal *v = sn_import_in(x, i);
        if (i < t->nin)
            in = &t->in[i];
        else if (in->what != SN_ONNX_LIST && v != NULL)
            return SN_OK;
        else if (in->what != SN_ONNX_LIST)
            continue;
        if (v == NULL && in->what != SN_ONNX_MAYBE)
            return SN_OK;
        if (v == NULL || (in->elem < 0 && t->elems == 0))
            continue;
        SN_TRY(elem_of(x, v, given, i, &e));
        if (in->elem < 0 ? (t->elems >> e & 1) == 0 : (int)e != in->elem)
            return SN_OK;
    }
    *fit = true;
    return SN_OK;
}

static SnStatus
attribute_fits(SnImport *x, const SnOnnxTest *a, bool *fit)
{
    const char *word;
    int64_t i;
    float r;

    *fit = sn_import_has_attr(x, a->attr);
    if (!*fit || a->is == SN_ONNX_GIVEN) {
        *fit |= a->maybe;
        return SN_OK;
    }
    if (a->is == SN_ONNX_IS_INT) {
        SN_TRY(sn_import_int(x, a->attr, 0, &i));
        *fit = i == a->val.i;
    } else if (a->is == SN_ONNX_IS_REAL) {
        SN_TRY(sn_import_real(x, a->attr, 0, &r));
        *fit = !(r < (float)a->val.r) && !(r > (float)a->val.r);
    } else {
        SN_TRY(sn_import_str(x, a->attr, "", &word));
        *fit = strcmp(word, a->val.s) == 0;
    }
    return SN_OK;
}

/* Attributes that a declaration which does not hold looked at are not used. */
static SnStatus
holds(SnImport *x, const SnOnnxTerm *t, const SnRef *given, bool *fit)
{
    size_t n = x->n->n_attribute;
    bool *was = sn_memdup(x->a, x->used, n * sizeof *was);

    SN_TRY(operands_fit(x, t, given, fit));
    for (uint32_t i = 0; i < t->ntest && *fit; i++)
        SN_TRY(attribute_fits(x, &t->test[i], fit));
    if (!*fit && n > 0)
        memcpy(x->used, was, n * sizeof *was);
    return SN_OK;
}

/* The declaration after e of the same operator and opsets, or NULL. */
static const SnOnnxDesc *
next_of(const SnOnnxDesc *e, uint32_t *at)
{
    while (*at < sn_onnx_end()) {
        const SnOnnxDesc *f = sn_onnx_at((*at)++);
        if (f->term != NULL && f->since == e->since &&
            sn_onnx_same(f->op, e->op))
            return f;
    }
    return NULL;
}

static SnStatus
none_holds(SnImport *x, const SnOnnxDesc *e)
{
    uint32_t at = 0;

    sn_import_fail(x, SN_EUNSUPPORTED,
                   "these operands, attributes and element types are not "
                   "supported");
    for (const SnOnnxDesc *f; (f = next_of(e, &at)) != NULL;)
        sn_diag_help(x->d, "%s", f->term->text);
    return SN_EUNSUPPORTED;
}

bool
sn_import_term_takes(const SnOnnxDesc *e, SnElem elem)
{
    uint32_t at = 0;

    for (const SnOnnxDesc *f; (f = next_of(e, &at)) != NULL;)
        if (f->term->elems >> elem & 1)
            return true;
    return false;
}

/* ---- its nodes ---- */

static SnStatus
operand(SnImport *x, const Run *r, uint32_t i, SnRef *out)
{
    SnImportVal *v = sn_import_in(x, i);

    *out = 0;
    if (v == NULL)
        return SN_OK;
    if (r->given == NULL)
        return sn_import_plain(x, v, out);
    *out = r->given[i];
    return SN_OK;
}

static SnStatus
number(SnImport *x, Run *r, const SnOnnxStep *s, SnRef *out)
{
    const char *name = sn_import_part(x, s->name);
    double v = s->num;
    int64_t i = (int64_t)v;
    float f = (float)v;

    if (s->count) {
        i = (int64_t)x->n->n_input - (r->t->nin - 1);
        f = (float)i;
    }
    if (s->from != NULL && sn_import_has_attr(x, s->from)) {
        if (r->elem == SN_F32)
            SN_TRY(sn_import_real(x, s->from, 0, &f));
        else
            SN_TRY(sn_import_int(x, s->from, 0, &i));
    }
    if (r->elem == SN_F32)
        return sn_import_scalar(x, name, f, out);
    if (r->elem == SN_I32 || r->elem == SN_I64)
        return sn_import_int_const(x, name, r->elem, i, out);
    return sn_import_fail(x, SN_EUNSUPPORTED,
                          "of %s; f32, int32 and int64 are supported",
                          sn_elem_name(r->elem));
}

static SnStatus
set_attr(SnImport *x, SnKind k, void *attr, const SnOnnxSet *s)
{
    const SnAttrDesc *a = sn_attr_named(sn_desc(k), s->attr);
    void *p = sn_attr_at(attr, a);

    if (s->from != NULL && sn_import_has_attr(x, s->from))
        return sn_import_take_attr(x, a, s->from, p);
    if (!s->has_val)
        return SN_OK;
    switch (a->kind) {
    case SN_A_INT:
        *(int64_t *)p = s->val.i;
        return SN_OK;
    case SN_A_REAL:
        *(float *)p = (float)(s->val.r + (double)s->val.i);
        return SN_OK;
    case SN_A_BOOL:
        *(bool *)p = s->val.i != 0;
        return SN_OK;
    case SN_A_STR:
        *(const char **)p = s->val.s;
        return SN_OK;
    case SN_A_ENUM:
        sn_import_set_enum(k, attr, s->attr, s->val.s);
        return SN_OK;
    case SN_A_INTS:
        *(SnInts *)p = (SnInts){s->val.n, s->val.ints};
        return SN_OK;
    case SN_A_REALS:
        *(SnReals *)p = (SnReals){s->val.n, s->val.reals};
        return SN_OK;
    default:
        sn_bug("onnx: attribute '%s' cannot come from a declaration", s->attr);
    }
}

static SnStatus
attributes(SnImport *x, const SnOnnxStep *s, void **attr)
{
    const SnKindDesc *kd = sn_desc(s->kind);

    *attr = sn_import_attr(x, s->kind);
    for (uint32_t i = 0; i < s->nset; i++)
        SN_TRY(set_attr(x, s->kind, *attr, &s->set[i]));
    for (uint32_t i = 0; i < kd->nattr; i++)
        if (kd->attr[i].check != NULL && !kd->attr[i].check(*attr))
            return sn_import_fail(
                x, SN_EINPUT, "attribute '%s' of %s breaks '%s'",
                kd->attr[i].name, kd->name, kd->attr[i].where);
    return SN_OK;
}

/* All operands of the node, with those of a list one after the other. */
static SnStatus
gather(SnImport *x, const Run *r, const SnOnnxStep *s, uint32_t *n, SnRef **in)
{
    *in = SN_NEW_N(x->a, SnRef, x->n->n_input + s->narg + 1u);
    *n = 0;
    for (uint32_t i = 0; i < s->narg; i++) {
        int32_t a = s->arg[i];
        uint32_t at = (uint32_t)~a, end = at + 1;
        if (a == SN_ONNX_NONE || a >= 0) {
            (*in)[(*n)++] = a < 0 ? 0 : r->made[a];
            continue;
        }
        if (r->t->in[at].what == SN_ONNX_LIST)
            end = (uint32_t)x->n->n_input;
        for (; at < end; at++)
            SN_TRY(operand(x, r, at, &(*in)[(*n)++]));
    }
    return SN_OK;
}

static SnStatus
step(SnImport *x, Run *r, uint32_t i, const char *name)
{
    const SnOnnxStep *s = &r->t->step[i];
    const SnType *type =
        s->elem >= 0 ? sn_type_plain(x->g->pool, (SnElem)s->elem) : NULL;
    const char *kind = sn_desc(s->kind)->name;
    bool root = r->t->root == (int32_t)i;
    void *attr;
    uint32_t n;
    SnRef *in;

    if (s->kind == 0)
        return number(x, r, s, &r->made[i]);
    SN_TRY(gather(x, r, s, &n, &in));
    SN_TRY(attributes(x, s, &attr));
    if (!s->chain)
        return sn_import_node(x, kind, root ? name : sn_import_part(x, s->name),
                              n, in, attr, type, &r->made[i]);
    for (uint32_t k = 1; k < n; k++) {
        SnRef two[2] = {in[0], in[k]};
        SN_TRY(sn_import_node(
            x, kind,
            root && k + 1 == n
                ? name
                : sn_import_part(x, sn_format(x->a, "%" PRIu32, k)),
            2, two, attr, type, &in[0]));
    }
    r->made[i] = in[0];
    return SN_OK;
}

/* Which of the node's values the result is, or -1: it is made. */
static int32_t
passed_on(const SnImport *x, const SnOnnxTerm *t)
{
    const SnOnnxStep *s = t->root >= 0 ? &t->step[t->root] : NULL;

    if (s == NULL)
        return ~t->root;
    if (s->chain && x->n->n_input == t->nin)
        return ~s->arg[0];
    return -1;
}

static SnStatus
make(SnImport *x, Run *r, const char *name, SnRef *out)
{
    SnImportVal *v = sn_import_in(x, 0);

    r->elem = SN_F32;
    for (uint32_t i = 0; i < r->t->nin; i++)
        if (r->t->in[i].elem < 0 && (v = sn_import_in(x, i)) != NULL) {
            SN_TRY(elem_of(x, v, r->given, i, &r->elem));
            break;
        }
    r->made = SN_NEW_N(x->a, SnRef, r->t->nstep);
    for (uint32_t i = 0; i < r->t->nstep; i++)
        SN_TRY(step(x, r, i, name));
    *out = r->made[r->t->root];
    return SN_OK;
}

static SnStatus
choose(SnImport *x, const SnOnnxDesc *e, const SnRef *given,
       const SnOnnxTerm **out)
{
    uint32_t at = 0;
    bool fit;

    for (const SnOnnxDesc *f; (f = next_of(e, &at)) != NULL;) {
        SN_TRY(holds(x, f->term, given, &fit));
        if (fit) {
            *out = f->term;
            return SN_OK;
        }
    }
    return none_holds(x, e);
}

SnStatus
sn_import_term(SnImport *x, const SnOnnxDesc *e)
{
    Run r = {0};
    int32_t same;
    SnImportVal *v;
    SnRef y;

    SN_TRY(choose(x, e, NULL, &r.t));
    same = passed_on(x, r.t);
    if (same >= 0) {
        SN_TRY(sn_import_need(x, (uint32_t)same, &v));
        return sn_import_alias(x, 0, v);
    }
    SN_TRY(make(x, &r, sn_import_name(x, 0), &y));
    return sn_import_put(x, 0, y);
}

SnStatus
sn_import_term_of(SnImport *x, const SnOnnxDesc *e, const SnRef *in,
                  const char *name, SnRef *out)
{
    Run r = {.given = in};
    int32_t same;

    SN_TRY(choose(x, e, in, &r.t));
    same = passed_on(x, r.t);
    if (same < 0)
        return make(x, &r, name, out);
    *out = in[same];
    return SN_OK;
}
