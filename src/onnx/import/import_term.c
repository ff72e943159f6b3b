// SPDX-License-Identifier: Apache-2.0
/* Nodes of models that are terms over nodes: the first declaration whose
 * operands, attributes and element types are those of the node, and its nodes
 * one by one. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/buf.h"
#include "map/mapping.h"
#include "onnx/import/import_priv.h"
#include "sn_kind_mul.h"
#include "sn_kind_reshape.h"
#include "sn_kind_transpose.h"

typedef struct Run {
    const SnOnnxTerm *t;
    const char *name[SN_MAXRES]; /* of results, NULL where none is wanted */
    const SnRef *given;          /* operands, or NULL: the node's own */
    SnElem elem;                 /* that operands share */
    SnRef *made;                 /* [nstep] */
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
    if (t == NULL && v->form != NULL)
        t = sn_type(x->g, v->form->ref);
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
        if (v == NULL || in->value || (in->elem < 0 && t->elems == 0))
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
    if (a->is == SN_ONNX_ANY) {
        sn_import_ignore(x, a->attr);
        *fit = true;
        return SN_OK;
    }
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
    if (r->given == NULL && r->t->in[i < r->t->nin ? i : 0].last)
        return sn_import_last(x, v, out);
    if (r->given == NULL)
        return sn_import_plain(x, v, out);
    *out = r->given[i];
    return SN_OK;
}

/* The value as an attribute of a node has it, at p; false: the operator gives
 * none. */
static SnStatus
take(SnImport *x, const SnOnnxFrom *f, const SnAttrDesc *a, void *p,
     bool *given)
{
    SnAttrDesc one = {.name = a->name, .kind = f->kind};
    int64_t v;

    *given = f->name != NULL &&
             (f->in >= 0 ? sn_import_in(x, (uint32_t)f->in) != NULL
                         : sn_import_has_attr(x, f->name));
    if (!*given)
        return SN_OK;
    if (f->in >= 0)
        return sn_import_take_input(x, a, f->name, (uint32_t)f->in, p);
    if (f->kind != SN_A_INT || a->kind != SN_A_INTS)
        return sn_import_take_attr(x, a, f->name, p);
    SN_TRY(sn_import_take_attr(x, &one, f->name, &v));
    *(SnInts *)p = (SnInts){1, sn_memdup(x->a, &v, sizeof v)};
    return SN_OK;
}

/* ---- sizes ---- */

typedef union Value {
    int64_t i;
    bool b;
    SnInts v;
} Value;

static SnStatus
map_value(SnImport *x, const SnOnnxFrom *f, int64_t *one, SnMapArg *to)
{
    SnAttrDesc a = {.name = f->name, .kind = f->kind};
    bool list = f->kind == SN_A_INTS, given;
    Value v = {0};

    SN_TRY(take(x, f, &a, &v, &given));
    if (!given && list)
        v.v = (SnInts){f->val.n, f->val.ints};
    *one = !given ? f->val.i : f->kind == SN_A_BOOL ? v.b : v.i;
    to->n = list ? v.v.n : 1;
    to->ints = list ? v.v.v : one;
    return SN_OK;
}

/* The sizes of the result that a map has for the operator's shapes. */
static SnStatus
sizes(SnImport *x, const SnOnnxSet *s, const SnAttrDesc *a, SnInts *out)
{
    SnMapArg *arg = SN_NEW_N(x->a, SnMapArg, s->sizes->nparam);
    SnMapBox *box = SN_NEW_N(x->a, SnMapBox, s->narg);
    int64_t *one = SN_NEW_N(x->a, int64_t, s->narg);
    SnMapping *u = SN_NEW(x->a, SnMapping);
    char why[SN_MAP_WHY];
    SnImportVal *v;

    for (uint32_t i = 0; i < s->sizes->nparam; i++)
        arg[i].name = s->sizes->param[i].name;
    for (uint32_t i = 0; i < s->narg; i++) {
        const SnOnnxArg *g = &s->arg[i];
        arg[i].given = true;
        arg[i].name = g->from.name != NULL ? g->from.name : arg[i].name;
        if (g->in < 0) {
            SN_TRY(map_value(x, &g->from, &one[i], &arg[i]));
            continue;
        }
        SN_TRY(sn_import_need(x, (uint32_t)g->in, &v));
        box[i] = (SnMapBox){v->rank, v->dim};
        arg[i].n = 1;
        arg[i].box = &box[i];
    }
    if (!sn_mapping_open(u, s->sizes, arg, x->a, why))
        return sn_import_fail(x, u->deep ? SN_EUNSUPPORTED : SN_EINPUT, "%s",
                              why);
    SN_TRY(sn_import_check_count(x, a, sn_format(x->a, "'%s'", s->attr),
                                 (uint32_t)u->rank));
    *out = (SnInts){(uint32_t)u->rank,
                    sn_memdup(x->a, u->dim, (size_t)u->rank * sizeof *u->dim)};
    return SN_OK;
}

static SnStatus
no_value(SnImport *x, const Run *r, const SnOnnxStep *s, const char *v)
{
    return sn_import_fail(x, SN_EINPUT, "'%s' is %s, expected a value of %s",
                          s->name, v, sn_elem_name(r->elem));
}

/* The real v as an integer of the type that operands share. */
static SnStatus
whole(SnImport *x, const Run *r, const SnOnnxStep *s, double v, int64_t *out)
{
    double end = r->elem == SN_I32 ? 0x1p31 : 0x1p63;

    if (!(v >= -end && v < end) || v < floor(v) || v > floor(v))
        return no_value(x, r, s, sn_format(x->a, "%g", v));
    *out = (int64_t)v;
    return SN_OK;
}

/* A step that is a number: how many the list has, what the operator says, or a
 * number of the declaration. */
static SnStatus
number(SnImport *x, Run *r, const SnOnnxStep *s, SnRef *out)
{
    const char *name = sn_import_part(x, s->name);
    bool integer = s->count || s->num.kind == SN_A_INT, given;
    SnAttrDesc a = {.name = s->name, .kind = integer ? SN_A_INT : SN_A_REAL};
    int64_t i =
        s->count ? (int64_t)x->n->n_input - (r->t->nin - 1) : s->num.val.i;
    float f = (float)s->num.val.r;

    SN_TRY(take(x, &s->num, &a, integer ? (void *)&i : (void *)&f, &given));
    if (r->elem == SN_F32)
        return sn_import_scalar(x, name, integer ? (float)i : f, out);
    if (r->elem != SN_I32 && r->elem != SN_I64)
        return sn_import_fail(x, SN_EUNSUPPORTED,
                              "of %s; f32, int32 and int64 are supported",
                              sn_elem_name(r->elem));
    if (!integer)
        SN_TRY(whole(x, r, s, given ? (double)f : s->num.val.r, &i));
    else if (r->elem == SN_I32 && i != (int32_t)i)
        return no_value(x, r, s, sn_format(x->a, "%" PRId64, i));
    return sn_import_int_const(x, name, r->elem, i, out);
}

static void
set_default(SnKind k, void *attr, const SnAttrDesc *a, const SnOnnxVal *v)
{
    void *p = sn_attr_at(attr, a);

    switch (a->kind) {
    case SN_A_INT:
        *(int64_t *)p = v->i;
        return;
    case SN_A_REAL:
        *(float *)p = (float)(v->r + (double)v->i);
        return;
    case SN_A_BOOL:
        *(bool *)p = v->i != 0;
        return;
    case SN_A_STR:
        *(const char **)p = v->s;
        return;
    case SN_A_ENUM:
        sn_import_set_enum(k, attr, a->name, v->s);
        return;
    case SN_A_INTS:
        *(SnInts *)p = (SnInts){v->n, v->ints};
        return;
    case SN_A_REALS:
        *(SnReals *)p = (SnReals){v->n, v->reals};
        return;
    default:
        sn_bug("onnx: attribute '%s' cannot come from a declaration", a->name);
    }
}

static SnStatus
set_attr(SnImport *x, SnKind k, void *attr, const SnOnnxSet *s)
{
    const SnAttrDesc *a = sn_attr_named(sn_desc(k), s->attr);
    void *p = sn_attr_at(attr, a);
    bool given;

    if (s->sizes != NULL)
        return sizes(x, s, a, p);
    SN_TRY(take(x, &s->from, a, p, &given));
    if (given || !s->from.has_val)
        return SN_OK;
    if (s->from.kind == SN_A_INT && a->kind == SN_A_INTS)
        *(SnInts *)p = (SnInts){1, &s->from.val.i};
    else
        set_default(k, attr, a, &s->from.val);
    return SN_OK;
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

/* A Reshape within a term to the shape that its operand has: there is none. */
static bool
same_shape(const SnImport *x, const Run *r, const SnOnnxStep *s, SnRef in,
           const void *attr)
{
    const SnShape *shape = sn_shape_of(x->g, in);
    const SnInts *dims;

    if (s->kind != SN_K_RESHAPE || r->t->nstep == 1)
        return false;
    dims = sn_import_get_ints(s->kind, attr, "dims");
    return dims->n == (uint32_t)shape->rank &&
           (dims->n == 0 ||
            memcmp(dims->v, shape->dim, dims->n * sizeof *dims->v) == 0);
}

/* Is every element of v known to be 1? */
static bool
is_one(SnImport *x, SnImportVal *v)
{
    const SnData *d = v->q == NULL ? sn_import_const(x, v) : NULL;
    bool one = d != NULL && d->dtype == SN_D_F32;

    for (int64_t i = 0; one && i < sn_data_count(d); i++)
        one = ((const float *)d->data)[i] == 1;
    return one;
}

/* A product within a term with ones that do not enlarge it: there is none.
 * Export writes such a scale where an operator asks for one. */
static bool
times_one(SnImport *x, const Run *r, const SnOnnxStep *s)
{
    SnImportVal *v;

    if (s->kind != SN_K_MUL || s->narg != 2 || s->arg[0] < 0 ||
        s->arg[1] >= 0 || s->arg[1] == SN_ONNX_NONE || r->given != NULL ||
        (v = sn_import_in(x, (uint32_t)~s->arg[1])) == NULL)
        return false;
    const SnShape *y = sn_shape_of(x->g, r->made[s->arg[0]]);
    bool within = v->rank <= y->rank;
    for (int i = 0; within && i < v->rank; i++)
        within = v->dim[i] == 1 || v->dim[i] == y->dim[y->rank - v->rank + i];
    return within && is_one(x, v);
}

/* The step is made: as a value that is there already. */
static SnStatus
passes(SnImport *x, Run *r, uint32_t i, SnRef v, const char *name)
{
    r->made[i] = v;
    if (name != NULL)
        sn_rename(x->g, v, name);
    return SN_OK;
}

/* Of which result is step i the root?  -1: of none. */
static int
root_of(const Run *r, uint32_t i)
{
    for (int k = 0; k < r->t->nroot; k++)
        if (r->t->root[k] == (int32_t)i)
            return k;
    return -1;
}

static SnStatus
step(SnImport *x, Run *r, uint32_t i)
{
    const SnOnnxStep *s = &r->t->step[i];
    const SnType *type =
        s->elem >= 0 ? sn_type_plain(x->g->pool, (SnElem)s->elem) : NULL;
    const char *kind = sn_desc(s->kind)->name;
    int result = root_of(r, i);
    bool root = result >= 0 && r->name[result] != NULL;
    const char *name = root ? r->name[result] : NULL;
    void *attr;
    uint32_t n;
    SnRef *in;

    if (s->kind == 0)
        return number(x, r, s, &r->made[i]);
    if (times_one(x, r, s))
        return passes(x, r, i, r->made[s->arg[0]], name);
    SN_TRY(gather(x, r, s, &n, &in));
    SN_TRY(attributes(x, s, &attr));
    if (same_shape(x, r, s, in[0], attr))
        return passes(x, r, i, in[0], name);
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

/* Which of the node's values result k is, or -1: it is made. */
static int32_t
passed_on(const SnImport *x, const SnOnnxTerm *t, uint32_t k)
{
    const SnOnnxStep *s = t->root[k] >= 0 ? &t->step[t->root[k]] : NULL;

    if (s == NULL)
        return ~t->root[k];
    if (s->chain && x->n->n_input == t->nin)
        return ~s->arg[0];
    return -1;
}

/* Steps of the results that are wanted; arguments are earlier steps. */
static bool *
needed(SnImport *x, const Run *r)
{
    bool *need = SN_NEW_N(x->a, bool, r->t->nstep + 1u);

    for (uint32_t k = 0; k < r->t->nroot; k++)
        if (r->t->root[k] >= 0 && (k == 0 || sn_import_out(x, k) != NULL))
            need[r->t->root[k]] = true;
    for (uint32_t i = r->t->nstep; i-- > 0;)
        for (uint32_t k = 0; need[i] && k < r->t->step[i].narg; k++)
            if (r->t->step[i].arg[k] >= 0)
                need[r->t->step[i].arg[k]] = true;
    return need;
}

static SnStatus
make(SnImport *x, Run *r)
{
    SnImportVal *v = sn_import_in(x, 0);
    const bool *need = needed(x, r);

    r->elem = SN_F32;
    for (uint32_t i = 0; i < r->t->nin; i++)
        if (r->t->in[i].elem < 0 && !r->t->in[i].value &&
            (v = sn_import_in(x, i)) != NULL) {
            SN_TRY(elem_of(x, v, r->given, i, &r->elem));
            break;
        }
    r->made = SN_NEW_N(x->a, SnRef, r->t->nstep);
    for (uint32_t i = 0; i < r->t->nstep; i++)
        if (need[i])
            SN_TRY(step(x, r, i));
    return SN_OK;
}

static SnStatus
reshaped(SnImport *x, const SnData *t, const SnInts *dims, const SnData **out)
{
    SnData *r = sn_memdup(x->a, t, sizeof *t);

    r->rank = (int)dims->n;
    if (dims->n > 0)
        memcpy(r->dim, dims->v, dims->n * sizeof *dims->v);
    *out = r;
    return SN_OK;
}

static SnStatus
permuted(SnImport *x, const SnData *t, const SnInts *axes, const SnData **out)
{
    int perm[SN_MAXRANK];
    uint32_t seen = 0;

    for (uint32_t i = 0; i < axes->n && i < SN_MAXRANK; i++) {
        perm[i] = (int)(axes->v[i] & (SN_MAXRANK - 1));
        seen |= perm[i] == axes->v[i] ? 1U << perm[i] : 0;
    }
    if (axes->n != (uint32_t)t->rank || seen != (1U << t->rank) - 1)
        return sn_import_fail(x, SN_EINPUT,
                              "attribute 'perm' is not a permutation of %d "
                              "axes",
                              t->rank);
    return sn_import_permuted(x, t, perm, out);
}

/* Known elements under a Reshape or Transpose alone stay known; *done says
 * whether. */
static SnStatus
known_elements(SnImport *x, const Run *r, bool *done)
{
    const SnOnnxStep *s = r->t->step;
    SnImportVal *v;
    const SnData *t;
    void *attr;

    *done = false;
    if (r->t->nstep != 1 || s->arg == NULL || s->arg[0] >= 0 ||
        (s->kind != SN_K_RESHAPE && s->kind != SN_K_TRANSPOSE))
        return SN_OK;
    v = sn_import_in(x, (uint32_t)~s->arg[0]);
    if (v->data == NULL || v->q != NULL)
        return SN_OK;
    SN_TRY(attributes(x, s, &attr));
    if (s->kind == SN_K_RESHAPE)
        SN_TRY(reshaped(x, v->data, sn_import_get_ints(s->kind, attr, "dims"),
                        &t));
    else
        SN_TRY(permuted(x, v->data, sn_import_get_ints(s->kind, attr, "perm"),
                        &t));
    *done = true;
    return sn_import_put_data(x, 0, t);
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
    bool done, last = false;

    SN_TRY(choose(x, e, NULL, &r.t));
    for (uint32_t i = 0; i < r.t->nin; i++)
        last |= r.t->in[i].last;
    SN_TRY(known_elements(x, &r, &done));
    if (done)
        return SN_OK;
    for (uint32_t k = 0; k < r.t->nroot; k++)
        r.name[k] = sn_import_name(x, k);
    if (r.t->nroot > 1 || passed_on(x, r.t, 0) < 0)
        SN_TRY(make(x, &r));
    for (uint32_t k = 0; k < r.t->nroot; k++) {
        int32_t same = passed_on(x, r.t, k);
        SnImportVal *v;
        if (k > 0 && sn_import_out(x, k) == NULL)
            continue;
        if (same >= 0) {
            SN_TRY(sn_import_need(x, (uint32_t)same, &v));
            SN_TRY(sn_import_alias(x, k, v));
        } else if (k == 0 && last) {
            SN_TRY(sn_import_put_last(x, k, r.made[r.t->root[k]]));
        } else {
            SN_TRY(sn_import_put(x, k, r.made[r.t->root[k]]));
        }
    }
    return SN_OK;
}

SnStatus
sn_import_term_of(SnImport *x, const SnOnnxDesc *e, const SnRef *in,
                  const char *name, SnRef *out)
{
    Run r = {.given = in, .name = {name}};
    int32_t same;

    SN_TRY(choose(x, e, in, &r.t));
    same = passed_on(x, r.t, 0);
    if (same < 0)
        SN_TRY(make(x, &r));
    *out = same < 0 ? r.made[r.t->root[0]] : in[same];
    return SN_OK;
}
